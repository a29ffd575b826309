"""The array types that the modules speak of."""

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

Counts = NDArray[np.int64]
"""Counts, orders and indices."""

Flags = NDArray[np.bool_]
"""Yes or no, for each of many."""

Signs = NDArray[np.int8]
"""Labels inside the library: -1, 0 (not seen), +1."""

Labels = NDArray[Any]
"""Labels outside the library: whatever the user has."""

Marks = NDArray[np.int32]
"""Mistakes of each halfspace on each sample."""


def is_sparse(X: object) -> bool:
    """Say whether X is one of SciPy's sparse matrices or arrays."""
    return bool(sp.issparse(X))
