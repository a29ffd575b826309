"""All labelings of given points that a hyperplane gives, each with weights that prove it.

The proof of Cover's theorem, run. A labeling of the first k points is a cell: the weights that give it.
The next point x divides weights by the sign of their score; it splits a cell in two if and only if
weights of the cell have score 0 on x. Those weights lie in one dimension less, so the cells that are
split are the cells of the first k points, projected along x: found by the same procedure. Then

- split by x, with weights v of score 0 on x: m·v + x and m·v - x are weights of both halves, for an m
  large enough that no other score changes its sign;
- not split: weights of the cell have a score on x which is not 0, and the labeling goes on with its
  sign.

All of it in whole numbers, so nothing is ever decided by rounding; the points need not be in general
position. For P points in N dimensions some P·C(P, N) cells are looked at, C being Cover's number, and as
many as are yielded are held in memory: nothing like 2^P.
"""

from collections.abc import Iterator
from typing import NamedTuple

from rosenblatt.capacity.counting import count_dichotomies
from rosenblatt.capacity.points import Row, as_points, dot, primitive
from rosenblatt.core.checks import check_flag
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import MatrixLike

# This many cells take some minutes, and less than a gigabyte.
_MOST_CELLS = 20_000_000

Cells = dict[int, Row]
"""Weights by labeling: bit i is set where point i is positive."""


class Dichotomy(NamedTuple):
    """A labeling that a hyperplane gives.

    Attributes
    ----------
    labels : tuple of int
        -1 or 1 for each point.
    weights : tuple of int
        One for each dimension, and a last one, the intercept, where there is one: every point's
        score has the sign of its label.
    """

    labels: tuple[int, ...]
    weights: tuple[int, ...]


def separable_dichotomies(X: MatrixLike, *, fit_intercept: bool = False) -> Iterator[Dichotomy]:
    """Yield every labeling of the points that a hyperplane gives, strictly, with its weights.

    Parameters
    ----------
    X : table of numbers
        One row a point. Floats are taken as the rational numbers that they are; whole numbers and
        fractions may have any size.
    fit_intercept : bool, default=False
        Allow any hyperplane, not only those through the origin.

    Returns
    -------
    iterator of Dichotomy
        In lexicographic order, -1 before 1. Most of the work is done before the first one.

    Examples
    --------
    >>> [one.labels for one in separable_dichotomies([[1, 0], [1, 1], [2, 2]])]
    [(-1, -1, -1), (-1, 1, 1), (1, -1, -1), (1, 1, 1)]
    >>> square = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> len(list(separable_dichotomies(square, fit_intercept=True)))
    14
    """
    check_flag("fit_intercept", fit_intercept)
    points = as_points(X, constant=fit_intercept)
    count, width = len(points.rows), points.n_dimensions
    if count * count_dichotomies(count, width) > _MOST_CELLS:
        raise InputError(
            f"X has {count} points in {width} dimensions, which may have "
            f"{count_dichotomies(count, width):,} labelings: fewer are accepted, at most "
            f"{_MOST_CELLS // count:,} for {count} points"
        )
    cells = _cells([primitive(list(row)) for row in points.rows], width)
    return (Dichotomy(_labels(bits, count), weights) for bits, weights in cells)


def _labels(bits: int, count: int) -> tuple[int, ...]:
    return tuple(1 if bits >> i & 1 else -1 for i in range(count))


def _cells(rows: list[Row], width: int) -> Iterator[tuple[int, Row]]:
    """Yield the labelings of the rows, none of them with a score of 0, and weights for each."""
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
            waiting.append((k + 1, bits | (dot(weights, rows[k]) > 0) << k, weights))
        else:
            below, above = _halves(middle, rows[:k], rows[k])
            waiting.append((k + 1, bits | 1 << k, above))
            waiting.append((k + 1, bits, below))


def _split_cells(rows: list[Row], x: Row) -> Cells:
    """Return the cells of the rows that x splits: weights of score 0 on x for each."""
    size, place = min((abs(value), j) for j, value in enumerate(x) if value)
    sign = 1 if x[place] > 0 else -1
    others = [j for j in range(len(x)) if j != place]
    flat = [primitive([size * row[j] - sign * row[place] * x[j] for j in others]) for row in rows]
    cells: Cells = {}
    for bits, weights in _cells(flat, len(others)):
        lifted = [size * weight for weight in weights]
        lifted.insert(place, -sign * sum(w * x[j] for w, j in zip(weights, others, strict=True)))
        cells[bits] = primitive(lifted)
    return cells


def _halves(middle: Row, rows: list[Row], x: Row) -> tuple[Row, Row]:
    """Return weights on both sides of x, from some in the middle, that keep all other signs."""
    factor = 1 + max((abs(dot(x, row)) // abs(dot(middle, row)) for row in rows), default=0)
    below = primitive([factor * v - value for v, value in zip(middle, x, strict=True)])
    above = primitive([factor * v + value for v, value in zip(middle, x, strict=True)])
    return below, above
