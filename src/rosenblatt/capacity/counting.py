"""Cover's theorem: how many labelings of points in general position a hyperplane gives.

P points in N dimensions, any N of them (or all, if fewer) linearly independent, have 2^P labelings in
two classes. Hyperplanes through the origin give

    C(P, N) = 2·Σ_{k<N} binom(P - 1, k)

of them: all when P ≤ N, exactly half when P = 2N, and a share that vanishes beyond. It follows from
C(P + 1, N) = C(P, N) + C(P, N - 1): a new point doubles those labelings that a hyperplane through it
gives. Points that are not in general position have fewer. A hyperplane with an intercept is one through
the origin in one dimension more.

For a fixed N the count grows as the largest of its terms, binom(P - 1, N - 1): as 2·P^(N-1)/(N - 1)!,
the power being N - 1, not N as is sometimes written. In the plane, N = 2, it is 2·P.

T. Cover, Geometrical and statistical properties of systems of linear inequalities with applications in
pattern recognition (1965).
"""

import math
from fractions import Fraction
from typing import Literal, overload

from scipy.special import betainc

from rosenblatt.core.checks import check_flag, whole

# Up to this many points a float is the exact quotient of whole numbers, rounded: some milliseconds.
_EXACT = 5000

# Up to this many points the incomplete beta function has ten digits.
_MOST_POINTS = 10**10


def count_dichotomies(n_points: int, n_dimensions: int, *, fit_intercept: bool = False) -> int:
    """Return how many labelings of points in general position a hyperplane gives, exactly.

    Parameters
    ----------
    n_points : int
        At least 1.
    n_dimensions : int
        At least 1.
    fit_intercept : bool, default=False
        Allow any hyperplane, not only those through the origin.

    Returns
    -------
    int
        At most 2**n_points. The work is min(N, P - N) products of a number of P bits.

    Examples
    --------
    >>> count_dichotomies(4, 2), count_dichotomies(4, 2, fit_intercept=True)
    (8, 14)
    >>> count_dichotomies(2000, 1000) == 2**1999
    True
    >>> [count_dichotomies(P, 3) / P**2 for P in (10, 100, 1000)]  # grows as P^(N - 1)
    [0.92, 0.9902, 0.999002]
    """
    points, dimensions = _sizes(n_points, n_dimensions, fit_intercept)
    if points <= dimensions:
        return 1 << points
    if points == 2 * dimensions:
        return 1 << (points - 1)
    if 2 * dimensions > points:
        # The other half of the same row of Pascal's triangle is the shorter one.
        return (1 << points) - _partial_row(points - 1, points - dimensions)
    return _partial_row(points - 1, dimensions)


@overload
def separable_fraction(
    n_points: int, n_dimensions: int, *, fit_intercept: bool = ..., exact: Literal[True] = ...
) -> Fraction: ...


@overload
def separable_fraction(
    n_points: int, n_dimensions: int, *, fit_intercept: bool = ..., exact: Literal[False]
) -> float: ...


def separable_fraction(
    n_points: int, n_dimensions: int, *, fit_intercept: bool = False, exact: bool = True
) -> Fraction | float:
    """Return the part of all labelings of points in general position that a hyperplane gives.

    It is the probability that random labels of such points are separable, and that of at most N - 1
    heads in P - 1 throws of a coin.

    Parameters
    ----------
    n_points, n_dimensions, fit_intercept
        As for `count_dichotomies`.
    exact : bool, default=True
        Return a Fraction. Otherwise a float: up to 5,000 points the fraction, rounded; beyond, and up
        to 10^10 points, the binomial tail as an incomplete beta function, to some ten digits. A
        fraction below what float64 can hold is 0.0.

    Examples
    --------
    >>> separable_fraction(6, 3), separable_fraction(8, 3)
    (Fraction(1, 2), Fraction(29, 128))
    >>> f"{separable_fraction(1_010_000, 500_000, exact=False):.6g}"
    '1.25514e-23'
    """
    check_flag("exact", exact)
    points, dimensions = _sizes(n_points, n_dimensions, fit_intercept)
    if exact:
        return Fraction(count_dichotomies(points, dimensions), 1 << points)
    if points <= dimensions:
        return 1.0
    if points == 2 * dimensions:
        return 0.5
    if points <= _EXACT:
        return count_dichotomies(points, dimensions) / (1 << points)
    whole("n_points", n_points, 1, _MOST_POINTS)
    return float(betainc(points - dimensions, dimensions, 0.5))


def prefix_probability(
    n_points: int, n_dimensions: int, *, fit_intercept: bool = False
) -> Fraction:
    """Return the probability that the first P samples are separable, but the first P + 1 are not.

    Samples come one by one, points in general position with random labels. The largest separable
    prefix has the law binom(P - 1, N - 1)/2^P of the throws until a coin has shown N heads (negative
    binomial), with mean 2·N and variance 2·N: the capacity of a hyperplane is two samples a weight.

    Examples
    --------
    >>> [prefix_probability(n, 2) for n in (1, 2, 3, 4)]
    [Fraction(0, 1), Fraction(1, 4), Fraction(1, 4), Fraction(3, 16)]
    >>> float(sum(n * prefix_probability(n, 2) for n in range(1, 100)))
    4.0
    """
    points, dimensions = _sizes(n_points, n_dimensions, fit_intercept)
    return Fraction(math.comb(points - 1, dimensions - 1), 1 << points)


def _sizes(n_points: int, n_dimensions: int, fit_intercept: bool) -> tuple[int, int]:
    check_flag("fit_intercept", fit_intercept)
    points, dimensions = whole("n_points", n_points, 1), whole("n_dimensions", n_dimensions, 1)
    return points, dimensions + (1 if fit_intercept else 0)


def _partial_row(n: int, count: int) -> int:
    """Return twice the sum of the first ``count`` entries of row n of Pascal's triangle."""
    total = term = 1
    for k in range(1, count):
        term = term * (n - k + 1) // k
        total += term
    return 2 * total
