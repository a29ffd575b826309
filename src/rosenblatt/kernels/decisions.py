"""Decisions by exact scores: the side of one halfspace, or the highest score of several."""

import math

import numpy as np
from numba import njit
from numba.extending import register_jitable

from rosenblatt.core.types import Counts, Flags, Floats
from rosenblatt.kernels.row_operations import dot, dot_sq, fits, size, well_formed
from rosenblatt.kernels.rows import Rows
from rosenblatt.kernels.signs import (
    LARGE_SQUARE,
    OVERFLOW,
    SMALL_NORM,
    error_band,
    side_of,
    sign_beyond,
    sign_of_difference,
)


@njit(cache=True, nogil=True)
def choose_side(rows: Rows, weights: Floats, tie: int, out: Counts) -> int:
    """Write 1 for every sample on the positive side and 0 for the others into ``out``.

    A score of exactly 0 counts as positive unless ``tie`` is -1. Returned: the sample at which a
    score was not finite, or that is not well formed, where the pass stops, or -1.
    """
    squares = 0.0
    for j in range(weights.shape[0]):
        squares += weights[j] * weights[j]
    reach = error_band(_safe_norm(squares), 2 * weights.shape[0])
    for i in range(out.shape[0]):
        if not well_formed(rows, i, weights):
            return i
        score, squares = dot_sq(rows, i, weights)
        side = sign_beyond(score, reach * _safe_norm(squares))
        if side == 0:
            side = side_of(rows, i, weights)
        if side == OVERFLOW:
            return i
        out[i] = 1 if side > 0 or (side == 0 and tie >= 0) else 0
    return -1


@register_jitable
def _safe_norm(squares: float) -> float:
    """Return a bound on a length from its square: infinity, unless no product can overflow."""
    return math.sqrt(squares) + SMALL_NORM if squares < LARGE_SQUARE else math.inf


@register_jitable
def highest(rows: Rows, i: int, panel: Floats, contenders: Flags) -> int:
    """Return which contender has the exactly highest score of row i, the first of equals.

    ``panel`` has one weight vector in each row. -1 says that the row does not fit it, or that a
    contender's score is not finite.
    """
    best, best_score, best_band = -1, -math.inf, 0.0
    if not fits(rows, i, panel[0]):
        return -1
    for k in range(panel.shape[0]):
        if not contenders[k]:
            continue
        total = size(rows, i, panel[k])
        if not total < math.inf:
            return -1
        band = error_band(total, panel.shape[1])
        score = dot(rows, i, panel[k])
        ahead = score - best_score
        doubt = (band + best_band) * (1.0 + 1e-15)  # the difference is rounded too
        if ahead > doubt or (
            ahead >= -doubt and sign_of_difference(rows, i, panel[k], panel[best]) > 0
        ):
            best, best_score, best_band = k, score, band
    return best


@njit(cache=True, nogil=True)
def choose_highest(rows: Rows, panel: Floats, out: Counts) -> int:
    """Write the number of the weight vector with the exactly highest score into ``out``.

    ``panel`` has one weight vector in each row; among equal scores the first one wins. Returned: the
    sample at which a score was not finite, or that is not well formed, where the pass stops, or
    -1.
    """
    contenders = np.ones(panel.shape[0], dtype=np.bool_)
    for i in range(out.shape[0]):
        if not well_formed(rows, i, panel[0]):
            return i
        best = highest(rows, i, panel, contenders)
        if best < 0:
            return i
        out[i] = best
    return -1
