"""The samples of a picture: checked and converted, and which rows to draw."""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import as_labels, class_indices, distinct, merged_classes
from rosenblatt.core.types import Counts, Labels, LabelsLike, MatrixLike, is_sparse
from rosenblatt.kernels.finite import check_finite
from rosenblatt.kernels.sparse_input import as_csr

MAX_DRAWN = 5_000
"""About how many samples are drawn at most; more would overlap."""


class DrawnSamples(NamedTuple):
    """A dense or sparse table, a class index per row, the class labels, and the feature names."""

    table: MatrixLike
    codes: Counts
    classes: list[Any]
    names: list[str]


def drawn_samples(
    X: MatrixLike, y: LabelsLike, classes: Labels | None = None, names: Any = None
) -> DrawnSamples:
    """Check and convert samples and labels of any types that learners accept.

    ``classes`` may contain labels that do not occur in ``y``. Features are named by ``names``, the
    columns of a data frame, or x1, x2, …

    >>> drawn_samples([[1, 2], [3, 4]], ["b", "a"]).codes.tolist()
    [1, 0]
    """
    table = table_of(X)
    labels = np.asarray(as_labels(y))
    if labels.shape != (table.shape[0],):
        raise InputError(
            f"X has {table.shape[0]} rows, but y has shape {labels.shape}: give one label for each row"
        )
    known = distinct(labels) if classes is None else merged_classes(classes, labels)
    names = getattr(X, "columns", None) if names is None else names
    found_names = (
        [f"x{k}" for k in range(1, table.shape[1] + 1)] if names is None else list(map(str, names))
    )
    return DrawnSamples(table, class_indices(labels, known), known.tolist(), found_names)


def table_of(X: MatrixLike) -> MatrixLike:
    """Return samples as an array or CSR matrix of finite numbers; raise InputError if that fails."""
    try:
        table = as_csr(X) if is_sparse(X) else np.asarray(X)
        if table.dtype == object:
            table = table.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"X is not a table of numbers ({error}): give one row per sample"
        ) from error
    if table.ndim != 2 or 0 in table.shape:
        raise InputError(
            f"X has shape {table.shape}: give a table with at least one row and column"
        )
    if table.dtype.kind not in "biuf":
        raise InputError(f"X has values of type {table.dtype}: give real numbers")
    check_finite(table)
    return table if table.dtype.kind == "f" else table.astype(np.float64)


def rows_to_draw(codes: Counts, always: Counts, max_rows: int = MAX_DRAWN) -> Counts:
    """Return the rows to draw, ascending: all of them, or a random sample of about ``max_rows``.

    Each class keeps its share, and the rows in ``always`` are always included.

    >>> rows = rows_to_draw(np.repeat([0, 1], [900, 100]), np.array([7, 8]), max_rows=50)
    >>> len(rows) in (50, 51, 52), (rows >= 900).sum(), np.isin([7, 8], rows).all()
    (True, np.int64(5), np.True_)
    """
    if len(codes) <= max_rows:
        return np.arange(len(codes))
    random = np.random.RandomState(0)
    parts = [always]
    for code in distinct(codes):
        rows = np.flatnonzero(codes == code)
        n_shown = max(1, round(max_rows * len(rows) / len(codes)))
        parts.append(random.choice(rows, n_shown, replace=False))
    return np.unique(np.concatenate(parts)).astype(np.int64)
