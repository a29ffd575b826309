"""Fast recognition of samples whose memory layout the kernels can read directly.

The functions return None for all other samples, which need validation.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.core.types import MatrixLike, SampleLike
from rosenblatt.kernels.rows import CSRRows, DenseRows, Rows, n_rows

# Up to this many rows are visited one by one; preparing a pass pays off only for more.
FEW = 32

_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
_PLACES = (np.dtype(np.int32), np.dtype(np.int64))
_CSR = (sp.csr_matrix, sp.csr_array)


def plain_row(x: SampleLike, n_features: int, constant: float) -> Rows | None:
    """View one sample, a vector, a list or a row, as rows.

    >>> plain_row([1, 2], 2, 1.0)
    DenseRows(values=array([[1., 2.]]), constant=1.0)
    >>> plain_row(["1", "2"], 2, 1.0) is plain_row([1.0, 2.0], 3, 1.0) is None
    True
    """
    if type(x) is list:
        x = np.array(x)
        x = x.astype(np.float64) if x.dtype.kind in "iu" else x
    if type(x) is np.ndarray and x.ndim == 1:
        x = x[None]
    rows = plain_rows(x, n_features, constant)
    return rows if rows is not None and n_rows(rows) == 1 else None


def plain_rows(X: MatrixLike, n_features: int, constant: float) -> Rows | None:
    """View a few samples as rows. The visit checks whether their columns are sorted."""
    if type(X) is np.ndarray:
        plain = X.ndim == 2 and _is_small(X.shape, n_features) and _is_ready(X, _FLOATS)
        return DenseRows(X, constant) if plain else None
    if type(X) not in _CSR or X.ndim != 2 or not _is_small(X.shape, n_features):
        return None
    values, indices, indptr = X.data, X.indices, X.indptr
    plain = (
        _is_ready(values, _FLOATS)
        and _is_ready(indices, _PLACES)
        and _is_ready(indptr, (indices.dtype,))
        and values.ndim == indices.ndim == indptr.ndim == 1
        and len(indptr) == X.shape[0] + 1
        and indptr[0] == 0
        and 0 <= indptr[-1] <= min(len(values), len(indices))
    )
    return CSRRows(values, indices, indptr, constant) if plain else None


def _is_small(shape: tuple[int, int], n_features: int) -> bool:
    return shape[1] == n_features and 0 < shape[0] <= FEW


def _is_ready(array: Any, types: tuple[Any, ...]) -> bool:
    if type(array) is not np.ndarray or array.dtype not in types:
        return False
    flags = array.flags
    return flags.c_contiguous and flags.aligned
