"""Parquet and Arrow (Feather) files: tables whose columns have names and types.

Parquet is read in batches, with texts that repeat as dictionaries, so that reading takes little more
memory than what is read.
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
# A text that repeats is stored as a number; to make dictionaries of others takes memory and time.
_BYTES_OF_REPEATED = 4
_INDEX = re.compile(r"__index_level_[0-9]+__")


def read_arrow_file(path: Path, kind: str, reading: Reading) -> Table:
    """Read a Parquet or an Arrow file."""
    if file_compression(path) is not None:
        raise InputError(
            f"{path}: this {kind.title()} file is packed once more, which is not read; unpack it"
        )
    try:
        columns = _parquet(path) if kind == "parquet" else pa_feather.read_table(str(path))
        # Arrow looks at no offset, index or text before it is used, and then in the wrong place.
        columns.validate(full=True)
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"{path}: cannot be read ({reason:.200})") from error
    if columns.num_rows == 0:
        raise InputError(f"{path}: the table has no rows; give at least one")
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
    """Return which columns are not the row numbers of pandas, which nobody has asked for."""
    return [k for k, one in enumerate(schema) if not _INDEX.fullmatch(one.name)]


def arrangement_of(place: str, schema: pa.Schema, reading: Reading) -> Arrangement:
    """Return which column of a file is the label, and what the others are called."""
    names = [one.name for one in schema]
    if len(set(names)) < len(names):
        raise InputError(f"{place}: two columns have the same name; names must differ")
    label = label_position(place, names, reading, has_header=True)
    if label is not None and len(names) == 1:
        raise InputError(
            f"{place}: there is only one column ({quoted(names[0])}); give columns and a label"
        )
    if label is not None:
        try:
            check_type(names[label], schema.field(label).type)
        except InputError as error:
            raise InputError(f"{place}: {error}") from error
    features = [name for k, name in enumerate(names) if k != label]
    expect = reading.expect
    if expect is not None and not expect.has_names:  # the model knows their places only
        check_width(place, len(features), expect.n_features)
        features = features if expect.names is None else list(expect.names)
    return Arrangement(names, True, label, features)


def open_parquet(source: str | pa.NativeFile) -> pa_parquet.ParquetFile:
    """Open a Parquet file, of which texts that repeat are read as dictionaries."""
    file = pa_parquet.ParquetFile(source)
    metadata = file.metadata
    texts = [one.name for one in file.schema_arrow if is_text(one.type)]
    if metadata.num_row_groups == 0 or not texts:
        return file
    # Arrow ends the process when it is asked for what is known of a column, and that is damaged; when
    # it reads a row of the column, it raises.
    next(file.iter_batches(1, columns=texts), None)
    places = {metadata.schema.column(k).path: k for k in range(metadata.num_columns)}
    group = metadata.row_group(0)
    sizes = {name: group.column(places[name]) for name in texts if name in places}
    small = [
        name
        for name, own in sizes.items()
        if own.total_uncompressed_size <= _BYTES_OF_REPEATED * own.num_values
    ]
    return pa_parquet.ParquetFile(source, metadata=metadata, read_dictionary=small)


def _parquet(path: Path) -> pa.Table:
    file = open_parquet(str(path))
    return pa.Table.from_batches(file.iter_batches(_BATCH), file.schema_arrow)
