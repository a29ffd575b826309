"""The exact sign of a score: bounds on its rounding, and an exact sum if they are not enough.

A sample's side is the exact sign of w·x, where w and x are the stored numbers. Its float score s,
summed in any order, is wrong by at most n·u/(1 - n·u) times the sum S of its terms' magnitudes, where
u = 2**-53 and n is the number of terms (N. Higham, Accuracy and Stability of Numerical Algorithms,
section 3.1). So the sign of s is decided in up to three steps:

1. S <= ‖w‖·‖x‖, and a pass knows bounds on both: ‖x‖ from the first visit to the sample, ‖w‖ from
   Novikoff's inequality, by which a mistake adds at most ‖step·x‖² to ‖w‖². This decides almost all
   visits at the cost of the score alone.
2. S itself, if that bound is too wide.
3. The exact sum (see ``exact_sum``), if rounding could change the sign.

So scoring can be as fast as possible: it never decides, and a run is a function of the data alone. The
bounds below are two or four times as wide as necessary, to cover their own rounding; numbers so small
that squares or products underflow in float64 go to step 3.

Functions that may need an exact sum get ``digits`` to sum in, so that they allocate nothing.

Convention: a sample with sign 0 is not seen; ``tie`` is the sign of a score of exactly 0, +1 or -1; 0
means that such a score is a mistake for either label.
"""

import math

from numba.extending import register_jitable

from rosenblatt.core.constants import SMALL_PRODUCT, TWO_ROUNDOFFS
from rosenblatt.core.types import Counts, Floats
from rosenblatt.kernels.exact_sum import add_product, clear, sign_of
from rosenblatt.kernels.row_operations import accumulate, dot, fits, size
from rosenblatt.kernels.rows import Rows

SUMMED = 4
"""Added to a side that needed an exact sum; `plain_side` removes it."""

OVERFLOW = 2
"""Returned instead of a sign if a score is not finite, or the row does not fit the weights."""


@register_jitable
def error_band(total: float, n_terms: int) -> float:
    """Return a bound on the error of a float score, given the sum of its terms' absolute values."""
    return (n_terms + 8) * TWO_ROUNDOFFS * total + SMALL_PRODUCT


@register_jitable
def sign_beyond(score: float, band: float) -> int:
    """Return the sign of a score that is beyond the band, or 0 if it is within the band."""
    if score > band:
        return 1
    if score < -band:
        return -1
    return 0


@register_jitable
def sized_side(rows: Rows, i: int, weights: Floats, score: float) -> int:
    """Return the sign of row i's score, or 0 if it is in doubt or the score is not finite."""
    return sign_beyond(score, error_band(size(rows, i, weights), weights.shape[0]))


@register_jitable
def exact_side(rows: Rows, i: int, weights: Floats, digits: Counts) -> int:
    """Return the exact sign of row i's score, or `OVERFLOW`."""
    return exact_excess(rows, i, weights, 1, 0.0, digits)


@register_jitable
def exact_excess(
    rows: Rows, i: int, weights: Floats, sign: int, required: float, digits: Counts
) -> int:
    """Return the exact sign of ``sign`` · score − ``required``, or `OVERFLOW`."""
    if not (fits(rows, i, weights) and size(rows, i, weights) < math.inf):
        return OVERFLOW
    clear(digits)
    accumulate(rows, i, weights, float(sign), digits)
    add_product(digits, required, -1.0)
    return sign_of(digits)


@register_jitable
def decided(
    rows: Rows,
    i: int,
    weights: Floats,
    reach: float,
    sign: int,
    required: float,
    digits: Counts,
) -> int:
    """Return the exact sign of ``sign`` · score − ``required``, or `OVERFLOW`.

    Add `SUMMED` if it needed an exact sum. ``reach`` bounds the product of the lengths of the weights
    and of the row (see `first_look`): it is NaN if the row is not finite or does not fit the weights.
    """
    if math.isnan(reach):
        return OVERFLOW
    # A rounded difference has the right sign, and the bands are wide enough to cover its size.
    ahead = sign * dot(rows, i, weights) - required
    unit = (2 * weights.shape[0] + 8) * TWO_ROUNDOFFS
    band = unit * reach + SMALL_PRODUCT
    if not abs(ahead) > band:
        total = size(rows, i, weights)
        band = unit * total + SMALL_PRODUCT
        if not abs(ahead) > band:
            if not total < math.inf:
                return OVERFLOW + SUMMED
            clear(digits)
            accumulate(rows, i, weights, float(sign), digits)
            add_product(digits, required, -1.0)
            return sign_of(digits) + SUMMED
    return 1 if ahead > 0.0 else -1


@register_jitable
def plain_side(side: int) -> int:
    """Return the side that `decided` returned, without `SUMMED`.

    >>> [plain_side(side) for side in (-1, 0, 1, OVERFLOW, -1 + SUMMED, SUMMED, OVERFLOW + SUMMED)]
    [-1, 0, 1, 2, -1, 0, 2]
    """
    return ((side + 1) & 3) - 1


@register_jitable
def side_of(rows: Rows, i: int, weights: Floats, digits: Counts) -> int:
    """Return the exact sign of row i's score, or `OVERFLOW`, without known bounds."""
    if not fits(rows, i, weights):
        return OVERFLOW
    side = sized_side(rows, i, weights, dot(rows, i, weights))
    return side if side != 0 else exact_side(rows, i, weights, digits)


@register_jitable
def exact_lead(
    rows: Rows, i: int, weights: Floats, others: Floats, required: float, digits: Counts
) -> tuple[int, int]:
    """Return the exact sign of row i's score by the weights minus that by others − ``required``.

    Return `OVERFLOW` instead if a score is not finite. Also return whether it needed an exact sum.
    """
    if not fits(rows, i, weights):
        return OVERFLOW, 0
    total, other_total = size(rows, i, weights), size(rows, i, others)
    if not (total < math.inf and other_total < math.inf):
        return OVERFLOW, 0
    lead = dot(rows, i, weights) - dot(rows, i, others) - required
    doubt = error_band(total + other_total, weights.shape[0] + 1)
    side = sign_beyond(lead, doubt)
    if side != 0:
        return side, 0
    return sign_of_difference(rows, i, weights, others, required, digits), 1


@register_jitable
def sign_of_difference(
    rows: Rows, i: int, weights: Floats, others: Floats, required: float, digits: Counts
) -> int:
    """Return the exact sign of the difference of two finite scores of row i − ``required``."""
    clear(digits)
    accumulate(rows, i, weights, 1.0, digits)
    accumulate(rows, i, others, -1.0, digits)
    add_product(digits, required, -1.0)
    return sign_of(digits)


@register_jitable
def falls_short(excess: int, sign: int, tie: int) -> bool:
    """Return whether the sign of an excess means an update; at 0 it does, unless ``tie`` is the sign."""
    return excess < 0 or (excess == 0 and tie != sign)


@register_jitable
def was_wrong(
    rows: Rows,
    i: int,
    weights: Floats,
    score: float,
    band: float,
    sign: int,
    tie: int,
    required: float,
    digits: Counts,
) -> bool:
    """Return whether row i, which fell short of ``required``, was also on the wrong side.

    ``band`` is that of the float score.
    """
    if required == 0.0:
        return True
    side = sign_beyond(sign * score, band)
    if side == 0:
        side = plain_side(decided(rows, i, weights, math.inf, sign, 0.0, digits))
    return falls_short(side, sign, tie)


@register_jitable
def is_mistake(side: int, sign: int, tie: int) -> bool:
    """Return whether an exact side differs from that of the label."""
    return (tie if side == 0 else side) != sign
