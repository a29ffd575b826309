"""One pass over the samples, compiled.

A sample's side is the exact sign of w·x, where w and x are the stored numbers. Its float score s,
summed in any order, is wrong by at most n·u/(1 - n·u) times the sum S of its terms' magnitudes, where
u = 2**-53 and n is the number of terms (N. Higham, Accuracy and Stability of Numerical Algorithms,
section 3.1). So the sign of s is decided in up to three steps:

1. S <= ‖w‖·‖x‖, and a pass knows bounds on both: ‖x‖ from the first visit to the sample, ‖w‖ from
   Novikoff's inequality, by which a mistake adds at most ‖step·x‖² to ‖w‖². This settles almost all
   visits at the cost of the score alone.
2. S itself, where that bound is too wide.
3. The exact sum (see ``exact_sum``), where rounding could have decided.

The scoring may therefore be as fast as it likes: it never decides, and a run is a function of the data
alone. The bounds below are twice or four times as wide as they need be, which pays for their own
rounding; numbers so small that squares or products vanish in float64 fall through to step 3.

Convention: a sample with sign 0 is not seen; ``tie`` is the sign that a score of exactly 0 stands for,
+1 or -1, and 0 says that such a score is a mistake for either label.
"""

import math

import numpy as np
from numba import njit
from numba.extending import register_jitable

from rosenblatt.core.constants import SMALL_PRODUCT, TWO_ROUNDOFFS
from rosenblatt.core.types import Counts, Flags, Floats, Signs
from rosenblatt.kernels.exact_sum import new_digits, sign_of
from rosenblatt.kernels.rows import (
    Rows,
    accumulate,
    axpy,
    dot,
    dot_sq,
    fits,
    length,
    prefetch,
    size,
    well_formed,
)

# Below these, products and square roots of sums of squares may have lost bits to underflow.
SMALL_NORM = 1e-150

# Between these, sums of squares have lost nothing.
_SMALL_SQUARE = 1e-270
_LARGE_SQUARE = 1e300

# So many numbers stay in the processor's cache from one epoch to the next; beyond, rows are asked for
# so many visits ahead (1, 2, 4, 6 and 10 were measured).
_CACHED = 100_000
_AHEAD = 2

# What is answered instead of a sign when a score is not a finite number, or the row does not fit.
OVERFLOW = 2


@register_jitable
def error_band(total: float, n_terms: int) -> float:
    """Return a bound on the error of a float score whose terms' magnitudes sum to ``total``."""
    return (n_terms + 8) * TWO_ROUNDOFFS * total + SMALL_PRODUCT


@register_jitable
def sign_beyond(score: float, band: float) -> int:
    """Return the sign of a score that is beyond the band, or 0: the band leaves it in doubt."""
    if score > band:
        return 1
    if score < -band:
        return -1
    return 0


@register_jitable
def sized_side(rows: Rows, i: int, weights: Floats, score: float) -> int:
    """Return the sign of row i's score, or 0: the score leaves it in doubt, or is not finite."""
    return sign_beyond(score, error_band(size(rows, i, weights), weights.shape[0]))


@register_jitable
def exact_side(rows: Rows, i: int, weights: Floats) -> int:
    """Return the exact sign of row i's score, or `OVERFLOW`."""
    if not (fits(rows, i, weights) and size(rows, i, weights) < math.inf):
        return OVERFLOW
    digits = new_digits()
    accumulate(rows, i, weights, 1.0, digits)
    return sign_of(digits)


@register_jitable
def side_of(rows: Rows, i: int, weights: Floats) -> int:
    """Return the exact sign of row i's score, or `OVERFLOW`, without any bounds known before."""
    if not fits(rows, i, weights):
        return OVERFLOW
    side = sized_side(rows, i, weights, dot(rows, i, weights))
    return side if side != 0 else exact_side(rows, i, weights)


@register_jitable
def exact_lead(rows: Rows, i: int, weights: Floats, others: Floats) -> tuple[int, int]:
    """Return the exact sign of row i's score by the weights less that by others, or `OVERFLOW`.

    Returned beside it is whether it took an exact sum.
    """
    if not fits(rows, i, weights):
        return OVERFLOW, 0
    total, other_total = size(rows, i, weights), size(rows, i, others)
    if not (total < math.inf and other_total < math.inf):
        return OVERFLOW, 0
    lead = dot(rows, i, weights) - dot(rows, i, others)
    doubt = error_band(total + other_total, weights.shape[0] + 1)
    side = sign_beyond(lead, doubt)
    if side != 0:
        return side, 0
    digits = new_digits()
    accumulate(rows, i, weights, 1.0, digits)
    accumulate(rows, i, others, -1.0, digits)
    return sign_of(digits), 1


@register_jitable
def is_mistake(side: int, sign: int, tie: int) -> bool:
    """Say whether an exact side is not that of the label."""
    return (tie if side == 0 else side) != sign


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
    score was no finite number, where the pass stops, or -1.

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


@njit(cache=True)
def enlarge_margin(
    rows: Rows, signs: Signs, order: Counts, alpha: float, weights: Floats, state: Floats
) -> None:
    """Visit the samples in order; correct the weights where the margin is below 1 - alpha of its goal.

    The samples are scaled to length 1, the weights kept within length 1: they are ``weights`` times
    ``state[0]``. Changed in place, beside the weights: ``state``, their factor, their squared length,
    and one more than the number of corrections so far. Samples of length 0 are passed over.

    Over a stream whose unit-length samples have margin γ there are at most
    (2/γ²)·(2/α - 1)² + 8/α - 4 corrections, and weights that need none have margin (1 - α)·γ:
    C. Gentile, A new approximate maximal margin classification algorithm (2001), with p = 2.
    """
    for t in range(order.shape[0]):
        i = order[t]
        norm = length(rows, i)
        if signs[i] == 0 or norm == 0.0:
            continue
        root = math.sqrt(state[2])
        margin = signs[i] * state[0] * dot(rows, i, weights) / norm
        if margin > (1.0 - alpha) * math.sqrt(8.0) / alpha / root:
            continue
        step = math.sqrt(2.0) / root
        axpy(rows, i, signs[i] * (step / (state[0] * norm)), weights)
        state[1] += 2.0 * step * margin + step * step
        state[2] += 1.0
        if state[1] > 1.0:
            state[0] /= math.sqrt(state[1])
            state[1] = 1.0
        if state[0] < 1e-100:
            weights *= state[0]
            state[0] = 1.0


@njit(cache=True, nogil=True)
def count_mistakes(rows: Rows, signs: Signs, tie: int, weights: Floats) -> int:
    """Return on how many samples the weights are mistaken; nothing is changed."""
    n_mistakes = 0
    for i in range(signs.shape[0]):
        n_mistakes += signs[i] != 0 and is_mistake(side_of(rows, i, weights), signs[i], tie)
    return n_mistakes


@njit(cache=True)
def lengths(rows: Rows, n: int) -> Floats:
    """Return the lengths of the first n extended rows."""
    out = np.empty(n)
    for i in range(n):
        out[i] = length(rows, i)
    return out


@njit(cache=True)
def scores(rows: Rows, order: Counts, weights: Floats) -> tuple[Floats, Floats]:
    """Return the float scores of the samples in order, and a bound on the error of each."""
    out = np.empty(order.shape[0])
    bands = np.empty(order.shape[0])
    for t in range(order.shape[0]):
        out[t] = dot(rows, order[t], weights)
        bands[t] = error_band(size(rows, order[t], weights), weights.shape[0])
    return out, bands


@njit(cache=True)
def measure_all(rows: Rows, weights: Floats, out: Floats, lengths_out: Floats) -> None:
    """Write the float score and the length, to a few roundings, of each sample.

    A length that is no finite number is written as it is.
    """
    for i in range(out.shape[0]):
        out[i], square = dot_sq(rows, i, weights)
        safe = _SMALL_SQUARE < square < _LARGE_SQUARE
        lengths_out[i] = math.sqrt(square) if safe else length(rows, i)


@njit(cache=True, nogil=True)
def score_all(rows: Rows, weights: Floats, out: Floats) -> None:
    """Write the float score of each sample into ``out``."""
    for i in range(out.shape[0]):
        out[i] = dot(rows, i, weights)


@njit(cache=True)
def combine(rows: Rows, signs: Signs, order: Counts, factors: Floats, weights: Floats) -> None:
    """Add ``factor · sign · sample`` to the weights in place, for the samples in order."""
    for t in range(order.shape[0]):
        axpy(rows, order[t], signs[order[t]] * factors[t], weights)


@njit(cache=True)
def unpack(rows: Rows, signs: Signs, order: Counts, out: Floats) -> None:
    """Write ``sign · sample``, extended, for the samples in order into the rows of ``out``."""
    out[:] = 0.0
    for t in range(order.shape[0]):
        axpy(rows, order[t], np.float64(signs[order[t]]), out[t])


@njit(cache=True, nogil=True)
def choose_side(rows: Rows, weights: Floats, tie: int, out: Counts) -> int:
    """Write 1 for every sample on the positive side and 0 for the others into ``out``.

    A score of exactly 0 counts as positive unless ``tie`` is -1. Returned: the sample at which a
    score was no finite number, or that is not well formed, where the pass stops, or -1.
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
    return math.sqrt(squares) + SMALL_NORM if squares < _LARGE_SQUARE else math.inf


@register_jitable
def _exactly_ahead(rows: Rows, i: int, panel: Floats, k: int, best: int) -> bool:
    digits = new_digits()
    accumulate(rows, i, panel[k], 1.0, digits)
    accumulate(rows, i, panel[best], -1.0, digits)
    return sign_of(digits) > 0


@register_jitable
def highest(rows: Rows, i: int, panel: Floats, contenders: Flags) -> int:
    """Return which contender has the exactly highest score of row i, the first of equals.

    ``panel`` has one weight vector in each row. -1 says that the row does not fit it, or that a
    contender's score is no finite number.
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
        if ahead > doubt or (ahead >= -doubt and _exactly_ahead(rows, i, panel, k, best)):
            best, best_score, best_band = k, score, band
    return best


@njit(cache=True, nogil=True)
def choose_highest(rows: Rows, panel: Floats, out: Counts) -> int:
    """Write the number of the weight vector with the exactly highest score into ``out``.

    ``panel`` has one weight vector in each row; among equal scores the first one wins. Returned: the
    sample at which a score was no finite number, or that is not well formed, where the pass stops, or
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
