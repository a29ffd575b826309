"""Samples in memory: dense or sparse rows, which the kernels read with ``row_operations``.

A sample is a row. Each kind of rows also has a ``constant``, the value of an additional feature of every
sample: 1.0 with an intercept, 0.0 without. Weights are float64, one per feature and a last one for the
constant: so the theorems, which are about w·x alone, apply directly to the extended vectors.
"""

from typing import NamedTuple, TypeVar, cast

import numpy as np

from rosenblatt.core.checks import check_unmasked
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
"""Up to this many numbers are converted, or read again, instead of compiling more code."""


def n_rows(rows: Rows) -> int:
    """Return the number of samples."""
    if isinstance(rows, DenseRows):
        return int(rows.values.shape[0])
    return int(rows.indptr.shape[0]) - 1


def n_values(rows: Rows) -> int:
    """Return the number of stored values."""
    if isinstance(rows, DenseRows):
        return int(rows.values.size)
    return int(rows.indptr[-1]) - int(rows.indptr[0])


def part(rows: Rows, start: int, stop: int) -> Rows:
    """Return a view of the rows start <= i < stop, or to the end if there are fewer.

    >>> part(as_rows([[1, 2], [3, 4], [5, 6]], 1.0), 1, 9).values.tolist()
    [[3.0, 4.0], [5.0, 6.0]]
    """
    if isinstance(rows, DenseRows):
        return rows._replace(values=rows.values[start:stop])
    return rows._replace(indptr=rows.indptr[start : stop + 1])


def as_rows(X: MatrixLike, constant: float) -> Rows:
    """Return a 2-d array or a sparse matrix as rows, copied only if necessary.

    float32 and float64 are kept, smaller types become float32 and all others float64.

    >>> as_rows([[1, 2], [3, 4]], 1.0).values.dtype
    dtype('float64')
    """
    if is_sparse(X):
        return _csr_rows(checked(arrays_of(X)), constant)
    check_unmasked(X, "X")
    return DenseRows(_as_data(np.asarray(X)), constant)


def widened(rows: Rows) -> Rows:
    """Return small data as float64, which changes no value, and large data unchanged.

    Kernels are compiled separately for float32: for small data that is not worth the seconds it takes.

    >>> widened(as_rows(np.ones((2, 2), dtype=np.float32), 1.0)).values.dtype
    dtype('float64')
    """
    if rows.values.size > FEW:
        return rows
    return rows._replace(values=rows.values.astype(np.float64, copy=False))


def unchecked_rows(X: MatrixLike, constant: float) -> Rows:
    """Do what `as_rows` does, but leave checking each row to the reader: see ``well_formed``.

    That saves a pass over the indices. Only `predict.choose` accepts such rows.
    """
    if is_sparse(X):
        return _csr_rows(arrays_of(X), constant)
    return as_rows(X, constant)


def checked_rows(rows: Rows, n_features: int) -> Rows:
    """Return the rows, or a sorted copy; raise InputError if they are invalid: as `as_rows` does."""
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
    """Exposes the memory of a read-only array as writable, and keeps the array alive."""

    def __init__(self, array: np.ndarray) -> None:
        address, _ = array.__array_interface__["data"]
        self.__array_interface__ = {**array.__array_interface__, "data": (address, False)}
        self._array = array


def _unflagged(array: Stored) -> Stored:
    """Return a read-only array, such as a memory map, as a writable view.

    No kernel writes to samples. For Numba read-only arrays are another type, for which everything would
    be compiled again: 12 s at the first fit on a memory map.
    """
    return array if array.flags.writeable else cast("Stored", np.asarray(_Memory(array)))
