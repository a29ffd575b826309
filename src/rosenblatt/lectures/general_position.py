"""General position of points, and all labelings that a hyperplane can produce, in exact arithmetic.

Both problems are solved recursively: projecting the other points along one of them leaves one dimension
less.

- Points are linearly dependent if one of them is zero, or if the points after one of them are dependent
  when projected along it.
- A labeling of the first k points corresponds to a cell: the set of weights that produce it. The next
  point splits a cell if the cell contains weights whose score on that point is 0. The split cells
  correspond to the cells of the first k points projected along the new one. So
  C(P + 1, N) = C(P, N) + C(P, N - 1), which is Cover's theorem.

Each float is the rational number that it represents, and each row is multiplied by the smallest factor
that makes it whole, so results do not depend on rounding.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.core.checks import check_flag
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import MatrixLike, is_sparse
from rosenblatt.kernels.sparse_input import as_dense
from rosenblatt.lectures.counting import count_dichotomies
from rosenblatt.lectures.units import signed_sum
from rosenblatt.separability.checked_input import exact_table
from rosenblatt.separability.solvers.integers import null_vector

Row = tuple[int, ...]

# Either limit takes a few minutes to reach.
_MAX_VECTORS = 5_000_000
_MAX_CELLS = 20_000_000


@dataclass(frozen=True)
class Position:
    """The result of `in_general_position`; true if the points are in general position.

    Attributes
    ----------
    subset : tuple of int
        The rows of a minimal dependent set of points; empty if the points are in general position.
    coefficients : tuple of int
        The factor of each of these rows in a sum that is zero.
    """

    subset: tuple[int, ...] = ()
    coefficients: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return not self.subset

    @property
    def sentence(self) -> str:
        """The result as a sentence."""
        if not self.subset:
            return "the points are in general position"
        rows = zip(self.coefficients, self.subset, strict=True)
        return f"{signed_sum((c, f'row {row}') for c, row in rows)} is zero"


class Dichotomy(NamedTuple):
    """A labeling of the points, -1 or 1 each, and whole weights that produce it.

    There is one weight per dimension, then the intercept, if any.
    """

    labels: tuple[int, ...]
    weights: tuple[int, ...]


class _Points(NamedTuple):
    """Rows of whole numbers, and the factor by which each row was multiplied."""

    rows: list[Row]
    factors: list[int]


def in_general_position(X: MatrixLike, *, fit_intercept: bool = False) -> Position:
    """Return whether any N of the points in N dimensions (or all if fewer) are linearly independent.

    With ``fit_intercept`` a constant 1 is appended to each point, so the condition is that no line
    contains three points, no plane contains four, and so on.

    >>> bool(in_general_position([[1, 0], [0, 1], [1, 1]]))
    True
    >>> in_general_position([[0, 0], [1, 1], [2, 2], [0, 1]], fit_intercept=True).sentence
    'row 0 - 2·row 1 + row 2 is zero'
    """
    points = _as_points(X, fit_intercept)
    n_points, width = len(points.rows), len(points.rows[0])
    if n_points <= width:
        return _dependence(points, range(n_points))
    vectors = math.comb(n_points, width - 1)
    if vectors > _MAX_VECTORS:
        raise InputError(
            f"X has {n_points} points in {width} dimensions, which takes {vectors:,} vectors to check: "
            f"the limit is {_MAX_VECTORS:,}"
        )
    return _dependence(points, _first_dependent([_primitive(row) for row in points.rows]))


def separable_dichotomies(X: MatrixLike, *, fit_intercept: bool = False) -> Iterator[Dichotomy]:
    """Yield every labeling of the points that a hyperplane produces without ties, with its weights.

    Labelings are in lexicographic order, -1 before 1. The points need not be in general position.

    >>> [one.labels for one in separable_dichotomies([[1, 0], [1, 1], [2, 2]])]
    [(-1, -1, -1), (-1, 1, 1), (1, -1, -1), (1, 1, 1)]
    """
    points = _as_points(X, fit_intercept)
    count, width = len(points.rows), len(points.rows[0])
    if count * count_dichotomies(count, width) > _MAX_CELLS:
        raise InputError(
            f"X has {count} points in {width} dimensions, which may have "
            f"{count_dichotomies(count, width):,} labelings: the limit is {_MAX_CELLS // count:,} "
            f"for {count} points"
        )
    cells = _cells([_primitive(row) for row in points.rows], width)
    return (
        Dichotomy(tuple(1 if bits >> i & 1 else -1 for i in range(count)), weights)
        for bits, weights in cells
    )


def _as_points(X: MatrixLike, fit_intercept: bool) -> _Points:
    check_flag("fit_intercept", fit_intercept)
    table = exact_table(X) if hasattr(X, "columns") else as_dense(X) if is_sparse(X) else X
    listed = table.tolist() if isinstance(table, np.ndarray) else table
    try:
        rows = [[_fraction(value) for value in row] for row in listed]
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            "X is not a table of numbers: give one row of finite real numbers per point"
        ) from error
    widths = {len(row) for row in rows}
    if len(widths) != 1 or 0 in widths:
        raise InputError(
            f"X has {len(rows)} rows of {sorted(widths)} numbers: give at least one row, and the "
            "same number of values in each row, at least one"
        )
    if fit_intercept:
        rows = [[*row, Fraction(1)] for row in rows]
    factors = [math.lcm(*(value.denominator for value in row)) for row in rows]
    whole = [
        tuple(int(value * factor) for value in row)
        for row, factor in zip(rows, factors, strict=True)
    ]
    return _Points(whole, factors)


def _fraction(value: Any) -> Fraction:
    # Fraction would parse text, and Python does not treat every NumPy number as Rational.
    if isinstance(value, str | bytes):
        raise TypeError(value)
    return Fraction(value.item() if isinstance(value, np.generic) else value)


def _primitive(numbers: Sequence[int]) -> Row:
    """Return numbers divided by their greatest common divisor."""
    factor = math.gcd(*numbers) or 1
    return tuple(number // factor for number in numbers)


def _dot(a: Row, b: Row) -> int:
    return sum(map(int.__mul__, a, b))


def _projected(rows: Sequence[Row], x: Row) -> list[Row]:
    """Return rows projected along x, without the first dimension in which x is not 0."""
    pivot = next(j for j, value in enumerate(x) if value)
    size, sign = abs(x[pivot]), 1 if x[pivot] > 0 else -1
    others = [j for j in range(len(x)) if j != pivot]
    return [_primitive([size * row[j] - sign * row[pivot] * x[j] for j in others]) for row in rows]


def _first_dependent(rows: Sequence[Row]) -> list[int]:
    """Return the first dependent set of rows, at most as many as there are columns; empty if none."""
    if not all(any(row) for row in rows):
        return [next(i for i, row in enumerate(rows) if not any(row))]
    if rows and len(rows[0]) == 2:
        seen: dict[Row, int] = {}
        for i, (a, b) in enumerate(rows):
            # Rows have no common factor, so rows on one line through the origin are equal or opposite.
            first = seen.setdefault(max((a, b), (-a, -b)), i)
            if first < i:
                return [first, i]
        return []
    if rows and len(rows[0]) > 2:
        for i in range(len(rows) - 1):
            found = _first_dependent(_projected(rows[i + 1 :], rows[i]))
            if found:
                return [i, *(i + 1 + j for j in found)]
    return []


def _dependence(points: _Points, subset: Sequence[int]) -> Position:
    """Return a minimal dependent set among some dependent points, with its coefficients."""
    if not subset:
        return Position()
    columns = zip(*(points.rows[i] for i in subset), strict=True)
    # The column of zeros guarantees a null vector; it is used only if there is no other.
    *factors, _ = null_vector([[*column, 0] for column in columns])
    terms = [(i, f * points.factors[i]) for i, f in zip(subset, factors, strict=True) if f]
    shared = math.gcd(*(f for _, f in terms))
    return Position(tuple(i for i, _ in terms), tuple(f // shared for _, f in terms))


def _cells(rows: list[Row], width: int) -> Iterator[tuple[int, Row]]:
    """Yield labelings without ties and their weights; bit i is set if row i is positive."""
    if not all(any(row) for row in rows):
        return
    if width == 1 and rows:
        positive = sum(1 << i for i, row in enumerate(rows) if row[0] > 0)
        both = [(positive, (1,)), ((1 << len(rows)) - 1 - positive, (-1,))]
        yield from sorted(both, key=lambda cell: cell[0] & 1)
        return
    splits = [_split_cells(rows[:k], row) for k, row in enumerate(rows)]
    waiting: list[tuple[int, int, Row]] = [(0, 0, (0,) * width)]
    while waiting:
        k, bits, weights = waiting.pop()
        if k == len(rows):
            yield bits, weights
            continue
        middle = splits[k].get(bits)
        if middle is None:
            waiting.append((k + 1, bits | (_dot(weights, rows[k]) > 0) << k, weights))
        else:
            below, above = _halves(middle, rows[:k], rows[k])
            waiting.append((k + 1, bits | 1 << k, above))
            waiting.append((k + 1, bits, below))


def _split_cells(rows: list[Row], x: Row) -> dict[int, Row]:
    """Return each cell of the rows that x splits, with weights in it whose score on x is 0."""
    pivot = next(j for j, value in enumerate(x) if value)
    size, sign = abs(x[pivot]), 1 if x[pivot] > 0 else -1
    rest = x[:pivot] + x[pivot + 1 :]
    cells: dict[int, Row] = {}
    for bits, weights in _cells(_projected(rows, x), len(rest)):
        lifted = [size * weight for weight in weights]
        lifted.insert(pivot, -sign * _dot(weights, rest))
        cells[bits] = _primitive(lifted)
    return cells


def _halves(middle: Row, rows: list[Row], x: Row) -> tuple[Row, Row]:
    """Return weights on both sides of x, near the given ones with score 0, that keep all other signs."""
    factor = 1 + max((abs(_dot(x, row)) // abs(_dot(middle, row)) for row in rows), default=0)
    below = _primitive([factor * v - value for v, value in zip(middle, x, strict=True)])
    above = _primitive([factor * v + value for v, value in zip(middle, x, strict=True)])
    return below, above
