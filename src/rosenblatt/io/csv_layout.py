"""How a CSV file is laid out: its separator, its header, its label column, and how a line is split.

Conventions: the separator is the comma, semicolon or tab that the first line has most of. The first
line is a header when none of its columns is a number and each of its names has a letter or a digit;
the names that a model has learned are a header in any case. Fields may be quoted as a whole, a quote
within them is doubled, and no field holds a line break.
"""

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from rosenblatt.core.errors import InputError
from rosenblatt.io.number_syntax import is_number
from rosenblatt.io.table import Table
from rosenblatt.io.text_file import quoted, text_lines

_FIELDS = {sign: re.compile(rf'"(?:[^"]|"")*"|[^"{sign}]*') for sign in ",;\t"}
_NOT_UTF8 = re.compile("[\ud800-\udfff]")
_MOST_NAMES = 10


class Layout(NamedTuple):
    """How a file is laid out: its columns, which of them is the label, what separates them.

    ``first_line`` is the number of the first line that is not empty; ``is_guess`` says that whether it
    is a header was neither said nor known from a model.
    """

    columns: list[str]
    first_line: int
    has_header: bool
    is_guess: bool
    delimiter: str
    label: int | None

    @property
    def features(self) -> list[int]:
        """The numbers of the columns that hold features."""
        return [k for k in range(len(self.columns)) if k != self.label]

    @property
    def lines_above(self) -> int:
        """The number of lines above the samples."""
        return self.first_line if self.has_header else 0


def find_layout(path: Path, label: str | None, header: bool | None, expect: Table | None) -> Layout:
    """Return the layout of a file; ``expect`` describes the samples that a model has learned from."""
    number, first = next(
        (
            (number, line)
            for number, line in enumerate(text_lines(path), start=1)
            if line.strip("\r\n")
        ),
        (0, ""),
    )
    if not number:
        raise InputError(f"{path}: the file is empty; give one sample per line, its label last")
    place = f"{path}, line {number}"
    if not first.strip():
        raise InputError(
            f"{place}: there are only blanks; give one sample per line, its label last"
        )
    delimiter = max(",;\t", key=first.count)
    columns = [unquoted(field).strip() for field in split_line(place, first, delimiter)]
    learned = expect is not None and expect.feature_names
    is_guess = header is None and not (learned and _has_names(columns, learned))
    if header is None:
        header = not is_guess or all(_is_name(name) for name in columns)
    position = _label_position(place, columns if header else [], len(columns), label, expect)
    if position is not None and len(columns) == 1:
        raise InputError(
            f"{place}: there is one column only ({quoted(columns[0])}); "
            "give numbers and a label, separated by commas, semicolons or tabs"
        )
    name, times = Counter(columns).most_common(1)[0]
    if header and times > 1:
        raise InputError(f"{place}: two columns are named {quoted(name)}; names must differ")
    return Layout(columns, number, header, is_guess, delimiter, position)


def _has_names(columns: list[str], learned: list[str]) -> bool:
    """Say whether a line has the learned names, in any order; if some are numbers, in the same order.

    A sample may consist of the same numbers in another order.
    """
    if all(map(_is_name, learned)):
        return set(learned) <= set(columns)
    return [name for name in columns if name in set(learned)] == list(learned)


def split_line(place: str, line: str, delimiter: str) -> list[str]:
    """Return the fields of a line as written, with their quotes; raise if it cannot be split."""
    line = line.rstrip("\r\n")
    if "\0" in line:
        raise InputError(f"{place}: there is a NUL byte: this is not a text file in UTF-8")
    if _NOT_UTF8.search(line):
        raise InputError(f"{place}: this is not text in UTF-8; save the file in that encoding")
    if '"' not in line:
        return line.split(delimiter)
    fields: list[str] = []
    start = 0
    while start <= len(line):
        field = _FIELDS[delimiter].match(line, start)
        assert field is not None  # an empty field matches everywhere
        if line[field.end() : field.end() + 1] not in ("", delimiter):
            raise InputError(
                f"{place}, column {len(fields) + 1}: a quote in {quoted(line[start:])} is out of place; "
                "quotes go around a whole field, on one line, and are doubled within it"
            )
        fields.append(field.group())
        start = field.end() + 1
    return fields


def unquoted(field: str) -> str:
    """Return what a field says.

    >>> unquoted('"a ""b"" c"'), unquoted("a")
    ('a "b" c', 'a')
    """
    return field[1:-1].replace('""', '"') if field.startswith('"') else field


def _is_name(text: str) -> bool:
    """Say whether a text may be a column's name, which ``?``, for a missing value, may not.

    The column of row numbers that some programs write first has an empty name.
    """
    return not is_number(text) and (not text or re.search(r"\w", text) is not None)


def _label_position(
    place: str, names: list[str], n_columns: int, label: str | None, expect: Table | None
) -> int | None:
    """Return which column is the label, or None in a file to predict that has no labels."""
    if label is None:
        return (
            n_columns - 1 if expect is None else _learned_position(place, names, n_columns, expect)
        )
    if label in names:
        return names.index(label)
    is_whole = re.fullmatch(r"-?[0-9]{1,9}", label)
    number = int(label) if is_whole else 0
    if 1 <= number <= n_columns:
        return number - 1
    if -n_columns <= number <= -1:
        return n_columns + number
    known = ", ".join(names[:_MOST_NAMES]) + (", …" if len(names) > _MOST_NAMES else "")
    raise InputError(
        f"{place}: there is no label column {quoted(label)}; give a number from 1 to {n_columns}"
        + (f" or one of the names {known}" if names else "")
    )


def _learned_position(place: str, names: list[str], n_columns: int, expect: Table) -> int | None:
    """Return which column is the label, from what is known about the samples of the model."""
    if expect.label_name is not None and expect.label_name in names:
        return names.index(expect.label_name)
    if n_columns == expect.n_features:
        return None
    if names and expect.feature_names is not None:
        learned = set(expect.feature_names)
        others = [k for k, name in enumerate(names) if name not in learned]
        if len(others) == 1:
            return others[0]
    if n_columns != expect.n_features + 1:
        return n_columns - 1  # these are not the model's features; the caller raises
    if expect.label_column is None:
        raise InputError(
            f"{place}: there is one column more than the model has features, and the model, from an "
            "earlier version, does not say which is the label; say it with --label, -1 for the last"
        )
    return expect.label_column - 1 if expect.label_column > 0 else n_columns + expect.label_column
