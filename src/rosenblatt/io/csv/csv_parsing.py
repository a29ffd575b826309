"""CSV as Arrow parses it: columns of the types asked for, or of text where a cell is not such."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from rosenblatt.io.csv.csv_layout import Layout
from rosenblatt.io.samples.table import Reading
from rosenblatt.tables.cells import SIGNS_OF_MISSING, texts_of

TEXT = pa.dictionary(pa.int32(), pa.string())
"""Text that may repeat."""

Types = Mapping[int, pa.DataType]
"""The types of columns, by their numbers; all others are `TEXT`."""

_NAMED_COLUMN = re.compile(r"In CSV column #([0-9]+)")


def read_as(read: Callable[[Types], pa.Table], types: Types) -> tuple[pa.Table, set[int]]:
    """Return what is read as these types, and the columns that had to be read as text.

    These are columns of which a cell is not of the type, or is a whole number that float64 rounds:
    whoever learns from texts sees what they are.
    """
    arrow, found = _read_where_right(read, types)
    wrong = {k for k in types if found[k] != types[k]}
    large = {k: TEXT for k, cells in enumerate(arrow.columns) if _is_large(cells)}
    if large:
        written, _ = _read_where_right(read, {**found, **large})
        rounded = {k for k in large if _is_rounded(written.column(k))}
        columns = [(written if k in rounded else arrow).column(k) for k in range(arrow.num_columns)]
        arrow, wrong = pa.Table.from_arrays(columns, arrow.column_names), wrong | rounded
    return arrow, wrong


def _read_where_right(read: Callable[[Types], pa.Table], types: Types) -> tuple[pa.Table, Types]:
    """Return the columns as these types; those of which a cell is not such are read as text."""
    while True:
        try:
            return read(types), types
        except pa.ArrowInvalid as error:
            named = _NAMED_COLUMN.search(str(error))
            wrong = int(named.group(1)) if named else -1
            if types.get(wrong, TEXT) == TEXT:
                raise
            types = {**types, wrong: TEXT}


def _is_large(cells: pa.ChunkedArray) -> bool:
    """Say whether a column has numbers so large that float64 has not all whole ones of that size."""
    if not pa.types.is_floating(cells.type):
        return False
    ends = pc.min_max(cells).as_py()
    return any(end is not None and abs(end) >= 2.0**53 for end in ends.values())


def _is_rounded(cells: pa.ChunkedArray) -> bool:
    """Say whether texts have a whole number that float64 rounds to another one."""
    texts = texts_of(cells).values.to_pylist()
    whole = [text for text in texts if re.fullmatch(r"[+-]?[0-9]{16,300}", text)]
    return any(int(text) != int(float(text)) for text in whole)


def parse(
    stream: pa.NativeFile,
    layout: Layout,
    reading: Reading,
    types: Types,
    *,
    block: int,
    lines_above: int,
    use_threads: bool = True,
) -> pa.Table:
    """Return the columns of CSV, below some lines, which Arrow parses in blocks of bytes."""
    names = [f"{k}" for k in range(len(layout.columns))]
    own = dict.fromkeys(names, TEXT) | {names[k]: kind for k, kind in types.items()}
    signs = [*SIGNS_OF_MISSING, *reading.missing]
    with _finished_tasks():
        return pa_csv.read_csv(
            stream,
            read_options=pa_csv.ReadOptions(
                column_names=names,
                skip_rows=lines_above,
                block_size=block,
                use_threads=use_threads,
            ),
            parse_options=pa_csv.ParseOptions(delimiter=layout.delimiter, quote_char=layout.quote),
            convert_options=pa_csv.ConvertOptions(
                column_types=own,
                null_values=[*signs, *(f" {sign}" for sign in signs)],
                decimal_point=reading.decimal,
            ),
        )


@contextmanager
def _finished_tasks() -> Iterator[None]:
    """Wait until Arrow's threads have done the tasks that a failed or interrupted read left behind.

    Otherwise Python could not exit: Arrow's pool of threads then drops the tasks that still wait, and
    the destructor of the last one waits for ever until all are done (in ThreadedTaskGroup; seen with
    pyarrow 26, and to be removed once Arrow has mended it). Tasks are done in order, so that a small
    read ends after all of them. Its bytes are Arrow's own: a thread that frees Python's bytes needs
    Python, and ends the process if Python is about to exit ("terminate called without an active
    exception").
    """
    try:
        yield
    except BaseException:
        pa_csv.read_csv(arrow_bytes(b"1\n"), read_options=pa_csv.ReadOptions(column_names=["0"]))
        raise


def arrow_bytes(data: bytes) -> pa.NativeFile:
    """Return a copy of bytes, which is Arrow's own: see `_finished_tasks`."""
    return pa.BufferReader(pa.array([data], pa.large_binary()).buffers()[-1])
