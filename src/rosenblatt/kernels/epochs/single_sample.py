"""Visits to single samples for all halfspaces at once, compiled: the cost is that of what they store.

Nothing here passes over all the weights. Whether a sample can be visited is decided before anything is
changed, from lengths alone: a score is at most ‖w‖·‖x‖, and a mistake adds at most ‖step·x‖² to ‖w‖²
(Novikoff), so where these stay far below the end of float64 nothing can overflow on the way. A sample
for which they do not is refused, and belongs to `one_halfspace.learn_halfspace`.

The squared lengths of the weights are carried from one update to the next,

    ‖w + s·x‖² = ‖w‖² + 2s·(w·x) + s²·‖x‖²,

and summed anew as soon as the updates since have touched as many weights as there are: at a cost that
is again that of the samples, and only the rounding of the updates since then is in them. They
measure, they do not decide.

A sample of named features comes as a buffer: ``columns`` has 0, the number n of active features, and
their columns; ``values`` has n values. The last feature is the constant. What is known of a buffer is
known here; visits to buffers keep Python's lock, so that no other thread sees them half done.

Sides are exact, and updates have the bits of `one_halfspace.learn_halfspace`, drifts too.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import typeof
from numba.core.dispatcher import Dispatcher
from numba.core.types import Type
from numba.extending import register_jitable

from rosenblatt.core.types import Counts, Floats, Signs
from rosenblatt.kernels.compiled import compiled
from rosenblatt.kernels.decisions import choose_highest, choose_side
from rosenblatt.kernels.exact_sum import new_digits
from rosenblatt.kernels.row_operations import axpy, dot, n_terms, sq, well_formed
from rosenblatt.kernels.rows import CSRRows, DenseRows, Rows
from rosenblatt.kernels.signs import error_band, exact_side, is_mistake, sign_beyond, sized_side

Kernel = Callable[..., Any]

# What is squared or multiplied below it stays far from the end of float64.
_SAFE_SQUARE = 1e270

TIE, FIRST, LAST = 0, 1, 2
"""The places of a rule: what a tie is, and the halfspaces that decide."""


@register_jitable
def _update(
    rows: Rows, i: int, step: float, score: float, width: int, weights: Floats, squares: Floats
) -> None:
    """Add ``step · row i`` to the weights, whose score is known, and keep their squared length."""
    square = sq(rows, i)
    axpy(rows, i, step, weights)
    squares[0] = max(squares[0] + 2.0 * step * score + step * step * square, 0.0)
    squares[1] += n_terms(rows, i)
    if squares[1] >= width:
        squares[0] = 0.0
        for j in range(width):
            squares[0] += weights[j] * weights[j]
        squares[1] = 0.0


@register_jitable
def _longest(squares: Floats) -> float:
    longest = 0.0
    for k in range(squares.shape[0]):
        longest = max(longest, squares[k, 0])
    return longest


@register_jitable
def _first_unsafe(
    rows: Rows, steps: Floats, factors: Floats, weights: Floats, squares: Floats
) -> int:
    """Return the first sample that is not sorted, or with which something might overflow, or -1."""
    reach = _longest(squares)
    largest = factors.max()
    for i in range(steps.shape[0]):
        if not well_formed(rows, i, weights[0]):
            return i
        square = sq(rows, i)
        reach += (largest * steps[i]) ** 2 * square
        if not (square < _SAFE_SQUARE and reach < _SAFE_SQUARE and steps[i] >= 0.0):
            return i
    return -1


@compiled(nogil=True)
def visit_rows(
    rows: Rows,
    signs: Signs,
    steps: Floats,
    factors: Floats,
    tie: int,
    weights: Floats,
    drift: Floats,
    visits: Counts,
    mistakes: Counts,
    squares: Floats,
) -> int:
    """Visit each sample once, in order, for all halfspaces, and learn from each mistake.

    ``signs[i, k]`` is the side of sample i in halfspace k, 0 where it is not seen. A mistake adds
    ``sign · steps[i] · factors[k, side] · sample`` to the weights, side being 0 for a negative and 1
    for a positive one; a sample whose step comes to 0 is not seen.

    Changed in place: ``weights``, one row for each halfspace; ``drift``, likewise, unless it has no
    rows: what the weights have ahead of their average, times the ``visits``, which are counted where
    there is a drift; ``mistakes``, of each halfspace; and ``squares``, two numbers for each: the squared
    length of its weights, and how many of them were touched since it was summed.
    Returned: -1; or the first sample that is not finite, not sorted, or too long to be sure that
    nothing overflows, and then nothing is changed.
    """
    stuck_at = _first_unsafe(rows, steps, factors, weights, squares)
    if stuck_at >= 0:
        return stuck_at
    averaged = drift.shape[0] > 0
    for i in range(steps.shape[0]):
        for k in range(weights.shape[0]):
            sign = signs[i, k]
            step = steps[i] * factors[k, 1 if sign > 0 else 0]
            if sign == 0 or step == 0.0:
                continue
            score = dot(rows, i, weights[k])
            side = sized_side(rows, i, weights[k], score)
            if side == 0:
                side = exact_side(rows, i, weights[k], new_digits())
            if is_mistake(side, sign, tie):
                _update(rows, i, sign * step, score, weights.shape[1], weights[k], squares[k])
                mistakes[k] += 1
                if averaged:
                    axpy(rows, i, sign * (step * visits[k]), drift[k])
            visits[k] += averaged
    return -1


@register_jitable
def _as_row(values: Floats, columns: Counts) -> CSRRows:
    """View a buffer as rows: its columns follow after where its one row begins and ends."""
    return CSRRows(values, columns[2:], columns[:2], 0.0)


@register_jitable
def _is_safe(values: Floats, columns: Counts, step: float, pulls: Floats, squares: Floats) -> bool:
    """Say whether nothing can overflow when the buffer is visited."""
    square = 0.0
    for t in range(columns[1]):
        square += values[t] * values[t]
    reach = _longest(squares)
    for k in range(pulls.shape[0]):
        reach += (step * pulls[k]) ** 2 * square
    return square < _SAFE_SQUARE and reach < _SAFE_SQUARE and step >= 0.0


@compiled()
def _side_of(values: Floats, columns: Counts, store: Floats, k: int) -> int:
    """Return the exact sign of a buffer's score by the weights of halfspace k."""
    return exact_side(_as_row(values, columns), 0, store[0, k], new_digits())


@compiled(counts=False)
def visit_features(
    values: Floats,
    columns: Counts,
    pulls: Floats,
    weight: float,
    store: Floats,
    tallies: Counts,
    squares: Floats,
) -> bool:
    """Visit one sample, given by its active features, and learn from it as `visit_rows` does.

    The constant's column is the last one in use. ``pulls`` has sign times factor for each halfspace.
    ``store`` has the weights, and below them, where averages are kept, the drift, with more columns
    than are in use; ``tallies`` has the visits, the mistakes, and the rule.
    Returned: whether the sample was visited; if not, nothing is changed.
    """
    rule = tallies[2]
    if not _is_safe(values, columns, weight, pulls, squares):
        return False
    n_active = columns[1]
    averaged = store.shape[0] > 1
    for k in range(pulls.shape[0]):
        pull = weight * pulls[k]
        if pull == 0.0:
            continue
        score = total = 0.0
        for t in range(n_active):
            term = values[t] * store[0, k, columns[t + 2]]
            score += term
            total += abs(term)
        side = sign_beyond(score, error_band(total, n_active))
        if side == 0:
            side = _side_of(values, columns, store, k)
        if is_mistake(side, 1 if pull > 0.0 else -1, rule[TIE]):
            row = _as_row(values, columns)
            width = columns[n_active + 1] + 1
            _update(row, 0, pull, score, width, store[0, k], squares[k])
            tallies[1, k] += 1
            if averaged:
                axpy(row, 0, pull * tallies[0, k], store[1, k])
        tallies[0, k] += averaged
    return True


@register_jitable
def _deciding(store: Floats, tallies: Counts, k: int, column: int) -> float:
    """Return one weight that decides, with the bits that the average of all weights has there."""
    weight: float = store[0, k, column]
    if store.shape[0] > 1:
        weight -= store[1, k, column] / max(tallies[0, k], 1)
    return weight


@compiled()
def _decide_exactly(values: Floats, columns: Counts, store: Floats, tallies: Counts) -> int:
    """Return the number of a buffer's class from the weights of its active features, gathered."""
    rule = tallies[2]
    n_active = columns[1]
    first, last = rule[FIRST], rule[LAST]
    panel = np.zeros((last - first, n_active + 1))
    for k in range(first, last):
        for t in range(n_active):
            panel[k - first, t] = _deciding(store, tallies, k, columns[t + 2])
    row = DenseRows(values[:n_active].reshape(1, n_active), 0.0)
    chosen = np.zeros(1, dtype=np.int64)
    if last - first == 1:
        stuck_at = choose_side(row, panel[0], rule[TIE], chosen, new_digits())
    else:
        contenders = np.zeros(last - first, dtype=np.bool_)
        stuck_at = choose_highest(row, panel, chosen, contenders, new_digits())
    return -1 if stuck_at >= 0 else chosen[0]


@compiled(counts=False)
def decide_features(values: Floats, columns: Counts, store: Floats, tallies: Counts) -> int:
    """Return the number of the class that a buffer is put in; -1 if it cannot be decided.

    Arguments are those of `visit_features`, but the columns may be any and are checked. Where no
    halfspace decides, it is class 0.
    """
    rule = tallies[2]
    n_active, k = columns[1], rule[FIRST]
    if rule[LAST] == k:
        return 0
    for t in range(n_active):
        if columns[t + 2] < 0 or columns[t + 2] >= store.shape[2]:
            return -1
    if rule[LAST] - k == 1:
        score = total = 0.0
        for t in range(n_active):
            term = values[t] * _deciding(store, tallies, k, columns[t + 2])
            score += term
            total += abs(term)
        side = sign_beyond(score, error_band(total, n_active))
        if side != 0 and total < math.inf:
            return 1 if side > 0 else 0
    return _decide_exactly(values, columns, store, tallies)


def compiled_for(kernel: Kernel, arguments: tuple[object, ...]) -> Kernel:
    """Return the compiled code of a kernel for arguments of these types, and of no others.

    A call of it does not inspect the arguments, which costs as much as a visit.
    """
    # What makes the type of an array: to find the type itself takes as long as many visits.
    kinds = tuple(
        (a.dtype.char, a.ndim, a.flags.c_contiguous, a.flags.writeable, a.flags.aligned)
        if isinstance(a, np.ndarray)
        else type(a)
        for a in arguments
    )
    known = _codes.get((kernel, kinds))
    if known is None:
        type_of: Callable[[object], Type] = typeof
        types = tuple(type_of(argument) for argument in arguments)
        # In plain Python, with NUMBA_DISABLE_JIT, there is nothing to compile.
        known = kernel.compile(types) if isinstance(kernel, Dispatcher) else kernel
        _codes[kernel, kinds] = known
    return known


_codes: dict[tuple[Kernel, tuple[object, ...]], Kernel] = {}
"""The code of kernels, by what makes the types of their arguments."""
