"""Certificates survive JSON bit for bit; malformed documents are rejected in one sentence."""

import json
import time
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.certificates import Digest, HullIntersection, SeparatingHyperplane, from_json
from rosenblatt.certificates.certificate import Certificate
from rosenblatt.certificates.combination import Combination
from rosenblatt.certificates.json_values import MAX_BITS, MAX_BYTES, max_document_bytes
from rosenblatt.certificates.label_codes import Label
from rosenblatt.certificates.rounding import Weights
from rosenblatt.core.errors import InputError

X, Y = np.array([[-1.0, -1], [-1, 1], [1, -1], [1, 1]]), [0, 0, 0, 1]
PLANE = SeparatingHyperplane(
    Digest.of(X, Y),
    (0, 1),
    1,
    1.0,
    "augmented",
    (1, 1, -1),
    Fraction(1, 3),
    {1: 1, 2: 1, 3: 1},
    Fraction(1, 3),
)
CROSSING = HullIntersection(Digest.of(X, Y), (0, 1), None, 0.0, "augmented", {(1, 1): 1, (2, 1): 1})

LABELS = st.one_of(
    st.text(max_size=5),
    st.booleans(),
    st.integers(-(2**1000), 2**1000),
    st.floats(allow_nan=False, allow_infinity=False),
)


def _same(left: object, right: object) -> bool:
    return left == right and type(left) is type(right)


@given(st.lists(LABELS, max_size=4), LABELS, st.data())
def test_round_trips(classes: list[object], positive: Label | None, data: st.DataObject) -> None:
    # More digits than Python converts to decimal by default, but within Hypothesis's limit.
    integers = st.lists(st.integers(-(2**16000), 2**16000), max_size=1).map(tuple)
    floats = st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=5).map(np.array)
    weights: Weights = data.draw(st.one_of(integers, floats))
    if isinstance(weights, np.ndarray):
        weights = weights.astype(np.float64)
    counts: Combination = data.draw(
        st.dictionaries(st.integers(0, 2**53), st.integers(1, 2**4500), max_size=2)
    )
    fractions = st.builds(Fraction, st.integers(-(2**4500), 2**4500), st.integers(1, 2**4500))
    plane = SeparatingHyperplane(
        PLANE.digest,
        tuple(classes),
        positive,
        data.draw(st.sampled_from([0.0, 1.0, -0.0, 0.1])),
        "affine",
        weights,
        data.draw(fractions),
        data.draw(st.sampled_from([None, counts])),
        data.draw(st.one_of(st.none(), fractions)),
    )
    read = from_json(plane.to_json())
    assert isinstance(read, SeparatingHyperplane)
    assert read == plane
    assert read.to_json() == plane.to_json()
    assert all(map(_same, read.classes, plane.classes))
    assert _same(read.positive, plane.positive)
    assert (read.combination, read.upper_squared) == (plane.combination, plane.upper_squared)
    assert read.lower_squared == plane.lower_squared
    if isinstance(weights, tuple):
        assert read.weights == weights
    else:
        assert isinstance(read.weights, np.ndarray)
        assert read.weights.tobytes() == weights.tobytes()


def test_certificate_read_from_json_verifies() -> None:
    read = from_json(PLANE.to_json())
    assert read.verify(X, Y)
    assert not read.verify(X, Y[::-1])
    assert from_json(CROSSING.to_json()).combination == CROSSING.combination


def test_json_entries() -> None:
    document = json.loads(PLANE.to_json())
    assert document["format"] == "rosenblatt-certificate"
    assert document["version"] == 1
    assert document["lower_squared"] == "1/3"
    assert document["weights"] == {"integers": [1, 1, -1]}
    assert document["combination"] == [[1, 1], [2, 1], [3, 1]]
    assert json.loads(CROSSING.to_json())["combination"] == [[1, 1, 1], [2, 1, 1]]


ODD: list[object] = [
    None,
    True,
    -1,
    7,
    0.5,
    "",
    "x",
    "0x1p0",
    "nan",
    [],
    [[]],
    [None],
    {},
    {"a": 1},
]

ODD_PARTS: list[tuple[str, object]] = [
    ("version", 2),
    ("version", "1"),
    ("version", True),
    ("format", "rosenblatt-model"),
    ("claim", "a miracle"),
    ("margin", "largest"),
    ("constant", 1.0),
    ("constant", "1.0"),
    ("constant", "inf"),
    ("constant", "0x1p99999"),
    ("weights", {"floats": ["0x1.8p0"]}),
    ("weights", {"floats": ["nan"]}),
    ("weights", {"floats": [1.0]}),
    ("weights", {"integers": [1.0]}),
    ("weights", {"integers": [True]}),
    ("weights", {"integers": [2**53 + 1]}),
    ("weights", {"integers": ["12"]}),
    ("weights", {"integers": ["0X20000000000001"]}),
    ("weights", {"integers": ["0x020000000000001"]}),
    ("weights", {"integers": ["0x2_0000000000001"]}),
    ("weights", {"integers": [], "floats": []}),
    ("lower_squared", "2/6"),
    ("lower_squared", "1/0"),
    ("lower_squared", "1/-3"),
    ("lower_squared", "-0/1"),
    ("lower_squared", "1"),
    ("lower_squared", "1/3/1"),
    ("lower_squared", " 1/3"),
    ("lower_squared", "1/3\n"),
    ("lower_squared", "١/3"),
    ("lower_squared", None),
    ("lower_squared", "0x1/0x3"),
    ("combination", [[1, 1], [1, 2]]),
    ("combination", [[2, 1], [1, 1]]),
    ("combination", [[1, 1, 1]]),
    ("combination", {"1": 1}),
    ("combination", [[1, 1.0]]),
    ("classes", [[0], [1]]),
    ("classes", [None]),
    ("classes", [0.5]),
    ("classes", [{"float": "nan"}]),
    ("classes", [{"int": 7}]),
    ("classes", [{"int": "0x" + "f" * 600}]),
    ("classes", {}),
    ("positive", [1]),
    ("digest", {}),
    ("surplus", 1),
    ("combination", [["0x" + "f" * 5000, 1]]),
    ("combination", [["9" * 5000, 1]]),
    ("combination", [[2**53 + 1, 1]]),
    ("combination", [["0x20000000000001", 1]]),
    ("combination", [[1, "0x1" + "0" * (MAX_BITS // 4)]]),
    ("combination", [[1]]),
    ("combination", [1, 1]),
    ("weights", {"integers": ["-0x1" + "0" * (MAX_BITS // 4), 1, 1]}),
    ("weights", {"integers": ["0x" + "f" * 2_000_000, 1, 1]}),
    ("weights", {"floats": ["0x1p+5000000", "0x0.0p+0", "0x0.0p+0"]}),
    ("weights", {"floats": ["0x1p+" + "9" * 5000, "0x0.0p+0", "0x0.0p+0"]}),
    ("weights", {"floats": ["0x1." + "0" * 1_000_000 + "p+0", "0x0.0p+0", "0x0.0p+0"]}),
    ("weights", {"floats": ["\ud800", "0x0.0p+0", "0x0.0p+0"]}),
    ("lower_squared", "0x" + "f" * 2_000_000 + "/0x1" + "0" * 2_000_000),
    ("lower_squared", "0x1" + "0" * (MAX_BITS // 4) + "/1"),
    ("lower_squared", "1/" * 100_000),
    ("lower_squared", 1e400),
    ("constant", True),
    ("classes", [[[[[[]]]]]]),
]


@pytest.mark.parametrize(("key", "value"), ODD_PARTS, ids=lambda part: repr(part)[:40])
def test_invalid_entries_are_rejected(key: str, value: object) -> None:
    document = json.loads(PLANE.to_json())
    document[key] = value
    started = time.perf_counter()
    with pytest.raises(InputError) as error:
        from_json(json.dumps(document))
    assert len(str(error.value)) < 300
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize("certificate", [PLANE, CROSSING])
def test_missing_and_unexpected_entries_are_rejected(certificate: Certificate) -> None:
    document = json.loads(certificate.to_json())
    for key in document:
        with pytest.raises(InputError):
            from_json(json.dumps({k: v for k, v in document.items() if k != key}))
    for key in document["digest"]:
        for value in ODD:
            if value == 7 and key in ("n_samples", "n_features"):
                continue
            with pytest.raises(InputError):
                from_json(json.dumps({**document, "digest": {**document["digest"], key: value}}))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "1",
        "NaN",
        '"text"',
        "[" * 100_000,
        '{"format": "rosenblatt-certificate"}',
        '{"format": "rosenblatt-certificate", "version": NaN}',
        '{"version": ' + "9" * 10_000 + "}",
        '{"version": ' + "9" * 20 + "}",
        PLANE.to_json().replace("[\n   1,\n   1\n  ]", "[" + "1" * 5000 + ", 1]"),
        PLANE.to_json().replace('"positive": 1', '"positive": ' + '{"a":' * 100_000),
        PLANE.to_json().replace('"positive": 1', "1: 1"),
        PLANE.to_json()[:-3],
        PLANE.to_json().replace('"version": 1', '"version": 1, "version": 1'),
        "\ud800",
        None,
        b"{}",
        7,
    ],
    ids=lambda text: repr(text)[:20],
)
def test_other_documents_are_rejected(text: object) -> None:
    with pytest.raises(InputError):
        from_json(text)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(
    st.sampled_from([PLANE, CROSSING]),
    st.dictionaries(st.sampled_from(sorted(json.loads(PLANE.to_json()))), JSON, min_size=1),
)
def test_any_entries_give_an_error_or_a_certificate(
    certificate: Certificate, changes: object
) -> None:
    document = {**json.loads(certificate.to_json()), **changes}
    try:
        read = from_json(json.dumps(document))
    except InputError:
        return
    assert isinstance(read.falsehood(X, Y), str | None)


@given(st.data())
def test_any_damage_to_the_text_gives_an_error_or_a_certificate(data: st.DataObject) -> None:
    text = PLANE.to_json()
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 5)))
    damaged = text[:start] + data.draw(st.text(max_size=3)) + text[stop:]
    try:
        read = from_json(damaged)
    except InputError:
        return
    assert isinstance(read.falsehood(X, Y), str | None)


@pytest.mark.parametrize(
    "changes",
    [
        {"weights": [1, 2]},
        {"weights": (1.0,)},
        {"weights": (True,)},
        {"lower_squared": 0.5},
        {"combination": [1]},
        {"combination": {1: 0.5}},
        {"combination": {1: 1, (1, 2): 1}},
        {"combination": {np.int64(1): 1}},
        {"classes": (None,)},
        {"classes": None},
        {"margin": object()},
        {"digest": replace(PLANE.digest, n_samples=np.int64(4))},
        {"constant": "1"},
        {"digest": None},
    ],
)
def test_invalid_certificate_is_not_written(changes: dict[str, object]) -> None:
    with pytest.raises(InputError):
        replace(PLANE, **changes).to_json()


def test_numbers_up_to_the_limit_are_written_and_read() -> None:
    long = (1 << MAX_BITS) - 1
    certificate = replace(
        PLANE,
        weights=(long, -long, 1),
        lower_squared=Fraction(1, long),
        combination={1: long},
        upper_squared=Fraction(1, long),
    )
    assert from_json(certificate.to_json()) == certificate
    beyond: list[dict[str, object]] = [
        {"weights": (long + 1, 1, 1)},
        {"lower_squared": Fraction(long + 1)},
        {"combination": {1: long + 1}},
        {"combination": {2**53 + 1: 1}},
    ]
    for changes in beyond:
        with pytest.raises(InputError, match=r"expected an integer of at most (\d+ bits|2\^53)"):
            replace(PLANE, **changes).to_json()


@pytest.mark.parametrize(
    "changes",
    [
        {"combination": {10**5000: 1}},
        {"combination": {1: -(10**5000)}},
        {"combination": {(10**5000, 1): 1}},
        {"constant": 10**5000},
        {"margin": "x" * 10**6},
        {"margin": 10**5000},
        {"positive": "x" * 10**6},
        {"positive": 10**5000},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_sentences_are_short_for_any_content(changes: dict[str, object]) -> None:
    for certificate in (PLANE, CROSSING):
        odd = replace(certificate, **changes)
        assert len(odd.falsehood(X, Y) or "") < 300
        if "margin" not in changes:  # reading accepts only two margins
            assert len(odd.claim) < 700
            assert len(repr(odd)) < 700


def test_data_limits_the_size_of_a_document() -> None:
    sizes = [max_document_bytes(*shape, [0, 1]) for shape in ((4, 2), (5, 2), (5, 3))]
    assert sizes == sorted(set(sizes))
    assert max_document_bytes(10**9, 10**9, [0, 1]) == MAX_BYTES
    names = ["\U0001f600" * 1000, "\ud800" * 1000]
    long = (1 << MAX_BITS) - 1
    largest = SeparatingHyperplane(
        Digest.of(X, names * 2),
        tuple(sorted(names)),
        None,
        1.0,
        "augmented",
        (-long,) * 6,
        Fraction(long, long - 1),
        {(i, j): long for i in range(4) for j in range(2)},
        Fraction(long, long - 1),
    )
    assert len(largest.to_json()) < max_document_bytes(4, 2, names)
