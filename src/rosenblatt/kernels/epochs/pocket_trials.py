"""Trials for the pocket, compiled: find weights of an epoch with fewer mistakes than the pocket's."""

from typing import NamedTuple

from numba.extending import register_jitable

from rosenblatt.core.types import Counts, Floats, Signs
from rosenblatt.kernels.compiled import compiled
from rosenblatt.kernels.exact_sum import new_digits
from rosenblatt.kernels.row_operations import axpy
from rosenblatt.kernels.rows import Rows
from rosenblatt.kernels.signs import is_mistake, side_of


class PocketSamples(NamedTuple):
    """All samples of one halfspace: their signs, and the weight of a mistake on each."""

    rows: Rows
    signs: Signs
    steps: Floats
    tie: int


class Pocket(NamedTuple):
    """The pocket of one halfspace, changed in place.

    Its weights, their longest run of correct visits, and the total weight of their mistakes: the latter
    two are arrays of length 1.
    """

    weights: Floats
    longest: Counts
    fewest: Floats


@compiled(nogil=True)
def mass_of_mistakes(samples: PocketSamples, weights: Floats, limit: float) -> float:
    """Return the sum of the steps of misclassified samples; stop at the limit."""
    digits = new_digits()
    total = 0.0
    for i in range(samples.signs.shape[0]):
        sign = samples.signs[i]
        if sign != 0 and is_mistake(side_of(samples.rows, i, weights, digits), sign, samples.tie):
            total += samples.steps[i]
            if total >= limit:
                break
    return total


@register_jitable
def _are_equal(one: Floats, other: Floats) -> bool:
    n_other = 0
    for j in range(one.shape[0]):
        n_other += one[j] != other[j]
    return n_other == 0


@compiled(nogil=True)
def try_runs(
    samples: PocketSamples,
    steps: Floats,
    sequence: Counts,
    lengths: Counts,
    weights: Floats,
    best: Pocket,
) -> None:
    """Repeat the updates of an epoch, and try all weights whose run is longer than the pocket's.

    Run t comes before mistake t of the ``sequence`` and has length ``lengths[t]``; the last run comes
    after all mistakes. Changed in place: ``weights``, and the pocket, which is replaced by weights with
    fewer mistakes. If the weights equal the pocket's, only its run is updated.
    """
    for t in range(sequence.shape[0] + 1):
        if lengths[t] > best.longest[0]:
            mass = mass_of_mistakes(samples, weights, best.fewest[0])
            if mass < best.fewest[0]:
                best.weights[:] = weights
                best.longest[0], best.fewest[0] = lengths[t], mass
            elif _are_equal(best.weights, weights):
                best.longest[0] = lengths[t]
        if t < sequence.shape[0]:
            i = sequence[t]
            axpy(samples.rows, i, samples.signs[i] * steps[i], weights)
