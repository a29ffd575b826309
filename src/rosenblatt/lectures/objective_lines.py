"""Two objectives along a line of weights: the number of mistakes, and the perceptron criterion.

The number of mistakes is what one would like to be small, but it is no objective to descend on: it is
constant wherever no score changes its sign, so its slope is 0 almost everywhere, and jumps in between.
The criterion E(w) = -Σ y·w·x over the mistaken samples is continuous and, along any line, convex: its
slope says which way is down.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.core.checks import whole
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Floats, LabelsLike, MatrixLike, WeightsLike
from rosenblatt.estimators.perceptron_criterion import perceptron_criterion


class Objectives(NamedTuple):
    """Positions from 0, the start, to 1, the end, and the mistakes and the criterion there."""

    positions: Floats
    mistakes: Counts
    criterion: Floats


def objectives_along(
    X: MatrixLike,
    y: LabelsLike,
    start: WeightsLike,
    end: WeightsLike,
    n_points: int = 201,
    fit_intercept: bool = True,
) -> Objectives:
    """Return the number of mistakes and the criterion of weights on the line from start to end.

    Parameters
    ----------
    X, y : samples and their labels
        Two classes, the greater label being the positive one.
    start, end : arrays of shape (n_features + 1,), or (n_features,) without an intercept
        The weights at both ends, the intercept first, as a `Trace` has them.
    n_points : int, default=201
        How many weights are looked at, both ends included.
    fit_intercept : bool, default=True
        Whether the first weight is the intercept.

    Returns
    -------
    Objectives
        A score of exactly 0 is a mistake, as it is for the perceptron; it adds nothing to the criterion.

    Examples
    --------
    The lecture's example, from its first weights to its last:

    >>> from rosenblatt.lectures import objectives_along
    >>> X, y = [[1, 1], [1, -1], [0, -1], [-1, -1], [-1, 1], [0, 1]], [1, 1, 1, -1, -1, -1]
    >>> line = objectives_along(X, y, (1, 0, 0), (0, 2, -1), n_points=6)
    >>> line.mistakes
    array([3, 3, 2, 0, 0, 0])
    >>> line.criterion.round(6)
    array([3. , 1.4, 0.4, 0. , 0. , 0. ])
    """
    n = whole("n_points", n_points, 2)
    first, last = (_vector(name, w) for name, w in (("start", start), ("end", end)))
    width = np.shape(X)[1] + bool(fit_intercept)
    if first.shape != (width,) or last.shape != (width,):
        what = "the intercept first" if fit_intercept else "without an intercept"
        raise InputError(
            f"start has shape {first.shape} and end {last.shape}: give {width} weights, {what}"
        )
    positions = np.linspace(0.0, 1.0, n)
    mistakes, criterion = np.empty(n, dtype=np.int64), np.empty(n)
    for k, t in enumerate(positions.tolist()):
        weights = (1.0 - t) * first + t * last
        own = np.roll(weights, -1) if fit_intercept else weights
        criterion[k], _, mistakes[k] = perceptron_criterion(own, X, y)
    return Objectives(positions, mistakes, criterion)


def _vector(name: str, weights: WeightsLike) -> Floats:
    try:
        vector = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} has what is not a number: give finite weights") from error
    if not np.isfinite(vector).all():
        raise InputError(f"{name} is not finite everywhere: give finite weights")
    return vector
