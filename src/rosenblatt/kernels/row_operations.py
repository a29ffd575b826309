"""Operations on one row, dense or sparse; only this module knows how to read both.

Each primitive is implemented once for each kind of rows, and chosen by type at compile time.

``dot``, ``size`` and the squares may sum in any order (several lanes), because they never decide
anything by themselves.
"""

import math
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from rosenblatt.core.constants import LARGE_SQUARE, SMALL_NORM
from rosenblatt.core.types import Counts, Data, Floats
from rosenblatt.kernels.exact_sum import add_product
from rosenblatt.kernels.rows import CSRRows, DenseRows, Rows
from rosenblatt.kernels.sparse_input import is_sound_row

# Reordering lets the compiler use several lanes; NaN and infinity keep their meaning. Sparse scores
# stay in order: otherwise the compiler would use hardware gathers, which are slower.
_INLINE: dict[str, object] = {"forceinline": True}
_ANY_ORDER: dict[str, object] = {**_INLINE, "fastmath": {"reassoc", "contract", "nsz"}}

Given = ParamSpec("Given")
Result = TypeVar("Result")
_Implementation = Callable[..., Any]
_implementations: dict[Callable[..., object], dict[type, _Implementation]] = {}


def primitive(
    dense: Callable[Concatenate[DenseRows, Given], Result],
    csr: Callable[Concatenate[CSRRows, Given], Result],
    *,
    any_order: bool = False,
    counted: bool = True,
) -> Callable[Concatenate[Rows, Given], Result]:
    """Return one function for all kinds of rows; `implement` adds further kinds.

    The dense one may sum in ``any_order``. References are ``counted``, unless the function is part of a
    loop that must not count them: see ``compiled``.
    """

    def chosen(rows: Rows, /, *given: Given.args, **_named: Given.kwargs) -> Result:
        result: Result = _implementations[chosen][type(rows)](rows, *given)
        return result

    chosen.__name__ = dense.__name__.strip("_").removesuffix("_dense")
    _compile(chosen, DenseRows, dense, _ANY_ORDER if any_order else _INLINE, counted=counted)
    _compile(chosen, CSRRows, csr, _INLINE, counted=counted)
    return chosen


def implement(
    primitive: Callable[..., object], implementations: dict[type, _Implementation]
) -> None:
    """Register a primitive's implementations for other kinds of rows."""
    for kind, implementation in implementations.items():
        _compile(primitive, kind, implementation, _INLINE, counted=True)


def _compile(
    primitive: Callable[..., object],
    kind: type,
    implementation: _Implementation,
    options: dict[str, object],
    *,
    counted: bool,
) -> None:
    _implementations.setdefault(primitive, {})[kind] = implementation
    every: Any = {**options, "_nrt": counted}

    @overload(primitive, jit_options=every, strict=False)
    def choose(rows: types.NamedTuple, *_given: object) -> _Implementation | None:
        return implementation if rows.instance_class is kind else None


# Indices are unsigned in the loops over sparse rows: for signed ones the compiler would check at every
# access whether they count from the end.
_index = np.uint64
_ONE, _TWO, _THREE, _FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
_SQUARES_AT_ONCE = np.uint64(1024)


@register_jitable
def _span(rows: CSRRows, i: int) -> tuple[np.uint64, np.uint64]:
    """Return the start and end of row i."""
    return np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])


def _dot_dense(rows: DenseRows, i: int, weights: Data) -> float:
    row, number = rows.values[i], weights.dtype.type
    score: float = number(rows.constant) * weights[row.shape[0]]
    for j in range(row.shape[0]):
        score += number(row[j]) * weights[j]
    return score


def _dot_csr(rows: CSRRows, i: int, weights: Floats) -> float:
    # Four explicit lanes, so that additions do not wait for each other.
    values, indices = rows.values, rows.indices
    k, end = _span(rows, i)
    a: float = rows.constant * weights[-1]
    b = c = d = 0.0
    while k + _FOUR <= end:
        a += values[k] * weights[_index(indices[k])]
        b += values[k + _ONE] * weights[_index(indices[k + _ONE])]
        c += values[k + _TWO] * weights[_index(indices[k + _TWO])]
        d += values[k + _THREE] * weights[_index(indices[k + _THREE])]
        k += _FOUR
    while k < end:
        a += values[k] * weights[_index(indices[k])]
        k += _ONE
    return (a + b) + (c + d)


dot = primitive(_dot_dense, _dot_csr, any_order=True, counted=False)
"""``dot(rows, i, weights)``: the score of row i, in the type of the weights.

float32 weights are a shadow (see ``panel_layout``), for dense rows only.
"""


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
        total += abs(rows.values[k] * weights[_index(rows.indices[k])])
    return total


size = primitive(_size_dense, _size_csr, any_order=True, counted=False)
"""``size(rows, i, weights)``: the float sum of the absolute values of the score's terms."""


def _axpy_dense(rows: DenseRows, i: int, step: float, weights: Floats) -> None:
    row = rows.values[i]
    for j in range(row.shape[0]):
        weights[j] += step * row[j]
    weights[-1] += step * rows.constant


def _axpy_csr(rows: CSRRows, i: int, step: float, weights: Floats) -> None:
    start, end = _span(rows, i)
    for k in range(start, end):
        weights[_index(rows.indices[k])] += step * rows.values[k]
    weights[-1] += step * rows.constant


axpy = primitive(_axpy_dense, _axpy_csr, counted=False)
"""``axpy(rows, i, step, weights)``: add ``step`` times row i to the weights in place.

One rounded product and one rounded addition per coordinate, never fused, so that every machine gives the
same bits.
"""


def _move_dense(rows: DenseRows, i: int, step: float, weights: Floats, shadow: Data) -> None:
    row = rows.values[i]
    for j in range(row.shape[0]):
        moved = weights[j] + step * row[j]
        weights[j] = moved
        shadow[j] = shadow.dtype.type(moved)
    weights[-1] += step * rows.constant
    shadow[row.shape[0]] = shadow.dtype.type(weights[-1])


def _move_csr(rows: CSRRows, i: int, step: float, weights: Floats, _shadow: Data) -> None:
    axpy(rows, i, step, weights)


move = primitive(_move_dense, _move_csr, counted=False)
"""``move(rows, i, step, weights, shadow)``: as `axpy`, and update the shadow of the weights.

For sparse rows the weights are their own shadow; for dense ones they may be.
"""


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
        add_product(digits, np.float64(rows.values[k]), sign * weights[_index(rows.indices[k])])
    add_product(digits, rows.constant, sign * weights[-1])


accumulate = primitive(_accumulate_dense, _accumulate_csr, counted=False)
"""``accumulate(rows, i, weights, sign, digits)``: add the exact score to the digits of an ``exact_sum``.

The score is multiplied by ``sign``, +1.0 or -1.0.
"""


@register_jitable(**_ANY_ORDER)
def _squares(values: Data, start: np.uint64, end: np.uint64) -> float:
    total = 0.0
    for k in range(start, end):
        value = np.float64(values[k])
        total += value * value
    return total


def _sq_dense(rows: DenseRows, i: int) -> float:
    row = rows.values[i]
    return _squares(row, np.uint64(0), np.uint64(row.shape[0])) + rows.constant * rows.constant


def _sq_csr(rows: CSRRows, i: int) -> float:
    start, end = _span(rows, i)
    return _squares(rows.values, start, end) + rows.constant * rows.constant


sq = primitive(_sq_dense, _sq_csr, counted=False)
"""``sq(rows, i)``: the squared length of the extended row, as a float sum."""


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
    # Two loops: the squares are contiguous, so they can use all lanes.
    return dot(rows, i, weights), sq(rows, i)


dot_sq = primitive(_dot_sq_dense, _dot_sq_csr, any_order=True)
"""``dot_sq(rows, i, weights)``: the score and the squared length of the extended row."""


@register_jitable(**_ANY_ORDER)
def _own_squares(values: Data, start: np.uint64, end: np.uint64, constant: float) -> float:
    """Return the sum of squares, computed in the type of the values: wider ones take twice the time."""
    total: float = constant * constant
    while start < end:
        # Few at a time, so that the rounding error does not grow with the number of values.
        until = min(start + _SQUARES_AT_ONCE, end)
        some: Any = values.dtype.type(0.0)
        for k in range(start, until):
            some += values[k] * values[k]
        total += some
        start = until
    return total


def _fast_sq_dense(rows: DenseRows, i: int) -> float:
    row = rows.values[i]
    return _own_squares(row, np.uint64(0), np.uint64(row.shape[0]), rows.constant)


def _fast_sq_csr(rows: CSRRows, i: int) -> float:
    start, end = _span(rows, i)
    return _own_squares(rows.values, start, end, rows.constant)


fast_sq = primitive(_fast_sq_dense, _fast_sq_csr, counted=False)
"""``fast_sq(rows, i)``: as `sq`, in the type of the row's values, which is faster but may overflow."""


@register_jitable
def _length(values: Data, constant: float) -> float:
    """Return the length of the values and the constant, summed in order; zeros do not change its bits.

    A power of two brings the largest value near 1, so that squares neither overflow nor underflow. If a
    value is not finite, return its absolute value.
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


def _length_dense(rows: DenseRows, i: int) -> float:
    return _length(rows.values[i], rows.constant)


def _length_csr(rows: CSRRows, i: int) -> float:
    return _length(rows.values[rows.indptr[i] : rows.indptr[i + 1]], rows.constant)


length = primitive(_length_dense, _length_csr, counted=False)
"""``length(rows, i)``: the length of the extended row, the same bits for every kind of rows."""


# Sums of squares of up to this many float32 numbers, if they are between these limits, are wrong by at
# most a sixteenth; those of float64 numbers by almost nothing.
_MANY = 2**20
_SMALL_SINGLE_SQUARE, _LARGE_SINGLE_SQUARE = 1e-20, 1e30
_SMALL_SQUARE = 1e-270
_SINGLE_ROUNDOFF = 2.0**-24
_LONGEST = 1.3e154  # its square is finite, and so is its product with such a length of weights


@register_jitable
def _bound(squares: float, terms: int, itemsize: int) -> float:
    """Return a bound on a length from a sum of squares, or -1 if the sum may be inaccurate."""
    if itemsize == 8:
        if _SMALL_SQUARE < squares < LARGE_SQUARE:
            return math.sqrt(squares) + SMALL_NORM
    elif terms < _MANY and _SMALL_SINGLE_SQUARE < squares < _LARGE_SINGLE_SQUARE:
        return math.sqrt(squares) * (1.0 + (terms + 8) * _SINGLE_ROUNDOFF)
    return -1.0


@register_jitable
def _sure_bound(length: float) -> float:
    """Return a bound on an accurate length: infinity if its square may overflow, NaN if not finite."""
    if length < _LONGEST:
        return length + SMALL_NORM
    return math.inf if length < math.inf else math.nan


def _first_look_dense(rows: DenseRows, i: int, weights: Data) -> tuple[float, float]:
    row, number = rows.values[i], weights.dtype.type
    if row.shape[0] >= weights.shape[0]:
        return 0.0, math.nan
    score: Any = number(rows.constant) * weights[row.shape[0]]
    squares: Any = rows.values.dtype.type(0.0)
    for j in range(row.shape[0]):
        value = row[j]
        score += number(value) * weights[j]
        squares += value * value
    bound = _bound(squares + rows.constant * rows.constant, row.shape[0], row.itemsize)
    return score, bound if bound >= 0.0 else _sure_bound(length(rows, i))


def _first_look_csr(rows: CSRRows, i: int, weights: Floats) -> tuple[float, float]:
    values, indices = rows.values, rows.indices
    k, end = _span(rows, i)
    # Indices ascend within a row, so checking its ends is enough; they are read anyway.
    if k < end and not (indices[k] >= 0 and indices[end - _ONE] < weights.shape[0] - 1):
        return 0.0, math.nan
    a: float = rows.constant * weights[-1]
    b = c = d = 0.0
    aa: Any = values.dtype.type(0.0)
    bb = cc = dd = aa
    while k + _FOUR <= end:
        v, w, x, y = values[k], values[k + _ONE], values[k + _TWO], values[k + _THREE]
        a += v * weights[_index(indices[k])]
        b += w * weights[_index(indices[k + _ONE])]
        c += x * weights[_index(indices[k + _TWO])]
        d += y * weights[_index(indices[k + _THREE])]
        aa += v * v
        bb += w * w
        cc += x * x
        dd += y * y
        k += _FOUR
    while k < end:
        v = values[k]
        a += v * weights[_index(indices[k])]
        aa += v * v
        k += _ONE
    squares = np.float64((aa + bb) + (cc + dd)) + rows.constant * rows.constant
    bound = _bound(squares, rows.indptr[i + 1] - rows.indptr[i], values.itemsize)
    bound = bound if bound >= 0.0 else _sure_bound(length(rows, i))
    return (a + b) + (c + d), bound


first_look = primitive(_first_look_dense, _first_look_csr, any_order=True, counted=False)
"""``first_look(rows, i, weights)``: as `dot`, and a bound on the length of the extended row.

The length costs almost nothing in addition to the score: reading the row from memory takes the time, and
it is read only once, its squares summed in its own type. It is read again only if that sum may be
inaccurate. The bound is infinity if its square may overflow, NaN if the row is not finite or does not
fit the weights.
"""


@register_jitable
def measured(rows: Rows, i: int, weights: Data) -> float:
    """Return only the bound of `first_look`."""
    if not fits(rows, i, weights):
        return math.nan
    bound = _bound(fast_sq(rows, i), n_terms(rows, i), rows.values.itemsize)
    return bound if bound >= 0.0 else _sure_bound(length(rows, i))


def _n_terms_dense(rows: DenseRows, _i: int) -> int:
    return int(rows.values.shape[1] + 1)


def _n_terms_csr(rows: CSRRows, i: int) -> int:
    return int(rows.indptr[i + 1] - rows.indptr[i] + 1)


n_terms = primitive(_n_terms_dense, _n_terms_csr, counted=False)
"""``n_terms(rows, i)``: the number of products in a score, including stored zeros and the constant."""


def _fits_dense(rows: DenseRows, _i: int, weights: Data) -> bool:
    return bool(rows.values.shape[1] == weights.shape[0] - 1)


def _fits_csr(rows: CSRRows, i: int, weights: Data) -> bool:
    # Indices ascend within a row, so checking its ends is enough; they are read anyway.
    start, end = rows.indptr[i], rows.indptr[i + 1]
    return bool(
        start == end or (rows.indices[start] >= 0 and rows.indices[end - 1] < weights.shape[0] - 1)
    )


fits = primitive(_fits_dense, _fits_csr, counted=False)
"""``fits(rows, i, weights)``: whether all columns of row i, which is well formed, have weights."""


def _well_formed_csr(rows: CSRRows, i: int, weights: Data) -> bool:
    n_stored = min(rows.indices.shape[0], rows.values.shape[0])
    return is_sound_row(rows.indptr, rows.indices, n_stored, i, weights.shape[0] - 1)


well_formed = primitive(_fits_dense, _well_formed_csr, counted=False)
"""``well_formed(rows, i, weights)``: as `fits`, for a row that was not checked before."""
