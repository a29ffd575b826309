"""Validation of sparse matrices: every index is checked.

Compiled loops, ours and SciPy's, do not check bounds. SciPy accepts matrices with indices out of range,
and its flags may say that a matrix is sorted after its arrays have changed. So every sparse input is
`checked`, or read by a loop that calls `is_sound_row` before it reads a row; SciPy's flags are ignored.

The arrays must not change while they are read: a thread that writes to a matrix in the meantime can
invalidate any check.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numba.extending import register_jitable

from rosenblatt.core.checks import check_unmasked
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Indices, MatrixLike
from rosenblatt.kernels.compiled import compiled

_ONE = np.uint64(1)
_INDEX_TYPES = (np.dtype(np.int32), np.dtype(np.int64))

_ROWS_AT_ONCE = 64  # their indices stay in the first-level cache


@register_jitable(forceinline=True)
def is_sound_row(indptr: Indices, indices: Indices, n_stored: int, i: int, n_columns: int) -> bool:
    """Return whether row i is within the stored values, and its columns ascend within range."""
    start, end = indptr[i], indptr[i + 1]
    if start < 0 or start > end or end > n_stored:
        return False
    if start == end:
        return True
    # Without an early exit the compiler compares many at once; if all ascend, the ends tell the rest.
    ascends = True
    for k in range(np.uint64(start), np.uint64(end) - _ONE):
        ascends &= indices[k] < indices[k + _ONE]
    return bool(ascends and indices[start] >= 0 and indices[end - 1] < n_columns)


@compiled(nogil=True)
def are_sound(indptr: Indices, indices: Indices, n_stored: int, n_columns: int) -> bool:
    """Return whether `is_sound_row` is true of every row.

    If the columns ascend in each row, they fall only from one row to the next. So falls are counted over
    many rows at once, with long vectors, and compared with those between rows: that takes two thirds of
    the time of checking row by row.
    """
    n_rows = indptr.shape[0] - 1
    for first in range(0, n_rows, _ROWS_AT_ONCE):
        last = min(first + _ROWS_AT_ONCE, n_rows)
        begin, end = indptr[first], indptr[last]
        if begin < 0 or begin > end or end > n_stored:
            return False
        falls = np.int32(0)
        for k in range(np.uint64(begin) + _ONE, np.uint64(end)):
            falls = np.int32(falls + np.int32(indices[k] <= indices[k - _ONE]))
        between = 0
        for i in range(first, last):
            start, stop = indptr[i], indptr[i + 1]
            if start > stop or stop > n_stored:
                return False
            if start < stop:
                if indices[start] < 0 or indices[stop - 1] >= n_columns:
                    return False
                between += start > begin and indices[start] <= indices[start - 1]
        if falls != between:
            return False
    return True


class Arrays(NamedTuple):
    """The arrays of a CSR matrix in types that compiled loops can read; indices are unchecked."""

    values: np.ndarray
    indices: Indices
    indptr: Indices
    shape: tuple[int, int]

    @property
    def n_stored(self) -> int:
        """The number of stored values, whether or not they belong to a row."""
        return min(len(self.values), len(self.indices))


def arrays_of(X: MatrixLike, name: str = "X", *, vector: bool = False) -> Arrays:
    """Return the CSR arrays of a sparse matrix of any format; a ``vector`` becomes one row.

    >>> arrays_of(sp.csc_array([[0, 5], [7, 0]])).indices
    array([1, 0], dtype=int32)
    """
    if len(X.shape) != 2 and not (vector and len(X.shape) == 1):
        raise InputError(f"{name} has shape {X.shape}: give a table with one row per sample")
    if X.format != "csr":
        _check_before_conversion(X, name)
        X = (X.astype(np.float32) if X.dtype == np.float16 else X).tocsr()
    shape = (int(X.shape[0]), int(X.shape[1])) if len(X.shape) == 2 else (1, int(X.shape[0]))
    indptr, values = _index_array(X.indptr, "indptr", name), np.asarray(X.data)
    # SciPy has no arithmetic for float16.
    values = values.astype(np.float32) if values.dtype == np.float16 else values
    if len(indptr) != shape[0] + 1:
        raise _invalid(name, f"its indptr has {len(indptr)} entries instead of {shape[0] + 1}")
    if values.ndim != 1:
        raise _invalid(name, f"its data has {values.ndim} dimensions instead of 1")
    if indptr[0] != 0:
        raise _invalid(name, f"its indptr begins with {indptr[0]} instead of 0")
    return Arrays(values, _index_array(X.indices, "indices", name), indptr, shape)


def checked(arrays: Arrays, name: str = "X") -> Arrays:
    """Return arrays whose indices are checked, with sorted and unique columns in each row.

    Nothing is copied unless columns are unsorted or repeated: then a copy is sorted, and the values of
    repeated ones are summed. Raise `InputError` if an index is out of range.
    """
    values, indices, indptr, shape = arrays
    if are_sound(indptr, indices, arrays.n_stored, shape[1]):
        n = int(indptr[-1])
        if len(values) == len(indices) == n:
            return arrays
        return Arrays(values[:n], indices[:n], indptr, shape)
    _check_indices(indptr, indices, arrays.n_stored, shape[1], name, "row", "column")
    n = int(indptr[-1])
    copy = sp.csr_array((values[:n], indices[:n], indptr), shape=shape, copy=True)
    copy.sum_duplicates()
    return Arrays(copy.data, copy.indices, copy.indptr, shape)


def as_csr(X: MatrixLike, name: str = "X", *, vector: bool = False) -> MatrixLike:
    """Return a sparse matrix of any format as a `checked` CSR matrix, X itself if possible.

    A one-dimensional ``vector`` becomes one row.

    >>> as_csr(sp.csr_array(([1, 2, 4], [1, 0, 1], [0, 3]), shape=(1, 2))).toarray()
    array([[2, 5]])
    """
    values, indices, indptr, shape = checked(arrays_of(X, name, vector=vector), name)
    own = (X.data, X.indices, X.indptr) if X.format == "csr" and X.shape == shape else ()
    if own and all(a is b for a, b in zip(own, (values, indices, indptr), strict=True)):
        return X
    kind = sp.csr_array if isinstance(X, sp.sparray) else sp.csr_matrix
    return kind((values, indices, indptr), shape=shape)


def as_dense(X: MatrixLike, name: str = "X") -> np.ndarray:
    """Return a sparse matrix, or anything that NumPy converts, as an array.

    >>> as_dense(sp.csr_array([[0, 5]])), as_dense([[0, 5]])
    (array([[0, 5]]), array([[0, 5]]))
    """
    check_unmasked(X, name)
    return np.asarray(as_csr(X, name).toarray() if sp.issparse(X) else X)


def _check_before_conversion(X: MatrixLike, name: str) -> None:
    """Raise InputError unless SciPy can convert the matrix to CSR without reading out of bounds."""
    if X.format == "csc":
        _check_compressed(X, X.shape[::-1], name, "column", "row")
    elif X.format == "bsr":
        blocks = np.shape(X.data)[1:]
        if len(blocks) != 2 or 0 in blocks or any(np.mod(X.shape, blocks)):
            raise _invalid(name, f"blocks of shape {blocks} do not fill a table of shape {X.shape}")
        n_blocks = (X.shape[0] // blocks[0], X.shape[1] // blocks[1])
        _check_compressed(X, n_blocks, name, "row of blocks", "column of blocks")
    elif X.format == "coo":
        for axis, (coords, size) in enumerate(zip(X.coords, X.shape, strict=True)):
            along = _index_array(coords, f"coords[{axis}]", name)
            if len(along) != len(X.data) or not _is_within(along, size):
                raise _invalid(
                    name,
                    f"its coords[{axis}] must be {len(X.data)} numbers from 0 to below {size}, one per "
                    "stored value",
                )
    elif X.format == "lil":
        sizes = [len(row) for row in X.rows]
        if len(sizes) != X.shape[0] or sizes != [len(row) for row in X.data]:
            raise _invalid(name, "some rows do not have exactly one column per value")
    elif X.format == "dia" and np.shape(X.data)[:-1] != np.shape(X.offsets):
        raise _invalid(
            name,
            f"its data has shape {np.shape(X.data)} and its offsets {np.shape(X.offsets)}, instead of "
            "one offset per row of data",
        )


def _check_compressed(
    X: MatrixLike, shape: tuple[int, int], name: str, line: str, place: str
) -> None:
    indptr, indices = (
        _index_array(X.indptr, "indptr", name),
        _index_array(X.indices, "indices", name),
    )
    if len(indptr) != shape[0] + 1:
        raise _invalid(name, f"its indptr has {len(indptr)} entries instead of {shape[0] + 1}")
    _check_indices(indptr, indices, min(len(X.data), len(indices)), shape[1], name, line, place)


def _check_indices(
    indptr: Indices, indices: Indices, n_stored: int, size: int, name: str, line: str, place: str
) -> None:
    """Raise InputError unless all lines are within the stored values, and all indices below a size."""
    if indptr[0] != 0 or indptr[-1] > n_stored or (indptr[1:] < indptr[:-1]).any():
        raise _invalid(
            name, f"its indptr must rise from 0 to at most {n_stored}, the number of stored values"
        )
    named = indices[: indptr[-1]]
    if not _is_within(named, size):
        k = int(np.flatnonzero((named < 0) | (named >= size))[0])
        i = int(np.searchsorted(indptr, k, side="right")) - 1
        raise _invalid(
            name,
            f"{line} {i} refers to {place} {named[k]}, but it has {size} of them, counted from 0",
        )


def _is_within(indices: Indices, size: int) -> bool:
    return len(indices) == 0 or bool(indices.min() >= 0 and indices.max() < size)


def _index_array(array: object, what: str, name: str) -> Indices:
    """Return an array of indices in a type that compiled loops can read, usually without a copy."""
    given = np.asarray(array)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise _invalid(
            name,
            f"its {what} must be a one-dimensional array of integers, not {given.dtype} of shape "
            f"{given.shape}",
        )
    native = given if given.dtype in _INDEX_TYPES else given.astype(np.int64)
    return np.require(native, requirements=["C", "A"])


def _invalid(name: str, why: str) -> InputError:
    return InputError(
        f"{name} is not a valid sparse matrix: {why}; build it again from its entries"
    )
