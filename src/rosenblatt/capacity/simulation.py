"""Cover's theorem, by experiment: random points with random labels, decided one by one."""

from typing import NamedTuple

import numpy as np

from rosenblatt.core.checks import whole
from rosenblatt.separability.results.verdicts import Verdict
from rosenblatt.separability.separate import separate

# Only the verdict is asked for, and the margin need not be known closely.
_TOLERANCE = 0.9


class Simulation(NamedTuple):
    """How often random labels of random points were separable."""

    n_points: int
    n_dimensions: int
    trials: int
    separable: int
    undecided: int

    @property
    def fraction(self) -> float:
        """The part of the trials in which a hyperplane was found."""
        return self.separable / self.trials


def simulate(n_points: int, n_dimensions: int, *, trials: int = 100, seed: int = 0) -> Simulation:
    """Draw points and labels at random, and count how often a hyperplane separates them.

    The points are normally distributed, which are in general position with probability one, and the
    hyperplanes go through the origin: `separable_fraction` is what the count tends to. Every verdict
    is one of `separate`, which proves it.

    Parameters
    ----------
    n_points, n_dimensions : int
        At least 1.
    trials : int, default=100
        How many sets of points to draw.
    seed : int, default=0
        The same seed and sizes give the same points.

    Examples
    --------
    >>> simulate(6, 3, trials=20)
    Simulation(n_points=6, n_dimensions=3, trials=20, separable=13, undecided=0)
    """
    sizes = whole("n_points", n_points, 1), whole("n_dimensions", n_dimensions, 1)
    n_trials = whole("trials", trials, 1)
    generator = np.random.default_rng([whole("seed", seed, 0), *sizes])
    verdicts = [_verdict(generator, *sizes) for _ in range(n_trials)]
    return Simulation(
        *sizes, n_trials, verdicts.count(Verdict.SEPARABLE), verdicts.count(Verdict.UNDECIDED)
    )


def _verdict(generator: np.random.Generator, n_points: int, n_dimensions: int) -> Verdict:
    points = generator.standard_normal((n_points, n_dimensions))
    labels = 2 * generator.integers(2, size=n_points) - 1
    # Through the origin a point of one label is the opposite point of the other one. All points but
    # the last are brought to one label and the last to the other, for there must be two of them.
    if n_points == 1:
        return Verdict.SEPARABLE if points.any() else Verdict.INSEPARABLE
    given = np.ones(n_points, dtype=np.int64)
    given[-1] = -1
    samples = points * (labels * given)[:, None]
    return separate(samples, given, fit_intercept=False, tolerance=_TOLERANCE).verdict
