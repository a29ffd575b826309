"""From the user's labels to signs: which halfspace sees a sample on which side.

Convention: two classes make one halfspace, positive for the greater class; more classes make one
halfspace each, that class against the rest. Where a sample may have any number of labels at once, y is a
matrix with a column for each label, 1 where the sample has it and 0 elsewhere, and every column makes a
halfspace, even if there are two.
"""

from typing import Any

import numpy as np

from rosenblatt.compressed import as_dense
from rosenblatt.errors import InputError
from rosenblatt.typing import Counts, Labels, Signs

_FEW = 1000


def distinct(y: Labels) -> Labels:
    """Return the labels that occur, sorted.

    >>> distinct(np.array([1, -1, 1]))
    array([-1,  1])
    """
    if y.dtype.kind in "iu" and y.size:
        both = np.array([y.min(), y.max()])
        if ((y == both[0]) | (y == both[1])).all():
            return both if both[0] < both[1] else both[:1]
    coded = _codes(y)
    if coded is None:
        return np.unique(y)
    codes, labels = coded  # small whole numbers are counted, not sorted
    return labels[np.bincount(codes) > 0]


def _codes(y: Labels) -> tuple[Counts, Labels] | None:
    """Return whole numbers from 0 on for labels that are small ones, and what each stands for."""
    if y.dtype.kind not in "iu" or not y.size:
        return None
    least, greatest = int(y.min()), int(y.max())
    if greatest - least >= max(_FEW, y.size) or greatest >= 2**62:
        return None
    return y.astype(np.int64) - least, np.arange(least, greatest + 1).astype(y.dtype)


def positive_classes(classes: Labels) -> Labels:
    """Return the class that each halfspace is positive for.

    >>> positive_classes(np.array(["mine", "rock"]))
    array(['rock'], dtype='<U4')
    """
    return classes[1:] if len(classes) == 2 else classes


def is_matrix(y: Any) -> bool:
    """Say whether y has two columns or more: labels of which a sample may have any number.

    >>> is_matrix([[1, 0], [1, 1]]), is_matrix(["a", "b"]), is_matrix([[1], [0]])
    (True, False, False)
    """
    if isinstance(y, list | tuple):  # the first row tells
        return bool(y) and np.ndim(y[0]) == 1 and len(y[0]) > 1
    shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape
    return len(shape) == 2 and shape[1] > 1


def as_matrix(y: Any) -> Signs:
    """Return a matrix of labels, dense or sparse, as a dense one of 0 and 1; raise if it is none.

    >>> as_matrix([[True, False], [True, True]])
    array([[1, 0],
           [1, 1]], dtype=int8)
    """
    cells = as_dense(y, "y")
    if cells.ndim != 2 or cells.dtype.kind not in "biuf":
        raise InputError(
            f"y has shape {cells.shape} and type {cells.dtype}: a matrix of labels has 0 and 1 only, "
            "one column a label"
        )
    strange = (cells != 0) & (cells != 1)
    if strange.any():
        i, k = (int(place) for place in np.argwhere(strange)[0])
        raise InputError(
            f"y is a matrix with {cells[i, k].item()!r} in row {i}, column {k}: a matrix of labels has "
            "0 and 1 only, one column a label"
        )
    return cells.astype(np.int8)


def numbers_of(y: Labels, classes: Labels) -> Counts:
    """Return the number of each sample's class; all labels in y must be among the classes.

    >>> numbers_of(np.array(["rock", "mine"]), np.array(["mine", "rock"]))
    array([1, 0])
    """
    return np.searchsorted(classes, y).astype(np.int64)


def signs_for(y: Labels, positive: Any) -> Signs:
    """Return +1 where y is the positive class and -1 elsewhere.

    >>> signs_for(np.array(["rock", "mine"]), "rock")
    array([ 1, -1], dtype=int8)
    """
    signs = np.asarray(y == positive, dtype=np.int8)
    signs *= 2
    signs -= 1
    return signs


def sign_table(y: Labels, positives: Labels, n_columns: int) -> Signs:
    """Return `signs_for` each of the positive classes, side by side, and -1 in columns beyond them.

    >>> sign_table(np.array([3, 5, 4]), np.array([3, 4]), 3)
    array([[ 1, -1, -1],
           [-1, -1, -1],
           [-1,  1, -1]], dtype=int8)
    """
    coded = _codes(y) if n_columns > 1 else None
    if coded is not None:  # one look at each label serves all columns
        codes, labels = coded
        return _column_by_column(labels, positives, n_columns).take(codes, axis=0)
    return _column_by_column(y, positives, n_columns)


def _column_by_column(y: Labels, positives: Labels, n_columns: int) -> Signs:
    table = np.full((len(y), n_columns), -1, dtype=np.int8)
    for k, positive in enumerate(positives):
        table[:, k] = signs_for(y, positive)
    return table
