"""CSV parsing with Arrow: columns of the requested types, or of text if a cell does not fit."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from rosenblatt.io.csv.csv_layout import Layout
from rosenblatt.io.samples.table import Reading
from rosenblatt.tables.cells import MISSING_MARKERS, texts_of

TEXT = pa.dictionary(pa.int32(), pa.string())
"""The type of text columns."""

Types = Mapping[int, pa.DataType]
"""Column types by index; all other columns are `TEXT`."""

_NAMED_COLUMN = re.compile(r"In CSV column #([0-9]+)")


def read_as(read: Callable[[Types], pa.Table], types: Types) -> tuple[pa.Table, set[int]]:
    """Return the table, and the columns that had to be read as text.

    These have a cell that is not of the type, or a whole number that float64 would round: learning
    decides what such texts are.
    """
    arrow, found = _read_with_fallback(read, types)
    wrong = {k for k in types if found[k] != types[k]}
    large = {k: TEXT for k, cells in enumerate(arrow.columns) if _is_large(cells)}
    if large:
        written, _ = _read_with_fallback(read, {**found, **large})
        rounded = {k for k in large if _is_rounded(written.column(k))}
        columns = [(written if k in rounded else arrow).column(k) for k in range(arrow.num_columns)]
        arrow, wrong = pa.Table.from_arrays(columns, arrow.column_names), wrong | rounded
    return arrow, wrong


def _read_with_fallback(read: Callable[[Types], pa.Table], types: Types) -> tuple[pa.Table, Types]:
    """Return the table and its types: columns with a cell of another type become text."""
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
    """Return whether a column has numbers of a size at which float64 skips whole numbers."""
    if not pa.types.is_floating(cells.type):
        return False
    ends = pc.min_max(cells).as_py()
    return any(end is not None and abs(end) >= 2.0**53 for end in ends.values())


def _is_rounded(cells: pa.ChunkedArray) -> bool:
    """Return whether a text is a whole number that float64 would round to another one."""
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
    """Return the columns of a CSV stream, skipping the ``lines_above`` its samples."""
    names = [f"{k}" for k in range(len(layout.columns))]
    own = dict.fromkeys(names, TEXT) | {names[k]: kind for k, kind in types.items()}
    signs = [*MISSING_MARKERS, *reading.missing]
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
    """Wait until Arrow's threads have finished the tasks of a failed or interrupted read.

    Otherwise Python could not exit: Arrow's thread pool would drop waiting tasks, and the destructor of
    the last one would wait forever for all of them (in ThreadedTaskGroup, seen with pyarrow 26; remove
    this once Arrow fixes it). Tasks run in order, so a small read finishes after all others. Its bytes
    belong to Arrow: a thread that frees Python's bytes needs the interpreter, and ends the process if
    Python is exiting ("terminate called without an active exception").
    """
    try:
        yield
    except BaseException:
        pa_csv.read_csv(arrow_bytes(b"1\n"), read_options=pa_csv.ReadOptions(column_names=["0"]))
        raise


def arrow_bytes(data: bytes) -> pa.NativeFile:
    """Return a copy of bytes in memory that Arrow owns: see `_finished_tasks`."""
    return pa.BufferReader(pa.array([data], pa.large_binary()).buffers()[-1])
