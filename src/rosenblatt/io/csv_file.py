"""CSV files: numbers in every column but the label's, with or without a header.

The lines are counted, Arrow reads them at full speed, and what it has read must account for every
line: samples, a header and empty lines. When it does not, or Arrow cannot read the file or finds a gap,
the file is read once more, slowly, to name the first line that is wrong.

A line of numbers that could be a header, and a line of names that could be a sample, are refused until
it is said which they are.
"""

import re
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

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
        _explain(path, layout, "a quote or a NUL byte does not belong")
    n_samples = count.lines - (1 if layout.has_header else 0)
    if n_samples == 0:
        raise InputError(f"{path}: there is a header but no sample below it")
    arrow = _read_arrow(path, layout, count)
    if arrow.num_rows != n_samples:
        _explain(
            path, layout, f"{arrow.num_rows:,} samples were read where {n_samples:,} lines have one"
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


def _read_arrow(path: Path, layout: Layout, count: LineCount) -> Any:
    names = [f"{k}" for k in range(len(layout.columns))]
    types = {name: pa.float64() for name in names}
    if layout.label is not None:
        types[names[layout.label]] = pa.string()
    block = min(max(_SMALLEST_BLOCK, _LINES_IN_BLOCK * count.longest), _LARGEST_BLOCK)
    try:
        with pa.input_stream(str(path), compression=compression(path).arrow_name) as stream:
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
    """Wait until Arrow's threads have done what a read that failed, or was interrupted, left behind.

    Python could not exit otherwise: Arrow's pool of threads then drops the tasks that still wait, and
    the last of them to go waits for all to be done, for ever (in the destructor of ThreadedTaskGroup;
    seen with pyarrow 26). Tasks are taken in turn, so that a small read is done after all of them.
    Its bytes are Arrow's own: a thread that lets go of Python's needs Python, and ends the process if
    that is about to exit ("terminate called without an active exception").
    """
    text = pa.array(["1\n"]).buffers()[-1]
    pa_csv.read_csv(pa.BufferReader(text), read_options=pa_csv.ReadOptions(column_names=["0"]))


def _check_header(path: Path, layout: Layout, y: Labels, expect: Table | None) -> None:
    """Raise if the first line, about which nobody has said anything, may be what it was not read as."""
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
    """Say whether the first label occurs once only, and the others repeat or are numbers, unlike it."""
    if len(y) == 1 or (y[1:] == y[0]).any():
        return False
    others = np.unique(y[1:]).tolist()
    repeat = len(others) < len(y) - 1
    return repeat or (not is_number(y[0]) and all(is_number(label) for label in others))


def _check_decimal_comma(path: Path, layout: Layout, y: Labels) -> None:
    """Raise if semicolons or tabs may separate, and commas be the decimal point: ``1,5;M``.

    A comma would then stand only between digits, in every line, and so in the first.
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


def _sample_lines(path: Path, layout: Layout) -> Any:
    """Yield the number and the text of each line below the header that is not empty."""
    lines = enumerate(text_lines(path), start=1)
    return (
        (number, line)
        for number, line in islice(lines, layout.lines_above, None)
        if line.strip("\r\n")
    )


def _name(layout: Layout, k: int) -> str:
    return f"{k + 1} ({layout.columns[k][:60]})" if layout.has_header else str(k + 1)
