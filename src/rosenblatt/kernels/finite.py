"""Errors for samples that are not finite: they name the row and column of the first NaN or infinity."""

from typing import Any

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import is_sparse
from rosenblatt.kernels.rows import DenseRows, Rows, n_rows


def check_finite(X: Any) -> None:
    """Raise InputError for the first NaN or infinity in an array or a CSR matrix.

    >>> check_finite(np.array([[1.0, 2.0], [3.0, -np.inf]]))
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: X contains infinity in row 1, column 1
    """
    values = X.data if is_sparse(X) else X
    if values.dtype.kind != "f":
        return
    # A sum takes a third of the time of testing each number, and usually suffices.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):
            return
    places = np.argwhere(~np.isfinite(values))
    if not len(places):
        return
    value = values[tuple(places[0])]
    if is_sparse(X):
        place = int(places[0, 0])
        row, column = int(np.searchsorted(X.indptr, place, side="right")) - 1, X.indices[place]
    else:
        row, column = places[0]
    raise InputError(f"X contains {_kind(value)} in row {row}, column {column}")


def check_finite_rows(rows: Rows) -> None:
    """Raise InputError for the first NaN or infinity in rows."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(rows.values.sum()):
            return
    for row in range(n_rows(rows)):
        if _first_in(rows, row) is not None:
            raise not_finite(rows, row)


def check_sample(rows: Rows) -> None:
    """Raise InputError for the first NaN or infinity in a single sample."""
    found = _first_in(rows, 0)
    if found is not None:
        raise InputError(f"the sample contains {found[0]} in column {found[1]}")


def not_finite(rows: Rows, row: int, first: int = 0) -> InputError:
    """Return the error for a row without a finite score; rows are numbered from ``first``.

    >>> print(not_finite(DenseRows(np.array([[1.0, np.nan]]), 1.0), 0, first=7))
    X contains NaN in row 7, column 1
    """
    found = _first_in(rows, row)
    if found is not None:
        return InputError(f"X contains {found[0]} in row {first + row}, column {found[1]}")
    return InputError(
        f"the score of row {first + row} of X overflows float64: give values well below 1e150"
    )


def _first_in(rows: Rows, row: int) -> tuple[str, int] | None:
    """Return the kind and the column of the first NaN or infinity in a row, if any."""
    if isinstance(rows, DenseRows):
        values = rows.values[row]
    else:
        start, stop = int(rows.indptr[row]), int(rows.indptr[row + 1])
        values = rows.values[start:stop]
    is_finite = np.isfinite(values)
    if is_finite.all():
        return None
    place = int(np.argmin(is_finite))
    column = place if isinstance(rows, DenseRows) else int(rows.indices[start + place])
    return _kind(values[place]), column


def _kind(value: Any) -> str:
    return "NaN" if np.isnan(value) else "infinity"
