"""Reading of CSV files, with or without a header, into columns of numbers and of text.

Lines are counted, Arrow reads them at full speed, and its rows must account for every line that is
neither empty nor the header. If they do not, or if Arrow fails, a second, slow pass finds the first
malformed line.

The first lines suggest which columns hold numbers. A column with a cell that is not a number is read as
text, and learning decides what to make of it.
"""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa

from rosenblatt.core.errors import InputError
from rosenblatt.io.csv.column_types import (
    HEAD,
    feature_names,
    guessed_types,
    known_types,
    needs_points,
    with_points,
)
from rosenblatt.io.csv.csv_checks import check_decimal_comma, check_header, explain
from rosenblatt.io.csv.csv_layout import Layout, find_layout
from rosenblatt.io.csv.csv_parsing import Types, parse, read_as
from rosenblatt.io.csv.line_count import LineCount, count_lines
from rosenblatt.io.samples.label_column import labels_of
from rosenblatt.io.samples.sample_places import kept_places, line_places
from rosenblatt.io.samples.table import Reading, Table
from rosenblatt.io.samples.text_file import file_compression, open_bytes, text_lines
from rosenblatt.tables.cells import is_text, texts_of
from rosenblatt.tables.text_counts import TextCounts

# Arrow refuses a line longer than a block, and makes a chunk of every column per block: with 150,000
# columns, blocks of one line take twice as long as blocks of sixteen.
_SMALLEST_BLOCK = 2**20
_LINES_IN_BLOCK = 16
_LARGEST_BLOCK = 2**30


def read_csv(path: Path, reading: Reading) -> Table:
    """Read a CSV file; its columns are numbers (float64) or text (a dictionary)."""
    layout, count = _measured(path, reading)
    n_samples = count.lines - (1 if layout.has_header else 0)
    if n_samples == 0:
        raise InputError(f"{path}: there are no samples below the header")
    arrow = _columns(path, layout, count, reading)
    if arrow.num_rows != n_samples:
        wrong = f"{arrow.num_rows:,} rows were read from {n_samples:,} lines"
        explain(str(path), _sample_lines(path, layout), layout, wrong)
    X = arrow.select(layout.features).rename_columns(feature_names(str(path), layout, reading))
    places = line_places(path, layout.lines_above, has_blank=count.has_blank)
    label_name = None
    if layout.label is None:
        return Table(X, None, places, layout.names, layout.has_header)
    if layout.has_header:
        label_name = layout.columns[layout.label]
    cells = arrow.column(layout.label)
    y, present = labels_of(cells)
    _check(path, layout, cells, reading)
    if not reading.needs_labels:
        return Table(X, None, places, layout.names, layout.has_header, label_name, layout.label + 1)
    if not present.all():
        X = X.filter(pa.array(present))
    return Table(
        X,
        y,
        kept_places(places, present),
        layout.names,
        layout.has_header,
        label_name,
        layout.label + 1,
        n_unlabeled=int(np.count_nonzero(~present)),
    )


def _check(path: Path, layout: Layout, cells: pa.ChunkedArray, reading: Reading) -> None:
    """Raise InputError if the labels suggest another layout."""
    lines = _sample_lines(path, layout)
    check_decimal_comma(str(path), layout, cells[0].as_py() or "", lines)
    labels = TextCounts.of(texts_of(cells))
    check_header(str(path), layout, labels.values.to_pylist(), labels.counts, reading.expect)


def _columns(path: Path, layout: Layout, count: LineCount, reading: Reading) -> pa.Table:
    """Return all columns; if Arrow cannot read them even as text, name the first malformed line."""
    try:
        types: Types | None = known_types(str(path), layout, reading)
        if types is None:
            types = guessed_types(str(path), layout, reading, _head(path, count))
        arrow, _ = read_as(partial(_read_arrow, path, layout, count, reading), types)
    except (pa.ArrowInvalid, OSError) as error:
        explain(str(path), _sample_lines(path, layout), layout, str(error).splitlines()[0])
    # Combined once, so that repeated access to a column does not combine its chunks each time.
    arrow = arrow.unify_dictionaries().combine_chunks()
    if reading.decimal == ".":
        return arrow
    columns = [
        with_points(one) if is_text(one.type) and needs_points(texts_of(one).values) else one
        for one in arrow.columns
    ]
    return pa.Table.from_arrays(columns, arrow.column_names)


def _measured(path: Path, reading: Reading) -> tuple[Layout, LineCount]:
    """Return the layout of a file and the count of its lines."""
    layout = find_layout(str(path), text_lines(path), reading)
    count = count_lines(path, layout.delimiter, layout.quote)
    if not count.can_be_split and layout.quote == "'":  # its single quotes are apostrophes
        layout = find_layout(str(path), text_lines(path), reading, '"')
        count = count_lines(path, layout.delimiter, layout.quote)
    if not count.can_be_split:
        lines = _sample_lines(path, layout)
        explain(str(path), lines, layout, "there is a stray quote or a NUL byte")
    return layout, count


def _head(path: Path, count: LineCount) -> bytes:
    """Return the first lines of a file as bytes."""
    size = max(HEAD, 2 * count.longest)
    with open_bytes(path) as file:
        head = file.read(size)
        if len(head) == size:
            head += file.readline()
    return head


def _read_arrow(
    path: Path, layout: Layout, count: LineCount, reading: Reading, types: Types
) -> pa.Table:
    block = min(max(_SMALLEST_BLOCK, _LINES_IN_BLOCK * count.longest), _LARGEST_BLOCK)
    with pa.input_stream(str(path), compression=file_compression(path)) as stream:
        return parse(stream, layout, reading, types, block=block, lines_above=layout.lines_above)


def _sample_lines(path: Path, layout: Layout) -> Iterator[tuple[int, str]]:
    """Yield the number and text of each line below the header."""
    return islice(enumerate(text_lines(path), start=1), layout.lines_above, None)
