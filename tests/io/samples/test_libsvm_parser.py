"""The libsvm parser, compared with a reader that takes one line and one field at a time."""

import re
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rosenblatt.core.errors import InputError
from rosenblatt.core.number_syntax import number_fault
from rosenblatt.io.samples.libsvm_parser import ParsedLines, parse_libsvm


class Sample(NamedTuple):
    line: int
    label: float
    columns: dict[int, float]


def number(text: str) -> float:
    if number_fault(text) is not None or text != text.strip():
        raise ValueError
    return float(text)


def read_line(line: str) -> tuple[float, dict[int, float]] | None:
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
    return number(label), columns


def naive(data: str) -> object:
    """Return all samples, or the number of the first malformed line, from 1."""
    found = []
    for k, line in enumerate(data.split("\n")):
        try:
            sample = read_line(line)
        except ValueError:
            return k + 1
        if sample is not None:
            found.append(Sample(k, *sample))
    return found


def samples(parsed: ParsedLines) -> list[Sample]:
    n = len(parsed.labels)
    lines = np.arange(n) if parsed.lines is None else parsed.lines
    assert len(parsed.indptr) == n + 1
    assert len(parsed.values) == len(parsed.indices) == parsed.indptr[-1]
    assert [parsed.indices.dtype, parsed.indptr.dtype] == [np.int32, np.int32]
    found = []
    for k in range(n):
        row = slice(*parsed.indptr[k : k + 2])
        columns = parsed.indices[row].tolist()
        assert columns == sorted(set(columns))
        pairs = dict(zip(columns, parsed.values[row].tolist(), strict=True))
        found.append(Sample(int(lines[k]), float(parsed.labels[k]), pairs))
    return found


def found(data: str) -> object:
    """Return the same as `naive`, parsed."""
    encoded = data.encode()
    try:
        parsed = parse_libsvm(encoded, "f", 1)
    except InputError as error:
        place = re.fullmatch("f, line ([0-9]+): .+", str(error))
        return int(place[1]) if place else error
    assert parsed.n_lines == data.count("\n") + (not data.endswith("\n") and data != "")
    return samples(parsed)


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


def texts(lines: st.SearchStrategy[str], plain: str) -> st.SearchStrategy[str]:
    """Return texts, some longer than one piece or than the initial arrays."""
    copies = st.sampled_from([0, 0, 1, 9, 100])
    return st.builds(
        lambda n, lines, m, end: (plain + "\n") * n + "\n".join(lines) + "\n" * end + plain * m,
        copies,
        st.lists(lines, max_size=6),
        st.sampled_from([0, 1]),
        st.booleans(),
    )


LONG = "1 " + " ".join(f"{k}:{k}" for k in range(5000)) + "\n"


@given(texts(libsvm_lines, "1 1:0.25 3:-7"))
@example(LONG + "1\n" * 1000)
@example("1\n" * 17_000 + LONG + "x")
def test_libsvm(data: str) -> None:
    assert repr(found(data)) == repr(naive(data))  # as text, 0.0 differs from -0.0


@pytest.mark.slow
def test_many_more() -> None:
    settings(max_examples=3000)(test_libsvm)()
