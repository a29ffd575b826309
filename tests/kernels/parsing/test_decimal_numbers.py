"""Decimal numbers are parsed to the same bits as by Python's float."""

import re
import struct
from collections.abc import Sequence
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt.kernels.parsing import nearest_float
from rosenblatt.kernels.parsing.libsvm_lines import LINE_BEGINS, read_libsvm_lines
from rosenblatt.kernels.parsing.line_arrays import POSITION, new_arrays
from rosenblatt.kernels.parsing.text_words import MARGIN

MOST_DIGITS = 19
LONGEST = 55  # fits in a window, after an index


def kernel_values(numbers: Sequence[str]) -> list[float | None]:
    """Return the numbers parsed by the kernel, None for those that it leaves to Python."""
    fields = [f" {k}:{number}".encode() for k, number in enumerate(numbers, start=1)]
    text = np.frombuffer(b"1" + b"".join(fields) + b"\n" + b"9" * MARGIN, dtype=np.uint8)
    n = len(numbers)
    out = new_arrays(2, n + 1)
    out.state[:] = 0, 0, 0, 0, LINE_BEGINS
    end, ends = len(text) - MARGIN, 1 + np.cumsum([len(field) for field in fields])
    read_libsvm_lines(text, end, out)
    while out.state[POSITION] < end:  # continue after the field that it could not read
        k = int(np.searchsorted(ends, out.state[POSITION], side="right"))
        out.values[k] = np.nan
        out.state[:] = ends[k], 0, 0, k + 1, k + 1
        read_libsvm_lines(text, end, out)
    return [None if value != value else value for value in out.values[:n].tolist()]


def bits(value: float) -> bytes:
    return struct.pack("<d", value)


def significant(number: str) -> int:
    digits = re.sub("[eE].*|[^0-9]", "", number)
    return len(digits.lstrip("0"))


def check(numbers: Sequence[str]) -> None:
    for number, found in zip(numbers, kernel_values(numbers), strict=True):
        expected = float(number)
        if found is None:
            is_long = len(number) > LONGEST or significant(number) > MOST_DIGITS
            assert is_long or abs(expected) == float("inf"), number
        else:
            assert bits(found) == bits(expected), number


def halfway(pattern: int) -> Decimal:
    """Return the exact midpoint of a positive float and the next one."""
    below, above = (struct.unpack("<d", struct.pack("<q", pattern + k))[0] for k in (0, 1))
    with localcontext() as context:
        context.prec = 1200
        return (Decimal(below) + Decimal(above)) / 2


floats = st.integers(0, 0x7FE << 52) | st.integers(0, 1 << 53)  # subnormal, or the smallest
digit_strings = st.text("0123456789", min_size=1, max_size=24) | st.sampled_from(
    ["0", "00", "9007199254740993", "18446744073709551616", "9" * 19, "1" + "0" * 20]
)
plain = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "-", "+"]),
    digit_strings,
    st.just("") | st.just(".") | digit_strings.map(".{}".format),
    st.just("")
    | st.builds("e{}".format, st.integers(-400, 400))
    | st.sampled_from(["E+05", "e-0"]),
)
printed = st.builds(
    "{1:{0}}".format,
    st.sampled_from([".17g", ".18e", ".21e", ""]),
    st.floats(allow_nan=False, allow_infinity=False),
)
halves = st.builds("{:.{}e}".format, floats.map(halfway), st.integers(14, 26))


@given(st.lists(plain | printed | halves, min_size=1, max_size=60))
@example(
    ["1e308", "1.7976931348623157e308", "1.7976931348623159e308", "1e309", "5e-324", "2.4e-324"]
)
@example(
    ["2.2250738585072011e-308", "2.2250738585072012e-308", "0e999", "-0", "-0.0e-999", ".5", "5."]
)
@example(["1e22", "1e23", "9007199254740993", "9007199254740993e0", "7.2057594037927933e16"])
@example(["1." + "0" * 17 + "1", "1." + "0" * 30 + "1", "0." + "0" * 40 + "1", "1e-99999999"])
def test_numbers_equal_those_of_python(numbers: list[str]) -> None:
    check(numbers)


@given(st.text("0123456789.eE+-", max_size=8))
@example("+")
@example("1e")
@example("1e+")
@example(".e1")
@example("1e000000001")
def test_invalid_numbers_are_left_to_python(text: str) -> None:
    (found,) = kernel_values([text])
    try:
        expected = float(text)
    except ValueError:
        assert found is None
    else:
        assert found is None or bits(found) == bits(expected)


def test_the_table_of_powers() -> None:
    for q in range(nearest_float.SMALLEST, nearest_float.LARGEST + 1):
        k = q - nearest_float.SMALLEST
        found = int(nearest_float.UPPER_FIVES[k]) << 64 | int(nearest_float.LOWER_FIVES[k])
        assert 2**127 <= found < 2**128
        with localcontext() as context:
            context.prec = 60
            exact = Decimal(5) ** q
            scale = round((found / exact).ln() / Decimal(2).ln())
            assert abs(found - exact * Decimal(2) ** scale) <= 1


@pytest.mark.slow
def test_millions_of_numbers() -> None:
    rng = np.random.default_rng(0)
    for form in (".15g", ".17g", ".18e", ".20e", ".4f", ".7e", ""):
        patterns = rng.integers(0, 0x7FF << 52, size=100_000)
        spread = patterns.view(np.float64) * rng.choice([-1.0, 1.0], size=len(patterns))
        for values in (spread, rng.random(100_000), np.round(rng.standard_normal(100_000), 3)):
            numbers = [f"{value:{form}}" for value in values.tolist()]
            numbers = [number for number in numbers if len(number) < LONGEST]
            found = kernel_values(numbers)
            left = [number for number, value in zip(numbers, found, strict=True) if value is None]
            assert len(left) < 0.02 * len(numbers)
            assert all(significant(number) > MOST_DIGITS for number in left)
            pairs = zip(numbers, found, strict=True)
            decided = [(float(number), value) for number, value in pairs if value is not None]
            assert np.array(decided)[:, 0].tobytes() == np.array(decided)[:, 1].tobytes()
    for _ in range(200):
        patterns = rng.integers(0, 0x7FE << 52, size=1000)
        check([f"{halfway(int(one)):.{rng.integers(14, 40)}e}" for one in patterns])
