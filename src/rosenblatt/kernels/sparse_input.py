"""Sparse matrices whose every index was checked.

Compiled loops, ours and SciPy's, check no bounds. SciPy builds matrices whose indices lie outside of
them, and remembers of a matrix that it was in order even when its arrays have changed since. So what
comes in sparse is `checked`, or goes through a loop that asks `is_sound_row` before it reads
a row: nothing that SciPy remembers is believed.

This holds for arrays that do not change while they are read: a thread that writes to a matrix in the
meantime can undo any check.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numba.extending import register_jitable

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Indices, MatrixLike
from rosenblatt.kernels.compiled import compiled

_ONE = np.uint64(1)
_PLACES = (np.dtype(np.int32), np.dtype(np.int64))

_ROWS_AT_ONCE = 64  # their indices stay in the nearest cache


@register_jitable(forceinline=True)
def is_sound_row(indptr: Indices, indices: Indices, n_stored: int, i: int, n_columns: int) -> bool:
    """Say whether row i lies within what is stored, and its columns ascend from 0 to below n_columns."""
    start, end = indptr[i], indptr[i + 1]
    if start < 0 or start > end or end > n_stored:
        return False
    if start == end:
        return True
    # Without an exit the compiler compares many at once; where all ascend, the ends tell the rest.
    ascends = True
    for k in range(np.uint64(start), np.uint64(end) - _ONE):
        ascends &= indices[k] < indices[k + _ONE]
    return bool(ascends and indices[start] >= 0 and indices[end - 1] < n_columns)


@compiled(nogil=True)
def are_sound(indptr: Indices, indices: Indices, n_stored: int, n_columns: int) -> bool:
    """Say whether `is_sound_row` is true of every row.

    Where the columns ascend in each row, they fall only from one row to the next. So falls are counted
    over many rows at once, by long vectors, and those between rows are taken off: that takes two thirds
    of the time of checking row after row.
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
    """The arrays of a CSR matrix as compiled loops can read them: their indices are not checked yet."""

    values: np.ndarray
    indices: Indices
    indptr: Indices
    shape: tuple[int, int]

    @property
    def n_stored(self) -> int:
        """How many numbers there are, whether or not they belong to a row."""
        return min(len(self.values), len(self.indices))


def arrays_of(X: MatrixLike, name: str = "X", *, vector: bool = False) -> Arrays:
    """View a sparse matrix of any format as the arrays of a CSR matrix; a ``vector`` becomes one row.

    >>> arrays_of(sp.csc_array([[0, 5], [7, 0]])).indices
    array([1, 0], dtype=int32)
    """
    if len(X.shape) != 2 and not (vector and len(X.shape) == 1):
        raise InputError(f"{name} has shape {X.shape}: give a table, one row for each sample")
    if X.format != "csr":
        _check_before_conversion(X, name)
        X = (X.astype(np.float32) if X.dtype == np.float16 else X).tocsr()
    shape = (int(X.shape[0]), int(X.shape[1])) if len(X.shape) == 2 else (1, int(X.shape[0]))
    indptr, values = _places(X.indptr, "indptr", name), np.asarray(X.data)
    # SciPy has no arithmetic for float16.
    values = values.astype(np.float32) if values.dtype == np.float16 else values
    if len(indptr) != shape[0] + 1:
        raise _invalid(name, f"its indptr has {len(indptr)} numbers where {shape[0] + 1} belong")
    if values.ndim != 1:
        raise _invalid(name, f"its data has {values.ndim} dimensions where 1 belongs")
    if indptr[0] != 0:
        raise _invalid(name, f"its indptr begins with {indptr[0]} where 0 belongs")
    return Arrays(values, _places(X.indices, "indices", name), indptr, shape)


def checked(arrays: Arrays, name: str = "X") -> Arrays:
    """Check every index; return arrays in which each number belongs to a row, its columns in order.

    Nothing is copied unless columns are out of order or occur several times: then they are sorted, and
    their values summed, in a copy. An index that lies outside is an `InputError`.
    """
    values, indices, indptr, shape = arrays
    if are_sound(indptr, indices, arrays.n_stored, shape[1]):
        n = int(indptr[-1])
        if len(values) == len(indices) == n:
            return arrays
        return Arrays(values[:n], indices[:n], indptr, shape)
    _check_places(indptr, indices, arrays.n_stored, shape[1], name, "row", "column")
    n = int(indptr[-1])
    tidy = sp.csr_array((values[:n], indices[:n], indptr), shape=shape, copy=True)
    tidy.sum_duplicates()
    return Arrays(tidy.data, tidy.indices, tidy.indptr, shape)


def as_csr(X: MatrixLike, name: str = "X", *, vector: bool = False) -> MatrixLike:
    """Return a sparse matrix of any format as a CSR matrix that was `checked`: X itself if it can be.

    A ``vector`` of one dimension becomes one row.

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
    """Return a sparse matrix as an array, and anything else as NumPy makes an array of it.

    >>> as_dense(sp.csr_array([[0, 5]])), as_dense([[0, 5]])
    (array([[0, 5]]), array([[0, 5]]))
    """
    return np.asarray(as_csr(X, name).toarray() if sp.issparse(X) else X)


def _check_before_conversion(X: MatrixLike, name: str) -> None:
    """Raise unless SciPy can convert the matrix to CSR without reaching outside of its arrays."""
    if X.format == "csc":
        _check_compressed(X, X.shape[::-1], name, "column", "row")
    elif X.format == "bsr":
        blocks = np.shape(X.data)[1:]
        if len(blocks) != 2 or 0 in blocks or any(np.mod(X.shape, blocks)):
            raise _invalid(name, f"blocks of shape {blocks} do not fill a table of shape {X.shape}")
        n_blocks = (X.shape[0] // blocks[0], X.shape[1] // blocks[1])
        _check_compressed(X, n_blocks, name, "row of blocks", "column of blocks")
    elif X.format == "coo":
        for axis, (places, size) in enumerate(zip(X.coords, X.shape, strict=True)):
            along = _places(places, f"coords[{axis}]", name)
            if len(along) != len(X.data) or not _is_within(along, size):
                raise _invalid(
                    name,
                    f"its coords[{axis}] must be {len(X.data)} numbers from 0 to below {size}, one for "
                    "each number that is stored",
                )
    elif X.format == "lil":
        sizes = [len(row) for row in X.rows]
        if len(sizes) != X.shape[0] or sizes != [len(row) for row in X.data]:
            raise _invalid(name, "it has not one column for each number, in each of its rows")
    elif X.format == "dia" and np.shape(X.data)[:-1] != np.shape(X.offsets):
        raise _invalid(
            name,
            f"its data has shape {np.shape(X.data)} and its offsets {np.shape(X.offsets)}, where one "
            "offset for each line of data belongs",
        )


def _check_compressed(
    X: MatrixLike, shape: tuple[int, int], name: str, line: str, place: str
) -> None:
    indptr, indices = _places(X.indptr, "indptr", name), _places(X.indices, "indices", name)
    if len(indptr) != shape[0] + 1:
        raise _invalid(name, f"its indptr has {len(indptr)} numbers where {shape[0] + 1} belong")
    _check_places(indptr, indices, min(len(X.data), len(indices)), shape[1], name, line, place)


def _check_places(
    indptr: Indices, indices: Indices, n_stored: int, size: int, name: str, line: str, place: str
) -> None:
    """Raise unless all lines lie within what is stored, and name only places below a size."""
    if indptr[0] != 0 or indptr[-1] > n_stored or (indptr[1:] < indptr[:-1]).any():
        raise _invalid(
            name, f"its indptr must rise from 0 to at most {n_stored}, the numbers it has stored"
        )
    named = indices[: indptr[-1]]
    if not _is_within(named, size):
        k = int(np.flatnonzero((named < 0) | (named >= size))[0])
        i = int(np.searchsorted(indptr, k, side="right")) - 1
        raise _invalid(
            name, f"{line} {i} names {place} {named[k]}, but it has {size} of them, counted from 0"
        )


def _is_within(places: Indices, size: int) -> bool:
    return len(places) == 0 or bool(places.min() >= 0 and places.max() < size)


def _places(array: object, what: str, name: str) -> Indices:
    """Return an array of indices as one that compiled loops read: most often it is one already."""
    given = np.asarray(array)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise _invalid(
            name,
            f"its {what} is an array of {given.dtype} of shape {given.shape}, not of whole numbers",
        )
    native = given if given.dtype in _PLACES else given.astype(np.int64)
    return np.require(native, requirements=["C", "A"])


def _invalid(name: str, why: str) -> InputError:
    return InputError(
        f"{name} is not a valid sparse matrix: {why}; build it again from its entries"
    )
