"""General position, decided exactly, and the dependence where it fails.

P points in N dimensions are in general position when no N of them, or fewer, are linearly dependent.
Checking every choice of N points costs binom(P, N) determinants. Here:

- Modulo a prime, in machine numbers. A determinant that is not 0 modulo a prime is not 0, which proves
  it. One that is 0 is looked at again in whole numbers; where it is not 0, another prime is taken.
- Choices grow point by point and share the elimination of what they have in common. The last two
  dimensions are done at once: points on one line through the origin have the same ratio.
- Where P < 2N, in P - N dimensions: N points span the space if and only if, of the dependences among all
  points, the coefficients of the other P - N points do (Gale's dual).

With n the smaller of N and P - N, binom(P, n - 1) vectors are looked at: no way is known that is much
faster in general.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rosenblatt.capacity.points import Points, as_points
from rosenblatt.capacity.residues import dependent_subset, primes
from rosenblatt.core.checks import check_flag
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import MatrixLike
from rosenblatt.separability.solvers.integers import combination, null_vector

# This many vectors take some minutes.
_MOST_VECTORS = 10_000_000


@dataclass(frozen=True)
class Position:
    """Whether points are in general position; its truth value says whether they are.

    Attributes
    ----------
    subset : tuple of int
        The rows of points that are linearly dependent (with a constant 1 where ``affine``) while
        no smaller part of them is; empty when the points are in general position.
    coefficients : tuple of int
        How often each of these rows counts in a sum that is zero: none of them is 0, and they have
        no common factor.
    affine : bool
        Whether each point was followed by a constant 1.

    >>> position = in_general_position([[1, 2], [0, 1], [2, 4]])
    >>> bool(position), position.subset, position.coefficients
    (False, (0, 2), (-2, 1))
    """

    subset: tuple[int, ...] = ()
    coefficients: tuple[int, ...] = ()
    affine: bool = False

    def __bool__(self) -> bool:
        return not self.subset

    @property
    def sentence(self) -> str:
        """What was found, in words."""
        if not self.subset:
            return "the points are in general position"
        terms = [
            f"{'-' if c < 0 else '+'} {abs(c)}·row {row}"
            for c, row in zip(self.coefficients, self.subset, strict=True)
        ]
        text = " ".join(terms)
        return f"{text[2:] if text.startswith('+') else '-' + text[2:]} is zero"

    def verify(self, X: MatrixLike) -> bool:
        """Say whether the sum of these rows of X is zero indeed, so that they are dependent.

        A claim of general position has no such short proof: False is returned for it.
        """
        points = as_points(X, constant=self.affine)
        named = set(self.subset) & set(range(len(points.rows)))
        if not 0 < len(named) == len(self.subset) == len(self.coefficients):
            return False
        if 0 in self.coefficients:
            return False
        shared = math.lcm(*(points.factors[row] for row in self.subset))
        factors = [
            c * (shared // points.factors[row])
            for c, row in zip(self.coefficients, self.subset, strict=True)
        ]
        return not any(combination(factors, [list(points.rows[row]) for row in self.subset]))


def in_general_position(X: MatrixLike, *, affine: bool = False) -> Position:
    """Decide whether no N of the points in N dimensions, or fewer, are linearly dependent.

    Parameters
    ----------
    X : table of numbers
        One row a point. Floats are taken as the rational numbers that they are; whole numbers and
        fractions may have any size.
    affine : bool, default=False
        Ask about hyperplanes with an intercept: each point is followed by a constant 1, so that no
        three points may lie on a line, no four on a plane, and so on.

    Returns
    -------
    Position
        True when the points are in general position. Otherwise it names a smallest dependent subset
        and the coefficients that prove it.

    Raises
    ------
    InputError
        Where more than ten million vectors would have to be looked at.

    Examples
    --------
    >>> bool(in_general_position([[1, 0], [0, 1], [1, 1]]))
    True
    >>> in_general_position([[0, 0], [1, 1], [2, 2], [0, 1]], affine=True).sentence
    '1·row 0 - 2·row 1 + 1·row 2 is zero'
    """
    check_flag("affine", affine)
    points = as_points(X, constant=affine)
    n_points, n_dimensions = len(points.rows), points.n_dimensions
    _check_work(n_points, n_dimensions)
    if n_points <= n_dimensions:
        found = _dependence(points, range(n_points))
        return Position(affine=affine) if found is None else Position(*found, affine)
    candidates = primes()
    while (subset := dependent_subset(points.rows, next(candidates))) is not None:
        found = _dependence(points, subset)
        if found is not None:
            return Position(*found, affine)
    return Position(affine=affine)


def _check_work(n_points: int, n_dimensions: int) -> None:
    smaller = min(n_dimensions, n_points - n_dimensions)
    vectors = math.comb(n_points, smaller - 1) if smaller > 0 else 1
    if vectors > _MOST_VECTORS:
        raise InputError(
            f"X has {n_points} points in {n_dimensions} dimensions, for which {vectors:,} vectors "
            f"would have to be looked at: at most {_MOST_VECTORS:,} are accepted"
        )


def _dependence(
    points: Points, subset: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return a smallest dependent part of some points, and its coefficients, if there is one."""
    columns = zip(*(points.rows[i] for i in subset), strict=True)
    # The column of zeros is dependent by itself, and the first that is where all others are not.
    *factors, _ = null_vector([[*column, 0] for column in columns])
    terms = [(i, f * points.factors[i]) for i, f in zip(subset, factors, strict=True) if f]
    if not terms:
        return None
    # Each row was made whole by a factor of its own; the sum is to be one of the points themselves.
    shared = math.gcd(*(f for _, f in terms))
    return tuple(i for i, _ in terms), tuple(f // shared for _, f in terms)
