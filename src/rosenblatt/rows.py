"""How samples lie in memory: the one file that knows dense from sparse.

A sample is a row. Each kind of rows also carries ``constant``, the value of the feature that every
sample has beside its own: 1.0 with an intercept, 0.0 without. Weights are float64, one per feature
and one more, the last, for the constant: so the theorems, which speak of w·x alone, apply as they
stand to the extended vectors.

Kernels use ten primitives, written once for each kind of rows and chosen by type at compile time:

- ``dot(rows, i, weights)``: the score of row i, in floats;
- ``size(rows, i, weights)``: the sum of the magnitudes of that score's terms, in floats;
- ``axpy(rows, i, step, weights)``: ``weights += step * row``, one rounded product and one rounded
  addition for each coordinate, never fused, so that every machine gives the same bits;
- ``accumulate(rows, i, weights, sign, digits)``: the exact score, see ``exact``;
- ``dot_sq(rows, i, weights)``: the score and the squared length of the extended row, in floats;
- ``fits(rows, i, weights)``: whether the row has only columns that the weights have;
- ``length(rows, i)``: the length of the extended row, the same bits for every kind of rows;
- ``extent(rows, i)``: how many numbers the extended row has, and the sum of their squares, in floats;
- ``well_formed(rows, i, weights)``: like ``fits``, and trusting nothing: each column once, in order;
- ``prefetch(rows, i)``: no result; a hint that row i comes soon.

``dot``, ``dot_sq``, ``size`` and ``extent`` may sum in any order (several lanes): they measure, they do
not decide.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numba.extending import overload, register_jitable

from rosenblatt.errors import InputError
from rosenblatt.exact import add_product
from rosenblatt.prefetch import CACHE_LINE, prefetch_item
from rosenblatt.typing import Counts, Data, Floats

# Reordering lets the compiler use several lanes; NaN and infinity keep their meaning. Sparse scores
# are left in order: the compiler would turn them into hardware gathers, which are slower.
_ANY_ORDER: dict[str, Any] = {"fastmath": {"reassoc", "contract", "nsz"}}


class DenseRows(NamedTuple):
    """Rows of a C-ordered array."""

    values: Data
    constant: float


class CSRRows(NamedTuple):
    """Rows of a compressed sparse row matrix, each index at most once in a row."""

    values: Data
    indices: Any
    indptr: Any
    constant: float


Rows = DenseRows | CSRRows


def n_rows(rows: Rows) -> int:
    """Return the number of samples."""
    if isinstance(rows, DenseRows):
        return int(rows.values.shape[0])
    return int(rows.indptr.shape[0]) - 1


def is_sparse(X: Any) -> bool:
    """Say whether X is one of SciPy's sparse matrices or arrays."""
    return bool(sp.issparse(X))


def as_rows(X: Any, constant: float) -> Rows:
    """View a 2-d array or a sparse matrix as rows; what is stored well already is not copied.

    float32 and float64 stay as they are, smaller numbers become float32 and all others float64.

    >>> as_rows([[1, 2], [3, 4]], 1.0).values.dtype
    dtype('float64')
    """
    if is_sparse(X):
        matrix = X.tocsr()
        _check_indptr(matrix)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        return CSRRows(_as_data(matrix.data), matrix.indices, matrix.indptr, constant)
    return DenseRows(_as_data(np.asarray(X)), constant)


def _check_indptr(matrix: Any) -> None:
    """Raise unless the rows of a CSR matrix lie within its arrays, in order."""
    indptr, stored = matrix.indptr, min(len(matrix.indices), len(matrix.data))
    if indptr[0] != 0 or indptr[-1] > stored or (indptr[1:] < indptr[:-1]).any():
        raise InputError("X is no valid CSR matrix: its indptr must rise from 0 to what is stored")


def _as_data(values: Any) -> Data:
    small = np.can_cast(values.dtype, np.float32, "safe")
    if small:
        return np.ascontiguousarray(values, dtype=np.float32)
    return np.ascontiguousarray(values, dtype=np.float64)


# Indices are unsigned in the loops over sparse rows: for signed ones the compiler would allow for
# counting from the end, at every access.
_place = np.uint64
_ONE, _TWO, _THREE, _FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)


@register_jitable
def _span(rows: CSRRows, i: int) -> tuple[np.uint64, np.uint64]:
    """Return where row i begins and ends."""
    return np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])


def _dot_dense(rows: DenseRows, i: int, weights: Floats) -> float:
    values = rows.values
    score: float = rows.constant * weights[-1]
    for j in range(values.shape[1]):
        score += values[i, j] * weights[j]
    return score


def _dot_csr(rows: CSRRows, i: int, weights: Floats) -> float:
    # Four written lanes, so that an addition need not wait for the one before it.
    values, indices = rows.values, rows.indices
    k, end = _span(rows, i)
    a: float = rows.constant * weights[-1]
    b = c = d = 0.0
    while k + _FOUR <= end:
        a += values[k] * weights[_place(indices[k])]
        b += values[k + _ONE] * weights[_place(indices[k + _ONE])]
        c += values[k + _TWO] * weights[_place(indices[k + _TWO])]
        d += values[k + _THREE] * weights[_place(indices[k + _THREE])]
        k += _FOUR
    while k < end:
        a += values[k] * weights[_place(indices[k])]
        k += _ONE
    return (a + b) + (c + d)


def _size_dense(rows: DenseRows, i: int, weights: Floats) -> float:
    values = rows.values
    total: float = abs(rows.constant * weights[-1])
    for j in range(values.shape[1]):
        total += abs(values[i, j] * weights[j])
    return total


def _size_csr(rows: CSRRows, i: int, weights: Floats) -> float:
    total: float = abs(rows.constant * weights[-1])
    start, end = _span(rows, i)
    for k in range(start, end):
        total += abs(rows.values[k] * weights[_place(rows.indices[k])])
    return total


def _axpy_dense(rows: DenseRows, i: int, step: float, weights: Floats) -> None:
    row = rows.values[i]
    for j in range(row.shape[0]):
        weights[j] += step * row[j]
    weights[-1] += step * rows.constant


def _axpy_csr(rows: CSRRows, i: int, step: float, weights: Floats) -> None:
    start, end = _span(rows, i)
    for k in range(start, end):
        weights[_place(rows.indices[k])] += step * rows.values[k]
    weights[-1] += step * rows.constant


def _accumulate_dense(
    rows: DenseRows, i: int, weights: Floats, sign: float, digits: Counts
) -> None:
    row = rows.values[i]
    for j in range(row.shape[0]):
        add_product(digits, np.float64(row[j]), sign * weights[j])
    add_product(digits, rows.constant, sign * weights[-1])


def _accumulate_csr(rows: CSRRows, i: int, weights: Floats, sign: float, digits: Counts) -> None:
    start, end = _span(rows, i)
    for k in range(start, end):
        add_product(digits, np.float64(rows.values[k]), sign * weights[_place(rows.indices[k])])
    add_product(digits, rows.constant, sign * weights[-1])


def _dot_sq_dense(rows: DenseRows, i: int, weights: Floats) -> tuple[float, float]:
    values = rows.values
    score = rows.constant * weights[-1]
    squares = rows.constant * rows.constant
    for j in range(values.shape[1]):
        value = np.float64(values[i, j])
        score += value * weights[j]
        squares += value * value
    return score, squares


def _dot_sq_csr(rows: CSRRows, i: int, weights: Floats) -> tuple[float, float]:
    # Two loops: the squares, which lie side by side, can use all lanes.
    start, end = _span(rows, i)
    return dot(rows, i, weights), _squares(rows.values, start, end, rows.constant)


@register_jitable(forceinline=True, **_ANY_ORDER)
def _squares(values: Data, start: Any, end: Any, constant: float) -> float:
    total: float = constant * constant
    for k in range(start, end):
        value = np.float64(values[k])
        total += value * value
    return total


def _fits_dense(rows: DenseRows, _i: int, weights: Floats) -> bool:
    return bool(rows.values.shape[1] == weights.shape[0] - 1)


def _fits_csr(rows: CSRRows, i: int, weights: Floats) -> bool:
    # Indices ascend in a row, so its ends tell; they are about to be read anyway.
    start, end = rows.indptr[i], rows.indptr[i + 1]
    return bool(
        start == end or (rows.indices[start] >= 0 and rows.indices[end - 1] < weights.shape[0] - 1)
    )


def _length_dense(rows: DenseRows, i: int) -> float:
    return _length(rows.values[i], rows.constant)


def _length_csr(rows: CSRRows, i: int) -> float:
    return _length(rows.values[rows.indptr[i] : rows.indptr[i + 1]], rows.constant)


@register_jitable
def _length(values: Data, constant: float) -> float:
    """Return the length of the values and the constant, summed in order; zeros change no bit of it.

    A power of two brings the largest value near 1, so that squares neither overflow nor vanish. A value
    that is not finite is what is returned.
    """
    largest = abs(constant)
    for k in range(values.shape[0]):
        size_k = np.float64(abs(values[k]))
        if not size_k < np.inf:
            return size_k
        largest = max(largest, size_k)
    if largest == 0.0:
        return largest
    exponent = max(math.frexp(largest)[1], -1000)
    scale = math.ldexp(1.0, -exponent)
    total = 0.0
    for k in range(values.shape[0]):
        part = values[k] * scale
        total += part * part
    total += (constant * scale) ** 2
    return math.ldexp(math.sqrt(total), exponent)


def _extent_dense(rows: DenseRows, i: int) -> tuple[int, float]:
    row = rows.values[i]
    return row.shape[0] + 1, _squares(row, 0, row.shape[0], rows.constant)


def _extent_csr(rows: CSRRows, i: int) -> tuple[int, float]:
    start, end = rows.indptr[i], rows.indptr[i + 1]
    return end - start + 1, _squares(rows.values, start, end, rows.constant)


def _well_formed_csr(rows: CSRRows, i: int, weights: Floats) -> bool:
    start, end = rows.indptr[i], rows.indptr[i + 1]
    if start < 0 or start > end or end > min(rows.indices.shape[0], rows.values.shape[0]):
        return False
    last = -1
    for k in range(start, end):
        if rows.indices[k] <= last:
            return False
        last = rows.indices[k]
    return bool(last < weights.shape[0] - 1)


def _prefetch_dense(rows: DenseRows, i: int) -> None:
    values = rows.values
    start = i * values.shape[1]
    for j in range(0, values.shape[1], CACHE_LINE // values.itemsize):
        prefetch_item(values, start + j)


def _prefetch_csr(rows: CSRRows, i: int) -> None:
    for k in range(rows.indptr[i], rows.indptr[i + 1], 16):
        prefetch_item(rows.values, k)
        prefetch_item(rows.indices, k)


def prefetch(rows: Rows, i: int) -> None:
    """Ask for row i, to be visited soon; in plain Python there is nothing to ask."""


def dot(rows: Rows, i: int, weights: Floats) -> float:
    """Return the float score of row i."""
    score: float = _DOT[type(rows)](rows, i, weights)
    return score


def size(rows: Rows, i: int, weights: Floats) -> float:
    """Return the sum of the magnitudes of the terms of row i's score."""
    total: float = _SIZE[type(rows)](rows, i, weights)
    return total


def axpy(rows: Rows, i: int, step: float, weights: Floats) -> None:
    """Add ``step`` times row i to the weights in place."""
    _AXPY[type(rows)](rows, i, step, weights)


def accumulate(rows: Rows, i: int, weights: Floats, sign: float, digits: Counts) -> None:
    """Add ``sign`` (+1.0 or -1.0) times the exact score of row i to the digits in place."""
    _ACCUMULATE[type(rows)](rows, i, weights, sign, digits)


def dot_sq(rows: Rows, i: int, weights: Floats) -> tuple[float, float]:
    """Return the float score of row i and the squared length of the extended row."""
    both: tuple[float, float] = _DOT_SQ[type(rows)](rows, i, weights)
    return both


def fits(rows: Rows, i: int, weights: Floats) -> bool:
    """Say whether row i has no column that the weights do not have."""
    result: bool = _FITS[type(rows)](rows, i, weights)
    return result


def length(rows: Rows, i: int) -> float:
    """Return the length of the extended row i."""
    result: float = _LENGTH[type(rows)](rows, i)
    return result


def extent(rows: Rows, i: int) -> tuple[int, float]:
    """Return how many numbers the extended row i stores, and the sum of their squares."""
    both: tuple[int, float] = _EXTENT[type(rows)](rows, i)
    return both


def well_formed(rows: Rows, i: int, weights: Floats) -> bool:
    """Say whether row i names columns that the weights have, each at most once, in order."""
    result: bool = _WELL_FORMED[type(rows)](rows, i, weights)
    return result


_Implementations = dict[type, Callable[..., Any]]
_DOT: _Implementations = {DenseRows: _dot_dense, CSRRows: _dot_csr}
_SIZE: _Implementations = {DenseRows: _size_dense, CSRRows: _size_csr}
_AXPY: _Implementations = {DenseRows: _axpy_dense, CSRRows: _axpy_csr}
_ACCUMULATE: _Implementations = {DenseRows: _accumulate_dense, CSRRows: _accumulate_csr}
_DOT_SQ: _Implementations = {DenseRows: _dot_sq_dense, CSRRows: _dot_sq_csr}
_PREFETCH: _Implementations = {DenseRows: _prefetch_dense, CSRRows: _prefetch_csr}
_FITS: _Implementations = {DenseRows: _fits_dense, CSRRows: _fits_csr}
_LENGTH: _Implementations = {DenseRows: _length_dense, CSRRows: _length_csr}
_EXTENT: _Implementations = {DenseRows: _extent_dense, CSRRows: _extent_csr}
_WELL_FORMED: _Implementations = {DenseRows: _fits_dense, CSRRows: _well_formed_csr}


def implement(primitive: Callable[..., Any], implementations: _Implementations) -> None:
    """Tell the compiler which implementation a primitive has for which kind of rows."""
    for kind, implementation in implementations.items():
        _compile_for(primitive, kind, implementation)


def _compile_for(primitive: Callable[..., Any], kind: type, chosen: Callable[..., Any]) -> None:
    dense = chosen in (_dot_dense, _dot_sq_dense, _size_dense)
    options: Any = _ANY_ORDER if dense else {"forceinline": kind is CSRRows}

    @overload(primitive, jit_options=options, strict=False)
    def choose(rows: Any, *_arguments: Any) -> Callable[..., Any] | None:
        return chosen if rows.instance_class is kind else None


implement(dot, _DOT)
implement(size, _SIZE)
implement(axpy, _AXPY)
implement(accumulate, _ACCUMULATE)
implement(dot_sq, _DOT_SQ)
implement(fits, _FITS)
implement(length, _LENGTH)
implement(extent, _EXTENT)
implement(well_formed, _WELL_FORMED)
implement(prefetch, _PREFETCH)
