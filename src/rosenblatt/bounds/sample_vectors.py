"""Validation of vectors with one number per sample."""

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats


def nonnegatives(name: str, values: ArrayLike) -> Floats:
    """Return the values as a vector; raise InputError unless all are finite and at least 0."""
    vector = np.asarray(values)
    if vector.dtype.kind not in "iuf" or vector.ndim != 1 or vector.size == 0:
        raise InputError(
            f"{name} has shape {vector.shape} and type {vector.dtype}: give a vector of numbers, "
            "one per sample"
        )
    vector = vector.astype(np.float64)
    if not ((vector >= 0.0) & (vector < np.inf)).all():
        raise InputError(f"{name} must be finite and at least 0 everywhere")
    return vector


def whole_counts(name: str, values: ArrayLike, n_samples: int) -> Floats:
    """Return the counts, one per sample, as floats; a single row of a ledger's counts is accepted."""
    counts = np.asarray(values)
    counts = counts[0] if counts.ndim == 2 and len(counts) == 1 else counts
    if counts.shape != (n_samples,) or counts.dtype.kind not in "iu" or (counts < 0).any():
        raise InputError(
            f"{name} has shape {counts.shape} and type {counts.dtype}: give {n_samples} integers of at "
            "least 0, one per sample"
        )
    return counts.astype(np.float64)
