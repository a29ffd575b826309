"""One epoch of the perceptron's rule for one halfspace, compiled: decisions are exact (``signs``)."""

import math

from numba import njit

from rosenblatt.core.types import Counts, Floats, Signs
from rosenblatt.kernels.row_operations import axpy, dot, dot_sq, fits, prefetch
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

_CACHED = 100_000  # numbers that stay in the processor's cache from one epoch to the next
_AHEAD = (
    2  # visits: beyond that, rows are asked for before they are due (1, 2, 4, 6, 10 were measured)
)


@njit(cache=True)
def learn_epoch(
    rows: Rows,
    norms: Floats,
    signs: Signs,
    steps: Floats,
    order: Counts,
    tie: int,
    weights: Floats,
    counts: Counts,
    mistakes: Counts,
) -> tuple[int, float, int, int]:
    """Visit the samples in order and, on each mistake, add ``sign · step · sample`` to the weights.

    Changed in place: ``weights``; ``norms[i]``, the float length of sample i, from -1 (not known yet);
    ``counts[i]``, one more for each mistake on sample i; and ``mistakes``, at least as long as
    ``order``, the visits that were mistakes, counted from 0, in sequence.
    Returned: the number of mistakes; the sum of their updates' squared lengths, which by Novikoff's
    inequality is at least what ‖w‖² has gained; the number of exact sums; and the sample at which a
    score was not finite, where the pass stops, or -1.

    F. Rosenblatt, Principles of Neurodynamics (1962); A. Novikoff, On convergence proofs on
    perceptrons (1962).
    """
    far = rows.values.size > _CACHED
    n_mistakes = 0
    n_exact = 0
    energy = 0.0
    sq_start = 0.0
    for j in range(weights.shape[0]):
        sq_start += weights[j] * weights[j]
    reach = error_band(math.sqrt(sq_start) + SMALL_NORM, 2 * weights.shape[0])
    for visit in range(order.shape[0]):
        i = order[visit]
        if far and visit + _AHEAD < order.shape[0]:
            prefetch(rows, order[visit + _AHEAD])
        if norms[i] < 0.0:
            if not fits(rows, i, weights):
                return n_mistakes, energy, n_exact, i
            score, squares = dot_sq(rows, i, weights)
            norms[i] = math.sqrt(squares) + SMALL_NORM
        else:
            score = dot(rows, i, weights)
        side = sign_beyond(score, reach * norms[i])
        if side == 0:
            side = sized_side(rows, i, weights, score)
            if side == 0:
                side = exact_side(rows, i, weights)
                n_exact += 1
                if side == OVERFLOW:
                    return n_mistakes, energy, n_exact, i
        sign = signs[i]
        if sign != 0 and is_mistake(side, sign, tie):
            axpy(rows, i, sign * steps[i], weights)
            energy += (steps[i] * norms[i]) ** 2
            reach = error_band(math.sqrt(sq_start + energy) + SMALL_NORM, 2 * weights.shape[0])
            counts[i] += 1
            mistakes[n_mistakes] = visit
            n_mistakes += 1
    return n_mistakes, energy, n_exact, -1
