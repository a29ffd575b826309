"""Scores, lengths and training errors of many samples."""

import math

import numpy as np

from rosenblatt.core.constants import LARGE_SQUARE
from rosenblatt.core.types import Counts, Floats, Signs
from rosenblatt.kernels.compiled import compiled
from rosenblatt.kernels.exact_sum import clear, nearest, new_digits
from rosenblatt.kernels.row_operations import (
    accumulate,
    axpy,
    dot,
    dot_sq,
    fits,
    length,
    size,
)
from rosenblatt.kernels.rows import Rows
from rosenblatt.kernels.signs import (
    decided,
    error_band,
    falls_short,
    is_mistake,
    plain_side,
    side_of,
)

_SMALL_SQUARE = 1e-270  # above it, sums of squares have lost nothing to underflow


@compiled(nogil=True)
def count_mistakes(rows: Rows, signs: Signs, tie: int, weights: Floats) -> int:
    """Return how many samples the weights misclassify."""
    digits = new_digits()
    n_mistakes = 0
    for i in range(signs.shape[0]):
        n_mistakes += signs[i] != 0 and is_mistake(side_of(rows, i, weights, digits), signs[i], tie)
    return n_mistakes


@compiled(nogil=True)
def count_short(rows: Rows, signs: Signs, tie: int, weights: Floats, required: float) -> int:
    """Return for how many samples y·w·x is at most ``required``; equality counts as in learning."""
    digits = new_digits()
    n_short = 0
    for i in range(signs.shape[0]):
        sign = signs[i]
        if sign != 0:
            excess = plain_side(decided(rows, i, weights, math.inf, sign, required, digits))
            n_short += falls_short(excess, sign, tie)
    return n_short


@compiled(nogil=True)
def lengths(rows: Rows, n: int) -> Floats:
    """Return the lengths of the first n extended rows."""
    out = np.empty(n)
    for i in range(n):
        out[i] = length(rows, i)
    return out


@compiled(nogil=True)
def scores(rows: Rows, order: Counts, weights: Floats) -> tuple[Floats, Floats]:
    """Return the float scores of the samples in order, and a bound on the error of each."""
    out = np.empty(order.shape[0])
    bands = np.empty(order.shape[0])
    for t in range(order.shape[0]):
        out[t] = dot(rows, order[t], weights)
        bands[t] = error_band(size(rows, order[t], weights), weights.shape[0])
    return out, bands


@compiled(nogil=True)
def measure_all(rows: Rows, weights: Floats, out: Floats, lengths_out: Floats) -> None:
    """Write the float score and the length of each sample, both up to a few roundings.

    A length that is not finite is written, too.
    """
    for i in range(out.shape[0]):
        out[i], square = dot_sq(rows, i, weights)
        safe = _SMALL_SQUARE < square < LARGE_SQUARE
        lengths_out[i] = math.sqrt(square) if safe else length(rows, i)


@compiled(nogil=True)
def score_all(rows: Rows, weights: Floats, out: Floats) -> None:
    """Write the float score of each sample into ``out``."""
    for i in range(out.shape[0]):
        out[i] = dot(rows, i, weights)


@compiled()
def combine(rows: Rows, signs: Signs, order: Counts, factors: Floats, weights: Floats) -> None:
    """Add ``factor · sign · sample`` to the weights in place, sample by sample."""
    for t in range(order.shape[0]):
        axpy(rows, order[t], signs[order[t]] * factors[t], weights)


@compiled()
def unpack(rows: Rows, signs: Signs, order: Counts, out: Floats) -> None:
    """Write ``sign · sample``, extended, into the rows of ``out``, sample by sample."""
    out[:] = 0.0
    for t in range(order.shape[0]):
        axpy(rows, order[t], np.float64(signs[order[t]]), out[t])


@compiled(nogil=True)
def nearest_scores(rows: Rows, weights: Floats, out: Floats) -> int:
    """Write the score of each sample, summed exactly and rounded once, into ``out``.

    So its sign is the exact one, except that a sum below half the smallest float64 becomes 0. Return -1,
    or stop at the first sample that is not finite or does not fit the weights, and return it.
    """
    digits = new_digits()
    for i in range(out.shape[0]):
        if not (fits(rows, i, weights) and length(rows, i) < math.inf):
            return i
        clear(digits)
        accumulate(rows, i, weights, 1.0, digits)
        out[i] = nearest(digits)
    return -1
