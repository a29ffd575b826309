"""Parquet and Arrow (Feather) files: tables whose columns have names and types.

Parquet is read in batches, with repeated text as dictionaries, so that reading needs little more memory
than the result.
"""

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather as pa_feather
import pyarrow.parquet as pa_parquet

from rosenblatt.core.errors import InputError, quoted
from rosenblatt.io.samples.label_column import label_position, labels_of
from rosenblatt.io.samples.sample_places import kept_places, row_places
from rosenblatt.io.samples.table import Arrangement, Reading, Table, check_width
from rosenblatt.io.samples.text_file import file_compression
from rosenblatt.tables.cells import check_type, is_text

_BATCH = 2**16
# Columns that Parquet stores in at most this many bytes per value repeat their text; dictionaries of
# other columns would cost memory and time.
_BYTES_OF_REPEATED = 4
_PANDAS_INDEX = re.compile(r"__index_level_[0-9]+__")


def read_arrow_file(path: Path, kind: str, reading: Reading) -> Table:
    """Read a Parquet or Arrow file."""
    if file_compression(path) is not None:
        raise InputError(
            f"{path}: this {kind.title()} file is compressed as a whole; unpack it first"
        )
    try:
        columns = _parquet(path) if kind == "parquet" else pa_feather.read_table(str(path))
        # Arrow does not check offsets, indices or text, and would read out of bounds.
        columns.validate(full=True)
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"{path}: cannot be read ({reason:.200})") from error
    if columns.num_rows == 0:
        raise InputError(f"{path}: the table has no rows; it needs at least one")
    columns = columns.select(data_columns(columns.schema))
    own = arrangement_of(str(path), columns.schema, reading)
    names = columns.column_names
    X = columns.select([k for k in range(len(names)) if k != own.label])
    X = X.rename_columns(own.features)
    if own.label is None:
        return Table(X, None, row_places, names, True, is_typed=True)
    label = own.label
    if not reading.needs_labels:
        return Table(X, None, row_places, names, True, names[label], label + 1, is_typed=True)
    y, present = labels_of(columns.column(label))
    if not present.all():
        X = X.filter(pa.array(present))
    return Table(
        X,
        y,
        kept_places(row_places, present),
        names,
        True,
        names[label],
        label + 1,
        n_unlabeled=int(np.count_nonzero(~present)),
        is_typed=True,
    )


def data_columns(schema: pa.Schema) -> list[int]:
    """Return the positions of all columns except the row numbers that pandas adds."""
    return [k for k, column in enumerate(schema) if not _PANDAS_INDEX.fullmatch(column.name)]


def arrangement_of(file: str, schema: pa.Schema, reading: Reading) -> Arrangement:
    """Return the label column and the names of the others; ``file`` is for messages."""
    names = [column.name for column in schema]
    if len(set(names)) < len(names):
        raise InputError(f"{file}: two columns have the same name; rename one of them")
    label = label_position(file, names, reading, has_header=True)
    if label is not None and len(names) == 1:
        raise InputError(
            f"{file}: there is only one column ({quoted(names[0])}); give columns and a label"
        )
    if label is not None:
        try:
            check_type(names[label], schema.field(label).type)
        except InputError as error:
            raise InputError(f"{file}: {error}") from error
    features = [name for k, name in enumerate(names) if k != label]
    expect = reading.expect
    if expect is not None and not expect.has_names:  # columns are matched by position
        check_width(file, len(features), expect.n_features)
        features = features if expect.names is None else list(expect.names)
    return Arrangement(names, True, label, features)


def open_parquet(source: str | pa.NativeFile) -> pa_parquet.ParquetFile:
    """Open a Parquet file; columns of repeated text are read as dictionaries."""
    file = pa_parquet.ParquetFile(source)
    metadata = file.metadata
    texts = [column.name for column in file.schema_arrow if is_text(column.type)]
    if metadata.num_row_groups == 0 or not texts:
        return file
    # Arrow aborts the process if you ask for damaged metadata of a column, but raises if you read a row
    # of the column first.
    next(file.iter_batches(1, columns=texts), None)
    positions = {metadata.schema.column(k).path: k for k in range(metadata.num_columns)}
    group = metadata.row_group(0)
    chunks = {name: group.column(positions[name]) for name in texts if name in positions}
    repeated = [
        name
        for name, chunk in chunks.items()
        if chunk.total_uncompressed_size <= _BYTES_OF_REPEATED * chunk.num_values
    ]
    return pa_parquet.ParquetFile(source, metadata=metadata, read_dictionary=repeated)


def _parquet(path: Path) -> pa.Table:
    file = open_parquet(str(path))
    return pa.Table.from_batches(file.iter_batches(_BATCH), file.schema_arrow)
