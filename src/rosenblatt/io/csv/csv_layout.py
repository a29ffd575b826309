"""CSV layout detection: delimiter, quotes, header, label column.

The delimiter is the comma, semicolon or tab that the first lines contain equally often, or that is most
frequent in the first line (never the comma if that is the decimal point). A field may be quoted as a
whole, with double quotes or, if the first lines do so, with single ones; quotes inside are doubled, and
no field contains a line break.

The first line is a header if none of its fields is a number and each contains a letter or a digit,
unless half of them reappear in the same column below: then it is a sample of categories. A line with
the names that a model has learned, or the label's name as given by the user, is always a header.
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
_HEAD_LINES = 200
_DELIMITER_LINES = 20


class Layout(NamedTuple):
    """The columns of a file, its delimiter, and which column is the label.

    ``columns`` are the fields of the first line that is not empty, ``first_line`` is its number.
    ``is_guess``: ``has_header`` was neither given nor known from a model or the label's name.
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
        """The names of the columns, or their numbers if there is no header."""
        return self.columns if self.has_header else numbered(len(self.columns))

    @property
    def features(self) -> list[int]:
        """The indices of the feature columns."""
        return [k for k in range(len(self.columns)) if k != self.label]

    @property
    def lines_above(self) -> int:
        """The number of lines above the samples."""
        return self.first_line if self.has_header else 0


def find_layout(name: str, text: Iterable[str], reading: Reading, quote: str = "") -> Layout:
    """Return the layout of a file from its first lines.

    The quotation mark is detected unless it is given.
    """
    number, lines = _first_lines(text)
    if not number:
        raise InputError(f"{name}: the file is empty; give one sample per line, its label last")
    place, first = f"{name}, line {number}", lines[0]
    if not first.strip():
        raise InputError(f"{place}: the line is blank; give one sample per line, its label last")
    signs = ";\t" if reading.decimal == "," and re.search("[;\t]", first) else ",;\t"
    delimiter = _delimiter(lines[:_DELIMITER_LINES], signs)
    quote = quote or _quote(lines[:2], delimiter)
    columns = _texts(place, first, delimiter, quote)
    expect = reading.expect
    learned = expect.names if expect is not None and expect.has_names else None
    is_known = learned is not None and _has_names(columns, learned)
    has_header = reading.header
    is_label = reading.label in columns and not is_number(reading.label or "")
    if has_header is None and is_label:  # a label that is named needs names
        has_header = True
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
            f"{place}: there is only one column ({quoted(columns[0])}); "
            "give features and a label, separated by commas, semicolons or tabs"
        )
    is_guess = reading.header is None and not (is_known or is_label)
    return Layout(columns, number, has_header, is_guess, delimiter, quote, position)


def _delimiter(lines: list[str], signs: str) -> str:
    """Return the sign whose count is the same in most lines; of several, the most frequent."""
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
    """Return the first lines that are not empty, and the number of the first one (0 if all are)."""
    lines = enumerate(text, start=1)
    first = islice(lines, 10 * _HEAD_LINES)
    found = [(number, line) for number, line in first if line.strip("\r\n")]
    if not found:  # the file may begin with thousands of empty lines
        found = [next(((n, line) for n, line in lines if line.strip("\r\n")), (0, ""))]
    return found[0][0], [line for _, line in found[:_HEAD_LINES]]


def _quote(lines: list[str], delimiter: str) -> str:
    """Return the quotation mark: a single quote only if single quotes always enclose whole fields.

    Otherwise they are apostrophes.
    """
    if any('"' in line for line in lines):
        return '"'
    try:
        fields = [field for line in lines for field in split_line("", line, delimiter, "'")]
    except InputError:
        return '"'
    return "'" if any(field.startswith("'") for field in fields) else '"'


def _repeats(columns: list[str], lines: list[str], delimiter: str, quote: str) -> bool:
    """Return whether half of the fields of the first line reappear in their columns below."""
    rows = []
    for line in lines:
        with suppress(InputError):  # reading the samples raises it
            rows.append(_texts("", line, delimiter, quote))
    again = sum(
        any(k < len(row) and row[k] == name for row in rows) for k, name in enumerate(columns)
    )
    return 2 * again >= len(columns)


def _check_names(place: str, columns: list[str], expect: Expected | None) -> None:
    name, times = Counter(columns).most_common(1)[0]
    if times > 1 and (expect is None or expect.names is None or name in expect.names):
        raise InputError(f"{place}: two columns are named {quoted(name)}; rename one of them")


def _has_names(columns: list[str], learned: list[str]) -> bool:
    """Return whether a line has the learned names, in any order; if some are numbers, in that order.

    A sample may consist of the same numbers in a different order.
    """
    if all(map(_is_name, learned)):
        return set(learned) <= set(columns)
    return [name for name in columns if name in set(learned)] == list(learned)


def _texts(place: str, line: str, delimiter: str, quote: str) -> list[str]:
    return [unquoted(field, quote).strip() for field in split_line(place, line, delimiter, quote)]


def split_line(place: str, line: str, delimiter: str, quote: str) -> list[str]:
    """Return the fields of a line with their quotes; raise InputError if it cannot be split."""
    line = line.rstrip("\r\n")
    if "\0" in line:
        raise InputError(f"{place}: found a NUL byte: this is not a UTF-8 text file")
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
                f"{place}, column {len(fields) + 1}: stray quote in {quoted(line[start:])}; quotes must "
                "enclose a whole field on one line, and be doubled within it"
            )
        fields.append(field.group())
        start = field.end() + 1
    return fields


def unquoted(field: str, quote: str) -> str:
    """Return the text of a field, without its quotes.

    >>> unquoted('"a ""b"" c"', '"'), unquoted("a", '"')
    ('a "b" c', 'a')
    """
    return field[1:-1].replace(2 * quote, quote) if field.startswith(quote) else field


def _is_name(text: str) -> bool:
    """Return whether a text may be a column name; ``?``, a missing value, may not.

    The name may be empty: some programs write a first column of row numbers without one.
    """
    return not is_number(text) and (not text or re.search(r"\w", text) is not None)
