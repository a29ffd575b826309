"""Multilabel targets: a matrix of 0 and 1 with one column per label."""

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import LabelsLike, Signs
from rosenblatt.kernels.sparse_input import as_dense


def is_matrix(y: LabelsLike) -> bool:
    """Return whether y has two or more columns, so that a sample may have any number of labels.

    >>> is_matrix([[1, 0], [1, 1]]), is_matrix(["a", "b"]), is_matrix([[1], [0]])
    (True, False, False)
    """
    if isinstance(y, list | tuple):  # the first row is enough
        return bool(y) and np.ndim(y[0]) == 1 and len(y[0]) > 1
    shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape
    return len(shape) == 2 and shape[1] > 1


def as_matrix(y: LabelsLike) -> Signs:
    """Return a dense or sparse label matrix as a dense one; raise InputError unless it is 0 and 1.

    >>> as_matrix([[True, False], [True, True]])
    array([[1, 0],
           [1, 1]], dtype=int8)
    """
    cells = as_dense(y, "y")
    if cells.ndim != 2 or cells.dtype.kind not in "biuf":
        raise InputError(
            f"y has shape {cells.shape} and type {cells.dtype}: a matrix of labels must contain only 0 "
            "and 1, with one column per label"
        )
    invalid = (cells != 0) & (cells != 1)
    if invalid.any():
        i, k = (int(index) for index in np.argwhere(invalid)[0])
        raise InputError(
            f"y contains {cells[i, k].item()!r} in row {i}, column {k}: a matrix of labels must contain "
            "only 0 and 1, with one column per label"
        )
    return cells.astype(np.int8)
