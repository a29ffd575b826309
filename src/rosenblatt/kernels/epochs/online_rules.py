"""One pass of the online learners over the samples, compiled: passive-aggressive and Winnow.

Both process one halfspace at a time, unless classes learn jointly. ``signs[i, k]`` is the side of
sample i for halfspace k, 0 if it is not seen; ``steps[i]`` is its weight; ``learning`` marks the
halfspaces that learn. Changed in place: the weights, the drift or the exponents, and the ``record``.
Return -1, or the sample at which a number was not finite or too large, where the pass stops.
"""

import math
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from rosenblatt.core.constants import LARGEST
from rosenblatt.core.types import Counts, Flags, Floats, Signs
from rosenblatt.kernels.compiled import compiled
from rosenblatt.kernels.epochs.ordered_sums import BALANCED, power, score, shift, squares
from rosenblatt.kernels.exact_sum import new_digits
from rosenblatt.kernels.row_operations import axpy, dot, fits
from rosenblatt.kernels.rows import Rows
from rosenblatt.kernels.signs import OVERFLOW, exact_side, sized_side

PA, PA_I, PA_II = 0, 1, 2


class StepLimits(NamedTuple):
    """The step sizes of a passive-aggressive learner.

    ``rate`` is what an update adds to the intercept, in steps: 0 without one; ``constant`` is the
    square of the constant feature that is added to a sample's squared length.
    """

    variant: int
    C: float
    rate: float
    constant: float


class Growth(NamedTuple):
    """How Winnow's weights grow: their base, their kind (see ``ordered_sums``), and the threshold."""

    base: float
    kind: int
    threshold: float


class PassRecord(NamedTuple):
    """The record of a pass.

    ``visits`` counts the samples that a halfspace sees; ``tally`` has each halfspace's number of updates
    and its largest loss; ``scores``, unless it is empty, gets the score of each visit before learning.
    """

    visits: Counts
    tally: Floats
    scores: Floats


STUCK = -1.0
"""Returned instead of a loss if a number is not finite, or too large."""


@register_jitable
def _tau(square: float, loss: float, variant: int, limit: float) -> float:
    """Return the step of an update, given the sample's squared length and its C, ``limit``."""
    if limit == 0.0:  # C times a very small weight of the sample
        return 0.0
    if variant == PA_II:
        return loss / (square + 0.5 / limit)
    if square == 0.0:
        return 0.0
    return min(limit, loss / square) if variant == PA_I else loss / square


@register_jitable
def _add(rows: Rows, i: int, step: float, rate: float, weights: Floats) -> None:
    """Add row i to the weights, and to the intercept at its own rate."""
    before = weights[-1]
    axpy(rows, i, step, weights)
    weights[-1] = before + rate * step


@register_jitable
def _correct(
    rows: Rows, i: int, sign: int, limit: float, rule: StepLimits, weights: Floats
) -> tuple[float, float]:
    """Make one passive-aggressive visit; return the loss, 0 if nothing changed, and the step."""
    if not fits(rows, i, weights):
        return STUCK, 0.0
    loss = 1.0 - sign * score(rows, i, weights)
    if not abs(loss) < math.inf:
        return STUCK, 0.0
    if loss <= 0.0:
        return 0.0, 0.0
    square = squares(rows, i) + rule.constant
    step = sign * _tau(square, loss, rule.variant, limit)
    if not abs(step) * max(math.sqrt(square), rule.rate) < LARGEST:
        return STUCK, 0.0
    if step == 0.0:
        return 0.0, 0.0
    _add(rows, i, step, rule.rate, weights)
    return loss, step


@compiled(nogil=True)
def passive_aggressive_pass(
    rows: Rows,
    signs: Signs,
    steps: Floats,
    order: Counts,
    learning: Flags,
    rule: StepLimits,
    weights: Floats,
    drift: Floats,
    record: PassRecord,
) -> int:
    """Visit the samples; on a positive loss move the weights far enough to remove it.

    The loss is max(0, 1 - sign·score), the update ``weights += sign · τ · row`` with τ = loss/‖x‖²
    (PA), the same but at most C (PA-I), or loss/(‖x‖² + 1/(2C)) (PA-II), where C is multiplied by the
    step of the sample. A sample whose ‖x‖² is 0 in float64 is skipped, except by PA-II, which moves the
    intercept; so is one whose C is 0 in float64. ``drift`` has the sum of each update times the visits
    before it, or no rows if the average is not kept.

    K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz and Y. Singer, Online passive-aggressive
    algorithms (2006).
    """
    visits, tally, scores = record
    for k in range(weights.shape[0]):
        for t in range(order.shape[0] if learning[k] else 0):
            i = int(order[t])
            if signs[i, k] == 0:
                continue
            if scores.shape[0] > 0 and fits(rows, i, weights[k]):
                scores[t, k] = score(rows, i, weights[k])
            loss, step = _correct(rows, i, signs[i, k], rule.C * steps[i], rule, weights[k])
            if loss == STUCK:
                return i
            if loss > 0.0:
                if drift.shape[0] > 0:
                    _add(rows, i, step * visits[k], rule.rate, drift[k])
                tally[k, 0] += 1.0
                tally[k, 1] = max(tally[k, 1], loss)
            visits[k] += 1
    return -1


@register_jitable
def _best_rival(rows: Rows, i: int, own: int, weights: Floats, scores: Floats) -> int:
    """Fill in the scores of all classes; return the first with the highest one, except ``own``.

    Return -1 if a score is not finite.
    """
    rival = -1
    if not fits(rows, i, weights[0]):
        return -1
    for k in range(weights.shape[0]):
        scores[k] = score(rows, i, weights[k])
        if not abs(scores[k]) < math.inf:
            return -1
        if k != own and (rival < 0 or scores[k] > scores[rival]):
            rival = k
    return rival


@compiled(nogil=True)
def joint_passive_aggressive_pass(
    rows: Rows,
    own: Counts,
    steps: Floats,
    order: Counts,
    rule: StepLimits,
    weights: Floats,
    drift: Floats,
    record: PassRecord,
) -> int:
    """Visit the samples; if a class leads its best rival by less than 1, move the weights of both.

    ``own[i]`` is the class of sample i, or -1 if it is not seen. The rival is the first other class
    with the highest score, the loss max(0, 1 - the lead), and τ as in `passive_aggressive_pass`, with
    2·‖x‖² for ‖x‖²: τ·row is added to the sample's own class and subtracted from the rival, so the lead
    grows by 2·τ·‖x‖². An update is counted for the rival. All weights together are those of one
    halfspace on the vectors of Kesler's construction: see ``joint``.
    """
    visits, tally, all_scores = record
    scores = np.zeros(weights.shape[0])
    for t in range(order.shape[0]):
        i = int(order[t])
        if own[i] < 0:
            continue
        rival = _best_rival(rows, i, own[i], weights, scores)
        if rival < 0:
            return i
        if all_scores.shape[0] > 0:
            all_scores[t] = scores
        loss = 1.0 - (scores[own[i]] - scores[rival])
        if not abs(loss) < math.inf:
            return i
        if loss > 0.0:
            square = squares(rows, i) + rule.constant
            step = _tau(2.0 * square, loss, rule.variant, rule.C * steps[i])
            if not step * max(math.sqrt(square), rule.rate) < LARGEST:
                return i
            if step > 0.0:
                late = step * visits[0]
                _add(rows, i, step, rule.rate, weights[own[i]])
                _add(rows, i, -step, rule.rate, weights[rival])
                if drift.shape[0] > 0:
                    _add(rows, i, late, rule.rate, drift[own[i]])
                    _add(rows, i, -late, rule.rate, drift[rival])
                tally[rival, 0] += 1.0
                tally[rival, 1] = max(tally[rival, 1], loss)
        visits[:] += 1
    return -1


@register_jitable
def _multiply(
    rows: Rows, i: int, sign: int, factor: float, rule: Growth, weights: Floats, exponents: Floats
) -> float:
    """Make one visit of Winnow; return 1 if it was a mistake, else 0."""
    if not fits(rows, i, weights):
        return STUCK
    side = sized_side(rows, i, weights, dot(rows, i, weights))
    if side == 0:
        side = exact_side(rows, i, weights, new_digits())
    if side == OVERFLOW:
        return STUCK
    if (side >= 0) == (sign > 0):
        return 0.0
    step = sign * factor
    largest = shift(rows, i, step, rule.base, rule.kind, exponents, weights)
    if rule.kind == BALANCED:
        exponents[-1] += step
        own = power(rule.base, exponents[-1], BALANCED)
        weights[-1] = own - rule.threshold
        largest = max(largest, abs(own))
    return 1.0 if largest < LARGEST else STUCK


@compiled(nogil=True)
def winnow_pass(
    rows: Rows,
    signs: Signs,
    steps: Floats,
    order: Counts,
    learning: Flags,
    rule: Growth,
    weights: Floats,
    exponents: Floats,
    record: PassRecord,
) -> int:
    """Visit the samples; on a mistake multiply the weights of the active features, or divide them.

    A sample is positive if its score minus the threshold is at least 0, decided by its exact sign. An
    update is ``exponents += sign · step · row``, and the weights follow from the exponents. So a
    promotion and a demotion cancel exactly, whatever the base, and nothing is lost if a weight is too
    small for float64. Balanced weights include one for the constant.

    N. Littlestone, Learning quickly when irrelevant attributes abound (1988).
    """
    visits, tally, scores = record
    for k in range(weights.shape[0]):
        for t in range(order.shape[0] if learning[k] else 0):
            i = int(order[t])
            if signs[i, k] == 0:
                continue
            if scores.shape[0] > 0 and fits(rows, i, weights[k]):
                scores[t, k] = score(rows, i, weights[k])
            loss = _multiply(rows, i, signs[i, k], steps[i], rule, weights[k], exponents[k])
            if loss == STUCK:
                return i
            tally[k, 0] += loss
            tally[k, 1] = max(tally[k, 1], loss)
            visits[k] += 1
    return -1
