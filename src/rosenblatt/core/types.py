"""Array types, and the types of user input."""

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
"""Numbers of any type, as given by the user."""

Counts = NDArray[np.int64]
"""Counts, orders and indices."""

Indices = NDArray[np.int32] | NDArray[np.int64]
"""Column indices of sparse rows, as SciPy stores them."""

Bytes = NDArray[np.uint8]
"""Text, byte by byte."""

Flags = NDArray[np.bool_]
"""Boolean arrays."""

Signs = NDArray[np.int8]
"""Labels inside the library: -1, 0 (not seen), +1."""

Labels = NDArray[Any]
"""Labels outside the library: the user's own."""

Marks = NDArray[np.int32]
"""Mistakes of each halfspace on each sample."""

# User input before it is validated. No type describes everything that NumPy, SciPy, pandas and
# scikit-learn accept, so each kind of input has a name here.

MatrixLike = Any
"""A table of samples: an array, a list of lists, a data frame, or a sparse matrix of any format."""

SampleLike = Any
"""One sample: a vector, a list, a sparse row, or a dict that maps names to values."""

LabelsLike = Any
"""One label for each sample, or a matrix of 0 and 1 with a column for each label."""

LabelLike = Any
"""One label: text, or a number."""

WeightsLike = Any
"""One number for each sample or weight, or None."""

ClassWeights = Any
"""A dict that maps labels to numbers, "balanced", or None."""

Seed = Any
"""A whole number, a RandomState, or None."""


def is_sparse(X: object) -> bool:
    """Return whether X is a SciPy sparse matrix or array."""
    return bool(sp.issparse(X))
