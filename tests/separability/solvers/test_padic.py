"""Solutions digit by digit, against fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.separability.solvers.padic import solve_by_digits


def determinant(matrix: list[list[int]]) -> Fraction:
    rows = [[Fraction(entry) for entry in row] for row in matrix]
    result = Fraction(1)
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k]), None)
        if pivot is None:
            return Fraction(0)
        if pivot != k:
            rows[k], rows[pivot] = rows[pivot], rows[k]
            result = -result
        result *= rows[k][k]
        for i in range(k + 1, len(rows)):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    return result


entries = st.one_of(
    st.integers(-3, 3), st.integers(-(2**80), 2**80), st.sampled_from([2**31 - 1, -(2**31) + 1])
)


@given(
    st.integers(1, 5).flatmap(
        lambda n: st.tuples(
            st.lists(st.lists(entries, min_size=n, max_size=n), min_size=n, max_size=n),
            st.lists(entries, min_size=n, max_size=n),
        )
    )
)
def test_solutions_are_correct_and_regular_systems_have_one(
    system: tuple[list[list[int]], list[int]],
) -> None:
    matrix, right = system
    found = solve_by_digits(matrix, right)
    if found is None:
        assert determinant(matrix) == 0
        return
    numbers, divisor = found
    assert divisor > 0
    for row, b in zip(matrix, right, strict=True):
        assert sum(a * x for a, x in zip(row, numbers, strict=True)) == divisor * b


@pytest.mark.parametrize("bits", [1, 53, 200])
def test_large_systems(bits: int) -> None:
    rng = np.random.default_rng(bits)
    n = 40
    matrix = [
        [
            int(rng.integers(-(2**30), 2**30)) * 2**bits // 2**30 + int(rng.integers(-1, 2))
            for _ in range(n)
        ]
        for _ in range(n)
    ]
    right = [int(rng.integers(-5, 6)) for _ in range(n)]
    numbers, divisor = solve_by_digits(matrix, right) or ([], 0)
    assert divisor > 0
    for row, b in zip(matrix, right, strict=True):
        assert sum(a * x for a, x in zip(row, numbers, strict=True)) == divisor * b


def test_a_zero_right_side_has_the_zero_solution() -> None:
    assert solve_by_digits([[1, 2], [3, 4]], [0, 0]) == ([0, 0], 1)
