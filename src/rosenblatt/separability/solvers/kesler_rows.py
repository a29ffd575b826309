"""Kesler's construction: separating many classes at once.

With one weight vector per class, a sample is classified correctly if its own class has the highest
score. Concatenate the weight vectors: then the own class of sample i beats the rival class r if the long
vector has a positive product with x_i in the block of the own class and -x_i in the block of r. So n
samples of K classes become n·(K - 1) vectors in K blocks, and every theorem about two classes applies to
them. The vectors are not stored: they are another kind of rows, a view of the samples' rows.

N. Nilsson, Learning Machines (1965), section 5.2.
"""

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from rosenblatt.core.types import Counts, Data, Floats
from rosenblatt.kernels.row_operations import (
    accumulate,
    axpy,
    dot,
    dot_sq,
    first_look,
    fits,
    implement,
    length,
    move,
    size,
)
from rosenblatt.kernels.rows import Rows


class JointRows(NamedTuple):
    """Row i·(K - 1) + t is sample i against its t-th rival; ``values`` are those of the samples."""

    values: Data
    base: Rows
    classes: Counts
    n_classes: int


def joint_rows(base: Rows, classes: Counts, n_classes: int) -> JointRows:
    """Return one row per sample and rival class; ``classes`` has the samples' own classes, from 0."""
    return JointRows(base.values, base, classes, n_classes)


class Pairs(NamedTuple):
    """The sample and the rival class of each row."""

    samples: Counts
    rivals: Counts


def samples_and_rivals(rows: JointRows, order: Counts) -> Pairs:
    """Return the samples and rivals of the given rows.

    >>> rows = JointRows(None, None, np.array([0, 2]), 3)
    >>> samples_and_rivals(rows, np.arange(4))
    Pairs(samples=array([0, 0, 1, 1]), rivals=array([1, 2, 0, 1]))
    """
    samples, rivals = np.divmod(order, rows.n_classes - 1)
    return Pairs(samples, rivals + (rivals >= rows.classes[samples]))


def rows_of(own: Counts, pairs: Pairs, n_classes: int) -> Counts:
    """Return the rows of samples and rivals; ``own`` has the samples' classes.

    >>> rows_of(np.array([0, 2]), Pairs(np.array([0, 0, 1, 1]), np.array([1, 2, 0, 1])), 3)
    array([0, 1, 2, 3])
    """
    samples, rivals = pairs
    return samples * (n_classes - 1) + rivals - (rivals > own[samples])


@register_jitable
def _pair(rows: JointRows, row: int) -> tuple[int, int, int]:
    """Return the sample, the rival class and the sample's own class."""
    i = row // (rows.n_classes - 1)
    rival = row % (rows.n_classes - 1)
    own = rows.classes[i]
    return i, rival + 1 if rival >= own else rival, own


@register_jitable
def _block(rows: JointRows, weights: Floats, k: int) -> Floats:
    width = weights.shape[0] // rows.n_classes
    return weights[k * width : (k + 1) * width]


def _dot(rows: JointRows, row: int, weights: Floats) -> float:
    i, rival, own = _pair(rows, row)
    return dot(rows.base, i, _block(rows, weights, own)) - dot(
        rows.base, i, _block(rows, weights, rival)
    )


def _size(rows: JointRows, row: int, weights: Floats) -> float:
    i, rival, own = _pair(rows, row)
    return size(rows.base, i, _block(rows, weights, own)) + size(
        rows.base, i, _block(rows, weights, rival)
    )


def _axpy(rows: JointRows, row: int, step: float, weights: Floats) -> None:
    i, rival, own = _pair(rows, row)
    axpy(rows.base, i, step, _block(rows, weights, own))
    axpy(rows.base, i, -step, _block(rows, weights, rival))


def _move(rows: JointRows, row: int, step: float, weights: Floats, _shadow: Data) -> None:
    i, rival, own = _pair(rows, row)
    axpy(rows.base, i, step, _block(rows, weights, own))
    axpy(rows.base, i, -step, _block(rows, weights, rival))


def _accumulate(rows: JointRows, row: int, weights: Floats, sign: float, digits: Counts) -> None:
    i, rival, own = _pair(rows, row)
    accumulate(rows.base, i, _block(rows, weights, own), sign, digits)
    accumulate(rows.base, i, _block(rows, weights, rival), -sign, digits)


def _first_look(rows: JointRows, row: int, weights: Floats) -> tuple[float, float]:
    i, rival, own = _pair(rows, row)
    score, bound = first_look(rows.base, i, _block(rows, weights, own))
    return score - dot(rows.base, i, _block(rows, weights, rival)), bound * 1.4142135623730954


def _dot_sq(rows: JointRows, row: int, weights: Floats) -> tuple[float, float]:
    i, rival, own = _pair(rows, row)
    score, squares = dot_sq(rows.base, i, _block(rows, weights, own))
    return score - dot(rows.base, i, _block(rows, weights, rival)), 2.0 * squares


def _fits(rows: JointRows, row: int, weights: Floats) -> bool:
    i, _, own = _pair(rows, row)
    return fits(rows.base, i, _block(rows, weights, own))


def _length(rows: JointRows, row: int) -> float:
    return length(rows.base, row // (rows.n_classes - 1)) * 1.4142135623730951


implement(dot, {JointRows: _dot})
implement(size, {JointRows: _size})
implement(axpy, {JointRows: _axpy})
implement(move, {JointRows: _move})
implement(accumulate, {JointRows: _accumulate})
implement(dot_sq, {JointRows: _dot_sq})
implement(fits, {JointRows: _fits})
implement(length, {JointRows: _length})
implement(first_look, {JointRows: _first_look})
