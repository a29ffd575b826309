"""Files: labelled samples, and models."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from rosenblatt.core.errors import InputError, quoted
from rosenblatt.core.files import check_readable
from rosenblatt.core.number_syntax import NUMBER
from rosenblatt.core.types import Labels, MatrixLike
from rosenblatt.io.samples.arrow_file import BEGINNINGS, read_arrow_file
from rosenblatt.io.samples.csv_file import read_csv
from rosenblatt.io.samples.label_text import label_texts
from rosenblatt.io.samples.libsvm_file import read_libsvm
from rosenblatt.io.samples.sample_places import places_in_files
from rosenblatt.io.samples.standard_input import (
    file_names,
    named_standard_input,
    with_standard_input,
)
from rosenblatt.io.samples.table import Reading, Table, some_names
from rosenblatt.io.samples.text_file import open_bytes

_HEAD = 2**20
_PACKED = {
    b"\xfd7zXZ": "xz, which is not read: unpack it, or use gzip, bzip2 or zstd",
    b"PK\x03\x04": "zip, which is not read: save a workbook as CSV, or unpack the file",
}
# A label and an index:value pair; where the label is a number, also a pair with a mistake in it, which
# the libsvm reader then names.
_BEGINNING = re.compile(rf"\S+ [0-9]+:\S+|{NUMBER} [^\s:,;]+:[^\s,;]*".encode())


def read(paths: Path | Sequence[Path], reading: Reading | None = None) -> Table:
    """Read a file of samples, or several of one schema, one after another; "-" is standard input."""
    reading = Reading() if reading is None else reading
    paths = [paths] if isinstance(paths, Path) else list(paths)
    files = with_standard_input(paths)
    with named_standard_input(files):
        tables = [_read(file, reading) for file in files]
    if len(tables) == 1:
        return tables[0]
    return _joined([Path(file_names([path])) for path in paths], tables)


def _read(path: Path, reading: Reading) -> Table:
    check_readable(path)
    head = _head(path)
    kind = reading.kind
    if kind == "auto":
        kind = _kind(head)
    if kind in ("parquet", "arrow"):
        return read_arrow_file(path, kind, reading)
    _check_text(path, head)
    return read_libsvm(path, reading.expect) if kind == "libsvm" else read_csv(path, reading)


def _kind(head: bytes) -> str:
    for beginning, kind in BEGINNINGS.items():
        if head.startswith(beginning):
            return kind
    return "libsvm" if _looks_like_libsvm(head) else "csv"


def _joined(paths: Sequence[Path], tables: Sequence[Table]) -> Table:
    """Return the samples of several files as one table."""
    first = tables[0]
    for path, table in zip(paths[1:], tables[1:], strict=True):
        _check_schema(path, table, paths[0], first)
    places = places_in_files(
        paths, [table.n_samples for table in tables], [table.places_of for table in tables]
    )
    y = _joined_labels(paths, [table.y for table in tables if table.y is not None])
    n_unlabelled = sum(table.n_unlabelled for table in tables)
    return replace(first, X=_stacked(tables), y=y, places_of=places, n_unlabelled=n_unlabelled)


def _joined_labels(paths: Sequence[Path], labels: Sequence[Labels]) -> Labels | None:
    """Return the labels of several files; of different types, as text: 1 in one, 1.5 or a in another."""
    labels = [own for own in labels if len(own)] or labels[:1]
    kinds = {own.dtype.kind for own in labels}
    if len(kinds) > 1:
        if "b" in kinds:  # how they were written is not known any more: TRUE, True or true
            raise InputError(
                f"{paths[0]}: of the files read with it, some have only true and false as labels, and "
                "some have others; give all of them labels of one kind"
            )
        labels = [label_texts(own) for own in labels]
    return np.concatenate(labels) if labels else None


def _check_schema(path: Path, table: Table, first_path: Path, first: Table) -> None:
    """Raise unless two files have the same columns, in any order, and both have labels or not."""

    def is_table(one: Table) -> bool:
        return isinstance(one.X, pa.Table)

    if is_table(table) != is_table(first):
        sparse, other = (path, first_path) if is_table(first) else (first_path, path)
        raise InputError(
            f"{path}: {sparse} is a libsvm file and {other} is not; give files of one kind"
        )
    if (table.y is None) != (first.y is None) or table.label_name != first.label_name:
        raise InputError(
            f"{path}: the label is {_label(table)}, but in {first_path} it is {_label(first)}; say with "
            "--label which column it is in all files"
        )
    if table.names is not None and sorted(table.names) != sorted(first.names or []):
        differing = sorted(set(table.names) ^ set(first.names or []))
        raise InputError(
            f"{path}: the columns are not those of {first_path}: one of the two lacks "
            f"{some_names(differing)}"
        )


def _label(table: Table) -> str:
    if table.y is None:
        return "not there"
    return quoted(table.label_name) if table.label_name else f"column {table.label_column}"


def _stacked(tables: Sequence[Table]) -> MatrixLike:
    if not isinstance(tables[0].X, pa.Table):
        width = max(table.X.shape[1] for table in tables)
        for table in tables:
            table.X.resize(table.X.shape[0], width)
        return sp.vstack([table.X for table in tables], format="csr")
    names = tables[0].X.column_names
    columns = []
    for name in names:
        parts = [table.X.column(name) for table in tables]
        kinds = {part.type for part in parts}
        if len(kinds) > 1:
            common = pa.float64() if all(map(_is_numeric, kinds)) else pa.string()
            parts = [part.cast(common) for part in parts]
        columns.append(pa.chunked_array([chunk for part in parts for chunk in part.chunks]))
    return pa.Table.from_arrays(columns, names)


def _is_numeric(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind)


def _head(path: Path) -> bytes:
    """Return the beginning of a file, unpacked; raise if it is packed in a way that is not read."""
    with open_bytes(path) as file:
        head = file.read(_HEAD)
    for beginning, name in _PACKED.items():
        if head.startswith(beginning) and b"\0" in head:
            raise InputError(f"{path}: this file is compressed with {name}")
    return head


def _check_text(path: Path, head: bytes) -> None:
    if b"\0" in head:
        number = head.count(b"\n", 0, head.index(b"\0")) + 1
        raise InputError(
            f"{path}, line {number}: there is a NUL byte: this is not a text file in UTF-8"
        )


def _looks_like_libsvm(head: bytes) -> bool:
    """Say whether the first sample is a label followed by index:value pairs."""
    for line in head.splitlines():
        fields = line.partition(b"#")[0].split(maxsplit=2)
        if fields:
            return _BEGINNING.fullmatch(b" ".join(fields[:2])) is not None
    return False


__all__ = ["Reading", "Table", "read"]
