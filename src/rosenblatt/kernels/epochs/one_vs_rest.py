"""One epoch of a whole panel of halfspaces, compiled: the samples are read once for all of them.

Each visit scores a sample by the shadows of all weight vectors (see ``panel_layout``); a score within
its band is computed again from the weights, and then decided as in ``signs``: by a bound, by a better
bound, by an exact sum. So every halfspace learns the same bits as it would alone.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable

from rosenblatt.core.types import Counts, Data, Floats, Signs
from rosenblatt.kernels.epochs.panel_layout import (
    NEAR,
    add_to_panel,
    copy_to_shadow,
    score_band,
    score_panel,
    trusted,
    update_panel,
    vector,
)
from rosenblatt.kernels.epochs.panel_types import Memory, Record, Samples, Tally, Task
from rosenblatt.kernels.row_operations import dot, fits, length, sq
from rosenblatt.kernels.rows import Rows
from rosenblatt.kernels.signs import (
    OVERFLOW,
    SMALL_NORM,
    error_band,
    exact_side,
    is_mistake,
    sign_beyond,
    sized_side,
)
from rosenblatt.kernels.simd.no_reference_counts import counted, uncounted
from rosenblatt.kernels.simd.sparse_lanes import lanes_beyond


@counted(nogil=True)
def _decided(
    rows: Rows, i: int, panel: Floats, c: int, reach: float, length: float
) -> tuple[int, int]:
    """Return the exact sign of row i's score by vector c, or `OVERFLOW`, and whether it was summed.

    ``reach`` and ``length`` bound the lengths of the weights and of the row.
    """
    weights = vector(rows, panel, c)
    score = dot(rows, i, weights)
    side = sign_beyond(score, error_band(reach, 2 * weights.shape[0]) * length)
    if side == 0:
        side = sized_side(rows, i, weights, score)
        if side == 0:
            return exact_side(rows, i, weights), 1
    return side, 0


@register_jitable
def squared_length(weights: Floats) -> float:
    """Return the sum of squares, in four lanes and always in the same order."""
    a = b = c = d = 0.0
    last = weights.shape[0] - weights.shape[0] % 4
    for j in range(0, last, 4):
        a += weights[j] * weights[j]
        b += weights[j + 1] * weights[j + 1]
        c += weights[j + 2] * weights[j + 2]
        d += weights[j + 3] * weights[j + 3]
    for j in range(last, weights.shape[0]):
        a += weights[j] * weights[j]
    return (a + b) + (c + d)


class EpochState(NamedTuple):
    """What is known of each halfspace during an epoch, beside the ``scores`` of the sample.

    In the rows of ``floats``: the squared length of its weights at the beginning, how far they may reach
    since (and as far as the scores' type can be trusted), how far the current sample moves them and
    their drift, and what the tally will say. In those of ``numbers``: the samples not seen, and counts
    for the tally. Arrays with named rows, not one array for each: every array of a tuple is handed on at
    every call, and calls are what a mistake costs.
    """

    scores: Data
    floats: Floats
    numbers: Counts


_SQUARE, _REACH, _TRUSTED, _MOVE, _DRIFT, _MASS, _ENERGY = range(7)
_UNSEEN, _MISTAKES, _DOUBT, _EXACT, _HIT = range(5)


@register_jitable
def _begin(rows: Rows, columns: Counts, memory: Memory, n_lanes: int) -> EpochState:
    """Return what is known of the halfspaces when an epoch begins."""
    state = EpochState(
        np.empty(n_lanes, dtype=memory.shadow.dtype),
        np.zeros((7, n_lanes)),
        np.zeros((5, columns.shape[0]), dtype=np.int64),
    )
    for c in range(columns.shape[0]):
        state.floats[_SQUARE, c] = squared_length(vector(rows, memory.weights, c))
        _note_reach(c, state)
    return state


@register_jitable
def _note_reach(c: int, state: EpochState) -> None:
    """Note how far the weights of a halfspace reach at most, by Novikoff's inequality."""
    reach = math.sqrt(state.floats[_SQUARE, c] + state.floats[_ENERGY, c]) + SMALL_NORM
    state.floats[_REACH, c] = reach
    state.floats[_TRUSTED, c] = trusted(reach, state.scores)


@register_jitable
def _end(
    rows: Rows, columns: Counts, weights: Floats, state: EpochState, n_visits: int, record: Record
) -> None:
    """Write down what the epoch did."""
    tally, numbers = record.tally, state.numbers
    for c in range(columns.shape[0]):
        k = columns[c]
        record.visits[k] += n_visits - numbers[_UNSEEN, c]
        tally.mistakes[k] = numbers[_MISTAKES, c]
        tally.doubt[k] = numbers[_DOUBT, c]
        tally.exact[k] = numbers[_EXACT, c]
        tally.mass[k] = state.floats[_MASS, c]
        tally.energy[k] = state.floats[_ENERGY, c]
        tally.squares[k] = squared_length(vector(rows, weights, c))


@uncounted(nogil=True)
def is_measured(rows: Rows, i: int, norms: Floats, weights: Floats) -> bool:
    """Measure sample i; say whether it fits the weights and is finite: its square may still overflow."""
    if not fits(rows, i, weights):
        return False
    norms[i] = math.sqrt(sq(rows, i)) + SMALL_NORM
    return bool(norms[i] < math.inf or length(rows, i) < math.inf)


@register_jitable
def _note_unseen(i: int, signs: Signs, numbers: Counts) -> None:
    for c in range(numbers.shape[1]):
        numbers[_UNSEEN, c] += signs[i, c] == 0


@register_jitable
def _find_mistakes(
    samples: Samples,
    i: int,
    visit: int,
    task: Task,
    columns: Counts,
    weights: Floats,
    state: EpochState,
    visits: Counts,
) -> int:
    """Note how far sample i moves each halfspace; return the number of mistakes.

    They are those of the first columns in ``numbers[_HIT]``. Answered is -1 where a score is not
    finite.
    """
    rows, norm = samples.rows, samples.norms[i]
    floats, numbers = state.floats, state.numbers
    found = 0
    unit, least = score_band(rows, i, norm, state.scores)
    for c in range(columns.shape[0]):
        sign = task.signs[i, c]
        side = sign_beyond(state.scores[c], unit * floats[_TRUSTED, c] + least)
        if side == sign or sign == 0:
            continue
        if side == 0:
            numbers[_DOUBT, c] += 1
            side, summed = _decided(rows, i, weights, c, floats[_REACH, c], norm)
            numbers[_EXACT, c] += summed
            if side == OVERFLOW:
                return -1
            if not is_mistake(side, sign, task.tie):
                continue
        numbers[_HIT, found] = c
        numbers[_MISTAKES, c] += 1
        factor = task.factors[columns[c], 1 if sign > 0 else 0]
        step = task.steps[i] * factor
        before = visits[columns[c]] + visit - numbers[_UNSEEN, c]
        floats[_MOVE, c] = sign * step
        floats[_DRIFT, c] = sign * (step * before)
        floats[_MASS, c] += task.masses[i] * factor
        floats[_ENERGY, c] += (step * norm) ** 2
        _note_reach(c, state)
        found += 1
    return found


@uncounted(nogil=True)
def _learn_from(
    samples: Samples,
    i: int,
    visit: int,
    task: Task,
    columns: Counts,
    memory: Memory,
    state: EpochState,
    record: Record,
    total: int,
) -> int:
    """Move the halfspaces that are mistaken on sample i, and write it down; return their number."""
    found = _find_mistakes(samples, i, visit, task, columns, memory.weights, state, record.visits)
    if found <= 0:
        return found
    floats, counts, events = state.floats, record.counts, record.events
    update_panel(samples.rows, i, floats[_MOVE], memory.weights, memory.shadow)
    if memory.drift.size:
        add_to_panel(samples.rows, i, floats[_DRIFT], memory.drift)
    for t in range(found):
        c = state.numbers[_HIT, t]
        floats[_MOVE, c] = floats[_DRIFT, c] = 0.0
        counts[columns[c], i] += 1
        if events.size:
            events[total + t] = visit * counts.shape[0] + columns[c]
    return found


@uncounted(nogil=True)
def _visit_all(
    samples: Samples,
    task: Task,
    order: Counts,
    columns: Counts,
    memory: Memory,
    example: Floats,
    state: EpochState,
    record: Record,
) -> tuple[int, int]:
    """Make the visits of `learn_panel`; ``example`` is one of its weight vectors."""
    # What every visit needs is taken out of its tuple once: within the loop that takes longer than the
    # arithmetic of a short sample.
    rows, norms, signs, partial = samples.rows, samples.norms, task.signs, task.partial
    shadow, scores, beyond = memory.shadow, state.scores, state.floats[_TRUSTED]
    far = rows.values.size > NEAR
    total = 0
    for visit in range(order.shape[0]):
        i = order[visit]
        soon = order[visit + 1] if far and visit + 1 < order.shape[0] else i
        if norms[i] < 0.0 and not is_measured(rows, i, norms, example):
            return total, i
        score_panel(rows, i, soon, shadow, scores)
        if partial:
            _note_unseen(i, signs, state.numbers)
        unit, least = score_band(rows, i, norms[i], scores)
        if not lanes_beyond(signs, i, scores, beyond, unit, least):
            # Few visits come here, so it is no part of the loop.
            found = _learn_from(samples, i, visit, task, columns, memory, state, record, total)
            if found < 0:
                return total, i
            total += found
    return total, -1


@njit(cache=True, nogil=True)
def learn_panel(
    samples: Samples,
    task: Task,
    order: Counts,
    columns: Counts,
    memory: Memory,
    record: Record,
) -> tuple[int, int]:
    """Visit the samples in order; each mistake of halfspace k adds ``sign · step · sample`` to it.

    Vector c of the ``memory`` belongs to halfspace k = ``columns[c]``, column c of the ``task``'s signs
    too, position k in all else. Changed in place: the lengths of the samples, where they are not known,
    the memory and the record; an update adds itself, times the visits before it, to the drift.
    Returned: the number of mistakes, and the sample at which a score was not finite, where the
    pass stops, or -1.

    F. Rosenblatt, Principles of Neurodynamics (1962); A. Novikoff, On convergence proofs on
    perceptrons (1962).
    """
    rows, weights = samples.rows, memory.weights
    state = _begin(rows, columns, memory, task.signs.shape[1])
    copy_to_shadow(weights, memory.shadow)
    example = vector(rows, weights, 0)
    total, stuck_at = _visit_all(samples, task, order, columns, memory, example, state, record)
    _end(rows, columns, weights, state, order.shape[0], record)
    return total, stuck_at


@njit(cache=True, nogil=True)
def learn_epochs(
    samples: Samples,
    task: Task,
    order: Counts,
    columns: Counts,
    memory: Memory,
    record: Record,
    epoch_tallies: Tally,
) -> tuple[int, int, int]:
    """Repeat `learn_panel` until one of its halfspaces makes no mistake, or there are no rows left.

    Few samples are learned in very many epochs, each too short to begin and end it elsewhere. The rows
    of ``epoch_tallies`` are the tallies of all epochs but the last, which is in the record.
    Returned: the number of epochs, and what the last one returned.
    """
    tally = record.tally
    most = epoch_tallies.mistakes.shape[0]
    for lap in range(most + 1):
        total, stuck_at = learn_panel(samples, task, order, columns, memory, record)
        if lap == most or stuck_at >= 0 or _is_clean(columns, tally):
            break
        for c in range(columns.shape[0]):
            k = columns[c]
            epoch_tallies.mistakes[lap, k] = tally.mistakes[k]
            epoch_tallies.mass[lap, k] = tally.mass[k]
            epoch_tallies.energy[lap, k] = tally.energy[k]
            epoch_tallies.exact[lap, k] = tally.exact[k]
            epoch_tallies.squares[lap, k] = tally.squares[k]
    return lap + 1, total, stuck_at


@register_jitable
def _is_clean(columns: Counts, tally: Tally) -> bool:
    """Say whether one of the halfspaces made no mistake."""
    clean = False
    for c in range(columns.shape[0]):
        clean |= tally.mistakes[columns[c]] == 0
    return clean
