"""Decisions by exact scores: the side of one halfspace, or the highest score of several."""

import math

from numba.extending import register_jitable

from rosenblatt.core.constants import LARGE_SQUARE, SMALL_NORM, SMALL_PRODUCT, TWO_ROUNDOFFS
from rosenblatt.core.types import Counts, Flags, Floats
from rosenblatt.kernels.compiled import compiled
from rosenblatt.kernels.row_operations import dot, first_look, fits, size, well_formed
from rosenblatt.kernels.rows import Rows
from rosenblatt.kernels.signs import (
    OVERFLOW,
    decided,
    error_band,
    plain_side,
    sign_of_difference,
)


@compiled(nogil=True, counts=False)
def choose_side(rows: Rows, weights: Floats, tie: int, out: Counts, digits: Counts) -> int:
    """Write 1 for every sample on the positive side and 0 for the others into ``out``.

    A score of exactly 0 counts as positive unless ``tie`` is -1. Return -1, or stop at the first sample
    that is malformed or whose score is not finite, and return it.
    """
    squares = 0.0
    for j in range(weights.shape[0]):
        squares += weights[j] * weights[j]
    reach = math.sqrt(squares) + SMALL_NORM if squares < LARGE_SQUARE else math.inf
    unit = (weights.shape[0] + 8) * TWO_ROUNDOFFS
    for i in range(out.shape[0]):
        if not well_formed(rows, i, weights):
            return i
        score, norm = first_look(rows, i, weights)
        is_positive = score > 0.0
        if not abs(score) > unit * reach * norm + SMALL_PRODUCT:
            side = plain_side(decided(rows, i, weights, reach * norm, 1, 0.0, digits))
            if side == OVERFLOW:
                return i
            is_positive = side == 1 or (side == 0 and tie >= 0)
        out[i] = is_positive
    return -1


@register_jitable
def highest(rows: Rows, i: int, panel: Floats, contenders: Flags, digits: Counts) -> int:
    """Return the contender with the highest exact score of row i, the first in case of a tie.

    ``panel`` has one weight vector per row. Return -1 if the row does not fit it, or if a contender's
    score is not finite.
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
            ahead >= -doubt and sign_of_difference(rows, i, panel[k], panel[best], 0.0, digits) > 0
        ):
            best, best_score, best_band = k, score, band
    return best


@compiled(nogil=True, counts=False)
def choose_highest(
    rows: Rows, panel: Floats, out: Counts, contenders: Flags, digits: Counts
) -> int:
    """Write the number of the weight vector with the highest exact score into ``out``.

    ``panel`` has one weight vector per row; among equal scores the first one wins. ``contenders`` is
    memory for a flag for each. Return -1, or stop at the first sample that is malformed or whose score
    is not finite, and return it.
    """
    for k in range(panel.shape[0]):
        contenders[k] = True
    for i in range(out.shape[0]):
        if not well_formed(rows, i, panel[0]):
            return i
        best = highest(rows, i, panel, contenders, digits)
        if best < 0:
            return i
        out[i] = best
    return -1
