"""Building of a dense or sparse matrix from the entries of encoded columns."""

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rosenblatt.core.types import Floats
from rosenblatt.tables.columns import Category, Entries, Number

Encoded = Floats | sp.csr_matrix
"""Samples as numbers."""

# Rows that are built at a time: few enough to stay in a processor's cache.
_BATCH = 2**12
# A sparse entry also costs an index, and scattered reads of the weights.
_SPARSE_BELOW = 0.25


def pays_sparse(columns: Sequence[Number | Category]) -> bool:
    """Return whether a sparse matrix is smaller and faster than a dense one."""
    width = sum(column.width for column in columns)
    return width > 0 and len(columns) < _SPARSE_BELOW * width


def encoded_matrix(
    columns: Sequence[Number | Category], entries: Sequence[Sequence[Entries]], n_rows: int
) -> Encoded:
    """Return the matrix of all columns' entries, sparse if that is smaller."""
    firsts = np.cumsum([0, *(column.width for column in columns)]).tolist()
    placed = [(first, own) for first, some in zip(firsts, entries, strict=False) for own in some]
    make = sparse_matrix if pays_sparse(columns) else dense_matrix
    return make(placed, n_rows, firsts[-1])


def dense_matrix(placed: Sequence[tuple[int, Entries]], n_rows: int, width: int) -> Floats:
    """Return a dense matrix; ``placed`` pairs entries with their first encoded column."""
    X = np.zeros((n_rows, width))
    for start in range(0, n_rows, _BATCH):
        rows = X[start : start + _BATCH]
        for first, (places, values) in placed:
            own = values if isinstance(values, float) else values[start : start + _BATCH]
            if isinstance(places, int):
                rows[:, first + places] = own
            else:
                where = places[start : start + _BATCH]
                (kept,) = np.nonzero(where >= 0)
                rows[kept, first + where[kept]] = own if isinstance(own, float) else own[kept]
    return X


def sparse_matrix(placed: Sequence[tuple[int, Entries]], n_rows: int, width: int) -> sp.csr_matrix:
    """Return a CSR matrix with sorted indices and without zeros."""
    # the largest possible size: pages that are never written take no memory
    indices = np.empty(n_rows * len(placed), np.int32)
    data = np.empty(n_rows * len(placed))
    ends = np.zeros(n_rows + 1, np.int64)
    n_entries = 0
    for start in range(0, n_rows, _BATCH):
        n = min(_BATCH, n_rows - start)
        places, values = np.empty((n, len(placed)), np.int32), np.empty((n, len(placed)))
        for slot, (first, own) in enumerate(placed):
            _put(own, slice(start, start + n), first, places[:, slot], values[:, slot])
        kept = (places >= 0) & (values != 0.0)
        end = n_entries + int(np.count_nonzero(kept))
        indices[n_entries:end], data[n_entries:end] = places[kept], values[kept]
        ends[start + 1 : start + n + 1] = n_entries + np.cumsum(np.count_nonzero(kept, axis=1))
        n_entries = end
    parts = (data[:n_entries], indices[:n_entries], ends)
    return sp.csr_matrix(parts, shape=(n_rows, width), copy=False)


def _put(own: Entries, rows: slice, first: int, places: NDArray[np.int32], values: Floats) -> None:
    """Write the columns and values of some rows' entries; -1 means no entry."""
    values[:] = own.values if isinstance(own.values, float) else own.values[rows]
    if isinstance(own.places, int):
        places[:] = first + own.places
    else:
        some = own.places[rows]
        np.add(some, first, out=places)
        places[some < 0] = -1
