"""Sums in the order of the columns: the same bits for dense and sparse rows, on every machine.

The ``row_operations`` may sum in any order, because their results never decide anything. If a score or a
length becomes part of the weights, its last bit counts. Here terms are added one by one, by ascending
column and the constant last, each rounded once: a zero adds nothing, so it does not matter whether it
is stored.
"""

import numpy as np
from numba.extending import register_jitable

from rosenblatt.core.types import Floats
from rosenblatt.kernels.row_operations import primitive
from rosenblatt.kernels.rows import CSRRows, DenseRows

HALVING, ELIMINATION, BALANCED = 0, 1, 2
"""The kinds of weights: base**e; the same, or 0 forever; or base**e - base**-e."""


@register_jitable
def power(base: float, exponent: float, kind: int) -> float:
    """Return the weight for an exponent; for minus infinity it is 0."""
    weight: float = base**exponent
    return weight - base**-exponent if kind == BALANCED else weight


@register_jitable
def _move(
    j: int, change: float, base: float, kind: int, exponents: Floats, weights: Floats
) -> float:
    """Change an exponent and its weight, which a decrease may eliminate; return its absolute value."""
    eliminated = kind == ELIMINATION and change < 0.0
    exponents[j] = -np.inf if eliminated else exponents[j] + change
    weights[j] = power(base, exponents[j], kind)
    return float(abs(weights[j]))


def _score_dense(rows: DenseRows, i: int, weights: Floats) -> float:
    values = rows.values
    total = 0.0
    for j in range(values.shape[1]):
        total += np.float64(values[i, j]) * weights[j]
    return float(total + rows.constant * weights[-1])


def _score_csr(rows: CSRRows, i: int, weights: Floats) -> float:
    total = 0.0
    for k in range(rows.indptr[i], rows.indptr[i + 1]):
        total += np.float64(rows.values[k]) * weights[rows.indices[k]]
    return float(total + rows.constant * weights[-1])


score = primitive(_score_dense, _score_csr)
"""``score(rows, i, weights)``: the score of row i."""


def _squares_dense(rows: DenseRows, i: int) -> float:
    values = rows.values
    total = 0.0
    for j in range(values.shape[1]):
        value = np.float64(values[i, j])
        total += value * value
    return float(total)


def _squares_csr(rows: CSRRows, i: int) -> float:
    total = 0.0
    for k in range(rows.indptr[i], rows.indptr[i + 1]):
        value = np.float64(rows.values[k])
        total += value * value
    return float(total)


squares = primitive(_squares_dense, _squares_csr)
"""``squares(rows, i)``: the squared length of row i, without the constant."""


def _shift_dense(
    rows: DenseRows, i: int, step: float, base: float, kind: int, exponents: Floats, weights: Floats
) -> float:
    values = rows.values
    largest = 0.0
    for j in range(values.shape[1]):
        value = np.float64(values[i, j])
        if value != 0.0:
            largest = max(largest, _move(j, step * value, base, kind, exponents, weights))
    return float(largest)


def _shift_csr(
    rows: CSRRows, i: int, step: float, base: float, kind: int, exponents: Floats, weights: Floats
) -> float:
    largest = 0.0
    for k in range(rows.indptr[i], rows.indptr[i + 1]):
        value, j = np.float64(rows.values[k]), rows.indices[k]
        if value != 0.0:
            largest = max(largest, _move(j, step * value, base, kind, exponents, weights))
    return float(largest)


shift = primitive(_shift_dense, _shift_csr)
"""``shift(rows, i, step, base, kind, exponents, weights)``: add ``step`` times row i to the exponents.

The weights of its features follow from the new exponents, see `power`; both are changed in place. Return
the largest absolute value of these weights.
"""
