"""When numbers are scaled, and how: columns to mean 0 and standard deviation 1, or rows to length 1.

A perceptron makes at most R²/γ² mistakes: a column of large numbers makes R large, and its weights must
become large before those of the others count. Scaling is for speed and for averages; whether a
hyperplane separates the classes does not depend on it, apart from rounding.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import MatrixLike, is_sparse
from rosenblatt.tables.columns import Category, Learned, Number
from rosenblatt.tables.facts import Found

_TOO_DIFFERENT = 10.0
_SPREAD_OF_ZERO_AND_ONE = 0.5  # at most
_LARGEST = 1e150  # the squares of a million such numbers add up to a finite number

WAYS = ("auto", "none", "standard", "unit")
"""The ways to scale; "unit" scales rows, the others columns."""


def unit_rows(X: MatrixLike) -> MatrixLike:
    """Divide each row by its length, in float64; rows of zeros stay zero.

    The bits are those of scikit-learn's Normalizer on sparse rows, which is what the model of a libsvm
    file has in place of this function. On dense rows it adds squares in another order.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    rows = X if is_sparse(X) else sp.csr_array(np.asarray(X, dtype=np.float64))
    if rows.nnz and not np.abs(rows.data).max() < _LARGEST:
        raise InputError(f"rows with numbers of {_LARGEST:g} or more cannot be scaled to length 1")
    scaled = normalize(rows)
    return scaled if is_sparse(X) else scaled.toarray()


def scaled(found: Sequence[Found], way: str) -> tuple[tuple[Learned, ...], bool]:
    """Return the columns, and whether they were scaled, as one of `WAYS` says."""
    if way in ("none", "unit") or (way == "auto" and not needs_scaling(found)):
        return tuple(one.column for one in found), False
    return tuple(_standard(one) for one in found), True


def needs_scaling(found: Sequence[Found]) -> bool:
    """Say whether spreads differ more than tenfold, or a mean is more than ten spreads away from 0.

    Numbers that all are between -1 and 1 have been scaled already.
    """
    measured = [one for one in found if _is_measured(one.column) and one.spread > 0.0]
    if not measured or all(one.largest <= 1.0 for one in measured):
        return False
    spreads = [one.spread for one in measured]
    if any(isinstance(one.column, Category) or _is_boolean(one.column) for one in found):
        spreads.append(_SPREAD_OF_ZERO_AND_ONE)
    means = [_distance(one) / one.spread for one in measured]
    return max(spreads) > _TOO_DIFFERENT * min(spreads) or max(means) > _TOO_DIFFERENT


def _is_measured(column: Learned) -> bool:
    return isinstance(column, Number) and not _is_boolean(column)


def _is_boolean(column: Learned) -> bool:
    return column.kind == "boolean"


def _distance(one: Found) -> float:
    return abs(one.mean - one.column.center) if isinstance(one.column, Number) else 0.0


def _standard(one: Found) -> Learned:
    column = one.column
    if not isinstance(column, Number) or _is_boolean(column):
        return column
    return replace(column, center=one.mean, scale=one.spread or 1.0)
