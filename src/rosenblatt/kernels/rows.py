"""How samples lie in memory: the one file that knows dense from sparse.

A sample is a row. Each kind of rows also carries ``constant``, the value of the feature that every
sample has beside its own: 1.0 with an intercept, 0.0 without. Weights are float64, one per feature
and one more, the last, for the constant: so the theorems, which speak of w·x alone, apply as they
stand to the extended vectors.

Kernels use fifteen primitives, written once for each kind of rows and chosen by type at compile time:

- ``dot(rows, i, weights)``: the score of row i, in floats;
- ``size(rows, i, weights)``: the sum of the magnitudes of that score's terms, in floats;
- ``axpy(rows, i, step, weights)``: ``weights += step * row``, one rounded product and one rounded
  addition for each coordinate, never fused, so that every machine gives the same bits;
- ``accumulate(rows, i, weights, sign, digits)``: the exact score, see ``exact_sum``;
- ``sq(rows, i)``: the squared length of the extended row, in floats;
- ``square(rows, i)``: the same in the floats of the row's values, which is faster and may overflow;
- ``dot_sq(rows, i, weights)``: the score and the squared length;
- ``dot_lanes(rows, i, shadow, out)``: the scores of a sparse row for many weights at once,
  see ``sparse_lanes``;
- ``dot_block(rows, start, stop, shadow, out)``: the same for a few rows of any kind;
- ``n_terms(rows, i)``: how many products a score is the sum of, stored zeros and the constant included;
- ``n_roundings(rows, i)``: how often at most `dot_block` rounds one of them;
- ``fits(rows, i, weights)``: whether the row, which is well formed, has only columns of the weights;
- ``length(rows, i)``: the length of the extended row, the same bits for every kind of rows;
- ``well_formed(rows, i, weights)``: like ``fits``, of a row that nobody has looked at;
- ``prefetch(rows, i)``: no result; a hint that row i comes soon.

Whatever starts with ``dot``, ``size`` and the squares may sum in any order (several lanes): they
measure, they do not decide.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload, register_jitable

from rosenblatt.core.types import Counts, Data, Floats, MatrixLike, is_sparse
from rosenblatt.kernels.exact_sum import add_product
from rosenblatt.kernels.simd.dense_strips import strip_squares
from rosenblatt.kernels.simd.dense_tiles import TALL, tile_roundings, tile_scores
from rosenblatt.kernels.simd.prefetch import CACHE_LINE, prefetch_item
from rosenblatt.kernels.simd.sparse_lanes import lane_roundings, lane_scores, lane_squares
from rosenblatt.kernels.sparse_input import Arrays, arrays_of, is_sound_row, looked_at

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

BLOCK = 8 * TALL
"""So many rows are scored at once: the scores stay in the nearest cache."""


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
        return _csr_rows(looked_at(arrays_of(X)), constant)
    return DenseRows(_as_data(np.asarray(X)), constant)


def unseen_rows(X: MatrixLike, constant: float) -> Rows:
    """Do what `as_rows` does, but leave it to the loop to look at each row: see ``well_formed``.

    That saves a pass over the indices. The rows may go to `predict.choose`, and to nothing else.
    """
    if is_sparse(X):
        return _csr_rows(arrays_of(X), constant)
    return as_rows(X, constant)


def seen_rows(rows: Rows, n_features: int) -> Rows:
    """Look at all rows; return them, or a copy in order, or raise: as `as_rows` does."""
    if isinstance(rows, DenseRows):
        return rows
    shape = (n_rows(rows), n_features)
    arrays = Arrays(rows.values, rows.indices, rows.indptr, shape)
    found = looked_at(arrays)
    return rows if found is arrays else _csr_rows(found, rows.constant)


def _csr_rows(arrays: Arrays, constant: float) -> CSRRows:
    return CSRRows(_as_data(arrays.values), arrays.indices, arrays.indptr, constant)


def _as_data(values: Any) -> Data:
    small = np.can_cast(values.dtype, np.float32, "safe")
    kind: type = np.float32 if small else np.float64
    return np.require(values, dtype=kind, requirements=["C", "A"])


# Indices are unsigned in the loops over sparse rows: for signed ones the compiler would allow for
# counting from the end, at every access.
_place = np.uint64
_ONE, _TWO, _THREE, _FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
_MANY = np.uint64(1024)


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
    return dot(rows, i, weights), sq(rows, i)


def _sq_dense(rows: DenseRows, i: int) -> float:
    return strip_squares(rows.values, i) + rows.constant * rows.constant


def _sq_csr(rows: CSRRows, i: int) -> float:
    squares: float = lane_squares(rows.values, rows.indptr[i], rows.indptr[i + 1])
    return squares + rows.constant * rows.constant


def _n_terms_dense(rows: DenseRows, _i: int) -> int:
    return int(rows.values.shape[1] + 1)


def _n_terms_csr(rows: CSRRows, i: int) -> int:
    return int(rows.indptr[i + 1] - rows.indptr[i] + 1)


def _dot_lanes_csr(rows: CSRRows, i: int, shadow: Data, out: Data) -> None:
    lane_scores(rows.values, rows.indices, rows.indptr[i], rows.indptr[i + 1], shadow, out)
    last = shadow.shape[0] - 1
    for k in range(out.shape[0]):
        out[k] += rows.constant * shadow[last, k]


def _dot_block_csr(rows: CSRRows, start: int, stop: int, shadow: Data, out: Data) -> None:
    for i in range(start, stop):
        if fits(rows, i, shadow):
            dot_lanes(rows, i, shadow, out[i - start])


def _dot_block_dense(rows: DenseRows, start: int, stop: int, shadow: Data, out: Data) -> None:
    if not fits(rows, start, shadow):
        return
    last = shadow.shape[0] - 1
    for i in range(stop - start):
        for k in range(out.shape[1]):
            out[i, k] = rows.constant * shadow[last, k]
    tile_scores(rows.values, start, stop, shadow, out)


def _n_roundings_dense(rows: DenseRows, _i: int) -> int:
    return 1 + tile_roundings(rows.values.shape[1])


def _n_roundings_csr(rows: CSRRows, i: int) -> int:
    return 1 + lane_roundings(rows.indptr[i + 1] - rows.indptr[i])


def _square_dense(rows: DenseRows, i: int) -> float:
    row = rows.values[i]
    return _own_squares(row, np.uint64(0), np.uint64(row.shape[0]), rows.constant)


def _square_csr(rows: CSRRows, i: int) -> float:
    start, end = _span(rows, i)
    return _own_squares(rows.values, start, end, rows.constant)


@register_jitable(forceinline=True, **_ANY_ORDER)
def _own_squares(values: Data, start: np.uint64, end: np.uint64, constant: float) -> float:
    """Return the sum of squares, each in the type of its value: wider ones would take twice the time."""
    total: float = constant * constant
    while start < end:
        # Few at a time, so that little is rounded, however many there are.
        until = min(start + _MANY, end)
        some: Any = values.dtype.type(0.0)
        for k in range(start, until):
            some += values[k] * values[k]
        total += some
        start = until
    return total


def _fits_dense(rows: DenseRows, _i: int, weights: Data) -> bool:
    return bool(rows.values.shape[1] == weights.shape[0] - 1)


def _fits_csr(rows: CSRRows, i: int, weights: Data) -> bool:
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


def _well_formed_csr(rows: CSRRows, i: int, weights: Data) -> bool:
    n_stored = min(rows.indices.shape[0], rows.values.shape[0])
    return is_sound_row(rows.indptr, rows.indices, n_stored, i, weights.shape[0] - 1)


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


def sq(rows: Rows, i: int) -> float:
    """Return the squared length of the extended row i."""
    total: float = _SQ[type(rows)](rows, i)
    return total


def n_terms(rows: Rows, i: int) -> int:
    """Return the number of terms of row i's score."""
    number: int = _N_TERMS[type(rows)](rows, i)
    return number


def dot_lanes(rows: CSRRows, i: int, shadow: Data, out: Data) -> None:
    """Write the scores of row i into ``out``, one for each lane of the shadow."""
    _DOT_LANES[type(rows)](rows, i, shadow, out)


def dot_block(rows: Rows, start: int, stop: int, shadow: Data, out: Data) -> None:
    """Write the scores of the rows start <= i < stop into the first rows of ``out``.

    ``shadow`` and ``out`` are those of ``sparse_lanes``; ``out`` has `BLOCK` rows. A row that does not
    fit the shadow is passed over.
    """
    _DOT_BLOCK[type(rows)](rows, start, stop, shadow, out)


def n_roundings(rows: Rows, i: int) -> int:
    """Return how often, at most, `dot_block` rounds a term of row i's score."""
    result: int = _N_ROUNDINGS[type(rows)](rows, i)
    return result


def square(rows: Rows, i: int) -> float:
    """Return the squared length of the extended row i, fast, if it does not overflow."""
    result: float = _SQUARE[type(rows)](rows, i)
    return result


def fits(rows: Rows, i: int, weights: Data) -> bool:
    """Say whether row i, which is well formed, has no column that the weights do not have."""
    result: bool = _FITS[type(rows)](rows, i, weights)
    return result


def length(rows: Rows, i: int) -> float:
    """Return the length of the extended row i."""
    result: float = _LENGTH[type(rows)](rows, i)
    return result


def well_formed(rows: Rows, i: int, weights: Data) -> bool:
    """Say whether row i names columns that the weights have, each at most once, in order."""
    result: bool = _WELL_FORMED[type(rows)](rows, i, weights)
    return result


_Implementations = dict[type, Callable[..., Any]]
_DOT: _Implementations = {DenseRows: _dot_dense, CSRRows: _dot_csr}
_SIZE: _Implementations = {DenseRows: _size_dense, CSRRows: _size_csr}
_AXPY: _Implementations = {DenseRows: _axpy_dense, CSRRows: _axpy_csr}
_ACCUMULATE: _Implementations = {DenseRows: _accumulate_dense, CSRRows: _accumulate_csr}
_DOT_SQ: _Implementations = {DenseRows: _dot_sq_dense, CSRRows: _dot_sq_csr}
_SQ: _Implementations = {DenseRows: _sq_dense, CSRRows: _sq_csr}
_N_TERMS: _Implementations = {DenseRows: _n_terms_dense, CSRRows: _n_terms_csr}
_DOT_LANES: _Implementations = {CSRRows: _dot_lanes_csr}
_DOT_BLOCK: _Implementations = {DenseRows: _dot_block_dense, CSRRows: _dot_block_csr}
_N_ROUNDINGS: _Implementations = {DenseRows: _n_roundings_dense, CSRRows: _n_roundings_csr}
_SQUARE: _Implementations = {DenseRows: _square_dense, CSRRows: _square_csr}
_PREFETCH: _Implementations = {DenseRows: _prefetch_dense, CSRRows: _prefetch_csr}
_FITS: _Implementations = {DenseRows: _fits_dense, CSRRows: _fits_csr}
_LENGTH: _Implementations = {DenseRows: _length_dense, CSRRows: _length_csr}
_WELL_FORMED: _Implementations = {DenseRows: _fits_dense, CSRRows: _well_formed_csr}


def implement(
    primitive: Callable[..., Any], implementations: _Implementations, *, counted: bool = True
) -> None:
    """Tell the compiler which implementation a primitive has for which kind of rows.

    References are ``counted``, unless it is part of a loop that must not: see ``uncounted``.
    """
    for kind, implementation in implementations.items():
        _compile_for(primitive, kind, implementation, counted=counted)


def _compile_for(
    primitive: Callable[..., Any], kind: type, chosen: Callable[..., Any], *, counted: bool
) -> None:
    dense = chosen in (_dot_dense, _dot_sq_dense, _size_dense)
    options: Any = {**(_ANY_ORDER if dense else {"forceinline": True}), "_nrt": counted}

    @overload(primitive, jit_options=options, strict=False)
    def choose(rows: Any, *_arguments: Any) -> Callable[..., Any] | None:
        return chosen if rows.instance_class is kind else None


implement(dot, _DOT)
implement(size, _SIZE)
implement(axpy, _AXPY, counted=False)
implement(accumulate, _ACCUMULATE)
implement(sq, _SQ, counted=False)
implement(n_terms, _N_TERMS, counted=False)
implement(dot_sq, _DOT_SQ)
implement(dot_lanes, _DOT_LANES)
implement(dot_block, _DOT_BLOCK)
implement(n_roundings, _N_ROUNDINGS)
implement(square, _SQUARE)
implement(fits, _FITS, counted=False)
implement(length, _LENGTH, counted=False)
implement(well_formed, _WELL_FORMED, counted=False)
implement(prefetch, _PREFETCH, counted=False)
