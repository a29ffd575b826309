"""CSV files, with or without a header: columns of numbers, and columns of text.

The lines are counted, Arrow reads them at full speed, and the samples that it has read must account for
every line that is neither empty nor a header. If they do not, or Arrow cannot read the file, it is read
once more, slowly, to name the first line that is wrong.

Which columns hold numbers is guessed from the file's beginning. Arrow finds out whether that is true of
all lines; if not, all columns are read as text, and whoever learns from them sees what they are.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from rosenblatt.core.errors import InputError, quoted
from rosenblatt.core.number_syntax import is_number
from rosenblatt.core.types import Labels
from rosenblatt.io.samples.csv_layout import Layout, find_layout, split_line
from rosenblatt.io.samples.label_column import labels_of
from rosenblatt.io.samples.line_count import LineCount, count_lines
from rosenblatt.io.samples.sample_places import line_places, places_among
from rosenblatt.io.samples.table import Expected, Reading, Table, check_width, column_number
from rosenblatt.io.samples.text_file import compression, open_bytes, text_lines
from rosenblatt.tables.cells import ISO, SIGNS_OF_MISSING, Texts, date_format, is_text, texts_of

# Arrow refuses a line that does not fit into a block, and makes a chunk of every column in every block:
# with 150,000 columns, blocks of one line take twice as long as blocks of sixteen.
_SMALLEST_BLOCK = 2**20
_LINES_IN_BLOCK = 16
_LARGEST_BLOCK = 2**30

_HEAD = 2**18
_CODE = re.compile(rb"(?:^|[,;\t\r\n\"' ])[+-]?0[0-9]")
_NAMED_COLUMN = re.compile(r"In CSV column #([0-9]+)")
_THOUSANDS = r"^ *[+-]?[0-9]{1,3}(?:[.][0-9]{3})+(?:,[0-9]+)? *$"
_TEXT = pa.dictionary(pa.int32(), pa.string())


def read_csv(path: Path, reading: Reading) -> Table:
    """Read a CSV file; its columns are numbers (float64) or text (a dictionary)."""
    layout, count = _measured(path, reading)
    n_samples = count.lines - (1 if layout.has_header else 0)
    if n_samples == 0:
        raise InputError(f"{path}: there is a header but no sample below it")
    arrow = _columns(path, layout, count, reading)
    if arrow.num_rows != n_samples:
        _explain(
            path, layout, f"{arrow.num_rows:,} samples were read, but {n_samples:,} lines have one"
        )
    X = arrow.select(layout.features).rename_columns(_names(path, layout, reading.expect))
    places = line_places(path, layout.lines_above, has_blank=count.has_blank)
    label_name = None
    if layout.label is None:
        return Table(X, None, places, layout.names, layout.has_header)
    if layout.has_header:
        label_name = layout.columns[layout.label]
    cells = arrow.column(layout.label)
    y, present = labels_of(cells)
    _check_decimal_comma(path, layout, cells)
    _check_header(path, layout, cells, reading.expect)
    if not reading.needs_labels:
        return Table(X, None, places, layout.names, layout.has_header, label_name, layout.label + 1)
    if not present.all():
        X = X.filter(pa.array(present))
    return Table(
        X,
        y,
        places_among(places, present),
        layout.names,
        layout.has_header,
        label_name,
        layout.label + 1,
        n_unlabelled=int(np.count_nonzero(~present)),
    )


def _columns(path: Path, layout: Layout, count: LineCount, reading: Reading) -> pa.Table:
    """Return all columns; name the first wrong line if Arrow cannot read them even as text."""
    try:
        types = _guessed_types(path, layout, count, reading)
        arrow = _read_as(path, layout, count, reading, types)
        large = {k: _TEXT for k, cells in enumerate(arrow.columns) if _is_large(cells)}
        if large:
            written = _read_as(path, layout, count, reading, types | large)
            rounded = {k for k in large if _is_rounded(written.column(k))}
            # as text, so that whoever learns from them sees numbers that float64 cannot hold
            columns = [
                (written if k in rounded else arrow).column(k) for k in range(arrow.num_columns)
            ]
            arrow = pa.Table.from_arrays(columns, arrow.column_names)
    except pa.ArrowInvalid as error:
        _explain(path, layout, str(error).splitlines()[0])
    # Whoever looks at a column again and again need not put its pieces together each time.
    arrow = arrow.unify_dictionaries().combine_chunks()
    if reading.decimal == ".":
        return arrow
    columns = [_with_points(one) if is_text(one.type) else one for one in arrow.columns]
    return pa.Table.from_arrays(columns, arrow.column_names)


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


def _read_as(
    path: Path,
    layout: Layout,
    count: LineCount,
    reading: Reading,
    types: dict[int, pa.DataType],
) -> pa.Table:
    """Return the columns as these types; those of which a cell is not such are read as text."""
    while True:
        try:
            return _read_arrow(path, layout, count, reading, types)
        except pa.ArrowInvalid as error:
            named = _NAMED_COLUMN.search(str(error))
            wrong = int(named.group(1)) if named else -1
            if types.get(wrong, _TEXT) == _TEXT:
                raise
            types = {**types, wrong: _TEXT}


def _measured(path: Path, reading: Reading) -> tuple[Layout, LineCount]:
    """Return how a file is laid out, and its number of lines."""
    layout = find_layout(path, reading)
    count = count_lines(path, layout.delimiter, layout.quote)
    if not count.can_be_split and layout.quote == "'":  # these were apostrophes
        layout = layout._replace(quote='"')
        count = count_lines(path, layout.delimiter, layout.quote)
    if not count.can_be_split:
        _explain(path, layout, "a quote or a NUL byte is out of place")
    return layout, count


def _names(path: Path, layout: Layout, expect: Expected | None) -> list[str]:
    """Return the names of the feature columns, or the model's where only their places are known."""
    own = layout.names
    names = [own[k] for k in layout.features]
    if expect is None or (expect.has_names and layout.has_header):
        return names
    check_width(path, len(names), expect.n_features)
    return names if expect.names is None else list(expect.names)


def _guessed_types(
    path: Path, layout: Layout, count: LineCount, reading: Reading
) -> dict[int, pa.DataType]:
    """Return which columns look like numbers or dates, or are a model's numbers, and other long ones."""
    names, expect = layout.names, reading.expect
    texts = {column_number(str(path), name, names) for name in reading.texts}
    if expect is not None and expect.names is not None:
        learned = dict(zip(layout.features, _names(path, layout, expect), strict=True))
        # what the model does not know may be anything
        known = set(expect.names) - set(expect.texts)
        own = [k for k, name in learned.items() if name in known and k not in texts]
        return dict.fromkeys(own, pa.float64())
    head = _head(path, count)
    found = [k for k in layout.features if k not in texts]
    with suppress(pa.ArrowInvalid), _finished_tasks():
        # To look at each column by itself takes a minute where there are 150,000.
        if not _CODE.search(head):
            numbers = dict.fromkeys(found, pa.float64())
            _parsed(pa.BufferReader(head), layout, count, reading, numbers)
            return numbers
    with _finished_tasks():
        cells = _parsed(pa.BufferReader(head), layout, count, reading, {})
    return {k: _guessed_type(cells.column(k), reading) for k in found}


def _guessed_type(cells: pa.ChunkedArray, reading: Reading) -> pa.DataType:
    """Return float64, a moment, or text: as a dictionary if texts repeat."""
    texts = texts_of(cells, reading.missing)
    if _are_numbers(texts, reading):
        return pa.float64()
    if date_format(texts) == ISO and not pc.any(pc.ends_with(texts.values, "Z")).as_py():
        return pa.timestamp("us")
    return _TEXT if 2 * len(texts.values) < len(cells) else pa.string()


def _head(path: Path, count: LineCount) -> bytes:
    """Return the beginning of a file, in whole lines."""
    size = max(_HEAD, 2 * count.longest)
    with open_bytes(path) as file:
        head = file.read(size)
        if len(head) == size:
            head += file.readline()
    return head


def _are_numbers(texts: Texts, reading: Reading) -> bool:
    """Say whether all texts are numbers, none of them a code such as 007."""
    if reading.decimal == ",":
        if pc.any(pc.match_substring_regex(texts.values, "[.]")).as_py():
            return False
        texts = replace(texts, values=pc.replace_substring(texts.values, ",", "."))
    codes = pc.match_substring_regex(texts.values, "^[+-]?0[0-9]")
    return len(texts.values) == 0 or bool(texts.are_numbers().all() and not pc.any(codes).as_py())


def _with_points(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column with decimal points, if most of its different texts are then numbers."""
    texts = texts_of(cells)
    points = replace(texts, values=_pointed(texts.values))
    if 2 * int(np.count_nonzero(points.are_numbers())) < len(texts.values):
        return cells
    return pa.chunked_array([_pointed(chunk) for chunk in cells.cast(pa.string()).chunks])


def _pointed(texts: pa.Array) -> pa.Array:
    """Return numbers with a decimal point; a point in front of three digits separates thousands.

    Any other point makes a text that is no number, so that whoever learns from it refuses it.
    """
    plain = pc.replace_substring(texts, ".", "")
    is_grouped = pc.match_substring_regex(texts, _THOUSANDS)
    has_point = pc.match_substring_regex(texts, "[.]")
    kept = pc.if_else(
        is_grouped, plain, pc.if_else(has_point, pc.replace_substring(texts, ".", "·"), texts)
    )
    return pc.replace_substring(kept, ",", ".")


def _read_arrow(
    path: Path,
    layout: Layout,
    count: LineCount,
    reading: Reading,
    types: Mapping[int, pa.DataType],
) -> pa.Table:
    try:
        with (
            _finished_tasks(),
            pa.input_stream(str(path), compression=compression(path)) as stream,
        ):
            return _parsed(stream, layout, count, reading, types)
    except OSError as error:
        _explain(path, layout, str(error).splitlines()[0])


def _parsed(
    stream: pa.NativeFile,
    layout: Layout,
    count: LineCount,
    reading: Reading,
    types: Mapping[int, pa.DataType],
) -> pa.Table:
    names = [f"{k}" for k in range(len(layout.columns))]
    own = dict.fromkeys(names, _TEXT) | {names[k]: kind for k, kind in types.items()}
    block = min(max(_SMALLEST_BLOCK, _LINES_IN_BLOCK * count.longest), _LARGEST_BLOCK)
    signs = [*SIGNS_OF_MISSING, *reading.missing]
    return pa_csv.read_csv(
        stream,
        read_options=pa_csv.ReadOptions(
            column_names=names, skip_rows=layout.lines_above, block_size=block
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
        text = pa.array(["1\n"]).buffers()[-1]
        pa_csv.read_csv(pa.BufferReader(text), read_options=pa_csv.ReadOptions(column_names=["0"]))
        raise


def _check_header(
    path: Path, layout: Layout, cells: pa.ChunkedArray, expect: Expected | None
) -> None:
    """Raise if the first line was guessed to be a header, or a sample, and may be the other."""
    if not layout.is_guess:
        return
    assert layout.label is not None
    name = layout.columns[layout.label]
    place = f"{path}, line {layout.first_line}"
    labels = texts_of(cells)
    known = labels.values.to_pylist()
    if layout.has_header and name in known:
        raise InputError(
            f"{place}: this may be a header, or a sample without numbers, for {quoted(name)} is a label "
            "below; say --header or --no-header"
        )
    names_differ = len(set(layout.columns)) == len(layout.columns)
    is_known = expect is not None and name in [str(label) for label in expect.classes.tolist()]
    if (
        not layout.has_header
        and names_differ
        and not is_known
        and _is_alone(known, labels.counts())
    ):
        raise InputError(
            f"{place}: this may be a header or a sample, for the label {quoted(name)} occurs nowhere "
            "else; say --header or --no-header"
        )


def _is_alone(values: list[str], counts: Labels) -> bool:
    """Say whether the first label occurs only once while others repeat, or all others are numbers."""
    if len(values) < 2 or counts[0] > 1:
        return False
    repeat = int(counts[1:].max()) > 1
    return repeat or (not is_number(values[0]) and all(is_number(value) for value in values[1:]))


def _check_decimal_comma(path: Path, layout: Layout, cells: pa.ChunkedArray) -> None:
    """Raise if commas may be decimal points, and semicolons or tabs separate columns: ``1,5;M``.

    In such a file commas occur only within numbers, in every line: looking at the first is enough.
    """
    first = cells[0].as_py() or ""
    others = [sign for sign in ";\t" if sign in first]
    if layout.delimiter != "," or not others:
        return
    number, line = next(_sample_lines(path, layout))
    for sign in others:
        fields = [field for field in line.split(sign) if "," in field]
        if all(set(field) <= set("0123456789+-.,eE \t\r\n") for field in fields):
            raise InputError(
                f"{path}, line {number}: {quoted(line.strip())} has two signs that may separate "
                f"columns, ',' and {sign!r}; if commas are decimal points, say --decimal ','"
            )


def _explain(path: Path, layout: Layout, otherwise: str) -> NoReturn:
    """Raise the error that names the first wrong line; ``otherwise`` is said if none is found."""
    expected = len(layout.columns)
    for number, line in _sample_lines(path, layout):
        place = f"{path}, line {number}"
        fields = split_line(place, line, layout.delimiter, layout.quote)
        if len(fields) != expected:
            raise InputError(
                f"{place}: this line has {len(fields)} columns, but the first one has {expected}"
            )
    raise InputError(f"{path}: cannot be read as CSV ({otherwise})")


def _sample_lines(path: Path, layout: Layout) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line below the header that is not empty."""
    lines = enumerate(text_lines(path), start=1)
    return (
        (number, line)
        for number, line in islice(lines, layout.lines_above, None)
        if line.strip("\r\n")
    )
