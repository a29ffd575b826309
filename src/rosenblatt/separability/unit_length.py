"""Samples of unit length: decided on scaled copies, in floats, and proved of the samples as they are.

Whether weights separate samples does not depend on the lengths of these, but the margin does. Divided by
their lengths samples are rounded, so that nothing is proved by them: their weights, and the shares of
their combination, are taken for guesses about the samples as they are (`Vectors.units`). Where floats
find no weights the samples as they are decide the verdict, in whole numbers if need be; then the margin
that is proved may be far below the largest.
"""

import math
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from rosenblatt.core.types import Floats, MatrixLike, is_sparse
from rosenblatt.kernels.rows import CSRRows, as_rows
from rosenblatt.separability.decide import Decision, decide, decide_in_floats
from rosenblatt.separability.signed_samples import Vectors
from rosenblatt.training.margins import Interval


def scaled_samples(X: MatrixLike, constant: float, lengths: Floats) -> Vectors:
    """Return the samples divided by their lengths, which are above 0, a constant being one more feature.

    >>> scaled_samples(np.array([[3.0], [0.0]]), 4.0, np.array([5.0, 4.0])).rows.values
    array([[0.6, 0.8],
           [0. , 1. ]])
    """
    if is_sparse(X):
        rows = as_rows(X, 0.0)
        assert isinstance(rows, CSRRows)
        values = rows.values / np.repeat(lengths, np.diff(rows.indptr))
        scaled: MatrixLike = sp.csr_matrix((values, rows.indices, rows.indptr), shape=X.shape)
        if constant:
            scaled = sp.csr_matrix(sp.hstack([scaled, sp.csr_matrix(constant / lengths[:, None])]))
    else:
        scaled = np.asarray(X, dtype=np.float64) / lengths[:, None]
        if constant:
            scaled = np.column_stack([scaled, constant / lengths])
    return Vectors(as_rows(scaled, 0.0), np.ones(len(lengths), dtype=np.int8), scaled.shape[1] + 1)


def decide_scaled(vectors: Vectors, scaled: Vectors, tolerance: float, deadline: float) -> Decision:
    """Close an interval on the maximum margin of vectors in their units, or prove that there is none.

    ``scaled`` are the same vectors, each divided by its unit in floats.
    """
    found = _in_units(vectors, scaled, decide_in_floats(scaled, tolerance, deadline))
    if found.weights is not None:
        return found
    plain = decide(replace(vectors, units=None), tolerance, deadline)
    history = [*found.history, *plain.history]
    if plain.zero is not None:
        return replace(plain, history=history)
    assert vectors.units is not None
    weights, lower = _proving(vectors, plain.weights)
    return Decision(
        Interval(max(lower, 0.0), found.interval.upper),
        found.order,
        found.shares,
        weights,
        plain.exact,
        history,
    )


def _in_units(vectors: Vectors, scaled: Vectors, found: Decision) -> Decision:
    """Return what a decision about scaled vectors proves about the vectors themselves."""
    assert vectors.units is not None
    weights = found.weights
    if weights is not None and scaled.dimension > vectors.dimension:
        # The constant is a feature of the scaled samples; what stands in its place is 0 for all.
        n_blocks = scaled.dimension - vectors.dimension
        weights = weights.reshape(n_blocks, -1)[:, :-1].ravel()
    weights, lower = _proving(vectors, weights)
    units = vectors.units[found.order]
    # Not divided by the units alone, which may be too small for that.
    shares = found.shares * (units.min(initial=math.inf) / units)
    used = shares > 0.0
    order, shares = found.order[used], shares[used]
    upper = vectors.upper(order, shares / shares.sum())
    return Decision(Interval(max(lower, 0.0), upper), order, shares, weights, None, found.history)


def _proving(vectors: Vectors, weights: Floats | None) -> tuple[Floats | None, float]:
    """Return weights and the margin that they prove; no weights if that is none."""
    if weights is None:
        return None, 0.0
    plain = vectors.lower(weights, vectors.margins(weights))
    lower = max(plain, vectors.lower(weights, *vectors.sharp_margins(weights)))
    return (weights, lower) if lower > 0.0 else (None, 0.0)
