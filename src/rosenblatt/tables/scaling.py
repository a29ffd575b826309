"""Scaling of columns to mean 0 and standard deviation 1, or of rows to length 1.

A perceptron makes at most R²/γ² mistakes. A column of large numbers makes R large, and the weights of
other columns must grow before those columns matter. Scaling helps speed and averages; except for
rounding, it does not change whether a hyperplane separates the classes.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import MatrixLike, is_sparse
from rosenblatt.tables.columns import Category, Learned, Number
from rosenblatt.tables.facts import Summary

_TOO_DIFFERENT = 10.0
_SPREAD_OF_ZERO_AND_ONE = 0.5  # the largest possible
_LARGEST = 1e150  # the squares of a million of these have a finite sum

SCALE_MODES = ("auto", "none", "standard", "unit")
"""The ways to scale: "unit" scales rows, the others scale columns."""


def unit_rows(X: MatrixLike) -> MatrixLike:
    """Divide each row by its length, in float64; rows of zeros stay zero.

    The result has the same bits as scikit-learn's Normalizer on sparse rows, which the model of a libsvm
    file uses instead of this function. On dense rows, Normalizer adds squares in a different order.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    rows = X if is_sparse(X) else sp.csr_array(np.asarray(X, dtype=np.float64))
    if rows.nnz and not np.abs(rows.data).max() < _LARGEST:
        raise InputError(f"rows with numbers of {_LARGEST:g} or more cannot be scaled to length 1")
    scaled = normalize(rows)
    return scaled if is_sparse(X) else scaled.toarray()


def scaled(summaries: Sequence[Summary], mode: str) -> tuple[tuple[Learned, ...], bool]:
    """Return the columns, and whether they are scaled; ``mode`` is one of `SCALE_MODES`."""
    if mode in ("none", "unit") or (mode == "auto" and not needs_scaling(summaries)):
        return tuple(one.column for one in summaries), False
    return tuple(_standard(one) for one in summaries), True


def needs_scaling(summaries: Sequence[Summary]) -> bool:
    """Return whether spreads differ more than tenfold, or a mean is over ten spreads away from 0.

    Numbers that are all between -1 and 1 count as scaled already.
    """
    numeric = [one for one in summaries if _is_numeric(one.column) and one.spread > 0.0]
    if not numeric or all(one.largest <= 1.0 for one in numeric):
        return False
    spreads = [one.spread for one in numeric]
    if any(isinstance(one.column, Category) or _is_boolean(one.column) for one in summaries):
        spreads.append(_SPREAD_OF_ZERO_AND_ONE)
    means = [_distance(one) / one.spread for one in numeric]
    return max(spreads) > _TOO_DIFFERENT * min(spreads) or max(means) > _TOO_DIFFERENT


def _is_numeric(column: Learned) -> bool:
    return isinstance(column, Number) and not _is_boolean(column)


def _is_boolean(column: Learned) -> bool:
    return column.kind == "boolean"


def _distance(one: Summary) -> float:
    return abs(one.mean - one.column.center) if isinstance(one.column, Number) else 0.0


def _standard(one: Summary) -> Learned:
    column = one.column
    if not isinstance(column, Number) or _is_boolean(column):
        return column
    return replace(column, center=one.mean, scale=one.spread or 1.0)
