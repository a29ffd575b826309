"""Moments against exact fractions, and in different chunks."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt.tables.moments import Moments

FINITE = st.floats(allow_nan=False, allow_infinity=False)
PARTS = st.lists(st.tuples(FINITE, st.integers(1, 2**40)), min_size=1, max_size=8)


@given(PARTS)
@example([(5e-324, 2**40), (1.7976931348623157e308, 3), (-1.7976931348623157e308, 1)])
@example([(0.1, 10), (0.1, 7)])
@example([(2.0**53 + 2, 1), (2.0**53, 1)])
def test_moments_match_exact_fractions(parts: list[tuple[float, int]]) -> None:
    moments = Moments()
    for value, times in parts:
        moments.add(np.array([np.nan, value]), np.array([1, times]))
    n = sum(times for _, times in parts)
    mean = sum(Fraction(value) * times for value, times in parts) / n
    variance = sum((Fraction(value) - mean) ** 2 * times for value, times in parts) / n
    assert (moments.n, moments.mean()) == (n, float(mean))
    assert moments.lowest == min(value for value, _ in parts)
    assert moments.largest == max(abs(value) for value, _ in parts)
    near = Fraction(moments.spread()) ** 2
    # 0 if it is only rounding error; subnormal numbers have fewer bits
    error = Fraction(math.ulp(moments.largest)) ** 2 * 64**2 if near == 0 else variance / 2**50
    assert abs(near - variance) <= error + Fraction(1, 2**2140)


def test_chunks_do_not_matter() -> None:
    values = np.random.default_rng(0).normal(size=1000) * 10.0 ** np.arange(-500, 500).clip(
        -300, 300
    )
    whole, cut = Moments(), Moments()
    whole.add(values)
    for chunk in np.array_split(values[::-1], 7):
        cut.add(chunk)
    assert (whole.mean(), whole.spread()) == (cut.mean(), cut.spread())
