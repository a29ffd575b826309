"""The halfspace with the highest score among many, almost always found by float32 scores.

The shadow of the weights (see ``sparse_lanes``) is a float32 copy, divided by one power of two so that
the largest weight is below 1: that changes no decision, and keeps float32 far from the ends of its
range. A score s in float32, each of whose terms is rounded n times, is wrong by at most n·u/(1 - n·u)
times ‖w‖·‖x‖, where u = 2**-24, plus what underflows: at most 1e-38 for each term of a sample of length
1 or more. So each halfspace has a band around its score that contains the exact one. Halfspaces whose
band ends below the start of another's cannot win; if only one remains, it has won; if several remain,
exact scores decide (see ``signs``).

The bands are twice as wide as necessary, to cover their own rounding.
"""

import math
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from rosenblatt.core.types import Counts, Data, Flags, Floats, Singles
from rosenblatt.kernels.compiled import compiled
from rosenblatt.kernels.decisions import highest
from rosenblatt.kernels.epochs.panel_layout import score_panel, shadow_of
from rosenblatt.kernels.exact_sum import new_digits
from rosenblatt.kernels.row_operations import fast_sq, length, n_terms, well_formed
from rosenblatt.kernels.rows import Rows

_TWO_ROUNDOFFS = 2.0**-23
_MOST_ROUNDINGS = 100_000  # beyond, 1 - n·u is no longer near 1

# float32 scores are used for samples up to this length. To every length of weights a little is added:
# times the roundoff it is more than what underflows.
_LONGEST = 1e30
_LITTLE = 1e-15

# Neither the weights nor the samples may be so large that a score overflows in float64.
_LARGEST_SCORE = 1e300

# Bands are compared in vector registers; none of the numbers is NaN.
_ANY_ORDER = {"reassoc", "contract", "nsz", "nnan"}


class ShadowedPanel(NamedTuple):
    """A panel, its ``shadow`` in float32, and the ``lengths`` of the shadow's lanes.

    Samples longer than ``longest`` are decided without the shadow.
    """

    panel: Floats
    shadow: Singles
    lengths: Singles
    longest: float


def near_one(panel: Floats) -> tuple[Floats, float]:
    """Return the panel divided by a power of two that brings its largest weight near 1, and the power.

    >>> near_one(np.array([[3.0, 6.0]]))
    (array([[0.375, 0.75 ]]), 8.0)
    """
    exponent = math.frexp(float(np.abs(panel).max()))[1]
    power = math.ldexp(1.0, min(max(exponent, -1000), 1000))
    return panel * (1.0 / power), power


def prepare(rows: Rows, panel: Floats) -> ShadowedPanel:
    """Return the panel with its float32 copy, laid out for the samples."""
    scaled, power = near_one(panel)
    lengths = np.sqrt(np.einsum("kj,kj->k", scaled, scaled)) + _LITTLE
    longest = min(_LARGEST_SCORE / power / float(lengths.max()), _LONGEST)
    shadow = shadow_of(rows, scaled)
    return ShadowedPanel(panel, shadow, lengths.astype(np.float32), longest)


class ArgmaxWorkspace(NamedTuple):
    """Memory for the scores of a sample, a flag for each halfspace, and an exact sum."""

    scores: Singles
    contenders: Flags
    digits: Counts


def new_argmax_workspace(shadowed: ShadowedPanel) -> ArgmaxWorkspace:
    """Return a workspace for one thread."""
    scores = np.zeros(max(shadowed.shadow.shape), dtype=np.float32)
    return ArgmaxWorkspace(scores, np.zeros(len(shadowed.panel), dtype=np.bool_), new_digits())


@compiled(nogil=True, counts=False)
def choose_by_shadow(
    rows: Rows, shadowed: ShadowedPanel, given: Singles, out: Counts, workspace: ArgmaxWorkspace
) -> int:
    """Do what `choose_highest` does, by float32 scores if they are accurate enough.

    ``given`` has the scores, summed in any order. If it has no rows, the scores are computed here.
    """
    panel, shadow, lengths, longest = shadowed
    scores, contenders, digits = workspace
    last = out.shape[0] - 1
    for i in range(out.shape[0]):
        if not well_formed(rows, i, panel[0]):
            return i
        if given.shape[0] == 0:
            score_panel(rows, i, min(i + 1, last), shadow, scores)
        else:
            scores = given[i]
        unit = _band_per_length(rows, i, longest)
        winner = _clear_winner(scores, unit, lengths, contenders)
        if winner < 0:
            winner = highest(rows, i, panel, contenders, digits)
            if winner < 0:
                return i
        out[i] = winner
    return -1


@compiled(nogil=True, counts=False)
def score_by_lanes(rows: Rows, shadow: Data, out: Data, scores: Data) -> None:
    """Write the scores of each sparse sample, for the first lanes of the shadow, into ``out``.

    ``scores`` is memory for the scores of one sample.
    """
    for i in range(out.shape[0]):
        score_panel(rows, i, i, shadow, scores)
        for k in range(out.shape[1]):
            out[i, k] = scores[k]


@register_jitable
def _band_per_length(rows: Rows, i: int, longest: float) -> np.float32:
    """Return the error band of row i's scores for weights of length 1; infinity if float32 is unsafe."""
    n_rounded = (
        n_terms(rows, i) + 4
    )  # the weight, the value, the product, the sums and the constant
    if n_rounded > _MOST_ROUNDINGS:
        return np.float32(math.inf)
    norm = math.sqrt(fast_sq(rows, i))
    if not norm <= longest:
        norm = length(rows, i)  # the square may have overflowed
        if not norm <= longest:
            return np.float32(math.inf)
    return np.float32((n_rounded + 8) * _TWO_ROUNDOFFS * max(norm, 1.0))


@register_jitable(fastmath=_ANY_ORDER)
def _clear_winner(scores: Singles, unit: np.float32, lengths: Singles, left: Flags) -> int:
    """Return the halfspace that wins beyond doubt, or -1; then flag in ``left`` those that may win."""
    if unit == math.inf:
        for k in range(left.shape[0]):
            left[k] = True
        return -1
    mark = np.float32(-math.inf)
    for k in range(lengths.shape[0]):
        mark = max(mark, scores[k] - unit * lengths[k])
    n_left = 0
    sum_left = 0
    for k in range(lengths.shape[0]):
        is_left = scores[k] + unit * lengths[k] >= mark
        n_left += is_left
        sum_left += is_left * k
    if n_left == 1:
        return sum_left
    for k in range(lengths.shape[0]):
        left[k] = scores[k] + unit * lengths[k] >= mark
    return -1
