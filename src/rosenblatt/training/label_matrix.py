"""Matrices of labels, of which a sample may have any number: a column for each label, 0 and 1."""

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import LabelsLike, Signs
from rosenblatt.kernels.sparse_input import as_dense


def is_matrix(y: LabelsLike) -> bool:
    """Say whether y has two columns or more: labels of which a sample may have any number.

    >>> is_matrix([[1, 0], [1, 1]]), is_matrix(["a", "b"]), is_matrix([[1], [0]])
    (True, False, False)
    """
    if isinstance(y, list | tuple):  # the first row tells
        return bool(y) and np.ndim(y[0]) == 1 and len(y[0]) > 1
    shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape
    return len(shape) == 2 and shape[1] > 1


def as_matrix(y: LabelsLike) -> Signs:
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
