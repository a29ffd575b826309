"""Conversion of pandas, polars and NumPy tables to Arrow, without copying if possible."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
import pyarrow as pa

from rosenblatt.core.checks import check_unmasked
from rosenblatt.core.errors import InputError, not_unicode
from rosenblatt.core.types import Flags, MatrixLike
from rosenblatt.tables.cells import CellError, Cells

_ACCEPTED = "give a table of pandas, polars or Arrow, a 2-D array, or a list of rows"


def as_table(X: MatrixLike) -> tuple[pa.Table, bool]:
    """Return X as an Arrow table, and whether X has column names.

    >>> table, has_names = as_table(np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> table.column_names, has_names
    (['x0', 'x1'], False)
    """
    if isinstance(X, pa.Table):
        return X, True
    if isinstance(X, pa.RecordBatch):
        return pa.Table.from_batches([X]), True
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        return _from_pandas(X)
    if hasattr(X, "__arrow_c_stream__"):
        try:
            return pa.table(X), True
        except (pa.ArrowInvalid, TypeError, ValueError) as error:
            raise InputError(f"a {type(X).__name__} is not a table: {_ACCEPTED}") from error
    return _from_array(X), False


def stacked(tables: Sequence[pa.Table]) -> pa.Table:
    """Concatenate the rows of tables with the same columns, in any column order.

    A column whose types differ becomes float64, or text if some types are not numeric.

    >>> stacked([pa.table({"a": [1]}), pa.table({"a": [0.5]})]).column("a").to_pylist()
    [1.0, 0.5]
    """
    columns = []
    for name in tables[0].column_names:
        parts = [table.column(name) for table in tables]
        kinds = {part.type for part in parts}
        if len(kinds) > 1:
            common = pa.float64() if all(map(_is_numeric, kinds)) else pa.string()
            parts = [part.cast(common) for part in parts]
        columns.append(pa.chunked_array([chunk for part in parts for chunk in part.chunks]))
    return pa.Table.from_arrays(columns, tables[0].column_names)


def _is_numeric(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind)


def _from_pandas(X: Any) -> tuple[pa.Table, bool]:
    """Convert a data frame; columns that Arrow cannot store become text.

    Names that are all whole numbers are positions, as in a frame that was given no names.
    """
    has_names = X.shape[1] == 0 or not all(isinstance(name, Integral) for name in X.columns)
    names = [str(name) if has_names else f"x{k}" for k, name in enumerate(X.columns)]
    for fault in filter(None, map(not_unicode, names)):
        raise InputError(f"the column name {fault}")
    columns = [_stored(name, X.iloc[:, k]) for k, name in enumerate(names)]
    return pa.Table.from_arrays(columns, names=names), has_names


def _from_array(X: MatrixLike) -> pa.Table:
    if isinstance(X, list | tuple):
        check_unmasked(X, "X")
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise InputError(f"the rows of the table have different lengths: {_ACCEPTED}") from error
    if array.ndim != 2:
        raise InputError(
            f"the table has {array.ndim} dimensions: {_ACCEPTED}. Reshape your data: Expected 2D array"
        )
    if array.dtype.kind == "c":
        raise InputError("Complex data not supported: give real numbers")
    hidden = np.ma.getmaskarray(X) if np.ma.is_masked(X) else None
    names = [f"x{k}" for k in range(array.shape[1])]
    columns = [
        _stored(name, array[:, k], None if hidden is None else hidden[:, k])
        for k, name in enumerate(names)
    ]
    return pa.Table.from_arrays(columns, names=names)


def _stored(name: str, values: Any, hidden: Flags | None = None) -> Cells:
    """Return a column as Arrow stores it; ``hidden`` marks the missing cells of a masked array."""
    try:
        cells = _converted(values, hidden)
    except UnicodeError as error:
        faults = ((row, not_unicode(str(value))) for row, value in enumerate(values))
        row, fault = next((row, fault) for row, fault in faults if fault is not None)
        raise CellError(name, row, fault) from error
    return cells if isinstance(cells, pa.ChunkedArray) else pa.chunked_array([cells])


def _converted(values: Any, hidden: Flags | None) -> pa.Array | pa.ChunkedArray:
    try:
        return pa.array(values, from_pandas=True, mask=hidden)
    except (
        pa.ArrowInvalid,
        pa.ArrowTypeError,
        pa.ArrowNotImplementedError,
        OverflowError,
    ):  # mixed types, or whole numbers of more than 64 bits
        texts = [None if _is_missing(value) else str(value) for value in values]
        return pa.array(texts, pa.string(), mask=hidden)


def _is_missing(value: object) -> bool:
    try:
        return value is None or bool(value != value)
    except TypeError:  # pd.NA, whose comparisons have no truth value
        return True
    except ValueError:  # an array
        return False
