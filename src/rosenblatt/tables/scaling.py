"""Scaling of columns to mean 0 and standard deviation 1, or of rows to length 1.

A perceptron makes at most R²/γ² mistakes. A column of large numbers makes R large, and the weights of
other columns must grow before those columns matter: next to text or categories, one such column makes a
model useless. Except for rounding, scaling does not change whether a hyperplane separates the classes.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import MatrixLike, is_sparse
from rosenblatt.tables.columns import Learned, Number
from rosenblatt.tables.facts import Summary

_LARGEST = 1e150  # the squares of a million of these have a finite sum

SCALE_MODES = ("standard", "none", "unit")
"""The ways to scale: "standard" scales columns, "unit" rows."""


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
    """Return the columns, and whether any is scaled; ``mode`` is one of `SCALE_MODES`.

    Columns of 0 and 1, like those of booleans and categories, stay as they are.
    """
    columns = tuple(one.column for one in summaries)
    if mode != "standard":
        return columns, False
    scaled_columns = tuple(map(_standard, summaries))
    return scaled_columns, scaled_columns != columns


def _standard(one: Summary) -> Learned:
    column = one.column
    if not isinstance(column, Number) or column.kind == "boolean" or one.is_zero_or_one:
        return column
    return replace(column, center=one.mean, scale=one.spread or 1.0)
