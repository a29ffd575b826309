"""Helpers for tests of sample files: writing them, and reading them as Python values."""

from pathlib import Path
from typing import Any

import pyarrow as pa

from rosenblatt.io import Reading, Table, read
from rosenblatt.io.samples.preparation import ColumnOptions, prepared


def written(folder: Path, content: str | bytes, name: str = "data") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def rows(table: Table) -> list[list[Any]]:
    """Return the cells, row by row."""
    if not isinstance(table.X, pa.Table):
        dense: list[list[Any]] = table.X.toarray().tolist()
        return dense
    return [list(row.values()) for row in table.X.to_pylist()]


def numbers(path: Path, reading: Reading | None = None, **wanted: Any) -> Any:
    """Return the names of the encoded columns, and their numbers."""
    table = read(path, reading)
    encoder, X = prepared(str(path), table, ColumnOptions(**wanted))
    names = None if encoder is None else encoder.get_feature_names_out().tolist()
    return names, X.tolist() if hasattr(X, "tolist") else X.toarray().tolist()
