"""CSV files: numbers in every column but the label's, with or without a header.

Arrow reads the file at full speed. When it cannot, or finds a gap, the file is read once more, slowly,
to name the first line that is wrong.

Conventions: the separator is the comma, semicolon or tab that the first line has most of. The first
line is a header when none of its columns is a number; a line of numbers that could be one, such as
``0,1,2,label``, is refused until it is said which it is. Empty lines are passed over.
"""

import csv
import math
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from rosenblatt.errors import InputError
from rosenblatt.readers.table import Table, check_width, open_text
from rosenblatt.typing import Floats, Labels


class Layout(NamedTuple):
    """How a file is laid out: its columns, which of them is the label, what separates them.

    ``header`` is the number of the header's line, 0 if there is none.
    """

    columns: list[str]
    header: int
    delimiter: str
    label: int | None

    @property
    def features(self) -> list[int]:
        """The numbers of the columns that hold features."""
        return [k for k in range(len(self.columns)) if k != self.label]


def read_csv(path: Path, *, label: str | None, header: bool | None, expect: Table | None) -> Table:
    """Read a CSV file whose columns hold numbers, all but the label's."""
    layout = _layout(path, label, header, expect)
    features = _feature_columns(path, layout, expect)
    arrow = _read_arrow(path, layout)
    if arrow.num_rows == 0:
        raise InputError(f"{path}: there is a header but no sample below it")
    X = np.empty((arrow.num_rows, len(features)))
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
        if header is None and not layout.header and _may_be_header(X[0], y):
            raise InputError(
                f"{path}, line 1: this may be a header or a sample; say --header or --no-header"
            )
    names = [layout.columns[k] for k in features] if layout.header else None
    label_name = None
    if layout.header and layout.label is not None:
        label_name = layout.columns[layout.label]
    return Table(X, y, len(features), names, label_name)


def _layout(path: Path, label: str | None, header: bool | None, expect: Table | None) -> Layout:
    with open_text(path) as file:
        number, first = next(
            ((number, line) for number, line in enumerate(file, start=1) if line.strip()), (0, "")
        )
        if not first:
            raise InputError(f"{path}: the file is empty; give one sample a line, its label last")
        delimiter = max(",;\t", key=first.count)
        columns = [name.strip() for name in next(csv.reader([first], delimiter=delimiter))]
    place = f"{path}, line {number}"
    if header is None:
        header = not any(_is_number(name) for name in columns)
    position = _label_position(place, columns if header else [], len(columns), label, expect)
    features = [name for k, name in enumerate(columns) if k != position]
    if not features:
        raise InputError(
            f"{place}: there is one column only ({columns[0]!r}); "
            "give numbers and a label, separated by commas, semicolons or tabs"
        )
    if header and len(set(columns)) < len(columns):
        twice = next(name for name in columns if columns.count(name) > 1)
        raise InputError(f"{place}: two columns are named {twice!r}; names must differ")
    return Layout(columns, number if header else 0, delimiter, position)


def _may_be_header(first: Floats, y: Labels) -> bool:
    """Say whether line 1 counts its columns, as frames without names do, and has a label of its own."""
    counts = np.arange(len(first))
    counting = len(first) > 2 and ((first == counts).all() or (first == counts + 1).all())
    others = y[1:]
    return bool(counting and (others != y[0]).all() and len(np.unique(others)) < len(others))


def _label_position(
    place: str, names: list[str], n_columns: int, label: str | None, expect: Table | None
) -> int | None:
    """Return which column is the label, or None in a file to predict that has no labels."""
    if label is None and expect is not None:
        if expect.label_name is not None and expect.label_name in names:
            return names.index(expect.label_name)
        return None if n_columns == expect.n_features else n_columns - 1
    if label is None:
        return n_columns - 1
    if label in names:
        return names.index(label)
    number = int(label) if label.removeprefix("-").isdecimal() else 0
    if 1 <= number <= n_columns:
        return number - 1
    if -n_columns <= number <= -1:
        return n_columns + number
    raise InputError(
        f"{place}: there is no label column {label!r}; give a number from 1 to {n_columns}"
        + (f" or one of the names {', '.join(names)}" if names else "")
    )


def _feature_columns(path: Path, layout: Layout, expect: Table | None) -> list[int]:
    """Return the feature columns in the order in which the model has learned them."""
    if expect is None:
        return layout.features
    if expect.feature_names is not None and layout.header:
        missing = [name for name in expect.feature_names if name not in layout.columns]
        if missing:
            raise InputError(
                f"{path}, line {layout.header}: the column {missing[0]!r}, "
                "which the model has learned from, is not there"
            )
        if len(layout.features) == expect.n_features:
            return [layout.columns.index(name) for name in expect.feature_names]
    check_width(path, len(layout.features), expect.n_features)
    return layout.features


def _read_arrow(path: Path, layout: Layout) -> Any:
    names = [f"{k}" for k in range(len(layout.columns))]
    types = {name: pa.float64() for name in names}
    if layout.label is not None:
        types[names[layout.label]] = pa.string()
    try:
        return pa_csv.read_csv(
            str(path),
            read_options=pa_csv.ReadOptions(column_names=names, skip_rows=layout.header),
            parse_options=pa_csv.ParseOptions(delimiter=layout.delimiter),
            convert_options=pa_csv.ConvertOptions(column_types=types, null_values=[""]),
        )
    except (pa.ArrowInvalid, OSError) as error:
        _explain(path, layout, str(error).splitlines()[0])


def _explain(path: Path, layout: Layout, otherwise: str) -> NoReturn:
    """Raise the error that names the first wrong line; ``otherwise`` is said if none is found."""
    expected = len(layout.columns)
    with open_text(path) as file:
        reader = csv.reader(file, delimiter=layout.delimiter)
        for fields in reader:
            place = f"{path}, line {reader.line_num}"
            if not fields or reader.line_num <= layout.header:
                continue
            if len(fields) != expected:
                raise InputError(
                    f"{place}: this line has {len(fields)} columns, but the first one has {expected}"
                )
            for k in layout.features:
                _check_number(f"{place}, column {_name(layout, k)}", fields[k])
            if layout.label is not None and not fields[layout.label].strip():
                raise InputError(
                    f"{place}, column {_name(layout, layout.label)}: the label is missing"
                )
    raise InputError(f"{path}: cannot be read as CSV ({otherwise})")


def _name(layout: Layout, k: int) -> str:
    return f"{k + 1} ({layout.columns[k]})" if layout.header else str(k + 1)


def _check_number(place: str, text: str) -> None:
    if not text.strip():
        raise InputError(f"{place}: nothing stands where a number belongs")
    if not _is_number(text):
        raise InputError(f"{place}: {text.strip()!r} stands where a number belongs")
    if not math.isfinite(float(text)):
        raise InputError(f"{place}: {text.strip()} is not finite; give a finite number")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
