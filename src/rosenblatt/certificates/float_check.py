"""The fast half of a check: floats decide the clear rows, and leave the others to ``integer_check``.

In any order of summation, with or without fused operations, the float score of k terms differs from the
true one by at most γ_k·Σ|x_j·w_j|, γ_k = k·u/(1 - k·u) and u = 2⁻⁵³, plus any underflow (Higham,
Accuracy and Stability, 3.1). The weights are scaled first, so that the largest is between 1 and 2, which
costs up to 2u more (see ``scaled_weights``), and the margin between two scores is one more rounding:
together at most (k + 8)·u·Σ|x_j·w_j|, with one percent added for the arithmetic of the bound itself. An
underflow of a term or a sum costs at most 2⁻¹⁰²⁰, even on a processor that flushes subnormal numbers
to 0.

The sum of magnitudes is bounded twice: first by the length of a whole block of rows times that of the
weights (Cauchy and Schwarz); then, for the rows still undecided, by summing. A row with NaN or infinity
stays undecided, and so does a row whose score might overflow.

Floats can also prove that a combination is short enough. With shares f = count / Σ counts, each
coordinate of Σ f·z is a float sum of k products: it differs from the true one by at most
(k + 8)·u·Σ|f·z_j|, so the whole vector by at most that factor times Σ f·‖z‖, by the triangle inequality.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.certificates.integer_check import Term
from rosenblatt.certificates.rounding import Weights, scaled_weights, sqrt_down, sqrt_up
from rosenblatt.certificates.scope import Setting
from rosenblatt.certificates.stored_samples import Compressed, Samples, chunk_ranges
from rosenblatt.core.constants import ROUNDOFF
from rosenblatt.core.types import Counts, Floats

_VANISHING = 2.0**-1020
_HUGE = 2.0**24
"""Values above 2¹⁰⁰⁰ become infinite when multiplied by this, so no sum below can overflow."""
_BLOCK = 1 << 22
"""Values in a block (32 MiB): large enough for BLAS to use all cores (2¹⁵ to 2²⁴ were measured)."""
_COPIED = 1 << 16
"""Values in a block that must be converted first (512 KiB)."""


class _Scored(NamedTuple):
    """Consecutive rows: their scores, a bound on the magnitudes, and the numbers of terms."""

    start: int
    scores: Floats
    sizes: Floats | float
    terms: Floats | float


def undecided_rows(setting: Setting, weights: Weights, lower_squared: Fraction) -> Counts:
    """Return the rows for which floats cannot prove (w·z)² ≥ lower_squared·‖w‖² and w·z > 0.

    The weights must be finite and not all 0.
    """
    samples, constant = setting.samples, setting.constant
    scaled = scaled_weights(weights).reshape(setting.n_blocks, setting.width)
    threshold = _threshold(setting, scaled, lower_squared)
    score = _score_sparse if samples.storage == "sparse" else _score_dense
    undecided = [np.zeros(0, dtype=np.int64)]
    with np.errstate(all="ignore"):
        for start, scores, sizes, terms in score(setting, scaled):
            margins = _margins(setting, start, scores)
            clear = margins > _bars(setting, threshold, sizes, terms)
            if not clear.all():
                rows = np.flatnonzero(~clear)
                sharp, terms = _magnitudes(samples, rows + start, scaled, constant)
                rows = rows[~(margins[rows] > _bars(setting, threshold, sharp, terms))]
                undecided.append(rows + start)
    return np.concatenate(undecided)


def _threshold(setting: Setting, scaled: Floats, lower_squared: Fraction) -> float:
    """Return √lower_squared·‖w‖, rounded up."""
    counted = scaled[:, :-1] if setting.margin == "affine" else scaled
    # Next to the constant's weight, the features' weights or their squares may underflow.
    largest = max(float(np.abs(counted).max(initial=0.0)), _VANISHING)
    norm = largest * math.sqrt(float(np.square(counted / largest).sum()))
    norm = norm * (1.0 + (scaled.size + 32) * ROUNDOFF) + scaled.size * _VANISHING
    return math.nextafter(sqrt_up(lower_squared) * norm, math.inf)


def _bars(
    setting: Setting, needed: float, sizes: Floats | float, terms: Floats | float
) -> Floats | float:
    """Return the float margin above which the true margin is certainly at least ``needed``."""
    both = 2.0 * sizes if setting.positive is None else sizes
    both = both * _HUGE / _HUGE
    errors = (terms + 8.0) * (1.01 * ROUNDOFF * both + _VANISHING)
    return (needed + errors) * (1.0 + 8.0 * ROUNDOFF)


def _margins(setting: Setting, start: int, scores: Floats) -> Floats:
    """Return each row's smallest w·z, in floats."""
    codes = setting.samples.codes[start : start + len(scores)]
    if setting.positive is not None:
        signed: Floats = scores[:, 0] * np.where(codes == setting.positive, 1.0, -1.0)
        return signed
    rows = np.arange(len(codes))
    own = scores[rows, codes]
    scores[rows, codes] = -np.inf
    least: Floats = own - scores.max(axis=1)
    return least


def _score_dense(setting: Setting, scaled: Floats) -> Iterator[_Scored]:
    samples, constant = setting.samples, setting.constant
    features, shift, longest = _columns(scaled), constant * scaled[:, -1], _longest(scaled)
    size = _BLOCK if samples.is_float64_array else _COPIED
    for start, stop in chunk_ranges(samples.n_samples, size // max(1, samples.n_features)):
        block = samples.dense(start, stop).astype(np.float64, copy=False)
        scores = (block @ features).reshape(len(block), -1)
        scores += shift
        length = _length(block.reshape(-1), constant)
        yield _Scored(start, scores, length * longest, samples.n_features + 1.0)


def _score_sparse(setting: Setting, scaled: Floats) -> Iterator[_Scored]:
    samples, constant = setting.samples, setting.constant
    assert isinstance(samples.stored, Compressed)
    features, shift, longest = _columns(scaled), constant * scaled[:, -1], _longest(scaled)
    # SciPy copies parts of a matrix, so float64 rows are multiplied all at once.
    ready = samples.stored.values.dtype == np.float64
    product = _product(samples.stored, features) if ready else None
    for start, stop in _spans(samples.stored.indptr):
        part = samples.span(start, stop)
        scores = _product(part, features) if product is None else product[start:stop]
        scores += shift
        terms = np.diff(part.indptr) + 1.0
        # A row uses only some of the weights, none of them larger than 2 after scaling.
        used = np.minimum(2.0 * np.sqrt(terms), longest)
        yield _Scored(start, scores, _length(part.values, constant) * used, terms)


def _columns(scaled: Floats) -> Floats:
    """Return the features' weights: one column per block, or a vector for a single block."""
    return scaled[0, :-1] if len(scaled) == 1 else np.ascontiguousarray(scaled[:, :-1].T)


def _length(values: Floats, constant: int) -> float:
    """Return an upper bound on the length of any row among the values, extended by the constant."""
    # Squares may underflow, by less than 2⁻¹⁰²⁰ each.
    squares = float(np.dot(values, values))
    return math.sqrt(1.001 * squares + len(values) * _VANISHING + constant)


def _longest(scaled: Floats) -> float:
    """Return an upper bound on the length of every block of weights."""
    return 1.001 * math.sqrt(float(np.square(scaled).sum(axis=1).max()))


def _spans(indptr: Counts) -> list[tuple[int, int]]:
    """Split compressed rows into spans of about one block of values each."""
    cuts = np.searchsorted(indptr, np.arange(0, int(indptr[-1]), _BLOCK))
    bounds = np.unique(np.concatenate([[0], cuts, [len(indptr) - 1]]))
    return list(pairwise(bounds.tolist()))


def _product(part: Compressed, features: Floats) -> Floats:
    matrix = _matrix(part, len(features))
    return np.asarray(matrix @ features).reshape(matrix.shape[0], -1)


def _matrix(part: Compressed, n_features: int) -> sp.csr_array:
    shape = (len(part.indptr) - 1, n_features)
    return sp.csr_array((part.values, part.indices, part.indptr), shape=shape)


def _magnitudes(
    samples: Samples, rows: Counts, scaled: Floats, constant: int
) -> tuple[Floats, Floats]:
    """Return each row's largest Σ|x_j·w_j| over the blocks of weights, and its number of terms."""
    # A weight may have underflowed when it was scaled: count it as larger than it can have been.
    weights = np.maximum(np.abs(scaled), 2.0**-960)
    features = _columns(weights)
    sizes, terms = np.empty(len(rows)), np.full(len(rows), samples.n_features + 1.0)
    for start, stop in chunk_ranges(len(rows), _COPIED // max(1, samples.n_features)):
        some = rows[start:stop]
        if isinstance(samples.stored, Compressed):
            part = samples.chosen(some)
            terms[start:stop] = np.diff(part.indptr) + 1.0
            sums = _product(part._replace(values=np.abs(part.values)), features)
        else:
            block = np.abs(samples.stored[some].astype(np.float64))
            sums = (block @ features).reshape(len(block), -1)
        sizes[start:stop] = (sums + constant * weights[:, -1]).max(axis=1)
    return sizes, terms


def is_clearly_short(
    setting: Setting, terms: list[Term], total_count: int, upper_squared: Fraction
) -> bool:
    """Return whether floats prove ‖Σ count·z‖ ≤ √upper_squared·Σ count; False means undecided.

    For the affine margin the caller has checked that both sides have the same total count.
    """
    squares = spread = 0.0
    with np.errstate(all="ignore"):
        for block in range(setting.n_blocks):
            own = [term for term in terms if term.block == block]
            rows = np.array([term.row for term in own], dtype=np.int64)
            shares = np.array([term.times / total_count for term in own])
            summed, lengths = _sum(setting.samples, rows, shares)
            squares += float(summed @ summed)
            if setting.margin != "affine":
                squares += (setting.constant * float(shares.sum())) ** 2
            spread += float(np.abs(shares) @ (lengths + setting.constant))
        length = math.sqrt(squares) * (1.0 + (setting.width + 16) * ROUNDOFF)
        slack = (len(terms) + 8) * 1.01 * ROUNDOFF * spread
        underflow = (len(terms) + setting.width) * setting.n_blocks * math.sqrt(_VANISHING)
        bound = (length + slack + underflow) * (1.0 + 8 * ROUNDOFF)
        return bound <= sqrt_down(upper_squared)


def _sum(samples: Samples, rows: Counts, shares: Floats) -> tuple[Floats, Floats]:
    """Return Σ share·x over some rows, and the length of each row, rounded up."""
    if isinstance(samples.stored, Compressed):
        matrix = _matrix(samples.chosen(rows), samples.n_features)
        squares = np.asarray(matrix.multiply(matrix).sum(axis=1)).reshape(-1)
        summed = np.asarray(matrix.T @ shares).reshape(-1)
    else:
        block = samples.stored[rows].astype(np.float64)
        squares = np.square(block).sum(axis=1)
        summed = shares @ block
    return summed, 1.001 * np.sqrt(squares) + math.sqrt(_VANISHING)
