"""One epoch of a whole panel of halfspaces, compiled: the samples are read once for all of them.

Each visit scores a sample by the shadows of all weight vectors (see ``layout``); a score within its
band is computed again from the weights, and then decided as in ``kernels``: by a bound, by a better
bound, by an exact sum. So every halfspace learns the same bits as it would alone.

Given alike for all: ``signs[i, k]`` says on which side halfspace k has sample i (0: it does not see
it); a mistake moves the weights by ``steps[i]`` times ``factors[k, 1]`` for a positive sample, and
``factors[k, 0]`` for a negative one, and ``masses[i]`` times the same factor is its weight.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable

from rosenblatt.core.types import Counts, Data, Floats, Marks, Signs
from rosenblatt.kernels.epochs.panel_layout import (
    NEAR,
    add_to_panel,
    score_band,
    score_panel,
    shade,
    trusted,
    update_panel,
    vector,
)
from rosenblatt.kernels.rows import Rows, dot, fits, length, sq
from rosenblatt.kernels.signs import (
    OVERFLOW,
    SMALL_NORM,
    error_band,
    exact_side,
    is_mistake,
    sign_beyond,
    sized_side,
)
from rosenblatt.kernels.simd.sparse_lanes import lanes_beyond
from rosenblatt.kernels.simd.uncounted import counted, uncounted


class Tally(NamedTuple):
    """What one epoch did, for each halfspace.

    Its ``mistakes``, and their ``mass``, each with the weight of its sample; its ``energy``, the sum of
    the squared lengths of its updates, by Novikoff's inequality at least what the weights' squared
    length has gained; the visits that its score left in ``doubt``, and those that an ``exact`` sum
    decided; and the ``squares`` of its weights at the end, summed.
    """

    mistakes: Counts
    mass: Floats
    energy: Floats
    doubt: Counts
    exact: Counts
    squares: Floats


def new_tally(*shape: int) -> Tally:
    """Return a tally of nothing: for so many halfspaces, or so many epochs of so many halfspaces."""
    return Tally(
        np.zeros(shape, dtype=np.int64),
        np.zeros(shape),
        np.zeros(shape),
        np.zeros(shape, dtype=np.int64),
        np.zeros(shape, dtype=np.int64),
        np.zeros(shape),
    )


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


class Task(NamedTuple):
    """What the halfspaces of a panel are to learn; ``tie`` is the sign that a score of 0 stands for.

    The signs are those of the panel's halfspaces, and zeros up to the next number of lanes; ``partial``
    says that there are zeros among the others.
    """

    signs: Signs
    steps: Floats
    masses: Floats
    factors: Floats
    tie: int
    partial: bool


# What is known of each halfspace in the course of an epoch: the squared length of its weights at the
# beginning, how far they may reach since (and as far as the scores' type can be trusted), how far the
# sample at hand moves them and their drift, and what the tally will say. Plain arrays with named rows:
# to take an array out of a tuple costs more time than a visit has. For the same reason what happens at
# few visits only is not part of the loop.
_SQUARE, _REACH, _TRUSTED, _MOVE, _DRIFT, _MASS, _ENERGY = range(7)
_UNSEEN, _MISTAKES, _DOUBT, _EXACT, _HIT = range(5)


@register_jitable
def _begin(rows: Rows, columns: Counts, weights: Floats, scores: Data) -> tuple[Floats, Counts]:
    """Return what is known of the halfspaces when an epoch begins."""
    course = np.zeros((7, scores.shape[0]))
    numbers = np.zeros((5, columns.shape[0]), dtype=np.int64)
    for c in range(columns.shape[0]):
        course[_SQUARE, c] = squared_length(vector(rows, weights, c))
        _note_reach(c, course, scores)
    return course, numbers


@register_jitable
def _note_reach(c: int, course: Floats, scores: Data) -> None:
    """Note how far the weights of a halfspace reach at most, by Novikoff's inequality."""
    reach = math.sqrt(course[_SQUARE, c] + course[_ENERGY, c]) + SMALL_NORM
    course[_REACH, c] = reach
    course[_TRUSTED, c] = trusted(reach, scores)


@register_jitable
def _end(
    rows: Rows,
    columns: Counts,
    weights: Floats,
    course: Floats,
    numbers: Counts,
    visits: Counts,
    n_visits: int,
    tally: Tally,
) -> None:
    """Write down what the epoch did."""
    for c in range(columns.shape[0]):
        k = columns[c]
        visits[k] += n_visits - numbers[_UNSEEN, c]
        tally.mistakes[k] = numbers[_MISTAKES, c]
        tally.doubt[k] = numbers[_DOUBT, c]
        tally.exact[k] = numbers[_EXACT, c]
        tally.mass[k] = course[_MASS, c]
        tally.energy[k] = course[_ENERGY, c]
        tally.squares[k] = squared_length(vector(rows, weights, c))


@njit(cache=True, nogil=True)
def is_finite(rows: Rows, i: int) -> bool:
    """Say whether sample i has finite values; their squares may still overflow."""
    return bool(length(rows, i) < math.inf)


@register_jitable
def _note_unseen(i: int, signs: Signs, numbers: Counts) -> None:
    for c in range(numbers.shape[1]):
        numbers[_UNSEEN, c] += signs[i, c] == 0


@register_jitable
def _find_mistakes(
    rows: Rows,
    i: int,
    visit: int,
    norm: float,
    task: Task,
    columns: Counts,
    weights: Floats,
    scores: Data,
    course: Floats,
    numbers: Counts,
    visits: Counts,
) -> int:
    """Note how far sample i moves each halfspace; return the number of mistakes.

    They are those of the first columns in ``numbers[_HIT]``. Answered is -1 where a score is no finite
    number.
    """
    found = 0
    unit, least = score_band(rows, i, norm, scores)
    for c in range(columns.shape[0]):
        sign = task.signs[i, c]
        side = sign_beyond(scores[c], unit * course[_TRUSTED, c] + least)
        if side == sign or sign == 0:
            continue
        if side == 0:
            numbers[_DOUBT, c] += 1
            side, summed = _decided(rows, i, weights, c, course[_REACH, c], norm)
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
        course[_MOVE, c] = sign * step
        course[_DRIFT, c] = sign * (step * before)
        course[_MASS, c] += task.masses[i] * factor
        course[_ENERGY, c] += (step * norm) ** 2
        _note_reach(c, course, scores)
        found += 1
    return found


@uncounted(nogil=True)
def _learn_from(
    rows: Rows,
    i: int,
    visit: int,
    norm: float,
    task: Task,
    columns: Counts,
    weights: Floats,
    drift: Floats,
    shadow: Data,
    scores: Data,
    course: Floats,
    numbers: Counts,
    visits: Counts,
    counts: Marks,
    events: Counts,
    total: int,
) -> int:
    """Move the halfspaces that are mistaken on sample i, and write it down; return their number."""
    found = _find_mistakes(
        rows, i, visit, norm, task, columns, weights, scores, course, numbers, visits
    )
    if found <= 0:
        return found
    update_panel(rows, i, course[_MOVE], weights, shadow)
    if drift.size:
        add_to_panel(rows, i, course[_DRIFT], drift)
    for t in range(found):
        c = numbers[_HIT, t]
        course[_MOVE, c] = course[_DRIFT, c] = 0.0
        counts[columns[c], i] += 1
        if events.size:
            events[total + t] = visit * counts.shape[0] + columns[c]
    return found


@uncounted(nogil=True)
def _visit_all(
    rows: Rows,
    norms: Floats,
    signs: Signs,
    task: Task,
    order: Counts,
    columns: Counts,
    weights: Floats,
    example: Floats,
    drift: Floats,
    shadow: Data,
    scores: Data,
    course: Floats,
    numbers: Counts,
    visits: Counts,
    counts: Marks,
    events: Counts,
) -> tuple[int, int]:
    """Make the visits of `learn_panel`."""
    far = rows.values.size > NEAR
    total = 0
    for visit in range(order.shape[0]):
        i = order[visit]
        soon = order[visit + 1] if far and visit + 1 < order.shape[0] else i
        if norms[i] < 0.0:
            if not fits(rows, i, example):
                return total, i
            norms[i] = math.sqrt(sq(rows, i)) + SMALL_NORM
            if not (norms[i] < math.inf or is_finite(rows, i)):
                return total, i
        score_panel(rows, i, soon, shadow, scores)
        if task.partial:
            _note_unseen(i, signs, numbers)
        unit, least = score_band(rows, i, norms[i], scores)
        if not lanes_beyond(signs, i, scores, course[_TRUSTED], unit, least):
            found = _learn_from(
                rows,
                i,
                visit,
                norms[i],
                task,
                columns,
                weights,
                drift,
                shadow,
                scores,
                course,
                numbers,
                visits,
                counts,
                events,
                total,
            )
            if found < 0:
                return total, i
            total += found
    return total, -1


@njit(cache=True, nogil=True)
def learn_panel(
    rows: Rows,
    norms: Floats,
    task: Task,
    order: Counts,
    columns: Counts,
    weights: Floats,
    drift: Floats,
    shadow: Data,
    visits: Counts,
    counts: Marks,
    tally: Tally,
    events: Counts,
) -> tuple[int, int]:
    """Visit the samples in order; each mistake of halfspace k adds ``sign · step · sample`` to it.

    Vector c of the panels ``weights`` and ``drift`` belongs to halfspace k = ``columns[c]``, column c of
    the ``task``'s signs too, position k in all else; ``drift`` may be empty: then no averages are kept.

    Changed in place: ``weights``; ``drift``, by each update times the ``visits`` before it; ``visits``,
    by the samples seen; ``norms[i]``, the float length of sample i, from -1 (not known yet);
    ``counts[k, i]``, one more for each mistake on sample i; the ``tally`` of what this epoch did;
    ``events``, unless it is empty, gets ``visit · n + k`` of each mistake in sequence, n being the
    number of halfspaces. ``shadow`` is room for the shadow of the weights.
    Returned: the number of mistakes, and the sample at which a score was no finite number, where the
    pass stops, or -1.

    F. Rosenblatt, Principles of Neurodynamics (1962); A. Novikoff, On convergence proofs on
    perceptrons (1962).
    """
    scores = np.empty(task.signs.shape[1], dtype=shadow.dtype)
    course, numbers = _begin(rows, columns, weights, scores)
    shade(rows, weights, shadow)
    total, stuck_at = _visit_all(
        rows,
        norms,
        task.signs,
        task,
        order,
        columns,
        weights,
        vector(rows, weights, 0),
        drift,
        shadow,
        scores,
        course,
        numbers,
        visits,
        counts,
        events,
    )
    _end(rows, columns, weights, course, numbers, visits, order.shape[0], tally)
    return total, stuck_at


@njit(cache=True, nogil=True)
def learn_laps(
    rows: Rows,
    norms: Floats,
    task: Task,
    order: Counts,
    columns: Counts,
    weights: Floats,
    drift: Floats,
    shadow: Data,
    visits: Counts,
    counts: Marks,
    tally: Tally,
    events: Counts,
    laps: Tally,
) -> tuple[int, int, int]:
    """Repeat `learn_panel` until one of its halfspaces makes no mistake, or the laps are used up.

    Small samples are learned in very many epochs, each too short to begin and end it elsewhere. The
    rows of ``laps`` are written with the tallies of all epochs but the last, which is in ``tally``.
    Returned: the number of epochs, and what the last one returned.
    """
    most = laps.mistakes.shape[0]
    for lap in range(most + 1):
        total, stuck_at = learn_panel(
            rows, norms, task, order, columns, weights, drift, shadow, visits, counts, tally, events
        )
        if lap == most or stuck_at >= 0 or _is_clean(columns, tally):
            break
        for c in range(columns.shape[0]):
            k = columns[c]
            laps.mistakes[lap, k] = tally.mistakes[k]
            laps.mass[lap, k] = tally.mass[k]
            laps.energy[lap, k] = tally.energy[k]
            laps.exact[lap, k] = tally.exact[k]
            laps.squares[lap, k] = tally.squares[k]
    return lap + 1, total, stuck_at


@register_jitable
def _is_clean(columns: Counts, tally: Tally) -> bool:
    """Say whether one of the halfspaces made no mistake."""
    clean = False
    for c in range(columns.shape[0]):
        clean |= tally.mistakes[columns[c]] == 0
    return clean
