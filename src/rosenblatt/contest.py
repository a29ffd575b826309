"""Which of many halfspaces scores highest: almost always told by scores in float32.

The shadow of the weights (see ``lanes``) is their rounding to float32, all divided by one power of two
so that the largest is below 1: that changes no decision, and keeps float32 far from the ends of its
range. A score s in float32, each of whose terms is rounded n times on its way, is wrong by at most
n·u/(1 - n·u) times ‖w‖·‖x‖, where u = 2**-24, plus what vanishes below the smallest float32: at most
1e-38 for each term of a sample of length 1 or more. So each halfspace has a band about its score that
the exact one lies in. Those whose band ends below the start of another's cannot win; one that is left
alone has won; among several that are left the exact scores decide (see ``kernels``).

The bands are twice as wide as they need be, which pays for their own rounding.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable

from rosenblatt.kernels import highest
from rosenblatt.rows import BLOCK, Rows, dot_block, fits, length, n_roundings, square
from rosenblatt.typing import Counts, Data, Flags, Floats, Singles

_TWO_ROUNDOFFS = 2.0**-23
_MOST_ROUNDINGS = 100_000  # beyond, 1 - n·u is no longer near 1

# Samples are trusted to float32 up to this length. To every length of weights a little is added, which
# is, times the roundoff, more than what vanishes.
_LONGEST = 1e30
_LITTLE = 1e-15

# Neither the weights nor the samples may be so large that a score overflows in float64.
_LARGEST_SCORE = 1e300

# Bands are compared in vector registers; none of the numbers is NaN.
_ANY_ORDER: Any = {"reassoc", "contract", "nsz", "nnan"}


class Contest(NamedTuple):
    """The halfspaces as they are and as float32 sees them: `shadow`, and the `lengths` of its lanes.

    Samples longer than `longest` are decided without the shadow.
    """

    panel: Floats
    shadow: Singles
    lengths: Singles
    longest: float


def prepare(panel: Floats, lanes: int) -> Contest:
    """Return the contest between the rows of a panel, its shadow in so many lanes."""
    n_halfspaces, n_weights = panel.shape
    largest = float(np.abs(panel).max())
    finite = largest < math.inf
    longest = min(_LONGEST, _LARGEST_SCORE / max(largest * math.sqrt(n_weights), 1.0))
    exponent = max(math.frexp(largest)[1], -1000)
    scaled = panel * math.ldexp(1.0, -exponent) if finite else np.zeros_like(panel)
    shadow = np.zeros((n_weights, lanes), dtype=np.float32)
    shadow[:, :n_halfspaces] = scaled.T
    lengths = np.sqrt(np.einsum("kj,kj->k", scaled, scaled)) + _LITTLE
    return Contest(panel, shadow, lengths.astype(np.float32), longest if finite else 0.0)


@njit(cache=True, nogil=True)
def choose_by_lanes(rows: Rows, contest: Contest, out: Counts) -> int:
    """Do what `choose_highest` does, by scores in lanes."""
    scores = np.empty((BLOCK, contest.shadow.shape[1]), dtype=np.float32)
    contenders = np.empty(contest.panel.shape[0], dtype=np.bool_)
    for start in range(0, out.shape[0], BLOCK):
        stop = min(start + BLOCK, out.shape[0])
        dot_block(rows, start, stop, contest.shadow, scores)
        for i in range(start, stop):
            best = _winner(rows, i, n_roundings(rows, i), scores[i - start], contest, contenders)
            if best < 0:
                return i
            out[i] = best
    return -1


@njit(cache=True, nogil=True)
def choose_by_scores(rows: Rows, scores: Singles, contest: Contest, out: Counts) -> int:
    """Do what `choose_highest` does, by float32 scores that were summed in any order."""
    n_terms = contest.panel.shape[1]
    contenders = np.empty(contest.panel.shape[0], dtype=np.bool_)
    for i in range(out.shape[0]):
        best = _winner(rows, i, n_terms + 3, scores[i], contest, contenders)
        if best < 0:
            return i
        out[i] = best
    return -1


@njit(cache=True, nogil=True)
def score_by_lanes(rows: Rows, shadow: Data, out: Data) -> None:
    """Write the scores of each sample, for the first lanes of the shadow, into ``out``."""
    scores = np.empty((BLOCK, shadow.shape[1]), dtype=shadow.dtype)
    for start in range(0, out.shape[0], BLOCK):
        stop = min(start + BLOCK, out.shape[0])
        dot_block(rows, start, stop, shadow, scores)
        for i in range(start, stop):
            for k in range(out.shape[1]):
                out[i, k] = scores[i - start, k]


@register_jitable
def _winner(
    rows: Rows, i: int, n_rounded: int, scores: Singles, contest: Contest, contenders: Flags
) -> int:
    """Return which halfspace has the exactly highest score of row i; -1: a score is not finite."""
    if not fits(rows, i, contest.shadow):
        return -1
    norm = max(math.sqrt(square(rows, i)), 1.0)
    if not norm <= contest.longest:
        norm = length(rows, i)  # the square may have overflowed
    if not (norm <= contest.longest and n_rounded <= _MOST_ROUNDINGS):
        contenders[:] = True
        return highest(rows, i, contest.panel, contenders)
    unit = np.float32((n_rounded + 8) * _TWO_ROUNDOFFS * norm)
    n_left, winner, mark = _left(scores, unit, contest.lengths)
    if n_left == 1:
        return winner
    for k in range(contenders.shape[0]):
        contenders[k] = scores[k] + unit * contest.lengths[k] >= mark
    return highest(rows, i, contest.panel, contenders)


@register_jitable(fastmath=_ANY_ORDER)
def _left(scores: Singles, unit: Any, lengths: Singles) -> tuple[int, int, Any]:
    """Return how many halfspaces may win, which one if it is one, and what they must reach."""
    mark = np.float32(-math.inf)
    for k in range(lengths.shape[0]):
        mark = max(mark, scores[k] - unit * lengths[k])
    n_left = 0
    sum_left = 0
    for k in range(lengths.shape[0]):
        left = scores[k] + unit * lengths[k] >= mark
        n_left += left
        sum_left += left * k
    return n_left, sum_left, mark
