"""Exact linear algebra on integers.

Every float64 is an integer times a power of two, so an array of them is an array of integers in units of
a common power. Systems are solved by fraction-free elimination (Bareiss), larger ones digit by digit
(``padic``), or, if python-flint is installed, by FLINT, with the same result.

E. Bareiss, Sylvester's identity and multistep integer-preserving Gaussian elimination (1968).
"""

import math
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from rosenblatt.core.types import Floats
from rosenblatt.separability.solvers.padic import solve_by_digits

Matrix = list[list[int]]

_flint: Any = import_module("flint") if find_spec("flint") else None

# Systems of up to 1000 unknowns take at most a minute; up to 12, elimination takes almost no time.
SOLVABLE = 1000
_SMALL = 12


def as_integers(values: Floats) -> tuple[Matrix, int]:
    """Return integers and an exponent: value = number · 2**exponent.

    >>> as_integers(np.array([[0.5, 3.0]]))
    ([[1, 6]], -1)
    """
    fractions, exponents = np.frexp(values)
    mantissas = (fractions * 2.0**53).astype(np.int64)
    # The lowest set bit determines each number's smallest exponent.
    lowest = np.where(mantissas == 0, 1, mantissas & -mantissas)
    reach = exponents.astype(np.int64) - 53 + np.log2(lowest.astype(np.float64)).astype(np.int64)
    reach = np.where(mantissas == 0, np.iinfo(np.int64).max, reach)
    exponent = int(reach.min(initial=np.iinfo(np.int64).max))
    if exponent == np.iinfo(np.int64).max:
        exponent = 0
    shifts = exponents.astype(np.int64) - 53 - exponent
    numbers = [
        [m << s if s >= 0 else m >> -s for m, s in zip(row, row_shifts, strict=True)]
        for row, row_shifts in zip(mantissas.tolist(), shifts.tolist(), strict=True)
    ]
    return numbers, exponent


def gram(numbers: Matrix) -> Matrix:
    """Return the products of the rows with each other.

    >>> gram([[1, 2], [3, 4]])
    [[5, 11], [11, 25]]
    """
    if _flint is not None:
        matrix = _flint.fmpz_mat(numbers)
        return [[int(entry) for entry in row] for row in (matrix * matrix.transpose()).tolist()]
    out = [[0] * len(numbers) for _ in numbers]
    for i, a in enumerate(numbers):
        for j in range(i + 1):
            out[i][j] = out[j][i] = sum(map(int.__mul__, a, numbers[j]))
    return out


def combination(factors: list[int], numbers: Matrix) -> list[int]:
    """Return Σ factor · row.

    >>> combination([1, 2], [[1, 0], [0, 5]])
    [1, 10]
    """
    return [sum(map(int.__mul__, factors, column)) for column in zip(*numbers, strict=True)]


def solve(matrix: Matrix, right: list[int]) -> tuple[list[int], int] | None:
    """Return x and d > 0 with matrix · x = d · right, or None if the matrix is singular.

    >>> solve([[2, 1], [0, 3]], [1, 1])
    ([1, 1], 3)
    >>> solve([[1, 1], [1, 1]], [1, 1]) is None
    True
    """
    if _flint is not None:
        return _flint_solve(matrix, right)
    if len(matrix) > _SMALL:
        found = solve_by_digits(matrix, right)
        if found is not None:
            return found
    rows, pivots, common = _reduced([[*row, b] for row, b in zip(matrix, right, strict=True)])
    if pivots != list(range(len(matrix))):
        return None
    *solution, divisor = _primitive([*(row[-1] for row in rows[: len(matrix)]), common])
    return solution, divisor


def _flint_solve(matrix: Matrix, right: list[int]) -> tuple[list[int], int] | None:
    try:
        solution = _flint.fmpz_mat(matrix).solve(_flint.fmpz_mat([[entry] for entry in right]))
    except ZeroDivisionError:
        return None
    numbers, divisor = solution.numer_denom()
    *whole_numbers, common = _primitive([*(int(row[0]) for row in numbers.tolist()), int(divisor)])
    return whole_numbers, common


def null_vector(matrix: Matrix) -> list[int]:
    """Return a vector x ≠ 0 with matrix · x = 0; the matrix must have one.

    >>> null_vector([[1, 2], [2, 4]])
    [-2, 1]
    """
    rows, pivots, common = _reduced(matrix)
    n_columns = len(matrix[0])
    free = next(column for column in range(n_columns) if column not in pivots)
    out = [0] * n_columns
    out[free] = common
    for row, pivot in zip(rows, pivots, strict=False):
        out[pivot] = -row[free]
    return _primitive(out)


def _primitive(numbers: list[int]) -> list[int]:
    """Return the numbers divided by their common factor, with the last nonzero one positive."""
    last = next(number for number in reversed(numbers) if number)
    factor = math.gcd(*numbers) * (1 if last > 0 else -1)
    return [number // factor for number in numbers]


def _reduced(matrix: Matrix) -> tuple[Matrix, list[int], int]:
    """Return the reduced echelon form times a common factor, the pivot columns, and the factor."""
    if _flint is not None:
        reduced, common, rank = _flint.fmpz_mat(matrix).rref()
        rows = [[int(entry) for entry in row] for row in reduced.tolist()]
        pivots = [next(j for j, entry in enumerate(row) if entry) for row in rows[:rank]]
        return rows, pivots, int(common)
    rows = [list(row) for row in matrix]
    pivots = []
    common, n_columns = 1, len(matrix[0])
    for column in range(n_columns):
        rank = len(pivots)
        found = next((i for i in range(rank, len(rows)) if rows[i][column]), None)
        if found is None:
            continue
        rows[rank], rows[found] = rows[found], rows[rank]
        pivot_row = rows[rank]
        pivot = pivot_row[column]
        for i, row in enumerate(rows):
            if i != rank:
                factor = row[column]
                rows[i] = [
                    (pivot * a - factor * b) // common for a, b in zip(row, pivot_row, strict=True)
                ]
        common = pivot
        pivots.append(column)
    return rows, pivots, common
