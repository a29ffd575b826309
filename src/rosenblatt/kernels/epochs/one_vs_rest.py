"""Epochs of a whole panel of halfspaces, compiled: each sample is read once for all of them.

Each visit scores a sample by the shadows of all weight vectors (see ``panel_layout``); a score within
its error band is computed again from the weights, and then decided as in ``signs``: by a bound, a better
bound, or an exact sum. So every halfspace learns the same bits as it would alone.
"""

import math

from numba.extending import register_jitable

from rosenblatt.core.constants import SMALL_NORM
from rosenblatt.core.types import Counts, Data, Flags, Floats, Marks
from rosenblatt.kernels.compiled import compiled
from rosenblatt.kernels.decisions import highest
from rosenblatt.kernels.epochs.one_halfspace import squared_length
from rosenblatt.kernels.epochs.panel_layout import (
    NEAR,
    add_to_panel,
    copy_to_shadow,
    score_band,
    score_panel,
    trusted,
    update_panel,
)
from rosenblatt.kernels.epochs.panel_types import (
    DOUBT,
    ENERGY,
    EXACT,
    MASS,
    MISSED,
    MISTAKES,
    SQUARES,
    UPDATES,
    Memory,
    Record,
    Samples,
    Task,
    Workspace,
)
from rosenblatt.kernels.row_operations import measured
from rosenblatt.kernels.rows import Rows
from rosenblatt.kernels.signs import (
    OVERFLOW,
    SUMMED,
    decided,
    falls_short,
    plain_side,
    sign_beyond,
    was_wrong,
)

SQUARE, LIMIT, REACH, TRUSTED, MOVE, DRIFT, UNSEEN = range(7)
"""The rows of the workspace's ``floats``, which has one column per halfspace.

The squared length of the weights when the epoch began, the largest squared length that the current bound
covers, that bound on the length (and its value for scores of the shadow's type), how far the current
sample moves the weights and the drift, and the number of visits to unseen samples.
"""


@register_jitable(forceinline=True)
def is_measured(rows: Rows, i: int, norms: Floats, weights: Floats) -> bool:
    """Measure sample i if necessary; return whether it is finite and fits the weights."""
    if norms[i] < 0.0:
        norms[i] = measured(rows, i, weights)
    return bool(norms[i] >= 0.0)


@register_jitable(forceinline=True)
def _are_right(task: Task, i: int, scores: Data, floats: Floats, unit: float, least: float) -> bool:
    """Return whether no halfspace needs an update, beyond doubt; count the unseen."""
    signs, required, are_right = task.signs, task.required, True
    for c in range(signs.shape[1]):
        ahead = signs[i, c] * scores[c] - required
        are_right &= ahead > unit * floats[TRUSTED, c] + least or signs[i, c] == 0
    if task.partial:
        for c in range(signs.shape[1]):
            floats[UNSEEN, c] += signs[i, c] == 0
    return are_right


@register_jitable
def _set_reach(c: int, square: float, floats: Floats, scores: Data) -> None:
    """Update the bound on the weights' length; ``square`` bounds its square (Novikoff's inequality)."""
    if not square <= floats[LIMIT, c]:
        # Square roots are slow, so a bound includes a reserve of some hundredths.
        floats[LIMIT, c] = 1.05 * square
        floats[REACH, c] = math.sqrt(1.05 * square) + SMALL_NORM
        floats[TRUSTED, c] = trusted(floats[REACH, c], scores)


@register_jitable
def _count_pending(pending: Counts, n_pending: int, most: int, counts: Marks) -> int:
    """Count the pending updates if they are more than ``most``; return how many are still pending.

    Many at once, because each is a cache miss, and single ones would be waited for one by one.
    """
    if n_pending <= most:
        return n_pending
    for t in range(n_pending):
        counts[pending[t]] += 1
    return 0


@register_jitable
def _begin_epoch(vectors: Floats, floats: Floats, scores: Data) -> None:
    """Initialize the workspace's ``floats`` for an epoch."""
    for c in range(vectors.shape[0]):
        floats[SQUARE, c] = squared_length(vectors[c])
        floats[UNSEEN, c] = 0.0
        floats[LIMIT, c] = -1.0
        _set_reach(c, floats[SQUARE, c], floats, scores)


@register_jitable
def _end_epoch(
    vectors: Floats, floats: Floats, tally: Floats, columns: Counts, n_visits: int, visits: Counts
) -> bool:
    """Complete the tally and visits of an epoch; return whether some halfspace made no update."""
    is_clean = False
    for c in range(vectors.shape[0]):
        tally[SQUARES, c] = squared_length(vectors[c])
        visits[columns[c]] += n_visits - int(floats[UNSEEN, c])
        is_clean |= tally[UPDATES, c] == 0.0
    return is_clean


@register_jitable
def _is_missed(
    rows: Rows,
    i: int,
    now: int,
    task: Task,
    vectors: Floats,
    flags: Flags,
    digits: Counts,
    any_wrong: bool,
) -> bool:
    """Return whether, among the classes known so far, another one than sample i's wins.

    If no halfspace needs an update, its own class wins, so this need not be called. Without a comparison
    of classes, ``any_wrong`` is the answer.
    """
    if task.since.shape[0] == 0:
        return any_wrong
    for c in range(vectors.shape[0]):
        flags[c] = c < task.since.shape[0] and task.since[c] < now
    winner = highest(rows, i, vectors, flags, digits)
    return winner < 0 or task.signs[i, winner] <= 0


@compiled(nogil=True, counts=False)
def learn_panel(
    samples: Samples,
    task: Task,
    order: Counts,
    columns: Counts,
    memory: Memory,
    record: Record,
    workspace: Workspace,
) -> tuple[int, int, int]:
    """Visit the samples in order; each update of halfspace k adds ``sign · step · sample`` to it.

    Vector c of the ``memory`` belongs to halfspace k = ``columns[c]``, and so do column c of the
    ``task``'s signs and of the tallies; all other arrays are indexed by k. Epochs are repeated until one
    of the halfspaces makes no update, as in `one_halfspace.learn_halfspace`, which documents what is
    changed and returned.
    """
    # Tuples are unpacked once: within the loop that takes longer than the arithmetic of a short sample.
    # The loop is not split into functions: one with all these arguments, called from another, is
    # compiled with both of them.
    rows, norms = samples
    signs, steps, factors, tie, _, _, required = task
    weights, drift, shadow, _ = memory
    visits, counts, events, tallies = record
    vectors, scores, floats, digits, pending, flags = workspace
    n_visits = order.shape[0]
    by_sample = int(steps.shape[0] > 1)
    far, writes = rows.values.size > NEAR, int(events.shape[0] > 1)
    flat_counts = counts.reshape(-1)
    copy_to_shadow(weights, shadow)
    n_epochs = total = n_pending = 0
    stuck_at = -1
    for epoch in range(tallies.shape[0]):
        _begin_epoch(vectors, floats, scores)
        tally, total, visit = tallies[epoch], 0, 0
        while visit < n_visits and stuck_at < 0:
            i, now = order[visit], visit
            next_row = order[min(visit + 1, n_visits - 1)] if far else i
            visit += 1
            if not is_measured(rows, i, norms, vectors[0]):
                stuck_at = i
                continue
            norm = norms[i]
            score_panel(rows, i, next_row, shadow, scores)
            unit, least = score_band(rows, i, norm, scores)
            if _are_right(task, i, scores, floats, unit, least):
                continue
            before, any_wrong = total, False
            for c in range(vectors.shape[0]):
                sign, k = signs[i, c], columns[c]
                ahead, band = sign * scores[c] - required, unit * floats[TRUSTED, c] + least
                excess = sign_beyond(ahead, band)
                if excess == 0 and sign != 0:
                    tally[DOUBT, c] += 1.0
                    reach = floats[REACH, c] * norm
                    excess = decided(rows, i, vectors[c], reach, sign, required, digits)
                    tally[EXACT, c] += excess >= SUMMED - 1
                    excess = plain_side(excess)
                    stuck_at = i if excess == OVERFLOW else stuck_at
                floats[MOVE, c] = floats[DRIFT, c] = 0.0
                if sign == 0 or not falls_short(excess, sign, tie) or stuck_at >= 0:
                    continue
                is_wrong = was_wrong(
                    rows, i, vectors[c], scores[c], band, sign, tie, required, digits
                )
                any_wrong |= is_wrong
                step = steps[i * by_sample] * factors[k, int(sign > 0)]
                floats[MOVE, c] = sign * step
                floats[DRIFT, c] = sign * (step * (visits[k] + now - floats[UNSEEN, c]))
                tally[MASS, c] += step
                tally[ENERGY, c] += (step * norm) ** 2 + 2.0 * step * required
                _set_reach(c, floats[SQUARE, c] + tally[ENERGY, c], floats, scores)
                tally[UPDATES, c] += 1.0
                tally[MISTAKES, c] += is_wrong
                events[total * writes] = now * counts.shape[0] + k
                pending[n_pending] = k * counts.shape[1] + i
                n_pending += 1
                total += 1
            if total > before:
                tally[MISSED, 0] += _is_missed(
                    rows, i, now, task, vectors, flags, digits, any_wrong
                )
                update_panel(rows, i, floats[MOVE], weights, shadow)
                add_to_panel(rows, i, floats[DRIFT], drift)
                n_pending = _count_pending(
                    pending, n_pending, pending.shape[0] - vectors.shape[0], flat_counts
                )
        n_pending = _count_pending(pending, n_pending, 0, flat_counts)
        n_epochs += 1
        if _end_epoch(vectors, floats, tally, columns, n_visits, visits) or stuck_at >= 0:
            break
    return n_epochs, total, stuck_at
