"""Cover's counts: known values, the recurrence, the symmetry, and the simulation."""

import math
import re
from fractions import Fraction
from math import comb, factorial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import InputError
from rosenblatt.lectures.counting import count_dichotomies, separable_fraction, simulate

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
PAGE = (Path(__file__).parents[2] / "docs" / "topics" / "capacity.md").read_text()


def naive(n_points: int, n_dimensions: int) -> int:
    return 2 * sum(comb(n_points - 1, k) for k in range(n_dimensions))


@pytest.mark.parametrize(
    ("count", "sizes"),
    [
        (count_dichotomies, (10**18, 10**18)),
        (count_dichotomies, (10**18, 10**7)),
        (count_dichotomies, (10**6, 10**6 // 2)),
        (separable_fraction, (10**18, 3)),
        (simulate, (10**18, 3)),
        (simulate, (4, 10**18)),
    ],
)
def test_sizes_that_would_never_end_are_refused(count: Any, sizes: tuple[int, int]) -> None:
    with pytest.raises(InputError, match=r"too long to count|is not accepted|too many to draw"):
        count(*sizes)


def test_counts_match_a_known_table() -> None:
    for n_points, line in enumerate(TABLE.split("\n")[1:-1], start=1):
        for n_dimensions, count in enumerate(line.split(), start=1):
            assert count_dichotomies(n_points, n_dimensions) == int(count)


@settings(max_examples=60)
@given(**SIZES)
def test_counts_match_the_sum_and_the_recurrence(n_points: int, n_dimensions: int) -> None:
    count = count_dichotomies(n_points, n_dimensions)
    assert count == naive(n_points, n_dimensions)
    assert count <= 2**n_points
    assert (count == 2**n_points) == (n_points <= n_dimensions)
    next_count = count_dichotomies(n_points + 1, n_dimensions + 1)
    assert next_count == count_dichotomies(n_points, n_dimensions + 1) + count
    assert separable_fraction(n_points, n_dimensions) == Fraction(count, 2**n_points)


@given(st.integers(1, 12), st.integers(10, 10**6))
def test_counts_grow_like_the_power_n_minus_1(n_dimensions: int, times: int) -> None:
    """C(P, N)·(N - 1)!/(2·P^(N - 1)) tends to 1: it differs by at most N²/P, so no other power fits."""
    n_points = times * n_dimensions**2
    power = n_dimensions - 1
    ratio = Fraction(
        count_dichotomies(n_points, n_dimensions) * factorial(power), 2 * n_points**power
    )
    assert abs(ratio - 1) <= Fraction(n_dimensions**2, n_points)


@settings(max_examples=60)
@given(**SIZES)
def test_an_intercept_counts_as_one_more_dimension(n_points: int, n_dimensions: int) -> None:
    for function in (count_dichotomies, separable_fraction):
        with_intercept = function(n_points, n_dimensions, fit_intercept=True)
        assert with_intercept == function(n_points, n_dimensions + 1)


def test_half_at_two_points_per_dimension() -> None:
    for n_dimensions in (1, 2, 5, 10, 25, 1000):
        assert separable_fraction(2 * n_dimensions, n_dimensions) == Fraction(1, 2)


def test_counts_are_exact_for_thousands_of_points() -> None:
    assert count_dichotomies(4000, 1500) == naive(4000, 1500)
    assert count_dichotomies(4000, 1500) + count_dichotomies(4000, 2500) == 2**4000


@pytest.mark.parametrize("value", [0, -1, 2.5, True, "3", None])
def test_sizes_must_be_positive_whole_numbers(value: object) -> None:
    for function in (count_dichotomies, separable_fraction):
        with pytest.raises(InputError, match="n_points="):
            function(value, 3)
        with pytest.raises(InputError, match="n_dimensions="):
            function(3, value)
        with pytest.raises(InputError, match="fit_intercept="):
            function(3, 3, fit_intercept="yes")


@pytest.mark.parametrize(("n_points", "n_dimensions"), [(4, 2), (10, 5), (12, 5), (8, 5)])
def test_the_simulation_agrees_with_the_theorem(n_points: int, n_dimensions: int) -> None:
    result = simulate(n_points, n_dimensions, trials=200)
    expected = float(separable_fraction(n_points, n_dimensions))
    assert result.undecided == 0
    allowed = 4 * math.sqrt(expected * (1 - expected) / 200)
    assert result.fraction == pytest.approx(expected, abs=allowed)


@pytest.mark.parametrize("n_points", [1, 2, 5])
def test_few_points_are_always_separable(n_points: int) -> None:
    assert simulate(n_points, 5, trials=30).separable == 30


def test_many_points_on_a_line_are_not_separable() -> None:
    assert simulate(40, 1, trials=30).separable == 0


def test_the_seed_determines_the_result() -> None:
    assert simulate(6, 3, trials=30, seed=1) == simulate(6, 3, trials=30, seed=1)
    counts = {simulate(6, 3, trials=30, seed=seed).separable for seed in range(6)}
    assert len(counts) > 1


def test_invalid_simulation_parameters_are_refused() -> None:
    for name in ("n_points", "n_dimensions", "trials", "seed"):
        with pytest.raises(InputError, match=f"{name}=-1"):
            simulate(**{"n_points": 4, "n_dimensions": 2, name: -1})


def test_the_table_in_the_docs_agrees_with_the_formula() -> None:
    row = re.compile(r"^\| (\d+) \| (\d+) \| 0\.5 \| ([\d,]+) \| (\S+) \|$", re.MULTILINE)
    rows = row.findall(PAGE)
    assert [int(row[0]) for row in rows] == [5, 10, 25]
    for dimensions, points, separable, deviation in rows:
        assert separable_fraction(int(points), int(dimensions)) == Fraction(1, 2)
        count = int(separable.replace(",", ""))
        assert float(deviation.replace("−", "-")) == pytest.approx((count - 5000) / 50, abs=0.05)
