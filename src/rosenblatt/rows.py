"""How samples lie in memory: the one file that knows dense from sparse.

A sample is a row. Each kind of rows also carries ``constant``, the value of the feature that every
sample has beside its own: 1.0 with an intercept, 0.0 without. Weights are float64, one per feature
and one more, the last, for the constant: so the theorems, which speak of w·x alone, apply as they
stand to the extended vectors.

Kernels use five primitives, written once for each kind of rows and chosen by type at compile time:

- ``dot(rows, i, weights)``: the score of row i and the sum of its terms' magnitudes, in floats;
- ``axpy(rows, i, step, weights)``: ``weights += step * row``, one rounded product and one rounded
  addition for each coordinate, never fused, so that every machine gives the same bits;
- ``accumulate(rows, i, weights, sign, digits)``: the exact score, see ``exact``;
- ``sq_norm(rows, i, step)``: the squared length of ``step`` times the extended row;
- ``length(rows, i)``: the length of the extended row, the same bits for every kind of rows.

Only ``dot`` and ``sq_norm`` may sum in any order (several lanes): they measure, they do not decide.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numba.extending import overload, register_jitable

from rosenblatt.exact import add_product
from rosenblatt.typing import Counts, Data, Floats

# Reordering lets the compiler use several lanes. NaN and infinity keep their meaning.
_ANY_ORDER = {"fastmath": {"reassoc", "contract", "nsz"}}


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
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        return CSRRows(_as_data(matrix.data), matrix.indices, matrix.indptr, constant)
    return DenseRows(_as_data(np.asarray(X)), constant)


def _as_data(values: Any) -> Data:
    small = np.can_cast(values.dtype, np.float32, "safe")
    if small:
        return np.ascontiguousarray(values, dtype=np.float32)
    return np.ascontiguousarray(values, dtype=np.float64)


def _dot_dense(rows: DenseRows, i: int, weights: Floats) -> tuple[float, float]:
    values = rows.values
    score = rows.constant * weights[-1]
    size = abs(score)
    for j in range(values.shape[1]):
        term = values[i, j] * weights[j]
        score += term
        size += abs(term)
    return score, size


def _dot_csr(rows: CSRRows, i: int, weights: Floats) -> tuple[float, float]:
    # Four written lanes: left to itself, the compiler makes a hardware gather, which is slower.
    values, indices = rows.values, rows.indices
    end = rows.indptr[i + 1]
    k = rows.indptr[i]
    score_a = rows.constant * weights[-1]
    size_a = abs(score_a)
    score_b = score_c = score_d = 0.0
    size_b = size_c = size_d = 0.0
    while k + 4 <= end:
        term_a = values[k] * weights[indices[k]]
        term_b = values[k + 1] * weights[indices[k + 1]]
        term_c = values[k + 2] * weights[indices[k + 2]]
        term_d = values[k + 3] * weights[indices[k + 3]]
        score_a += term_a
        score_b += term_b
        score_c += term_c
        score_d += term_d
        size_a += abs(term_a)
        size_b += abs(term_b)
        size_c += abs(term_c)
        size_d += abs(term_d)
        k += 4
    while k < end:
        term_a = values[k] * weights[indices[k]]
        score_a += term_a
        size_a += abs(term_a)
        k += 1
    return (score_a + score_b) + (score_c + score_d), (size_a + size_b) + (size_c + size_d)


def _axpy_dense(rows: DenseRows, i: int, step: float, weights: Floats) -> None:
    row = rows.values[i]
    for j in range(row.shape[0]):
        weights[j] += step * row[j]
    weights[-1] += step * rows.constant


def _axpy_csr(rows: CSRRows, i: int, step: float, weights: Floats) -> None:
    for k in range(rows.indptr[i], rows.indptr[i + 1]):
        weights[rows.indices[k]] += step * rows.values[k]
    weights[-1] += step * rows.constant


def _accumulate_dense(
    rows: DenseRows, i: int, weights: Floats, sign: float, digits: Counts
) -> None:
    row = rows.values[i]
    for j in range(row.shape[0]):
        add_product(digits, np.float64(row[j]), sign * weights[j])
    add_product(digits, rows.constant, sign * weights[-1])


def _accumulate_csr(rows: CSRRows, i: int, weights: Floats, sign: float, digits: Counts) -> None:
    for k in range(rows.indptr[i], rows.indptr[i + 1]):
        add_product(digits, np.float64(rows.values[k]), sign * weights[rows.indices[k]])
    add_product(digits, rows.constant, sign * weights[-1])


def _sq_norm_dense(rows: DenseRows, i: int, step: float) -> float:
    values = rows.values
    total = (step * rows.constant) ** 2
    for j in range(values.shape[1]):
        part = step * values[i, j]
        total += part * part
    return total


def _sq_norm_csr(rows: CSRRows, i: int, step: float) -> float:
    total = (step * rows.constant) ** 2
    for k in range(rows.indptr[i], rows.indptr[i + 1]):
        part = step * rows.values[k]
        total += part * part
    return total


def _length_dense(rows: DenseRows, i: int) -> float:
    return _length(rows.values[i], rows.constant)


def _length_csr(rows: CSRRows, i: int) -> float:
    return _length(rows.values[rows.indptr[i] : rows.indptr[i + 1]], rows.constant)


@register_jitable
def _length(values: Data, constant: float) -> float:
    """Return the length of the values and the constant, summed in order; zeros change no bit of it.

    A power of two brings the largest value near 1, so that squares neither overflow nor vanish.
    """
    largest = abs(constant)
    for k in range(values.shape[0]):
        largest = max(largest, np.float64(abs(values[k])))
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


def dot(rows: Rows, i: int, weights: Floats) -> tuple[float, float]:
    """Return the float score of row i and the sum of the magnitudes of its terms."""
    score_and_size: tuple[float, float] = _DOT[type(rows)](rows, i, weights)
    return score_and_size


def axpy(rows: Rows, i: int, step: float, weights: Floats) -> None:
    """Add ``step`` times row i to the weights in place."""
    _AXPY[type(rows)](rows, i, step, weights)


def accumulate(rows: Rows, i: int, weights: Floats, sign: float, digits: Counts) -> None:
    """Add ``sign`` (+1.0 or -1.0) times the exact score of row i to the digits in place."""
    _ACCUMULATE[type(rows)](rows, i, weights, sign, digits)


def sq_norm(rows: Rows, i: int, step: float) -> float:
    """Return the squared length of ``step`` times the extended row i."""
    total: float = _SQ_NORM[type(rows)](rows, i, step)
    return total


def length(rows: Rows, i: int) -> float:
    """Return the length of the extended row i."""
    result: float = _LENGTH[type(rows)](rows, i)
    return result


_Implementations = dict[type, Callable[..., Any]]
_DOT: _Implementations = {DenseRows: _dot_dense, CSRRows: _dot_csr}
_AXPY: _Implementations = {DenseRows: _axpy_dense, CSRRows: _axpy_csr}
_ACCUMULATE: _Implementations = {DenseRows: _accumulate_dense, CSRRows: _accumulate_csr}
_SQ_NORM: _Implementations = {DenseRows: _sq_norm_dense, CSRRows: _sq_norm_csr}
_LENGTH: _Implementations = {DenseRows: _length_dense, CSRRows: _length_csr}


def _choose_by_type(
    primitive: Callable[..., Any], implementations: _Implementations, jit_options: Any
) -> None:
    """Tell the compiler which implementation a primitive has for which kind of rows."""

    @overload(primitive, jit_options=jit_options, strict=False)
    def choose(rows: Any, *_arguments: Any) -> Callable[..., Any]:
        return implementations[rows.instance_class]


_choose_by_type(dot, _DOT, _ANY_ORDER)
_choose_by_type(axpy, _AXPY, {})
_choose_by_type(accumulate, _ACCUMULATE, {})
_choose_by_type(sq_norm, _SQ_NORM, _ANY_ORDER)
_choose_by_type(length, _LENGTH, {})
