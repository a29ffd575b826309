"""CSV files: numbers in every column but the label's, with or without a header.

The lines are counted, Arrow reads them at full speed, and the samples that it has read must account for
every line that is neither empty nor a header. If they do not, or Arrow cannot read the file or finds an
empty cell, the file is read once more, slowly, to name the first line that is wrong.

A first line of numbers that could be a header, and one of names that could be a sample, are refused
unless ``header`` says which it is.
"""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Labels, MatrixLike
from rosenblatt.io.csv_layout import Layout, find_layout, split_line, unquoted
from rosenblatt.io.line_count import LineCount, count_lines
from rosenblatt.io.number_syntax import is_number, number_fault
from rosenblatt.io.table import Table, check_width
from rosenblatt.io.text_file import compression, quoted, text_lines

# Arrow refuses a line that does not fit into a block, and makes a chunk of every column in every block:
# with 150,000 columns, blocks of one line take twice as long as blocks of sixteen.
_SMALLEST_BLOCK = 2**20
_LINES_IN_BLOCK = 16
_LARGEST_BLOCK = 2**30


def read_csv(path: Path, *, label: str | None, header: bool | None, expect: Table | None) -> Table:
    """Read a CSV file whose columns hold numbers, all but the label's."""
    layout = find_layout(path, label, header, expect)
    features = _feature_columns(path, layout, expect)
    count = count_lines(path, layout.delimiter)
    if not count.can_be_split:
        _explain(path, layout, "a quote or a NUL byte is out of place")
    n_samples = count.lines - (1 if layout.has_header else 0)
    if n_samples == 0:
        raise InputError(f"{path}: there is a header but no sample below it")
    arrow = _read_arrow(path, layout, count)
    if arrow.num_rows != n_samples:
        _explain(
            path, layout, f"{arrow.num_rows:,} samples were read, but {n_samples:,} lines have one"
        )
    X = np.empty((n_samples, len(features)))
    for j, k in enumerate(features):
        X[:, j] = arrow.column(k).to_numpy()
    if not np.isfinite(X).all():
        _explain(path, layout, "a number is missing or not finite")
    y = None
    if layout.label is not None:
        texts = pc.utf8_trim_whitespace(arrow.column(layout.label))
        y = np.array(texts.to_pylist(), dtype=np.str_)
        if (y == "").any():
            _explain(path, layout, "a label is missing")
        _check_decimal_comma(path, layout, y)
        _check_header(path, layout, y, expect)
    return _table(layout, features, X, y)


def _table(layout: Layout, features: list[int], X: MatrixLike, y: Labels | None) -> Table:
    names = [layout.columns[k] for k in features] if layout.has_header else None
    if layout.label is None:
        return Table(X, y, len(features), names)
    label_name = layout.columns[layout.label] if layout.has_header else None
    return Table(X, y, len(features), names, label_name, layout.label + 1)


def _feature_columns(path: Path, layout: Layout, expect: Table | None) -> list[int]:
    """Return the feature columns in the order in which the model has learned them."""
    features = layout.features
    if expect is None:
        return features
    if expect.feature_names is not None and layout.has_header:
        places = {layout.columns[k]: k for k in features}
        missing = [name for name in expect.feature_names if name not in places]
        if missing:
            raise InputError(
                f"{path}, line {layout.first_line}: the column {quoted(missing[0])}, "
                "which the model has learned from, is not there"
            )
        if len(features) == expect.n_features:
            return [places[name] for name in expect.feature_names]
    check_width(path, len(features), expect.n_features)
    return features


def _read_arrow(path: Path, layout: Layout, count: LineCount) -> pa.Table:
    names = [f"{k}" for k in range(len(layout.columns))]
    types = {name: pa.float64() for name in names}
    if layout.label is not None:
        types[names[layout.label]] = pa.string()
    block = min(max(_SMALLEST_BLOCK, _LINES_IN_BLOCK * count.longest), _LARGEST_BLOCK)
    try:
        with pa.input_stream(str(path), compression=compression(path)) as stream:
            return pa_csv.read_csv(
                stream,
                read_options=pa_csv.ReadOptions(
                    column_names=names, skip_rows=layout.lines_above, block_size=block
                ),
                parse_options=pa_csv.ParseOptions(delimiter=layout.delimiter),
                convert_options=pa_csv.ConvertOptions(column_types=types, null_values=[""]),
            )
    except BaseException as error:
        _finish_tasks()
        if isinstance(error, pa.ArrowInvalid | OSError):
            _explain(path, layout, str(error).splitlines()[0])
        raise


def _finish_tasks() -> None:
    """Wait until Arrow's threads have done the tasks that a failed or interrupted read left behind.

    Otherwise Python could not exit: Arrow's pool of threads then drops the tasks that still wait, and
    the destructor of the last one waits for ever until all are done (in ThreadedTaskGroup; seen with
    pyarrow 26, and to be removed once Arrow has mended it). Tasks are done in order, so that a small
    read ends after all of them. Its bytes are Arrow's own: a thread that frees Python's bytes needs
    Python, and ends the process if Python is about to exit ("terminate called without an active
    exception").
    """
    text = pa.array(["1\n"]).buffers()[-1]
    pa_csv.read_csv(pa.BufferReader(text), read_options=pa_csv.ReadOptions(column_names=["0"]))


def _check_header(path: Path, layout: Layout, y: Labels, expect: Table | None) -> None:
    """Raise if the first line was guessed to be a header, or a sample, and may be the other."""
    if not layout.is_guess:
        return
    assert layout.label is not None
    name = layout.columns[layout.label]
    place = f"{path}, line {layout.first_line}"
    if layout.has_header and (y == name).any():
        raise InputError(
            f"{place}: this may be a header, or a sample without numbers, for {quoted(name)} is a label "
            "below; say --header or --no-header"
        )
    names_differ = len(set(layout.columns)) == len(layout.columns)
    is_known = expect is not None and expect.y is not None and name in expect.y.tolist()
    if not layout.has_header and names_differ and not is_known and _is_alone(y):
        raise InputError(
            f"{place}: this may be a header or a sample, for the label {quoted(name)} occurs nowhere "
            "else; say --header or --no-header"
        )


def _is_alone(y: Labels) -> bool:
    """Say whether the first label occurs only once while others repeat, or all others are numbers."""
    if len(y) == 1 or (y[1:] == y[0]).any():
        return False
    others = np.unique(y[1:]).tolist()
    repeat = len(others) < len(y) - 1
    return repeat or (not is_number(y[0]) and all(is_number(label) for label in others))


def _check_decimal_comma(path: Path, layout: Layout, y: Labels) -> None:
    """Raise if commas may be decimal points, and semicolons or tabs separate columns: ``1,5;M``.

    In such a file commas occur only within numbers, in every line: looking at the first is enough.
    """
    others = [sign for sign in ";\t" if sign in y[0]]
    if layout.delimiter != "," or not others:
        return
    number, line = next(_sample_lines(path, layout))
    for sign in others:
        fields = [field for field in line.split(sign) if "," in field]
        if all(re.fullmatch(r"[0-9+\-.,eE\s]*", field) for field in fields):
            raise InputError(
                f"{path}, line {number}: {quoted(line.strip())} has two signs that may separate "
                f"columns, ',' and {sign!r}; write decimal points, or quote a label that has a {sign!r}"
            )


def _explain(path: Path, layout: Layout, otherwise: str) -> NoReturn:
    """Raise the error that names the first wrong line; ``otherwise`` is said if none is found."""
    expected, features = len(layout.columns), layout.features
    for number, line in _sample_lines(path, layout):
        place = f"{path}, line {number}"
        fields = split_line(place, line, layout.delimiter)
        if len(fields) != expected:
            raise InputError(
                f"{place}: this line has {len(fields)} columns, but the first one has {expected}"
            )
        for k in features:
            fault = number_fault(unquoted(fields[k]))
            if fault:
                is_first = layout.is_guess and number == layout.first_line
                hint = " (if this line is a header, say --header)" if is_first else ""
                raise InputError(f"{place}, column {_name(layout, k)}: {fault}{hint}")
        if layout.label is not None and not unquoted(fields[layout.label]).strip():
            raise InputError(f"{place}, column {_name(layout, layout.label)}: the label is missing")
    raise InputError(f"{path}: cannot be read as CSV ({otherwise})")


def _sample_lines(path: Path, layout: Layout) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line below the header that is not empty."""
    lines = enumerate(text_lines(path), start=1)
    return (
        (number, line)
        for number, line in islice(lines, layout.lines_above, None)
        if line.strip("\r\n")
    )


def _name(layout: Layout, k: int) -> str:
    return f"{k + 1} ({layout.columns[k][:60]})" if layout.has_header else str(k + 1)
