"""Trials for the pocket, compiled: which weights of an epoch are mistaken on less than the pocket's."""

from typing import NamedTuple

from numba.extending import register_jitable

from rosenblatt.core.types import Counts, Floats, Signs
from rosenblatt.kernels.compiled import compiled
from rosenblatt.kernels.exact_sum import new_digits
from rosenblatt.kernels.row_operations import axpy
from rosenblatt.kernels.rows import Rows
from rosenblatt.kernels.signs import is_mistake, side_of


class PocketSamples(NamedTuple):
    """All samples of one halfspace: their signs, and how much a mistake on each weighs."""

    rows: Rows
    signs: Signs
    steps: Floats
    tie: int


class Pocket(NamedTuple):
    """The pocket of one halfspace, changed in place.

    Its weights, the longest run of right answers that they had, and what they are mistaken on: the
    latter two are arrays of one.
    """

    weights: Floats
    longest: Counts
    fewest: Floats


@compiled(nogil=True)
def mass_of_mistakes(judge: PocketSamples, weights: Floats, limit: float) -> float:
    """Return the steps of the samples that the weights are mistaken on, summed until the limit."""
    digits = new_digits()
    total = 0.0
    for i in range(judge.signs.shape[0]):
        sign = judge.signs[i]
        if sign != 0 and is_mistake(side_of(judge.rows, i, weights, digits), sign, judge.tie):
            total += judge.steps[i]
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
    judge: PocketSamples,
    steps: Floats,
    sequence: Counts,
    lengths: Counts,
    weights: Floats,
    best: Pocket,
) -> None:
    """Make the updates of an epoch again, and try all weights whose run is longer than the pocket's.

    Run t is the one before mistake t of the ``sequence``, and as long as ``lengths[t]``; the last one
    comes after all of them. Changed in place: ``weights``, and the pocket, which is replaced by weights
    that are mistaken on less. If they are the pocket's own, only its run grows.
    """
    for t in range(sequence.shape[0] + 1):
        if lengths[t] > best.longest[0]:
            mass = mass_of_mistakes(judge, weights, best.fewest[0])
            if mass < best.fewest[0]:
                best.weights[:] = weights
                best.longest[0], best.fewest[0] = lengths[t], mass
            elif _are_equal(best.weights, weights):
                best.longest[0] = lengths[t]
        if t < sequence.shape[0]:
            i = sequence[t]
            axpy(judge.rows, i, judge.signs[i] * steps[i], weights)
