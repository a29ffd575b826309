"""How a CSV file is laid out: its separator, its quotes, its header, its label column.

Conventions: the separator is the comma, semicolon or tab that the first lines have equally often, or
that the first line has most of (not the comma where that is the decimal point). Fields may be quoted as
a whole, with double quotes or, if the first lines do so, with single ones; a quote within them is
doubled, and no field holds a line break.

The first line is a header when none of its columns is a number and each of its names has a letter or a
digit, unless half of its columns have the same text again in the lines below: then it is a sample of
categories. The names that a model has learned are a header in any case.
"""

import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from rosenblatt.core.errors import InputError, quoted
from rosenblatt.core.number_syntax import is_number
from rosenblatt.io.samples.label_column import label_position
from rosenblatt.io.samples.table import Expected, Reading, numbered

_FIELDS = {
    (sign, quote): re.compile(rf"{quote}(?:[^{quote}]|{quote}{quote})*{quote}|[^{quote}{sign}]*")
    for sign in ",;\t"
    for quote in "\"'"
}
_NOT_UTF8 = re.compile("[\ud800-\udfff]")
_LINES_LOOKED_AT = 200
_LINES_COMPARED = 20


class Layout(NamedTuple):
    """How a file is laid out: its columns, which of them is the label, what separates them.

    ``columns`` has the fields of the first line, ``first_line`` is its number; ``is_guess`` says that
    whether it is a header was neither said nor known from a model.
    """

    columns: list[str]
    first_line: int
    has_header: bool
    is_guess: bool
    delimiter: str
    quote: str
    label: int | None

    @property
    def names(self) -> list[str]:
        """The names of the columns, or numbers in their place."""
        return self.columns if self.has_header else numbered(len(self.columns))

    @property
    def features(self) -> list[int]:
        """The numbers of the columns that hold features."""
        return [k for k in range(len(self.columns)) if k != self.label]

    @property
    def lines_above(self) -> int:
        """The number of lines above the samples."""
        return self.first_line if self.has_header else 0


def find_layout(name: str, text: Iterable[str], reading: Reading, quote: str = "") -> Layout:
    """Return the layout of a file, of which the first lines are looked at.

    Which quotation mark it has is found out, unless it is known.
    """
    number, lines = _first_lines(text)
    if not number:
        raise InputError(f"{name}: the file is empty; give one sample per line, its label last")
    place, first = f"{name}, line {number}", lines[0]
    if not first.strip():
        raise InputError(
            f"{place}: there are only blanks; give one sample per line, its label last"
        )
    signs = ";\t" if reading.decimal == "," and re.search("[;\t]", first) else ",;\t"
    delimiter = _delimiter(lines[:_LINES_COMPARED], signs)
    quote = quote or _quote(lines[:2], delimiter)
    columns = _texts(place, first, delimiter, quote)
    expect = reading.expect
    learned = expect.names if expect is not None and expect.has_names else None
    is_known = learned is not None and _has_names(columns, learned)
    has_header = reading.header
    if has_header is None:
        points = [name.replace(reading.decimal, ".") for name in columns]
        has_header = is_known or (
            all(map(_is_name, points)) and not _repeats(columns, lines[1:], delimiter, quote)
        )
    if has_header:
        _check_names(place, columns, expect)
    names = columns if has_header else numbered(len(columns))
    position = label_position(place, names, reading, has_header=has_header)
    if position is not None and len(columns) == 1:
        raise InputError(
            f"{place}: there is one column only ({quoted(columns[0])}); "
            "give columns and a label, separated by commas, semicolons or tabs"
        )
    is_guess = reading.header is None and not is_known
    return Layout(columns, number, has_header, is_guess, delimiter, quote, position)


def _delimiter(lines: list[str], signs: str) -> str:
    """Return the sign that all lines have equally often, or most do; of these the most frequent."""
    counts = {sign: [line.count(sign) for line in lines] for sign in signs}
    return max(
        signs,
        key=lambda sign: (
            counts[sign][0] > 0,
            sum(count == counts[sign][0] for count in counts[sign]),
            counts[sign][0],
        ),
    )


def _first_lines(text: Iterable[str]) -> tuple[int, list[str]]:
    """Return the number of the first line that is not empty, 0 if there is none, and some lines."""
    lines = enumerate(text, start=1)
    first = islice(lines, 10 * _LINES_LOOKED_AT)
    found = [(number, line) for number, line in first if line.strip("\r\n")]
    if not found:  # or the file begins with thousands of empty lines
        found = [next(((n, line) for n, line in lines if line.strip("\r\n")), (0, ""))]
    return found[0][0], [line for _, line in found[:_LINES_LOOKED_AT]]


def _quote(lines: list[str], delimiter: str) -> str:
    """Return the quotation mark; single ones only if whole fields have them and nothing else does.

    Other single quotes are apostrophes.
    """
    if any('"' in line for line in lines):
        return '"'
    try:
        fields = [field for line in lines for field in split_line("", line, delimiter, "'")]
    except InputError:
        return '"'
    return "'" if any(field.startswith("'") for field in fields) else '"'


def _repeats(columns: list[str], lines: list[str], delimiter: str, quote: str) -> bool:
    """Say whether half of the columns have what is in the first line again below."""
    rows = []
    for line in lines:
        with suppress(InputError):  # which is raised when the samples are read
            rows.append(_texts("", line, delimiter, quote))
    again = sum(
        any(k < len(row) and row[k] == name for row in rows) for k, name in enumerate(columns)
    )
    return 2 * again >= len(columns)


def _check_names(place: str, columns: list[str], expect: Expected | None) -> None:
    name, times = Counter(columns).most_common(1)[0]
    if times > 1 and (expect is None or expect.names is None or name in expect.names):
        raise InputError(f"{place}: two columns are named {quoted(name)}; names must differ")


def _has_names(columns: list[str], learned: list[str]) -> bool:
    """Say whether a line has the learned names, in any order; if some are numbers, in the same order.

    A sample may consist of the same numbers in another order.
    """
    if all(map(_is_name, learned)):
        return set(learned) <= set(columns)
    return [name for name in columns if name in set(learned)] == list(learned)


def _texts(place: str, line: str, delimiter: str, quote: str) -> list[str]:
    return [unquoted(field, quote).strip() for field in split_line(place, line, delimiter, quote)]


def split_line(place: str, line: str, delimiter: str, quote: str) -> list[str]:
    """Return the fields of a line as written, with their quotes; raise if it cannot be split."""
    line = line.rstrip("\r\n")
    if "\0" in line:
        raise InputError(f"{place}: there is a NUL byte: this is not a UTF-8 text file")
    if _NOT_UTF8.search(line):
        raise InputError(f"{place}: this is not text in UTF-8; save the file in that encoding")
    if quote not in line:
        return line.split(delimiter)
    fields: list[str] = []
    start = 0
    while start <= len(line):
        field = _FIELDS[delimiter, quote].match(line, start)
        assert field is not None  # an empty field matches everywhere
        if line[field.end() : field.end() + 1] not in ("", delimiter):
            raise InputError(
                f"{place}, column {len(fields) + 1}: a quote in {quoted(line[start:])} is out of place; "
                "quotes go around a whole field, on one line, and are doubled within it"
            )
        fields.append(field.group())
        start = field.end() + 1
    return fields


def unquoted(field: str, quote: str) -> str:
    """Return what a field says.

    >>> unquoted('"a ""b"" c"', '"'), unquoted("a", '"')
    ('a "b" c', 'a')
    """
    return field[1:-1].replace(2 * quote, quote) if field.startswith(quote) else field


def _is_name(text: str) -> bool:
    """Say whether a text may be a column's name, which ``?``, for a missing value, may not.

    The column of row numbers that some programs write first has an empty name.
    """
    return not is_number(text) and (not text or re.search(r"\w", text) is not None)
