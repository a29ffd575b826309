"""Validation of samples and labels: a table of numbers, and sorted classes."""

import datetime
import math
import numbers

import numpy as np

from rosenblatt.core.checks import check_unmasked
from rosenblatt.core.constants import LARGEST, WHOLE
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import as_labels, distinct
from rosenblatt.core.types import Floats, Labels, LabelsLike, MatrixLike, Numbers, is_sparse
from rosenblatt.kernels.sparse_input import as_csr

_NOT_NUMBERS = (str, bytes, datetime.date, datetime.timedelta)


def as_samples(
    X: MatrixLike, y: LabelsLike, *, accepts_one_label: bool = False
) -> tuple[MatrixLike, Labels, Labels]:
    """Return the samples as an array or CSR matrix, the labels, and the sorted classes."""
    X = as_csr(X) if is_sparse(X) else exact_table(X)
    if X.ndim != 2 or 0 in X.shape:
        raise InputError(f"X has shape {X.shape}: give a table with at least one row and column")
    if X.dtype.kind not in "biuf":
        check_no_text(X)
        raise InputError(f"X has values of type {X.dtype}: give real numbers")
    if is_sparse(X):
        _check_exact(X.data)
    y = np.asarray(as_labels(y))
    if y.shape != (X.shape[0],):
        raise InputError(
            f"X has {X.shape[0]} rows, but y has shape {y.shape}: give one label per row"
        )
    _check_labels(y)
    classes = distinct(y)
    if len(classes) < 2 and not accepts_one_label:
        raise InputError(
            f"y has only one class, {classes.tolist()[0]!r}: with an intercept there is nothing to "
            "separate; give a second class, or use fit_intercept=False to look for a hyperplane through "
            "the origin with all samples on one side"
        )
    return X, y, classes


def check_unrounded(X: MatrixLike, converted: MatrixLike) -> None:
    """Raise InputError if ``converted``, what a learner makes of X, is not X exactly."""
    if not is_sparse(converted):
        exact_table(X)
        return
    _check_exact(converted.data)
    if not is_sparse(X) and (np.abs(converted.data) >= WHOLE).any():
        raise _inexact()  # a frame of sparse columns may have been rounded, and may be too large to read


def exact_table(X: MatrixLike) -> Numbers:
    """Return an array or frame as an array; raise InputError rather than round a number."""
    check_unmasked(X, "X")
    if hasattr(X, "__arrow_c_stream__") and hasattr(X, "columns") and not hasattr(X, "astype"):
        import pyarrow as pa

        X = pa.table(X)  # polars rounds decimals, dates and large numbers; Arrow does not
    try:
        table = np.asarray(X)
    except ValueError as error:
        raise InputError("X has rows of different lengths: give a table") from error
    except TypeError as error:
        check_no_text(X)
        raise InputError("X has columns of different kinds: give real numbers") from error
    if not hasattr(X, "dtype") and table.dtype.kind == "f" and (np.abs(table) >= WHOLE).any():
        # A list or frame of integers and floats, which became floats: some may have been rounded.
        table = np.asarray(X.astype(object) if hasattr(X, "astype") else X, dtype=np.object_)
    if table.dtype != object or table.ndim != 2:
        _check_exact(table)
        return table
    try:
        numbers = table.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        check_no_text(X)
        raise InputError(
            f"X has values that are not numbers ({error}): give real numbers"
        ) from error
    # None has become NaN, which is detected later, with the rows' lengths.
    # Python's own numbers are compared without rounding.
    plain = [value.item() if isinstance(value, np.generic) else value for value in table.flat]
    exact = np.array(plain, dtype=np.object_).reshape(table.shape) == numbers
    if not (exact | np.isnan(numbers)).all():
        check_no_text(X)
        raise _inexact()
    return numbers


def check_no_text(X: MatrixLike) -> None:
    """Raise InputError if an array, or a column of a frame, contains text or dates."""
    if is_sparse(X):
        return
    names = getattr(X, "column_names", getattr(X, "columns", None))
    places = {"X": X} if names is None else {f"column {name!r} of X": X[name] for name in names}
    for place, column in places.items():
        try:
            values = np.asarray(column)
        except (TypeError, ValueError):  # the caller has another error for it
            continue
        if values.dtype.kind in "mMSTU" or (
            values.dtype.kind == "O" and any(isinstance(one, _NOT_NUMBERS) for one in values.flat)
        ):
            raise InputError(
                f"{place} contains text or dates: turn its columns into numbers first, with TableEncoder"
            )


def _check_exact(values: Numbers) -> None:
    """Raise InputError unless float64 represents the numbers exactly."""
    if values.dtype.itemsize < 8 or values.dtype == np.float64 or values.size == 0:
        return
    if values.dtype.kind not in "iuf":
        return
    if values.dtype.kind in "iu":
        exact = values.max() <= WHOLE and values.min() >= -WHOLE
    else:
        exact = ((values.astype(np.float64) == values) | (values != values)).all()
    if not exact:
        raise _inexact()


def _inexact() -> InputError:
    return InputError(
        "X contains numbers that float64 cannot represent exactly; convert them first"
    )


def _check_labels(y: Labels) -> None:
    advice = "labels must be text or finite real numbers"
    if y.dtype.kind not in "biufUOT":
        raise InputError(f"y has labels of type {y.dtype}: {advice}")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise InputError(f"y contains NaN or infinity: {advice}")
    if y.dtype.kind != "O":
        return
    for label in y.tolist():
        number = isinstance(label, numbers.Real) and math.isfinite(label)
        if not (number or isinstance(label, str)):
            raise InputError(f"y contains the label {label!r}: {advice}")


def check_lengths(lengths: Floats, X: MatrixLike) -> None:
    """Raise InputError unless all samples are finite, and short enough to be squared."""
    bad = np.flatnonzero(~(lengths < LARGEST))
    if len(bad) == 0:
        return
    i = int(bad[0])
    row = X[[i]].toarray()[0] if is_sparse(X) else X[i]
    sizes = np.abs(row.astype(np.float64))
    j = int(np.isnan(sizes).argmax() if np.isnan(sizes).any() else sizes.argmax())
    if not np.isfinite(sizes[j]):
        found = "NaN" if np.isnan(sizes[j]) else "infinity"
        raise InputError(f"X contains {found} in row {i}, column {j}")
    raise InputError(
        f"row {i} of X is too long: its largest value, {row[j]:g}, is in column {j}; scale X so that "
        f"all rows are shorter than {LARGEST:g}"
    )
