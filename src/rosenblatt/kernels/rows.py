"""How samples lie in memory: dense or sparse rows, which the kernels read by ``row_operations``.

A sample is a row. Each kind of rows also carries ``constant``, the value of the feature that every
sample has beside its own: 1.0 with an intercept, 0.0 without. Weights are float64, one per feature
and one more, the last, for the constant: so the theorems, which are about w·x alone, apply to the
extended vectors as they are.
"""

from typing import NamedTuple, TypeVar, cast

import numpy as np

from rosenblatt.core.types import Data, Indices, MatrixLike, is_sparse
from rosenblatt.kernels.sparse_input import Arrays, arrays_of, checked

Stored = TypeVar("Stored", bound=np.ndarray)


class DenseRows(NamedTuple):
    """Rows of a C-ordered array."""

    values: Data
    constant: float


class CSRRows(NamedTuple):
    """Rows of a compressed sparse row matrix, each index at most once in a row."""

    values: Data
    indices: Indices
    indptr: Indices
    constant: float


Rows = DenseRows | CSRRows

FEW = 1_000_000
"""Numbers that are few: they are copied, or read once more, rather than compiled for."""


def n_rows(rows: Rows) -> int:
    """Return the number of samples."""
    if isinstance(rows, DenseRows):
        return int(rows.values.shape[0])
    return int(rows.indptr.shape[0]) - 1


def n_values(rows: Rows) -> int:
    """Return how many numbers are stored for the samples."""
    if isinstance(rows, DenseRows):
        return int(rows.values.size)
    return int(rows.indptr[-1]) - int(rows.indptr[0])


def part(rows: Rows, start: int, stop: int) -> Rows:
    """View the rows start <= i < stop, or to the end if there are fewer.

    >>> part(as_rows([[1, 2], [3, 4], [5, 6]], 1.0), 1, 9).values.tolist()
    [[3.0, 4.0], [5.0, 6.0]]
    """
    if isinstance(rows, DenseRows):
        return rows._replace(values=rows.values[start:stop])
    return rows._replace(indptr=rows.indptr[start : stop + 1])


def as_rows(X: MatrixLike, constant: float) -> Rows:
    """View a 2-d array or a sparse matrix as rows; what is stored well already is not copied.

    float32 and float64 stay as they are, smaller numbers become float32 and all others float64.

    >>> as_rows([[1, 2], [3, 4]], 1.0).values.dtype
    dtype('float64')
    """
    if is_sparse(X):
        return _csr_rows(checked(arrays_of(X)), constant)
    return DenseRows(_as_data(np.asarray(X)), constant)


def widened(rows: Rows) -> Rows:
    """Return few samples in float64, which changes no number, and many as they are.

    What reads float32 is compiled apart: a few samples are not worth the seconds that takes.

    >>> widened(as_rows(np.ones((2, 2), dtype=np.float32), 1.0)).values.dtype
    dtype('float64')
    """
    if rows.values.size > FEW:
        return rows
    return rows._replace(values=rows.values.astype(np.float64, copy=False))


def unchecked_rows(X: MatrixLike, constant: float) -> Rows:
    """Do what `as_rows` does, but leave the check of each row to its reader: see ``well_formed``.

    That saves a pass over the indices. The rows may go to `predict.choose`, and to nothing else.
    """
    if is_sparse(X):
        return _csr_rows(arrays_of(X), constant)
    return as_rows(X, constant)


def checked_rows(rows: Rows, n_features: int) -> Rows:
    """Check all rows; return them, or a copy in order, or raise: as `as_rows` does."""
    if isinstance(rows, DenseRows):
        return rows
    shape = (n_rows(rows), n_features)
    arrays = Arrays(rows.values, rows.indices, rows.indptr, shape)
    found = checked(arrays)
    return rows if found is arrays else _csr_rows(found, rows.constant)


def _csr_rows(arrays: Arrays, constant: float) -> CSRRows:
    values, indices, indptr = _as_data(arrays.values), arrays.indices, arrays.indptr
    return CSRRows(values, _unflagged(indices), _unflagged(indptr), constant)


def _as_data(values: np.ndarray) -> Data:
    small = np.can_cast(values.dtype, np.float32, "safe")
    kind: type = np.float32 if small else np.float64
    return _unflagged(np.require(values, dtype=kind, requirements=["C", "A"]))


class _Memory:
    """Shows the memory of an array, and keeps it, without the flag that forbids to write to it."""

    def __init__(self, array: np.ndarray) -> None:
        address, _ = array.__array_interface__["data"]
        self.__array_interface__ = {**array.__array_interface__, "data": (address, False)}
        self._array = array


def _unflagged(array: Stored) -> Stored:
    """View an array that must not be written to, as memory maps often are, as any other.

    No kernel writes to samples. To Numba such arrays are another type, for which everything would be
    compiled again: 12 s at the first fit of a process that was handed a memory map.
    """
    return array if array.flags.writeable else cast("Stored", np.asarray(_Memory(array)))
