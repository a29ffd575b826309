"""Parquet and Arrow (Feather) files: tables whose columns have names and types.

Parquet is read in batches, with text as dictionaries, so that reading takes little more memory than what
is read.
"""

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather as pa_feather
import pyarrow.parquet as pa_parquet

from rosenblatt.core.errors import InputError, quoted
from rosenblatt.io.samples.label_column import label_position, labels_of
from rosenblatt.io.samples.sample_places import places_among, row_places
from rosenblatt.io.samples.table import Expected, Reading, Table, check_width
from rosenblatt.io.samples.text_file import compression
from rosenblatt.tables.cells import check_type, is_text

BEGINNINGS = {b"PAR1": "parquet", b"ARROW1": "arrow", b"FEA1": "arrow"}
"""How such files begin."""

_BATCH = 2**16
_INDEX = re.compile(r"__index_level_[0-9]+__")


def read_arrow_file(path: Path, kind: str, reading: Reading) -> Table:
    """Read a Parquet or an Arrow file."""
    if compression(path) is not None:
        raise InputError(
            f"{path}: this {kind.title()} file is packed once more, which is not read; unpack it"
        )
    try:
        columns = _parquet(path) if kind == "parquet" else pa_feather.read_table(str(path))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise InputError(f"{path}: cannot be read ({str(error).splitlines()[0]:.200})") from error
    # the row numbers of pandas, which nobody has asked for
    own = [name for name in columns.column_names if not _INDEX.fullmatch(name)]
    columns = columns.select(own)
    names = columns.column_names
    if columns.num_rows == 0:
        raise InputError(f"{path}: the table has no rows; give at least one")
    if len(set(names)) < len(names):
        raise InputError(f"{path}: two columns have the same name; names must differ")
    label = label_position(str(path), names, reading, has_header=True)
    if label is not None and len(names) == 1:
        raise InputError(
            f"{path}: there is one column only ({quoted(names[0])}); give columns and a label"
        )
    features = [k for k in range(len(names)) if k != label]
    X = columns.select(features).rename_columns(_names(path, names, features, reading.expect))
    if label is None:
        return Table(X, None, row_places, names, True, is_typed=True)
    try:
        check_type(names[label], columns.column(label).type)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    if not reading.needs_labels:
        return Table(X, None, row_places, names, True, names[label], label + 1, is_typed=True)
    y, present = labels_of(columns.column(label))
    if not present.all():
        X = X.filter(pa.array(present))
    return Table(
        X,
        y,
        places_among(row_places, present),
        names,
        True,
        names[label],
        label + 1,
        n_unlabelled=int(np.count_nonzero(~present)),
        is_typed=True,
    )


def _names(path: Path, names: list[str], features: list[int], expect: Expected | None) -> list[str]:
    """Return the names of the feature columns, or the model's if it knows their places only."""
    if expect is None or expect.has_names:
        return [names[k] for k in features]
    check_width(path, len(features), expect.n_features)
    return [names[k] for k in features] if expect.names is None else list(expect.names)


def _parquet(path: Path) -> pa.Table:
    schema = pa_parquet.read_schema(str(path))
    texts = [one.name for one in schema if is_text(one.type)]
    file = pa_parquet.ParquetFile(str(path), read_dictionary=texts)
    return pa.Table.from_batches(file.iter_batches(_BATCH), file.schema_arrow)
