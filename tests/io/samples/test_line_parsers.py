"""Lines of text, parsed, against readers that take one line and one field at a time."""

import math
import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.utils import murmurhash3_32

from rosenblatt.core.errors import InputError
from rosenblatt.core.number_syntax import number_fault
from rosenblatt.io.samples.line_parsers import ParsedLines, parse_libsvm, parse_vw

BITS = 6  # so few that columns are equal


class Sample(NamedTuple):
    line: int
    label: float
    weight: float
    columns: dict[int, float]


def number(text: str) -> float:
    if number_fault(text) is not None or text != text.strip():
        raise ValueError
    return float(text)


def libsvm_line(line: str) -> tuple[float, float, dict[int, float]] | None:
    line = line.removesuffix("\r") if "#" not in line else line.partition("#")[0]
    if not line.strip(" \t"):
        return None
    label, *pairs = re.split("[ \t]+", line.strip(" \t"))
    if pairs and re.fullmatch("qid:[0-9]+", pairs[0]):
        del pairs[0]
    columns: dict[int, float] = {}
    last = -1
    for pair in pairs:
        index, value = pair.split(":")
        if not re.fullmatch("[0-9]+", index) or not last < int(index) < 2**31:
            raise ValueError
        last = int(index)
        columns[last] = number(value)
    return number(label), 1.0, columns


def vw_line(line: str) -> tuple[float, float, dict[int, float]] | None:
    line = line.removesuffix("\r")
    if not line.strip(" "):
        return None
    head, body = line.split("|", 1)
    if "\r" in line or "\t" in head:
        raise ValueError
    *numbers, last = ["", *head.split(" ")]
    numbers = [word for word in numbers if word]
    if not last and numbers and numbers[-1].startswith("'"):
        numbers.pop()  # the tag does not touch the bar
    label, weight, *others = [*map(number, numbers), *[math.nan, 1.0][len(numbers) :]]
    if others or weight < 0:
        raise ValueError
    columns: dict[int, float] = {}
    for section in body.split("|"):
        first, *features = re.split("[ \t]", section)
        namespace, scale = vw_field(first)
        if ":" in first and not namespace:
            raise ValueError
        seed, n_nameless = vw_hash(namespace, 0), 0
        for feature in filter(None, features):
            name, value = vw_field(feature)
            column = vw_hash(name, seed) + (n_nameless if not name else 0)
            n_nameless += not name
            column %= 2**BITS
            columns[column] = (
                columns[column] + scale * value if column in columns else scale * value
            )
    if not all(map(math.isfinite, columns.values())):
        raise ValueError
    return label, weight, dict(sorted(columns.items()))


def vw_field(text: str) -> tuple[str, float]:
    name, colon, value = text.partition(":")
    return name, number(value) if colon else 1.0


def vw_hash(name: str, seed: int) -> int:
    if re.fullmatch("[0-9]*", name):
        return (int(name or 0) + seed) % 2**32
    return int(murmurhash3_32(name.encode(), seed, positive=True))


def naive(data: str, read: Callable[[str], tuple[float, float, dict[int, float]] | None]) -> object:
    """Return all samples, or the number of the first line that is wrong, from 1."""
    found = []
    for k, line in enumerate(data.split("\n")):
        try:
            sample = read(line)
        except ValueError:
            return k + 1
        if sample is not None:
            found.append(Sample(k, *sample))
    return found


def samples(parsed: ParsedLines) -> list[Sample]:
    n = len(parsed.labels)
    lines = np.arange(n) if parsed.lines is None else parsed.lines
    weights = np.ones(n) if parsed.weights is None else parsed.weights
    assert len(parsed.indptr) == n + 1
    assert len(parsed.values) == len(parsed.indices) == parsed.indptr[-1]
    assert [parsed.indices.dtype, parsed.indptr.dtype] == [np.int32, np.int32]
    found = []
    for k in range(n):
        row = slice(*parsed.indptr[k : k + 2])
        columns = parsed.indices[row].tolist()
        assert columns == sorted(set(columns))
        pairs = dict(zip(columns, parsed.values[row].tolist(), strict=True))
        found.append(Sample(int(lines[k]), float(parsed.labels[k]), float(weights[k]), pairs))
    return found


def found(data: str, kind: str) -> object:
    """Return the same as `naive`, parsed."""
    encoded = data.encode()
    try:
        parsed = (
            parse_libsvm(encoded, "f", 1) if kind == "libsvm" else parse_vw(encoded, "f", 1, BITS)
        )
    except InputError as error:
        place = re.fullmatch("f, line ([0-9]+): .+", str(error))
        return int(place[1]) if place else error
    assert parsed.n_lines == data.count("\n") + (not data.endswith("\n") and data != "")
    return samples(parsed)


def check(data: str, kind: str) -> None:
    wanted = naive(data, {"libsvm": libsvm_line, "vw": vw_line}[kind])
    # As text, in which NaN is equal to itself, and 0.0 is not equal to -0.0.
    assert repr(found(data, kind)) == repr(wanted)


usual = st.sampled_from(
    ["1", "0.5", "-2e-3", "12345.678", "0.0342598670723747", "+7", "-0", "1e-320"]
)
LONG_NUMBERS = [
    "0." + "3" * 70,
    "1.00000000000000011102230246251565404236316680908203125",
    "1.000000000000000111022302462515654042363166809082031251",
]
unusual = st.sampled_from(
    [
        *LONG_NUMBERS,
        *[
            "1e000000001",
            "1e309",
            "x",
            "1_0",
            "nan",
            "1e",
            "0x1",
            "1:2",
            "१",
            ".",
            "1#",
            "1\x00",
            "-",
        ],
        "",
        "1\r",
    ]
)
numbers = st.one_of(usual, usual, usual, usual, usual, unusual)
indices = st.integers(0, 20).map(str) | st.sampled_from(
    ["2147483647", "2147483648", "0" * 20 + "9", "-1"]
)


def ascending(fields: list[str]) -> list[str]:
    return sorted(fields, key=lambda field: int(re.match("[0-9]{0,9}", field)[0] or 0))


pairs = st.lists(
    st.builds("{}:{}".format, indices, numbers),
    max_size=8,
    unique_by=lambda pair: pair.split(":")[0],
)
libsvm_lines = st.builds(
    lambda label, qid, pairs, blank, end: blank.join([label, *qid, *pairs]) + end,
    numbers,
    st.sampled_from([[], [], [], ["qid:7"], ["qid:" + "1" * 80], ["qid:"]]),
    pairs.map(ascending) | pairs,
    st.sampled_from([" ", " ", "  ", "\t"]),
    st.sampled_from(["", "", "", " ", "\r", " # 1:2", "#x", " \r"]),
) | st.sampled_from(["", " ", "# none", "\r", "\f", "1 2", "1qid:3 1:1", "1 qid:1 qid:2", "\r #"])

LONG_NAMES = ["1" * 17, "9" * 30, "9" * 70 + "a", "w" * 130]
names = st.sampled_from(
    [
        *LONG_NAMES,
        *[
            "a",
            "ab",
            "abc",
            "abcd",
            "price_of_a_house",
            "12",
            "7",
            "00",
            "é",
            "'",
            "#",
            "x\x01",
            "1-2",
            "0.5",
        ],
        "",
    ]
)
fields = st.builds(lambda name, value: name + value, names, st.just("") | numbers.map(":{}".format))
sections = st.builds(
    lambda name, fields, blank: "|" + blank.join([name, *fields]),
    st.sampled_from(["", "", "f", "name space", "12", "n:2", "n:0.5", ":2", "n:", "n:1e308"]),
    st.lists(fields, max_size=8),
    st.sampled_from([" ", " ", "  ", "\t"]),
)
heads = st.builds(
    lambda words, tag: " ".join([*words, tag]),
    st.lists(numbers, max_size=2) | st.lists(usual, max_size=3),
    st.sampled_from(["", "", "tag", "'tag", "'tag ", "'tag  ", "5", "id:7", "tag ", "' '", "\t"]),
)
vw_lines = st.builds(
    lambda head, sections, end: head + "".join(sections) + end,
    heads,
    st.lists(sections, min_size=1, max_size=3),
    st.sampled_from(["", "", "", " ", "\r", "|"]),
) | st.sampled_from(["", "  ", "\r", "1", "1 2", "| ", "|", "1 -2 |a", "1 1e400|a"])


def texts(lines: st.SearchStrategy[str], plain: str) -> st.SearchStrategy[str]:
    """Return texts some of which are longer than what is read at once, or than arrays are at first."""
    copies = st.sampled_from([0, 0, 1, 9, 100])
    return st.builds(
        lambda n, lines, m, end: (plain + "\n") * n + "\n".join(lines) + "\n" * end + plain * m,
        copies,
        st.lists(lines, max_size=6),
        st.sampled_from([0, 1]),
        st.booleans(),
    )


LONG = "1 " + " ".join(f"{k}:{k}" for k in range(5000)) + "\n"
LONG_VW = "1 |f " + " ".join(f"w{k % 977}:{k}" for k in range(12_000)) + "\n"


@given(texts(libsvm_lines, "1 1:0.25 3:-7"))
@example(LONG + "1\n" * 1000)
@example("1\n" * 17_000 + LONG + "x")
def test_libsvm(data: str) -> None:
    check(data, "libsvm")


@given(texts(vw_lines, "1 |f a b:0.5 17"))
@example(LONG_VW + "|\n" * 1000)
@example("|\n" * 17_000 + LONG_VW + "x |")
def test_vw(data: str) -> None:
    check(data, "vw")


@pytest.mark.slow
def test_many_more() -> None:
    for test in (test_libsvm, test_vw):
        settings(max_examples=3000)(test)()


def test_columns_are_those_of_vowpal_wabbit() -> None:
    # As its own tests have them, in models that were written with the names of features.
    text = "|ns a b c d |f r5 | feature_first_run_one feature_second_run_one"
    columns = [180474, 50664, 256306, 130684, 5244, 123312, 51985]
    assert parse_vw(text.encode(), "f", 1, 18).indices.tolist() == sorted(columns)


WRONG_VW = {
    "1 2": "there is no bar, |, which features come after",
    "x |f a": "the label: 'x' is not a number; write it as in 12, -0.5 or 1e-3",
    "1 inf |f a": "the importance: 'inf' is not finite; give a finite number",
    "1 -2 |f a": "the importance: '-2' is negative; give a number from 0 on",
    "1 2 0.5 |f a": "'0.5' comes after the label and the importance; of a base, and of more than one "
    "tag, nothing is known",
    "1\t|f a": "a tab comes before the first bar; give blanks, or nothing, between words",
    "1 |f a:b": "'a:b': after the colon, 'b' is not a number; write it as in 12, -0.5 or 1e-3",
    "1 |f a:": "'a:' has no value after the colon; a number is expected",
    "1 |f:nan a": "'f:nan': after the colon, 'nan' is not finite; give a finite number",
    "1 |:2 a": "'|:2' is a namespace without a name",
    "1 |f:1e200 a:1e200": "'a:1e200': the value is not finite after it was multiplied by the scale of "
    "its namespace, and added to what is in the same column; give smaller numbers",
    "1 |f a\rb": "a carriage return (CR) is inside the line; lines must end with LF or CR LF",
}


@pytest.mark.parametrize("line", WRONG_VW)
def test_a_wrong_line_gets_one_sentence(line: str) -> None:
    with pytest.raises(InputError) as error:
        parse_vw(b"1 |f a\n\n" + line.encode() + b"\n", "data", 5, 18)
    assert str(error.value) == f"data, line 7: {WRONG_VW[line]}"


def test_bits() -> None:
    with pytest.raises(
        InputError, match="bits=32 is not accepted: use a whole number from 1 to 31"
    ):
        parse_vw(b"", "data", 1, 32)
    assert parse_vw(b"|4294967295 0 2147483648 5\n", "data", 1, 31).indices.tolist() == [
        4,
        2**31 - 1,
    ]
