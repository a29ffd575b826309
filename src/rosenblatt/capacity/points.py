"""Points as whole numbers: each row times the least factor that makes it whole.

Floats are taken as the rational numbers that they are. A positive factor changes neither which rows are
linearly dependent nor on which side of a hyperplane through the origin a row lies.
"""

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import MatrixLike, is_sparse
from rosenblatt.kernels.sparse_input import as_dense

Row = tuple[int, ...]


class Points(NamedTuple):
    """Rows of whole numbers, and the factor that each was multiplied by."""

    rows: list[Row]
    factors: list[int]

    @property
    def n_dimensions(self) -> int:
        """How many numbers each row has."""
        return len(self.rows[0])


def as_points(X: MatrixLike, *, constant: bool) -> Points:
    """Return the rows of a table of numbers, each followed by a 1 if a constant is wanted.

    >>> as_points([[0.5, 3], [2, 4]], constant=True)
    Points(rows=[(1, 6, 2), (2, 4, 1)], factors=[2, 1])
    """
    table = as_dense(X) if is_sparse(X) else X
    listed = table.tolist() if isinstance(table, np.ndarray) else table
    try:
        rows = [[_fraction(value) for value in row] for row in listed]
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            "X is no table of numbers: give one row for each point, of finite real numbers"
        ) from error
    widths = {len(row) for row in rows}
    if len(widths) != 1 or 0 in widths:
        raise InputError(
            f"X has {len(rows)} rows of {sorted(widths)} numbers: give at least one row, all of one "
            "length, which is at least 1"
        )
    tail = [Fraction(1)] if constant else []
    return _whole([[*row, *tail] for row in rows])


def _fraction(value: Any) -> Fraction:
    # Text would be read as a number, and what NumPy holds is not always a Rational to Python.
    if isinstance(value, str | bytes):
        raise TypeError(value)
    return Fraction(value.item() if isinstance(value, np.generic) else value)


def _whole(rows: list[list[Fraction]]) -> Points:
    factors = [math.lcm(*(value.denominator for value in row)) for row in rows]
    numbers = [
        tuple(value.numerator * (factor // value.denominator) for value in row)
        for row, factor in zip(rows, factors, strict=True)
    ]
    return Points(numbers, factors)


def primitive(numbers: list[int]) -> Row:
    """Return numbers without their common factor.

    >>> primitive([4, -6, 0]), primitive([0, 0])
    ((2, -3, 0), (0, 0))
    """
    factor = math.gcd(*numbers) or 1
    return tuple(number // factor for number in numbers) if factor > 1 else tuple(numbers)


def dot(a: Row, b: Row) -> int:
    """Return the product of two rows.

    >>> dot((1, 2), (3, 4))
    11
    """
    return sum(map(int.__mul__, a, b))
