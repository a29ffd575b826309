"""Reading files of labeled samples."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_readable
from rosenblatt.core.types import Labels, MatrixLike
from rosenblatt.io.csv.csv_file import read_csv
from rosenblatt.io.samples.arrow_file import read_arrow_file
from rosenblatt.io.samples.label_text import label_texts
from rosenblatt.io.samples.libsvm_file import read_libsvm
from rosenblatt.io.samples.sample_places import places_in_files
from rosenblatt.io.samples.table import Arrangement, Reading, Table, check_same_columns
from rosenblatt.io.samples.text_file import open_bytes
from rosenblatt.io.sources.file_kind import ARROW_BEGINNINGS, HEAD, file_kind
from rosenblatt.io.sources.local_copies import named_files, original_names
from rosenblatt.tables.arrow_table import stacked


def read(paths: str | Path | Sequence[str | Path], reading: Reading | None = None) -> Table:
    """Read a file of samples, or several files with the same columns as one table.

    A path may also be a pattern such as ``part-*.csv``, a URL, or "-" for standard input.
    """
    reading = Reading() if reading is None else reading
    files = named_files([paths] if isinstance(paths, str | Path) else paths)
    if not files:
        raise InputError("there are no files to read; give at least one")
    with original_names(files):
        tables = [_read(file.path, reading) for file in files]
    if len(tables) == 1:
        return tables[0]
    return _joined([file.name for file in files], tables)


def _read(path: Path, reading: Reading) -> Table:
    check_readable(path)
    with open_bytes(path) as file:
        head = file.read(HEAD)
    kind = file_kind(str(path), head, reading.kind)
    reading.check_kind(str(path), kind)
    if kind in ARROW_BEGINNINGS.values():
        return read_arrow_file(path, kind, reading)
    return read_libsvm(path, reading.expect) if kind == "libsvm" else read_csv(path, reading)


def _joined(names: Sequence[str], tables: Sequence[Table]) -> Table:
    """Join the samples of several files."""
    first_index = min(table.first_index for table in tables)
    tables = [_with_first_index(first_index, table) for table in tables]
    first = tables[0]
    for name, table in zip(names[1:], tables[1:], strict=True):
        _check_schema(name, table, names[0], first)
    places = places_in_files(
        names, [table.n_samples for table in tables], [table.places_of for table in tables]
    )
    y = _joined_labels(names, [table.y for table in tables if table.y is not None])
    n_unlabeled = sum(table.n_unlabeled for table in tables)
    return replace(
        first,
        X=_stacked(tables),
        y=y,
        places_of=places,
        n_unlabeled=n_unlabeled,
    )


def _with_first_index(first_index: int, table: Table) -> Table:
    """Return a libsvm file's samples with their columns shifted to start at another first index."""
    shift = np.int32(table.first_index - first_index)
    if not shift or isinstance(table.X, pa.Table):
        return table
    X, (n_samples, width) = table.X, table.X.shape
    X = sp.csr_matrix((X.data, X.indices + shift, X.indptr), shape=(n_samples, width + shift))
    return replace(table, X=X, first_index=first_index)


def _joined_labels(names: Sequence[str], labels: Sequence[Labels]) -> Labels | None:
    """Join labels; if their types differ (1 in one file, 1.5 or "a" in another), return them as text."""
    labels = [part for part in labels if len(part)] or labels[:1]
    kinds = {part.dtype.kind for part in labels}
    if len(kinds) > 1:
        if "b" in kinds:  # their spelling is lost: TRUE, True or true
            raise InputError(
                f"{names[0]}: some of the files have only true and false as labels, others have other "
                "labels; use the same kind of labels in all files"
            )
        labels = [label_texts(part) for part in labels]
    return np.concatenate(labels) if labels else None


def _check_schema(name: str, table: Table, first_name: str, first: Table) -> None:
    """Raise InputError unless two files have the same columns, in any order, and the same label."""

    def is_table(one: Table) -> bool:
        return isinstance(one.X, pa.Table)

    if is_table(table) != is_table(first):
        sparse, other = (name, first_name) if is_table(first) else (first_name, name)
        raise InputError(
            f"{name}: {sparse} is a libsvm file and {other} is not; give files of one kind"
        )
    if is_table(table):
        check_same_columns(name, _arranged(table), first_name, _arranged(first))


def _arranged(table: Table) -> Arrangement:
    label = None if table.y is None or table.label_column is None else table.label_column - 1
    return Arrangement(table.columns, table.has_names, label, table.names or [])


def _stacked(tables: Sequence[Table]) -> MatrixLike:
    if not isinstance(tables[0].X, pa.Table):
        width = max(table.X.shape[1] for table in tables)
        for table in tables:
            table.X.resize(table.X.shape[0], width)
        return sp.vstack([table.X for table in tables], format="csr")
    return stacked([table.X for table in tables])


__all__ = ["Reading", "Table", "read"]
