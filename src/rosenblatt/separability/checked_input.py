"""Validation: samples and labels become a table of numbers and sorted classes."""

import math
import numbers

import numpy as np

from rosenblatt.core.constants import LARGEST, WHOLE
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import as_labels, distinct
from rosenblatt.core.types import Floats, Labels, LabelsLike, MatrixLike, Numbers, is_sparse
from rosenblatt.kernels.sparse_input import as_csr


def as_samples(
    X: MatrixLike, y: LabelsLike, *, accepts_one_label: bool = False
) -> tuple[MatrixLike, Labels, Labels]:
    """Return the samples, as an array or a CSR matrix, the labels, and the distinct ones, sorted."""
    X = as_csr(X) if is_sparse(X) else _table(X)
    if X.ndim != 2 or 0 in X.shape:
        raise InputError(f"X has shape {X.shape}: give a table with at least one row and column")
    if X.dtype.kind not in "biuf":
        raise InputError(f"X has values of type {X.dtype}: give real numbers")
    _check_exact(X.data if is_sparse(X) else X)
    y = np.asarray(as_labels(y))
    if y.shape != (X.shape[0],):
        raise InputError(
            f"X has {X.shape[0]} rows, but y has shape {y.shape}: give one label for each row"
        )
    _check_labels(y)
    classes = distinct(y)
    if not accepts_one_label:
        check_classes(classes)
    return X, y, classes


def check_classes(classes: Labels) -> None:
    """Raise unless there are two classes or more."""
    if len(classes) < 2:
        raise InputError(
            f"y has only one class, {classes.tolist()[0]!r}: with an intercept there is nothing to "
            "separate; use fit_intercept=False to ask for a hyperplane through the origin that has all "
            "samples on one side, or give a second class"
        )


def _table(X: MatrixLike) -> Numbers:
    if np.ma.is_masked(X):
        raise InputError("X has masked values: give a table without gaps")
    try:
        table = np.asarray(X)
    except ValueError as error:
        raise InputError("X has rows of different lengths: give a table") from error
    if not hasattr(X, "dtype") and table.dtype.kind == "f" and (np.abs(table) >= WHOLE).any():
        # A list or frame of whole numbers and floats, which became floats: some may be rounded.
        table = np.asarray(X.astype(object) if hasattr(X, "astype") else X, dtype=np.object_)
    if table.dtype != object or table.ndim != 2:
        return table
    try:
        numbers = table.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            f"X has values that are not numbers ({error}): give real numbers"
        ) from error
    # None has become NaN, which is looked at with the rows.
    # Python's own numbers are compared without rounding.
    plain = [value.item() if isinstance(value, np.generic) else value for value in table.flat]
    exact = np.array(plain, dtype=np.object_).reshape(table.shape) == numbers
    if not (exact | np.isnan(numbers)).all():
        raise _inexact()
    return numbers


def _check_exact(values: Numbers) -> None:
    """Raise unless float64 holds the numbers exactly."""
    if values.dtype.itemsize < 8 or values.dtype == np.float64 or values.size == 0:
        return
    if values.dtype.kind in "iu":
        exact = values.max() <= WHOLE and values.min() >= -WHOLE
    else:
        exact = ((values.astype(np.float64) == values) | (values != values)).all()
    if not exact:
        raise _inexact()


def _inexact() -> InputError:
    return InputError(
        "X has numbers that float64 cannot hold exactly, so that different ones may look equal: "
        "give numbers of at most 53 bits"
    )


def _check_labels(y: Labels) -> None:
    labels = "give text, or finite real numbers, as labels"
    if y.dtype.kind not in "biufUOT":
        raise InputError(f"y has labels of type {y.dtype}: {labels}")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise InputError(f"y contains NaN or infinity: {labels}")
    if y.dtype.kind != "O":
        return
    for label in y.tolist():
        number = isinstance(label, numbers.Real) and math.isfinite(label)
        if not (number or isinstance(label, str)):
            raise InputError(f"y contains the label {label!r}: {labels}")


def check_lengths(lengths: Floats) -> None:
    """Raise unless all samples are finite, and short enough to be squared."""
    bad = np.flatnonzero(~(lengths < LARGEST))
    if len(bad):
        raise InputError(
            f"row {bad[0]} of X contains NaN or infinity, or values that are not below {LARGEST:g}: "
            "give finite values, scaled down if need be"
        )
