"""Digests depend on the numbers and the labels, not on how they are stored."""

import hashlib
import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.certificates import Digest, digest
from rosenblatt.certificates.stored_samples import Samples
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import LabelsLike, MatrixLike
from strategies import INTEGERS, matrices

X = np.array([[0.0, 1.5, -2.0], [0.0, 0.0, 0.0], [3.0, 0.0, 0.25], [1.0, 1.0, 1.0]])
Y = np.array([1, -1, 1, -1])


def _unsorted() -> sp.csr_array:
    matrix = sp.csr_array(X)
    for start, stop in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True):
        matrix.indices[start:stop] = matrix.indices[start:stop][::-1].copy()
        matrix.data[start:stop] = matrix.data[start:stop][::-1].copy()
    return sp.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=X.shape)


def _with_duplicates() -> sp.csr_array:
    return sp.csr_array(
        (
            np.array([0.5, 1.0, -2.0, 0.0, 3.0, 0.25, 1.0, 1.0, 1.0]),
            np.array([1, 1, 2, 0, 0, 2, 0, 1, 2]),
            np.array([0, 3, 4, 6, 9]),
        ),
        shape=X.shape,
    )


STORAGES: dict[str, object] = {
    "dense": X,
    "list": X.tolist(),
    "float32": X.astype(np.float32),
    "float16": X.astype(np.float16),
    "longdouble": X.astype(np.longdouble),
    "big endian": X.astype(">f8"),
    "object": X.astype(object),
    "Fortran": np.asfortranarray(X),
    "strided": np.repeat(X, 2, axis=1)[:, ::2],
    "negative zeros": np.where(X == 0, -0.0, X),
    "csr": sp.csr_array(X),
    "csr matrix": sp.csr_matrix(X),
    "csr of float32": sp.csr_array(X.astype(np.float32)),
    "csc": sp.csc_array(X),
    "coo": sp.coo_array(X),
    "lil": sp.lil_array(X),
    "unsorted": _unsorted(),
    "duplicates and zeros": _with_duplicates(),
}


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("of", STORAGES)
def test_the_same_numbers_match_in_any_storage(of: str, storage: str) -> None:
    assert Digest.of(STORAGES[of], Y).matches(STORAGES[storage], Y)


def test_integers_match_equal_floats() -> None:
    whole = np.array([[0, 1], [-2, 300]])
    for dtype in (np.int16, np.int32, np.int64, np.float32, np.float64):
        for other in (whole, whole.astype(np.int16), sp.csr_array(whole), sp.coo_array(whole)):
            assert Digest.of(whole.astype(dtype), [0, 1]).matches(other, [0, 1])
    assert Digest.of(whole.astype(np.int16), [0, 1]).dtype == "float32"
    assert Digest.of(whole.astype(np.int32), [0, 1]).dtype == "float64"


@pytest.mark.parametrize("storage", ["dense", "csr"])
def test_other_numbers_do_not_match(storage: str) -> None:
    digest = Digest.of(STORAGES[storage], Y)
    other = X.copy()
    other[3, 1] = np.nextafter(1.0, 2.0)
    for wrong in (other, X[::-1], X[:, ::-1], X[:3], X[:, :2], X.reshape(3, 4), -X, X[0], 7, "X"):
        assert not digest.matches(wrong, Y)
        assert wrong is X or not digest.matches(wrong, Y[:3])
    narrow = Digest.of(STORAGES[storage].astype(np.float32), Y)
    assert not narrow.matches(other, Y)
    assert not narrow.matches(X * 1e300, Y)
    assert not narrow.matches(sp.csr_array(other), Y)


def test_labels_match_across_types() -> None:
    digest = Digest.of(X, Y)
    for same in (Y.tolist(), Y.astype(float), Y.astype(np.int8), Y.astype(object)):
        assert digest.matches(X, same)
    for other in (-Y, Y.astype(str), Y > 0, Y[:3], Y[:, None], [[1], 2], None, Y + 1):
        assert not digest.matches(X, other)
    assert Digest.of(X, Y > 0).matches(X, [1.0, 0.0, 1.0, 0.0])
    names = Digest.of(X, ["b", "a", "b", "a"])
    assert names.matches(X, np.array(["b", "a", "b", "a"], dtype=object))
    assert not names.matches(X, ["a", "b", "a", "b"])


def test_labels_of_several_types_do_not_become_text() -> None:
    X = [[1.0], [2.0]]
    digest = Digest.of(X, ["1", "a"])
    assert not digest.matches(X, [1, "a"])
    with pytest.raises(InputError, match="cannot be sorted"):
        Digest.of(X, [1, "a"])
    whole = [2**60 + 1, 2**60 + 3]
    assert Digest.of([[1.0], [2.0], [3.0]], [*whole, 0.5]) != Digest.of(
        [[1.0], [2.0], [3.0]], [2.0**60, 2.0**60, 0.5]
    )
    assert Digest.of(X, [True, 2.0]) == Digest.of(X, [1, 2])


@pytest.mark.parametrize(
    "labels",
    [
        [1, "a", None, 2],
        [np.nan, 1, 1, 1],
        [1j, 1, 1, 1],
        [b"a", b"b", b"a", b"b"],
        [2**2000, 1, 1, 1],
    ],
)
def test_invalid_labels_are_rejected(labels: LabelsLike) -> None:
    with pytest.raises(InputError):
        Digest.of(X, np.array(labels, dtype=object))


@pytest.mark.parametrize(
    "samples", [X[0], X[None], "text", [[1, 2], [3]], X.astype(complex), np.array([["a"]]), {}]
)
def test_invalid_samples_are_rejected(samples: MatrixLike) -> None:
    with pytest.raises(InputError):
        Digest.of(samples, Y)


def test_damaged_sparse_matrix_is_rejected() -> None:
    for name, position, value in (("indices", 1, 9), ("indices", 1, -1), ("indptr", 1, 99)):
        matrix = sp.csr_array(X)
        getattr(matrix, name)[position] = value
        with pytest.raises(InputError, match="not a valid sparse matrix"):
            Digest.of(matrix, Y)
        assert not Digest.of(X, Y).matches(matrix, Y)


@pytest.mark.parametrize("kind", ["csc", "bsr", "coo", "lil", "dia"])
def test_index_out_of_range_is_rejected_in_every_sparse_format(kind: str) -> None:
    matrix = getattr(sp, f"{kind}_array")(X)
    assert Digest.of(matrix, Y) == Digest.of(sp.csr_array(X), Y)
    if kind == "coo":
        matrix.coords[0][1] = 2**30
    elif kind == "lil":
        matrix.data[0] = [1.0] * 1000
    elif kind == "dia":
        matrix.offsets = np.arange(1000, dtype=np.int32)
    else:
        matrix.indices[1] = 2**30
    with pytest.raises(InputError, match="not a valid sparse matrix"):
        Digest.of(matrix, Y)


def test_a_damaged_digest_matches_nothing() -> None:
    fields = vars(Digest.of(X, Y))
    for name in fields:
        for value in (None, -1, "", "f" * 64, np.ones(3), [], float("nan")):
            assert not Digest(**{**fields, name: value}).matches(X, Y)


@given(matrices(INTEGERS, st.integers(0, 6), st.integers(0, 5)), st.data())
def test_storages_of_random_numbers(X: np.ndarray, data: st.DataObject) -> None:
    y = data.draw(st.lists(st.sampled_from("abc"), min_size=len(X), max_size=len(X)))
    y = np.array(y, dtype="<U1")
    dense, sparse = Digest.of(X, y), Digest.of(sp.csr_array(X), y)
    assert dense.matches(sp.csc_array(X), y)
    assert sparse.matches(X.astype(np.float32), y)
    assert Digest.of(X.astype(np.float32), y).matches(X, y)
    other = X.copy()
    if other.size:
        other.flat[data.draw(st.integers(0, other.size - 1))] += 1
        assert not dense.matches(sp.csr_array(other), y)
        assert not sparse.matches(other, y)


def _plain_digest(X: np.ndarray, y: np.ndarray) -> str:
    """Return the digest by its definition, without cache blocks, threads or conversions."""
    classes = sorted(set(y.tolist()))
    codes = np.array([classes.index(label) for label in y.tolist()], dtype="<i4")
    header = {
        "dtype": X.dtype.name,
        "format": "rosenblatt-digest",
        "labels": [json.dumps(label) for label in classes],
        "shape": list(X.shape),
        "storage": "dense",
        "version": 1,
    }
    height = 2**22 // (X.shape[1] * X.itemsize)
    text = json.dumps(header).encode() + b"\0"
    for start in range(0, len(X), height):
        text += hashlib.sha256(np.abs(X[start : start + height]).tobytes()).digest()
    for start in range(0, len(y), 2**20):
        text += hashlib.sha256(codes[start : start + 2**20].tobytes()).digest()
    return hashlib.sha256(text).hexdigest()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads_do_not_change_the_digest(dtype: type, monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.abs(np.random.default_rng(0).normal(size=(40_001, 31))).astype(dtype)
    X[123, 4] = -0.0
    y = np.arange(len(X)) % 3
    expected = _plain_digest(X, y)
    monkeypatch.setattr(digest, "_SINGLE_THREAD_BYTES", 0)
    assert Digest.of(X, y).sha256 == expected
    monkeypatch.setattr(digest, "_SINGLE_THREAD_BYTES", 1 << 40)
    assert Digest.of(X, y).sha256 == expected
    sparse = Digest.of(sp.csr_array(X), y)
    monkeypatch.setattr(digest, "_SINGLE_THREAD_BYTES", 0)
    assert Digest.of(sp.csr_array(X), y) == sparse
    assert sparse.matches(X, y)


def _forged(samples: MatrixLike, labels: list[str], storage: str) -> Digest:
    """Return a digest that names float32 but omits the numbers, which float32 cannot represent."""
    read = Samples.of(samples, labels)
    header = {
        "dtype": "float32",
        "format": "rosenblatt-digest",
        "labels": [json.dumps(label) for label in sorted(labels)],
        "shape": [read.n_samples, read.n_features],
        "storage": storage,
        "version": 1,
    }
    hashed = json.dumps(header, sort_keys=True).encode() + b"\0"
    if storage == "sparse":
        for numbers in read.compressed()[:2]:
            hashed += hashlib.sha256(numbers.astype("<i8").tobytes()).digest()
    hashed += hashlib.sha256(read.codes.astype("<i4").tobytes()).digest()
    sha256 = hashlib.sha256(hashed).hexdigest()
    return Digest(sha256, storage, "float32", read.n_samples, read.n_features)


@pytest.mark.parametrize("storage", ["dense", "sparse"])
def test_numbers_that_the_named_type_cannot_represent_match_nothing(storage: str) -> None:
    for value in (1e300, 0.1, 1e-300, 2.0**24 + 1):
        table = np.array([[value, 1.0], [2.0, 3.0]])
        forged = _forged(table, ["a", "b"], storage)
        for other in (table, 3 * table, sp.csr_array(table)):
            assert not forged.matches(other, ["a", "b"])
    # Also if only one of many blocks does not fit.
    long = np.ones((3, 2**20))
    long[1, 7] = 0.1
    assert digest._sha256(Samples.of(long, list("abc")), storage, np.dtype("float32")) is None


def _number(value: object) -> Fraction:
    plain = int(value) if isinstance(value, np.integer) else value
    return Fraction(*plain.as_integer_ratio())


def _tables(value: object) -> dict[str, object]:
    """Return one table that contains the value, in every storage that can represent it."""
    rows = [[0, value, 1], [0.5, 0, -2]]
    wide: MatrixLike = np.array([[0.0, float(value), 1.0], [0.5, 0.0, -2.0]])
    found: dict[str, object] = {"list": rows, "object": np.array(rows, dtype=object)}
    if Fraction(float(value)) != _number(value):
        return found
    found |= {
        "frame": pd.DataFrame({"a": [0, 0.5], "b": [value, 0], "c": [1, -2]}),
        "float64": wide,
        "longdouble": wide.astype(np.longdouble),
        "big endian": wide.astype(">f8"),
        "csr": sp.csr_array(wide),
        "coo": sp.coo_array(wide),
        "zeros stored": sp.csr_array(
            (wide.ravel(), np.tile([0, 1, 2], 2), [0, 3, 6]), shape=(2, 3)
        ),
    }
    for dtype in (np.float16, np.float32):
        with np.errstate(all="ignore"):
            narrow = wide.astype(dtype)
        if (narrow == wide).all():
            found[np.dtype(dtype).name] = narrow
            if dtype == np.float32:
                found["csr of float32"] = sp.csr_array(narrow)
    return found


EDGES: list[object] = [
    0.0, 1, -1, 0.1, float(np.float32(0.1)), float(np.float16(0.1)), 65504, 65505, 65520, 2**24,
    2**24 + 1, 2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, 2**63, 2**63 + 1, 2**64, 2**64 + 1, -(2**63),
    -(2**63) - 1, 2**128, float(np.finfo(np.float32).max), 1e38, 1e39, 1e300, 1.7976931348623157e308,
    5e-324, 1e-323, 1e-45, float(np.float32(1e-45)), 6e-8, np.nextafter(1.0, 2.0), Fraction(1, 3),
    Fraction(1, 2), np.int64(2**53 + 1), np.int64(2**62), np.longdouble(1) + np.longdouble(2) ** -60,
]  # fmt: skip


@pytest.mark.parametrize("value", EDGES, ids=repr)
def test_equal_tables_match_in_every_storage(value: object) -> None:
    tables = _tables(value)
    if _number(value) != Fraction(float(value)):
        for table in tables.values():
            with pytest.raises(InputError, match="float64 cannot represent exactly"):
                Digest.of(table, ["no", "yes"])
        return
    for own in tables.values():
        found = Digest.of(own, ["no", "yes"])
        assert all(found.matches(table, ["no", "yes"]) for table in tables.values())


def test_different_tables_have_different_digests_in_any_type() -> None:
    known: dict[str, Fraction] = {}
    for value in EDGES:
        for table in _tables(value).values():
            try:
                read = Samples.of(table, ["no", "yes"])
            except InputError:
                continue
            for storage in ("dense", "sparse"):
                for dtype in ("float32", "float64"):
                    sha256 = digest._sha256(read, storage, np.dtype(dtype))
                    number = _number(value)
                    if sha256 is not None:
                        assert known.setdefault(sha256, number) == number


LABELS: list[object] = [
    1, 1.5, "1", "1.0", "a", "a\0", "a ", "A", "", "\0", 2**53, 2**53 + 1, 2**60 + 1, 2**60 + 3,
    0, -1, 1e300, "true", "True", "\u00e9", "e\u0301", "\ud800", "\U0001f600",
]  # fmt: skip


def test_labels_match_if_and_only_if_they_are_equal() -> None:
    for first in LABELS:
        own = Digest.of(X[:2], [first, first])
        for second in LABELS:
            others: list[object] = [[second, second], (second, second)]
            others.append(np.array([second, second], dtype=object))
            if not (isinstance(second, str) and second.endswith("\0")):
                others.append(np.array([second, second]))
            for other in others:
                assert own.matches(X[:2], other) == (first == second), (first, other)
    ones = [
        [1, 1],
        [1.0, 1.0],
        [True, True],
        np.ones(2, np.int8),
        np.ones(2, np.float32),
        [1, True],
    ]
    for one in ones:
        assert Digest.of(X[:2], np.array([1, 1])).matches(X[:2], one)


@pytest.mark.parametrize(
    "labels",
    [[1, "1"], ["1", b"1"], ["\ud83d\ude00", "a"], np.ma.array([1, 2], mask=[0, 1]), [1, None]],
    ids=repr,
)
def test_labels_that_numpy_would_change_are_rejected(labels: LabelsLike) -> None:
    with pytest.raises(InputError):
        Digest.of([[0.0], [1.0]], labels)


@pytest.mark.parametrize(
    "samples",
    [
        [[10**400], [1]],
        [[10**400, 0.5], [1, 2]],
        np.ma.array([[1.0], [2.0]], mask=[[0], [1]]),
        np.array([["nan"], [1.0]], dtype=object),
        np.array([["1"], [1.0]], dtype=object),
        sp.csr_array(
            (np.array([2**53, 1, 1]), np.array([0, 0, 0]), np.array([0, 2, 3])), shape=(2, 1)
        ),
    ],
    ids=["huge", "huge among floats", "masked", "nan as text", "text", "summed beyond 2^53"],
)
def test_tables_that_numpy_would_change_are_rejected(samples: MatrixLike) -> None:
    with pytest.raises(InputError):
        Digest.of(samples, [0, 1])
    assert not Digest.of([[1.0], [2.0]], [0, 1]).matches(samples, [0, 1])
