"""Sums of kernel terms whose decisions do not depend on how they were rounded.

BLAS sums a matrix product in an order that depends on the shape of the block, and so do the last bits
of a score: the same sample, alone or among others, may have scores on either side of 0. So wherever
rounding could change a decision (on which side of 0 a score is, or which of several is the highest),
the sample is scored again in one fixed order, and that score is used: products are summed feature by
feature, and terms in the order of the support samples. The decision is then a function of the hypothesis
and the sample alone.

How far rounding can move a score (u = 2**-53, d features, support samples no longer than R): a value of
the kernel, in whatever order it is summed, is wrong by at most e, where for a sample x

    linear  e = (d + 8)·u·s                         for |K| <= s = R·‖x‖
    poly    e = degree·(d + 8)·u·t**degree          for |K| <= t**degree, t = gamma·s + |coef0|
    rbf     e = gamma·(d + 8)·u·(R + ‖x‖)² + 16·u   for |K| <= 1

and a sum of m terms c·K, in whatever order, by e + 2·(m + 2)·u·(|K| + e) per unit of Σ|c|; two sums
differ by at most twice that. The bound is enlarged a little, to cover its own rounding and underflow.
SciPy sums the products of sparse samples feature by feature, and precomputed values are the same in any
block: there e = 0. The same is true for whole numbers (with a whole gamma and coef0) as long as values
are below 2**53. Values of a user's function are assumed to differ, from block to block, by at most one
part in 2**32 of the largest of them.

Reference: N. Higham, Accuracy and stability of numerical algorithms (2002), section 3.1.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.core.constants import ROUNDOFF
from rosenblatt.core.types import Counts, Flags, Floats, MatrixLike, is_sparse
from rosenblatt.kernels.epochs.dual_terms import check_scores, sum_terms
from rosenblatt.kernels.rows import as_rows
from rosenblatt.kernels.scoring import lengths
from rosenblatt.training.dual.gram import Gram
from rosenblatt.training.dual.kernel_functions import KernelFunction
from rosenblatt.training.dual.support import DenseSupport, Support

_SAFETY = 1.01
_USER_ERROR = 2.0**-32
_UNDERFLOW = 1e-300

_AT_ONCE = 2**22
_MOST_ROWS = 1024


class Values(NamedTuple):
    """For each sample of a block, the largest kernel value, and the largest error of one.

    ``whole`` says that all values are whole numbers, and exact.
    """

    largest: Floats
    error: Floats
    whole: bool = False

    def sum_reach(self, n_terms: int) -> Floats:
        """Return how far two sums of ``n_terms`` may differ per unit of Σ|c|."""
        with np.errstate(over="ignore", invalid="ignore"):
            reach = 2.0 * self.error + 4.0 * (n_terms + 4) * ROUNDOFF * (self.largest + self.error)
        return np.asarray(reach * _SAFETY)

    def sum_reach_in_sequence(self, n_terms: int) -> Floats:
        """Return the same for terms that are always summed in the same sequence."""
        return np.where(self.error > 0.0, self.sum_reach(n_terms), 0.0)

    def reach_of(self, coefficients: Floats) -> Floats:
        """Return, per sample, how far each sum may change in another order of summation."""
        totals = np.abs(coefficients).sum(axis=1)
        reach: Floats = totals[:, None] * self.sum_reach(coefficients.shape[1])
        if self.whole and (coefficients == np.rint(coefficients)).all():
            reach[totals[:, None] * self.largest < 2.0**53] = 0.0
        return reach


class Block(NamedTuple):
    """Some rows of X, the kernel of all support samples with them, and bounds on its values."""

    rows: Counts
    table: Floats
    values: Values


def sums_of(
    kernel: KernelFunction,
    X: MatrixLike,
    support: Support,
    coefficients: Floats,
    chosen: Counts | None = None,
) -> Floats:
    """Return Σ c·K(x_s, x) for the samples x of X, one column for each row of the coefficients.

    ``chosen`` selects rows of X. The sign of each sum, and which sum of a sample is the highest, do not
    depend on the other samples in X.

    >>> from rosenblatt.training.dual.support import DenseSupport
    >>> support = DenseSupport(1)
    >>> support.add(np.array([[2.0]]))
    >>> sums_of(KernelFunction("linear"), np.array([[3.0]]), support, np.array([[-1.0]]))
    array([[-6.]])
    """
    n_rows, done = X.shape[0] if chosen is None else len(chosen), 0
    sums: Floats = np.zeros((n_rows, len(coefficients)))
    for rows, table, values in blocks(kernel, X, support, chosen):
        with np.errstate(over="ignore", invalid="ignore"):
            block = coefficients @ table
        check_scores(block, rows)
        doubtful = is_doubtful(block, values.reach_of(coefficients))
        if doubtful.any():
            table = table_in_order(kernel, X[rows[doubtful]], support)
            block[:, doubtful] = _sums_in_order(table, coefficients)
            check_scores(block, rows)
        sums[done : done + len(rows)] = block.T
        done += len(rows)
    return sums


def blocks(
    kernel: KernelFunction, X: MatrixLike, support: Support, chosen: Counts | None = None
) -> Iterator[Block]:
    """Yield all rows of X, or those chosen, in blocks; nothing if there are no support samples."""
    if len(support) == 0:
        return
    gram = Gram(kernel, X, support)
    places = np.arange(len(support))
    height = min(max(_AT_ONCE // len(support), 1), _MOST_ROWS)
    chosen = np.arange(X.shape[0]) if chosen is None else chosen
    for start in range(0, len(chosen), height):
        rows = chosen[start : start + height]
        table = gram.between(places, rows)
        yield Block(rows, table, values_in(kernel, X[rows], support, table))


def values_in(kernel: KernelFunction, samples: Any, support: Support, table: Floats) -> Values:
    """Return bounds on the kernel values of support samples with samples, given as a table."""
    if kernel.is_named and isinstance(support, DenseSupport) and not is_sparse(samples):
        values = value_bounds(kernel, samples, support.longest)
        whole = kernel.is_whole and support.is_whole and _is_whole(samples)
        if whole and (values.largest < 2.0**53).all():
            return Values(values.largest, np.zeros(len(values.largest)), whole=True)
        return values
    with np.errstate(invalid="ignore"):
        largest = np.abs(table).max(axis=0)
    return Values(largest, largest * (_USER_ERROR if kernel.function is not None else 0.0))


def value_bounds(kernel: KernelFunction, samples: Any, longest: float) -> Values:
    """Return bounds for a named kernel; ``longest`` is the greatest length of a support sample."""
    own = lengths(as_rows(samples, 0.0), samples.shape[0])
    small = (samples.shape[1] + 8) * ROUNDOFF * _SAFETY
    with np.errstate(over="ignore", invalid="ignore"):
        if kernel.name == "rbf":
            apart = kernel.gamma * ((own + longest) ** 2 + _UNDERFLOW)
            return Values(np.ones_like(own), small * apart + 16 * ROUNDOFF)
        products = own * longest * _SAFETY + _UNDERFLOW
        if kernel.name == "linear":
            return Values(products, small * products + _UNDERFLOW)
        powers = (kernel.gamma * products + abs(kernel.coef0)) ** kernel.degree
        return Values(powers, kernel.degree * small * powers + _UNDERFLOW)


def is_doubtful(scores: Floats, reach: Floats) -> Flags:
    """Return for which samples, one column each, rounding by ``reach`` could change the decision.

    >>> is_doubtful(np.array([[1.0, 1e-17, 3.0], [-1.0, -2.0, 3.0]]), np.full((2, 3), 1e-15))
    array([False,  True,  True])
    """
    sure = is_sure(scores, reach)
    if len(scores) > 1:
        columns = np.arange(scores.shape[1])
        best = scores.argmax(axis=0)
        least = scores[best, columns] - reach[best, columns]
        alone = (scores + reach >= least).sum(axis=0) == 1
        sure &= alone | (reach == 0.0).all(axis=0)
    return ~sure


def is_sure(scores: Floats, reach: Floats) -> Flags:
    """Return for which samples, one column each, all scores have the same sign in any order.

    If ``reach`` is 0, a score is the same in any order.
    """
    return np.asarray(((reach == 0.0) | (np.abs(scores) > reach + _UNDERFLOW)).all(axis=0))


def table_in_order(kernel: KernelFunction, samples: Any, support: Support) -> Floats:
    """Return the kernel of all support samples with samples, as if computed for each sample alone."""
    if not kernel.is_named:  # the result of the user's function may depend on the shape
        columns = [
            kernel.table(support.take(np.arange(len(support))), samples[j : j + 1])
            for j in range(samples.shape[0])
        ]
        return np.hstack(columns)
    left = support.take(np.arange(len(support)))
    with np.errstate(over="ignore", invalid="ignore"):
        if is_sparse(left) or is_sparse(samples):
            return kernel.table(left, samples)
        right = np.asarray(samples, dtype=np.float64)
        products = np.zeros((len(left), len(right)))
        for j in np.flatnonzero(right.any(axis=0)).tolist():
            products += left[:, j, None] * right[:, j]
        squares = [lengths(as_rows(one, 0.0), len(one)) ** 2 for one in (left, right)]
        return kernel.of_products(products, squares[0][:, None], squares[1])


def _sums_in_order(table: Floats, coefficients: Floats) -> Floats:
    sums = np.empty((len(coefficients), table.shape[1]))
    for out, own in zip(sums, coefficients, strict=True):
        sum_terms(table, np.arange(len(own)), own, out)
    return sums


def _is_whole(numbers: Floats) -> bool:
    """Return whether all numbers are whole; the first row usually decides it."""
    return bool((numbers[:1] == np.rint(numbers[:1])).all() and (numbers == np.rint(numbers)).all())
