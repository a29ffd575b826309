"""Cover's counts: the table, the recurrence, the symmetry, and floats against fractions."""

from fractions import Fraction
from math import comb, factorial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import InputError
from rosenblatt.capacity import count_dichotomies, prefix_probability, separable_fraction

# Rows P = 1..10, columns N = 1..6.
TABLE = """
2 2 2 2 2 2
2 4 4 4 4 4
2 6 8 8 8 8
2 8 14 16 16 16
2 10 22 30 32 32
2 12 32 52 62 64
2 14 44 84 114 126
2 16 58 128 198 240
2 18 74 186 326 438
2 20 92 260 512 764
"""
SIZES = {"n_points": st.integers(1, 300), "n_dimensions": st.integers(1, 320)}


def naive(n_points: int, n_dimensions: int) -> int:
    return 2 * sum(comb(n_points - 1, k) for k in range(n_dimensions))


def test_the_table() -> None:
    for n_points, line in enumerate(TABLE.split("\n")[1:-1], start=1):
        for n_dimensions, count in enumerate(line.split(), start=1):
            assert count_dichotomies(n_points, n_dimensions) == int(count)


@settings(max_examples=60)
@given(**SIZES)
def test_it_is_the_sum_and_has_its_recurrence(n_points: int, n_dimensions: int) -> None:
    count = count_dichotomies(n_points, n_dimensions)
    assert count == naive(n_points, n_dimensions)
    assert count <= 2**n_points
    assert (count == 2**n_points) == (n_points <= n_dimensions)
    above = count_dichotomies(n_points + 1, n_dimensions + 1)
    assert above == count_dichotomies(n_points, n_dimensions + 1) + count


@given(st.integers(1, 12), st.integers(10, 10**6))
def test_it_grows_as_the_power_of_one_dimension_less(n_dimensions: int, times: int) -> None:
    """C(P, N)·(N - 1)!/(2·P^(N - 1)) tends to 1: it is nearer than N²/P, so that no other power fits."""
    n_points = times * n_dimensions**2
    power = n_dimensions - 1
    ratio = Fraction(
        count_dichotomies(n_points, n_dimensions) * factorial(power), 2 * n_points**power
    )
    assert abs(ratio - 1) <= Fraction(n_dimensions**2, n_points)


@settings(max_examples=60)
@given(**SIZES)
def test_an_intercept_is_one_dimension_more(n_points: int, n_dimensions: int) -> None:
    for function in (count_dichotomies, separable_fraction, prefix_probability):
        with_one = function(n_points, n_dimensions, fit_intercept=True)
        assert with_one == function(n_points, n_dimensions + 1)


@settings(max_examples=60)
@given(**SIZES)
def test_floats_are_the_fractions_rounded(n_points: int, n_dimensions: int) -> None:
    fraction = separable_fraction(n_points, n_dimensions)
    assert fraction == Fraction(naive(n_points, n_dimensions), 2**n_points)
    assert separable_fraction(n_points, n_dimensions, exact=False) == float(fraction)


def test_half_at_two_points_a_dimension() -> None:
    for n_dimensions in (1, 2, 5, 10, 25, 1000, 2500, 2501, 10_000):
        assert separable_fraction(2 * n_dimensions, n_dimensions) == Fraction(1, 2)
        assert separable_fraction(2 * n_dimensions, n_dimensions, exact=False) == 0.5


@pytest.mark.parametrize(
    ("n_points", "n_dimensions"),
    [(5001, 1), (5001, 2400), (5003, 2600), (6001, 2000), (9999, 4000), (12_000, 11_000)],
)
def test_the_binomial_tail_where_numbers_are_large(n_points: int, n_dimensions: int) -> None:
    tail = separable_fraction(n_points, n_dimensions, exact=False)
    assert tail == pytest.approx(
        float(separable_fraction(n_points, n_dimensions)), rel=1e-11, abs=1e-300
    )


def test_a_million_points() -> None:
    """Against the largest term of the sum in whole numbers, times the series of its ratios."""
    tail = separable_fraction(1_010_000, 500_000, exact=False)
    assert tail == pytest.approx(1.255135105720599e-23, rel=1e-10)
    with pytest.raises(InputError, match="from 1 to 10000000000"):
        separable_fraction(10**11, 500_000, exact=False)


def test_thousands_of_points_are_exact() -> None:
    count = count_dichotomies(4000, 1500)
    assert count % 1_000_003 == naive(4000, 1500) % 1_000_003
    assert count_dichotomies(4000, 1500) + count_dichotomies(4000, 2500) == 2**4000


@settings(max_examples=30)
@given(n_points=st.integers(1, 60), n_dimensions=st.integers(1, 30))
def test_a_prefix_is_the_largest_when_the_next_one_is_inseparable(
    n_points: int, n_dimensions: int
) -> None:
    ends = separable_fraction(n_points, n_dimensions) - separable_fraction(
        n_points + 1, n_dimensions
    )
    assert prefix_probability(n_points, n_dimensions) == ends


@pytest.mark.parametrize("n_dimensions", [1, 3, 8])
def test_the_mean_and_the_variance_of_the_largest_prefix(n_dimensions: int) -> None:
    law = {n: prefix_probability(n, n_dimensions) for n in range(1, 160)}
    assert float(sum(law.values())) == pytest.approx(1)
    mean = sum(n * p for n, p in law.items())
    assert float(mean) == pytest.approx(2 * n_dimensions)
    variance = sum(n * n * p for n, p in law.items()) - mean * mean
    assert float(variance) == pytest.approx(2 * n_dimensions)


@pytest.mark.parametrize("value", [0, -1, 2.5, True, "3", None])
def test_sizes_are_whole_numbers_above_zero(value: object) -> None:
    for function in (count_dichotomies, separable_fraction, prefix_probability):
        with pytest.raises(InputError, match="n_points="):
            function(value, 3)
        with pytest.raises(InputError, match="n_dimensions="):
            function(3, value)
        with pytest.raises(InputError, match="fit_intercept="):
            function(3, 3, fit_intercept="yes")
    with pytest.raises(InputError, match="exact="):
        separable_fraction(3, 3, exact=1)
