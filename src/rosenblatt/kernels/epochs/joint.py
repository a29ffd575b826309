"""One epoch of the joint rule for many classes, compiled: a sample's own class against its best rival.

Every class has one weight vector, and a sample is right when its own class has the highest score, alone.
On a mistake the sample is added to its own class and taken from the best wrong one, the first of equals.
Put the vectors one after the other, and this is the perceptron on the vectors of Kesler's construction
(N. Nilsson, Learning Machines, 1965, section 5.2): x_i in the block of its class, -x_i in that of the
rival. They are at most √2 times as long as the samples, so with joint margin γ and radius R it makes at
most 2·R²/γ² mistakes, and Novikoff's inequality bounds all weights together.

As in ``one_vs_rest``, scores that leave a doubt do not decide: two classes are then compared exactly.
"""

import math

import numpy as np
from numba import njit
from numba.extending import register_jitable

from rosenblatt.core.types import Counts, Data, Floats
from rosenblatt.kernels.epochs.one_vs_rest import is_measured, squared_length
from rosenblatt.kernels.epochs.panel_layout import (
    NEAR,
    add_to_panel,
    copy_to_shadow,
    height,
    score_band,
    score_panel,
    trusted,
    update_panel,
    vector,
)
from rosenblatt.kernels.epochs.panel_types import Memory, Record, Samples, Tally, Task
from rosenblatt.kernels.rows import Rows
from rosenblatt.kernels.signs import OVERFLOW, SMALL_NORM, exact_lead

RIGHT = -1
"""What is answered instead of a rival when there is none."""

NO_NUMBER = -2
"""What is answered instead of a rival when a score is not a finite number."""


@register_jitable
def _best_rival(
    rows: Rows, i: int, own: int, scores: Data, band: float, weights: Floats, n_classes: int
) -> tuple[int, int]:
    """Return the wrong class with the exactly highest score, the first of equals, or `NO_NUMBER`.

    Returned beside it is whether it took an exact sum.
    """
    highest, n_sums = -math.inf, 0
    for k in range(n_classes):
        if k != own:
            highest = max(highest, scores[k])
    best = -1
    for k in range(n_classes):
        if k == own or scores[k] < highest - 4.0 * band:
            continue
        if best >= 0:
            lead, summed = exact_lead(
                rows, i, vector(rows, weights, k), vector(rows, weights, best)
            )
            n_sums |= summed
            if lead == OVERFLOW:
                return NO_NUMBER, n_sums
            if lead <= 0:
                continue
        best = k
    return best, n_sums


@njit(cache=True, nogil=True)
def find_rival(
    rows: Rows, i: int, own: int, scores: Data, band: float, weights: Floats, n_classes: int
) -> tuple[int, int]:
    """Return the rival that sample i is mistaken for, or `RIGHT`, or `NO_NUMBER`.

    Returned beside it is whether it took an exact sum.
    """
    rival, n_sums = _best_rival(rows, i, own, scores, band, weights, n_classes)
    if rival == NO_NUMBER:
        return NO_NUMBER, n_sums
    lead, summed = exact_lead(rows, i, vector(rows, weights, own), vector(rows, weights, rival))
    n_sums |= summed
    if lead == OVERFLOW:
        return NO_NUMBER, n_sums
    return (RIGHT if lead > 0 else rival), n_sums


@register_jitable(forceinline=True)
def _is_right(own: int, scores: Data, band: float, n_classes: int) -> bool:
    """Say whether the scores show beyond doubt that the sample's own class has the highest."""
    least = scores[own] - 4.0 * band
    right = True
    for k in range(n_classes):
        right &= k == own or scores[k] < least
    return right


@register_jitable
def _correct(
    rows: Rows,
    i: int,
    own: int,
    rival: int,
    step: float,
    before: int,
    moves: Floats,
    memory: Memory,
) -> None:
    """Add sample i to its own class and take it from the rival; ``moves`` are zeros before and after."""
    moves[own], moves[rival] = step, -step
    update_panel(rows, i, moves, memory.weights, memory.shadow)
    if memory.drift.size:
        late = step * before
        moves[own], moves[rival] = late, -late
        add_to_panel(rows, i, moves, memory.drift)
    moves[own] = moves[rival] = 0.0


@register_jitable
def _scored(samples: Samples, i: int, soon: int, memory: Memory, scores: Data) -> bool:
    """Write the scores of sample i, and its length at the first visit; say whether that was possible."""
    rows, norms = samples.rows, samples.norms
    if norms[i] < 0.0 and not is_measured(rows, i, norms, vector(rows, memory.weights, 0)):
        return False
    score_panel(rows, i, soon, memory.shadow, scores)
    return True


@register_jitable
def _begin(rows: Rows, weights: Floats, tally: Tally) -> float:
    """Empty the tally, and return the squared length of all weights together."""
    squares = 0.0
    for k in range(tally.mistakes.shape[0]):
        squares += squared_length(vector(rows, weights, k))
        tally.mistakes[k] = tally.doubt[k] = tally.exact[k] = 0
        tally.mass[k] = tally.energy[k] = 0.0
    return squares


@njit(cache=True, nogil=True)
def learn_jointly(
    samples: Samples, task: Task, own: Counts, order: Counts, memory: Memory, record: Record
) -> tuple[int, int]:
    """Visit the samples in order, and on each mistake move the weights of two classes.

    ``own[i]`` is the class of sample i, or -1: it is not seen. The arguments are those of
    `one_vs_rest.learn_panel`, for as many halfspaces as there are classes, but a mistake is counted for
    the rival alone: ``counts[r, i]`` is how often sample i was mistaken for class r, and its energy is
    that of both updates. An exact sum is counted for the sample's own class, and a mistake has the
    factor of that class, ``factors[own, 1]``.
    """
    rows, weights, tally = samples.rows, memory.weights, record.tally
    far = rows.values.size > NEAR
    n_classes = record.visits.shape[0]
    scores = np.empty(height(rows, weights), dtype=memory.shadow.dtype)
    moves = np.zeros(height(rows, weights))
    copy_to_shadow(weights, memory.shadow)
    squares = _begin(rows, weights, tally)
    total = seen = 0
    for visit in range(order.shape[0]):
        i = order[visit]
        soon = order[visit + 1] if far and visit + 1 < order.shape[0] else i
        if not _scored(samples, i, soon, memory, scores):
            return total, i
        if own[i] < 0:
            continue
        seen += 1
        unit, least = score_band(rows, i, samples.norms[i], scores)
        band = unit * trusted(math.sqrt(squares) + SMALL_NORM, scores) + least
        if _is_right(own[i], scores, band, n_classes):
            continue
        tally.doubt[own[i]] += 1
        rival, summed = find_rival(rows, i, own[i], scores, band, weights, n_classes)
        tally.exact[own[i]] += summed
        if rival == NO_NUMBER:
            return total, i
        if rival != RIGHT:
            factor = task.factors[own[i], 1]
            step, before = task.steps[i] * factor, record.visits[0] + seen - 1
            _correct(rows, i, own[i], rival, step, before, moves, memory)
            energy = 2.0 * (step * samples.norms[i]) ** 2
            squares += energy
            tally.energy[rival] += energy
            tally.mass[rival] += task.masses[i] * factor
            tally.mistakes[rival] += 1
            record.counts[rival, i] += 1
            if record.events.size:
                record.events[total] = visit * n_classes + rival
            total += 1
    record.visits[:] += seen
    for k in range(n_classes):
        tally.squares[k] = squared_length(vector(rows, weights, k))
    return total, -1


@njit(cache=True, nogil=True)
def count_mistaken(rows: Rows, own: Counts, vectors: Floats) -> int:
    """Return on how many samples some other class scores as high as their own, or higher.

    ``vectors`` has the weights of each class in a row.
    """
    n_mistakes = 0
    for i in range(own.shape[0]):
        beaten = False
        for k in range(vectors.shape[0]):
            if own[i] >= 0 and k != own[i] and not beaten:
                beaten = exact_lead(rows, i, vectors[own[i]], vectors[k])[0] != 1
        n_mistakes += beaten
    return n_mistakes
