"""The types of arrays, and of what users hand in."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""Weights, steps and scores."""

Singles = NDArray[np.float32]
"""Weights and scores rounded to float32."""

Data = NDArray[np.float32] | NDArray[np.float64]
"""Stored sample values."""

Numbers = NDArray[Any]
"""Numbers of any type, as they were given."""

Counts = NDArray[np.int64]
"""Counts, orders and indices."""

Indices = NDArray[np.int32] | NDArray[np.int64]
"""Where the values of sparse rows belong, as SciPy stores it."""

Bytes = NDArray[np.uint8]
"""Text, byte by byte."""

Flags = NDArray[np.bool_]
"""Yes or no, for each of many."""

Signs = NDArray[np.int8]
"""Labels inside the library: -1, 0 (not seen), +1."""

Labels = NDArray[Any]
"""Labels outside the library: whatever the user has."""

Marks = NDArray[np.int32]
"""Mistakes of each halfspace on each sample."""

# What users hand in, before it is validated. No type says what NumPy, SciPy, pandas and scikit-learn
# take between them, so each kind is named once, here.

MatrixLike = Any
"""A table of samples: an array, a list of lists, a data frame, a sparse matrix of any format."""

SampleLike = Any
"""One sample: a vector, a list, a sparse row, or a dict of names to values."""

LabelsLike = Any
"""One label for each sample, or a matrix of 0 and 1 with a column for each label."""

LabelLike = Any
"""One label: text, or a number."""

WeightsLike = Any
"""Numbers, one for each sample or weight, or None."""

ClassWeights = Any
"""A dict of labels to numbers, "balanced", or None."""

Seed = Any
"""A whole number, a RandomState, or None."""


def is_sparse(X: object) -> bool:
    """Say whether X is one of SciPy's sparse matrices or arrays."""
    return bool(sp.issparse(X))
