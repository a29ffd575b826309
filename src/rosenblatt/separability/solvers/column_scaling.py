"""Scaling of columns to similar sizes, for data whose columns differ widely.

Multiplying columns by powers of two is exact, and preserves separability and every combination that is
zero: w separates the balanced vectors if and only if w, multiplied by the same factors, separates the
original ones. It changes the margin, so only the verdict carries over. If one column is a million times
larger than another, floats may lose the small one; after balancing they keep both.
"""

import numpy as np

from rosenblatt.core.types import Floats
from rosenblatt.kernels.rows import CSRRows, DenseRows, Rows
from rosenblatt.separability.signed_samples import Vectors
from rosenblatt.separability.solvers.kesler_rows import JointRows

# Columns that differ by less, in powers of two, are not scaled.
_WIDE = 12

# Factors beyond 2¹⁰⁰⁰, for columns of denormal numbers, could overflow.
_LARGEST = 1000


def balanced(vectors: Vectors) -> tuple[Vectors, Floats] | None:
    """Return the balanced vectors and the factor of each weight, or None if they are balanced already.

    >>> from rosenblatt.kernels.rows import as_rows
    >>> wide = Vectors(as_rows([[1e-6, 1e6], [3e-6, -1e6]], 1.0), np.ones(2, dtype=np.int8), 3)
    >>> scaled, factors = balanced(wide)
    >>> scaled.rows.values.round(3).tolist(), factors.tolist()
    ([[0.262, 0.954], [0.786, -0.954]], [262144.0, 9.5367431640625e-07, 1.0])
    """
    joint = vectors.rows if isinstance(vectors.rows, JointRows) else None
    base: Rows = vectors.rows if joint is None else joint.base
    exponents = _exponents(base, vectors.dimension // (1 if joint is None else joint.n_classes) - 1)
    if np.ptp(exponents) < _WIDE:
        return None
    factors = np.append(np.ldexp(1.0, np.clip(-exponents, -_LARGEST, _LARGEST)), 1.0)
    if isinstance(base, DenseRows):
        scaled: Rows = DenseRows(base.values * factors[:-1], base.constant)
    else:
        scaled = base._replace(values=base.values * factors[base.indices])
    if joint is None:
        return Vectors(scaled, vectors.signs, vectors.dimension, vectors.n_groups), factors
    rows = JointRows(scaled.values, scaled, joint.classes, joint.n_classes)
    return Vectors(rows, vectors.signs, vectors.dimension), np.tile(factors, joint.n_classes)


def _exponents(rows: Rows, n_features: int) -> Floats:
    """Return the exponent of the largest number in each column; zero columns get the largest of all."""
    largest = np.zeros(n_features)
    if isinstance(rows, CSRRows):
        np.maximum.at(largest, rows.indices, np.abs(rows.values))
    else:
        largest = np.abs(rows.values).max(axis=0).astype(np.float64)
    exponents = np.frexp(largest)[1]
    return np.where(largest > 0.0, exponents, exponents[largest > 0.0].max(initial=0))
