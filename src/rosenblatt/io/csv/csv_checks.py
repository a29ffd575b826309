"""Errors in CSV files: the first malformed line, an ambiguous header, an ambiguous delimiter."""

from collections.abc import Iterable
from typing import NoReturn

from rosenblatt.core.errors import InputError, quoted
from rosenblatt.core.number_syntax import is_number
from rosenblatt.core.types import Counts
from rosenblatt.io.csv.csv_layout import Layout, split_line
from rosenblatt.io.samples.table import Expected


def explain(name: str, lines: Iterable[tuple[int, str]], layout: Layout, fallback: str) -> NoReturn:
    """Raise InputError naming the first malformed line, or with the ``fallback`` if all look right.

    Lines come with their numbers and without the header; empty ones are skipped.
    """
    expected = len(layout.columns)
    for number, line in lines:
        if not line.strip("\r\n"):
            continue
        place = f"{name}, line {number}"
        fields = split_line(place, line, layout.delimiter, layout.quote)
        if len(fields) != expected:
            raise InputError(f"{place}: expected {expected} columns, found {len(fields)}")
    raise InputError(f"{name}: cannot be read as CSV ({fallback})")


def check_header(
    name: str, layout: Layout, labels: list[str], counts: Counts, expect: Expected | None
) -> None:
    """Raise InputError if the guess whether the first line is a header may be wrong.

    ``labels`` are the distinct labels in order of appearance.
    """
    if not layout.is_guess:
        return
    assert layout.label is not None
    first = layout.columns[layout.label]
    place = f"{name}, line {layout.first_line}"
    if layout.has_header and first in labels:
        raise InputError(
            f"{place}: this may be a header, or a sample without numbers: {quoted(first)} is also a "
            "label below; specify whether the file has a header"
        )
    names_differ = len(set(layout.columns)) == len(layout.columns)
    is_known = expect is not None and first in [str(label) for label in expect.classes.tolist()]
    if not layout.has_header and names_differ and not is_known and _is_alone(labels, counts):
        raise InputError(
            f"{place}: this may be a header or a sample: the label {quoted(first)} occurs nowhere else; "
            "specify whether the file has a header"
        )


def _is_alone(values: list[str], counts: Counts) -> bool:
    """Return whether the first label is unique while others repeat, or while all others are numbers."""
    if len(values) < 2 or counts[0] > 1:
        return False
    repeat = int(counts[1:].max()) > 1
    return repeat or (not is_number(values[0]) and all(is_number(value) for value in values[1:]))


def check_decimal_comma(
    name: str, layout: Layout, first: str, lines: Iterable[tuple[int, str]]
) -> None:
    """Raise InputError if commas may be decimal points while ; or tab separates columns: ``1,5;M``.

    In such a file, commas occur only within numbers, in every line: checking the first is enough.
    """
    others = [sign for sign in ";\t" if sign in first]
    if layout.delimiter != "," or not others:
        return
    number, line = next((number, line) for number, line in lines if line.strip("\r\n"))
    for sign in others:
        fields = [field for field in line.split(sign) if "," in field]
        if all(set(field) <= set("0123456789+-.,eE \t\r\n") for field in fields):
            raise InputError(
                f"{name}, line {number}: {quoted(line.strip())} has two possible delimiters, ',' "
                f"and {sign!r}; if commas are decimal points, set decimal to ','"
            )
