"""Visits to single samples for all halfspaces at once, compiled: the cost depends on stored values only.

Nothing here loops over all weights. Whether a sample can be visited is decided before anything is
changed, from lengths alone: a score is at most ‖w‖·‖x‖, and a mistake adds at most ‖step·x‖² to ‖w‖²
(Novikoff), so if these stay far below the limit of float64 nothing can overflow. Other samples are
refused; `one_halfspace.learn_halfspace` handles them. With a required margin, an update adds at most
‖step·x‖² + 2·step·required.

The squared lengths of the weights are updated from one update to the next,

    ‖w + s·x‖² = ‖w‖² + 2s·(w·x) + s²·‖x‖²,

and summed again as soon as the updates since then have touched as many weights as there are: so the cost
stays proportional to that of the samples, and only the rounding of the updates since then accumulates.
They never decide anything by themselves.

A sample of named features is passed in a buffer: ``columns`` has 0, the number n of active features, and
their columns; ``values`` has n values. The last feature is the constant. Only this module knows the
layout of a buffer. Visits to buffers keep Python's lock, so that no other thread sees them half done.

Sides are exact, and updates and drifts have the same bits as in `one_halfspace.learn_halfspace`.
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
from rosenblatt.kernels.row_operations import axpy, dot, n_terms, size, sq, well_formed
from rosenblatt.kernels.rows import CSRRows, DenseRows, Rows
from rosenblatt.kernels.signs import error_band, exact_excess, falls_short, sign_beyond

Kernel = Callable[..., Any]

# Squares and products of numbers below this stay far from the limit of float64.
_SAFE_SQUARE = 1e270

TIE, FIRST, LAST = 0, 1, 2
"""The indices of a rule's entries: what a tie is, and the range of the deciding halfspaces."""

VISITS, UPDATES, MISTAKES, RULE = 0, 1, 2, 3
"""The rows of the tallies of `visit_features`, which have one column per halfspace."""


@register_jitable
def _update(
    rows: Rows, i: int, step: float, score: float, width: int, weights: Floats, squares: Floats
) -> None:
    """Add ``step · row i`` to the weights, given its score, and update their squared length."""
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
    rows: Rows,
    steps: Floats,
    factors: Floats,
    required: float,
    weights: Floats,
    squares: Floats,
) -> int:
    """Return the first sample that is not sorted or might overflow, or -1."""
    reach = _longest(squares)
    largest = factors.max()
    for i in range(steps.shape[0]):
        if not well_formed(rows, i, weights[0]):
            return i
        square = sq(rows, i)
        reach += (largest * steps[i]) ** 2 * square + 2.0 * largest * steps[i] * required
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
    required: float,
    weights: Floats,
    drift: Floats,
    tallies: Counts,
    squares: Floats,
) -> int:
    """Visit each sample once, in order, and learn from those with y·w·x ≤ ``required``.

    ``signs[i, k]`` is the side of sample i for halfspace k, 0 if it is not seen. An update adds
    ``sign · steps[i] · factors[k, side] · sample`` to the weights, side being 0 for a negative and 1
    for a positive sample; a sample whose step is 0 is not seen.

    Changed in place: ``weights``, one row per halfspace; ``drift``, the same, or without rows: it is the
    visits, which are counted only if there is a drift, times the difference between the weights and
    their average; the ``tallies`` of `visit_features`; and ``squares``, two numbers per halfspace: the
    squared length of its weights, and how many of them were touched since it was summed.

    Return -1; or, with nothing changed, the first sample that is not finite, not sorted, or so long that
    something might overflow.
    """
    stuck_at = _first_unsafe(rows, steps, factors, required, weights, squares)
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
            band = error_band(size(rows, i, weights[k]), weights.shape[1])
            if _is_short(rows, i, weights[k], score, band, sign, tie, required):
                wrong = required == 0.0 or _is_short(
                    rows, i, weights[k], score, band, sign, tie, 0.0
                )
                _update(rows, i, sign * step, score, weights.shape[1], weights[k], squares[k])
                tallies[UPDATES, k] += 1
                tallies[MISTAKES, k] += wrong
                if averaged:
                    axpy(rows, i, sign * (step * tallies[VISITS, k]), drift[k])
            tallies[VISITS, k] += averaged
    return -1


@register_jitable
def _is_short(
    rows: Rows,
    i: int,
    weights: Floats,
    score: float,
    band: float,
    sign: int,
    tie: int,
    required: float,
) -> bool:
    """Return whether ``sign`` times row i's score is at most ``required``, given the float score."""
    excess = sign_beyond(sign * score - required, band)
    if excess == 0:
        excess = exact_excess(rows, i, weights, sign, required, new_digits())
    return falls_short(excess, sign, tie)


@register_jitable
def _as_row(values: Floats, columns: Counts) -> CSRRows:
    """Return a view of a buffer as rows: its columns follow the start and end of its only row."""
    return CSRRows(values, columns[2:], columns[:2], 0.0)


@register_jitable
def _is_safe(
    values: Floats,
    columns: Counts,
    step: float,
    pulls: Floats,
    required: float,
    squares: Floats,
) -> bool:
    """Return whether nothing can overflow when the buffer is visited."""
    square = 0.0
    for t in range(columns[1]):
        square += values[t] * values[t]
    reach = _longest(squares)
    for k in range(pulls.shape[0]):
        reach += (step * pulls[k]) ** 2 * square + 2.0 * step * abs(pulls[k]) * required
    return square < _SAFE_SQUARE and reach < _SAFE_SQUARE and step >= 0.0


@compiled()
def _excess_of(
    values: Floats, columns: Counts, store: Floats, k: int, sign: int, required: float
) -> int:
    """Return the exact sign of ``sign`` times a buffer's score by halfspace k − ``required``."""
    return exact_excess(_as_row(values, columns), 0, store[0, k], sign, required, new_digits())


@compiled(counts=False)
def visit_features(
    values: Floats,
    columns: Counts,
    pulls: Floats,
    weight: float,
    required: float,
    store: Floats,
    tallies: Counts,
    squares: Floats,
) -> bool:
    """Visit one sample, given by its active features, and learn from it as `visit_rows` does.

    The constant's column is the last one in use. ``pulls`` has sign times factor for each halfspace.
    ``store`` has the weights and, if averages are kept, the drift, with spare columns; ``tallies`` has
    the visits, the updates, the mistakes, and the rule. Return whether the sample was visited; if not,
    nothing is changed.
    """
    rule = tallies[RULE]
    if not _is_safe(values, columns, weight, pulls, required, squares):
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
        sign, band = 1 if pull > 0.0 else -1, error_band(total, n_active)
        excess = sign_beyond(sign * score - required, band)
        if excess == 0:
            excess = _excess_of(values, columns, store, k, sign, required)
        if falls_short(excess, sign, rule[TIE]):
            side = sign_beyond(sign * score, band) if required > 0.0 else excess
            if side == 0 and required > 0.0:
                side = _excess_of(values, columns, store, k, sign, 0.0)
            row = _as_row(values, columns)
            width = columns[n_active + 1] + 1
            _update(row, 0, pull, score, width, store[0, k], squares[k])
            tallies[UPDATES, k] += 1
            tallies[MISTAKES, k] += falls_short(side, sign, rule[TIE])
            if averaged:
                axpy(row, 0, pull * tallies[VISITS, k], store[1, k])
        tallies[VISITS, k] += averaged
    return True


@register_jitable
def _deciding(store: Floats, tallies: Counts, k: int, column: int) -> float:
    """Return one deciding weight, with the same bits as in the average of the weights."""
    weight: float = store[0, k, column]
    if store.shape[0] > 1:
        weight -= store[1, k, column] / max(tallies[VISITS, k], 1)
    return weight


@compiled()
def _decide_exactly(values: Floats, columns: Counts, store: Floats, tallies: Counts) -> int:
    """Return the number of a buffer's class, from a copy of the weights of its active features."""
    rule = tallies[RULE]
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
    """Return the number of a buffer's class; -1 if it cannot be decided.

    The arguments are those of `visit_features`, but the columns may be invalid and are checked. If no
    halfspace decides, it is class 0.
    """
    rule = tallies[RULE]
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
    """Return the compiled code of a kernel for arguments of exactly these types.

    Calling it does not inspect the arguments, which would cost as much as a visit.
    """
    # These properties determine the type of an array; Numba's typeof takes as long as many visits.
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
"""The code of kernels, by the properties that determine the types of their arguments."""
