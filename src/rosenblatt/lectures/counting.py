"""Cover's theorem: how many labelings of points in general position a hyperplane can produce.

P points in N dimensions have 2^P labelings with two classes. If any N of the points (or all of them, if
there are fewer) are linearly independent, hyperplanes through the origin produce

    C(P, N) = 2·Σ_{k<N} binom(P - 1, k)

of the labelings: all of them if P ≤ N, exactly half if P = 2N, and a vanishing share for larger P. This
follows from C(P + 1, N) = C(P, N) + C(P, N - 1): a new point doubles the labelings that a hyperplane
through it can produce. Points that are not in general position have fewer. An intercept counts as one
more dimension.

For fixed N the count grows like its largest term, 2·P^(N-1)/(N - 1)!. The power is N - 1, not N as some
lecture notes have it: in the plane, N = 2, the count is 2·P.

T. Cover, Geometrical and statistical properties of systems of linear inequalities with applications in
pattern recognition (1965).
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from rosenblatt.core.checks import check_flag, whole_number
from rosenblatt.core.errors import InputError
from rosenblatt.separability.results.verdicts import Verdict
from rosenblatt.separability.separate import separate

# Only the verdict is needed, so a coarse margin is enough.
_TOLERANCE = 0.9

# The count of 100,000 points in 50,000 dimensions takes about a second.
_MAX_STEPS = 10_000_000_000
_MAX_DRAWN = 50_000_000


class Simulation(NamedTuple):
    """How often random labels of random points were separable."""

    n_points: int
    n_dimensions: int
    trials: int
    separable: int
    undecided: int

    @property
    def fraction(self) -> float:
        """The share of trials in which a hyperplane separates the labels."""
        return self.separable / self.trials


def count_dichotomies(n_points: int, n_dimensions: int, *, fit_intercept: bool = False) -> int:
    """Return the exact number of labelings of points in general position that a hyperplane can produce.

    With ``fit_intercept`` the hyperplane need not go through the origin.

    >>> count_dichotomies(4, 2), count_dichotomies(4, 2, fit_intercept=True)
    (8, 14)
    >>> [count_dichotomies(P, 3) / P**2 for P in (10, 100, 1000)]  # grows like P^(N - 1)
    [0.92, 0.9902, 0.999002]
    """
    check_flag("fit_intercept", fit_intercept)
    points = whole_number("n_points", n_points, 1)
    dimensions = whole_number("n_dimensions", n_dimensions, 1) + fit_intercept
    n_digits = min(points, dimensions * points.bit_length())
    if n_digits * (10 + min(dimensions, abs(points - dimensions))) > _MAX_STEPS:
        raise InputError(
            f"the labelings of {n_points} points in {n_dimensions} dimensions take too long to count: "
            "use fewer points or dimensions"
        )
    if points <= dimensions:
        return 1 << points
    if 2 * dimensions > points:
        # The other half of the same row of Pascal's triangle is shorter.
        return (1 << points) - _partial_row(points - 1, points - dimensions)
    return _partial_row(points - 1, dimensions)


def separable_fraction(
    n_points: int, n_dimensions: int, *, fit_intercept: bool = False
) -> Fraction:
    """Return the share of all labelings of points in general position that a hyperplane can produce.

    This is the probability that random labels of such points are separable.

    >>> separable_fraction(6, 3), separable_fraction(8, 3)
    (Fraction(1, 2), Fraction(29, 128))
    """
    points = whole_number("n_points", n_points, 1, 10_000_000)
    count = count_dichotomies(points, n_dimensions, fit_intercept=fit_intercept)
    return Fraction(count, 1 << points)


def simulate(n_points: int, n_dimensions: int, *, trials: int = 100, seed: int = 0) -> Simulation:
    """Draw points and labels at random, and count how often a hyperplane separates them.

    The points are normally distributed, so in general position with probability 1; the hyperplanes
    go through the origin. The expected fraction is `separable_fraction`. `separate` proves each verdict.

    >>> simulate(6, 3, trials=20)
    Simulation(n_points=6, n_dimensions=3, trials=20, separable=13, undecided=0)
    """
    sizes = checked_sizes(n_points, n_dimensions)
    n_trials = whole_number("trials", trials, 1)
    generator = np.random.default_rng([whole_number("seed", seed, 0), *sizes])
    verdicts = [_verdict(generator, *sizes) for _ in range(n_trials)]
    return Simulation(
        *sizes, n_trials, verdicts.count(Verdict.SEPARABLE), verdicts.count(Verdict.UNDECIDED)
    )


def checked_sizes(n_points: int, n_dimensions: int) -> tuple[int, int]:
    """Return the two numbers; raise InputError unless `simulate` can draw such points."""
    sizes = whole_number("n_points", n_points, 1), whole_number("n_dimensions", n_dimensions, 1)
    if sizes[0] * sizes[1] > _MAX_DRAWN:
        raise InputError(
            f"{n_points} points in {n_dimensions} dimensions are too many to draw: the limit is "
            f"{_MAX_DRAWN:,} numbers"
        )
    return sizes


def _partial_row(n: int, count: int) -> int:
    """Return twice the sum of the first ``count`` entries of row n of Pascal's triangle."""
    total = term = 1
    for k in range(1, count):
        term = term * (n - k + 1) // k
        total += term
    return 2 * total


def _verdict(generator: np.random.Generator, n_points: int, n_dimensions: int) -> Verdict:
    points = generator.standard_normal((n_points, n_dimensions))
    labels = 2 * generator.integers(2, size=n_points) - 1
    if n_points == 1:
        return Verdict.SEPARABLE if points.any() else Verdict.INSEPARABLE
    # For hyperplanes through the origin, a point of one class is the same as the opposite point of
    # the other. `separate` needs two classes, so the last point becomes one and the rest the other.
    classes = np.ones(n_points, dtype=np.int64)
    classes[-1] = -1
    samples = points * (labels * classes)[:, None]
    return separate(samples, classes, fit_intercept=False, tolerance=_TOLERANCE).verdict
