"""What cannot be a CSV file, or could be two: which line is wrong, whether the first one is a header."""

from collections.abc import Iterable
from typing import NoReturn

from rosenblatt.core.errors import InputError, quoted
from rosenblatt.core.number_syntax import is_number
from rosenblatt.core.types import Counts
from rosenblatt.io.csv.csv_layout import Layout, split_line
from rosenblatt.io.samples.table import Expected


def explain(
    name: str, lines: Iterable[tuple[int, str]], layout: Layout, otherwise: str
) -> NoReturn:
    """Raise the error that names the first wrong line; ``otherwise`` is said if none is found.

    The lines come with their numbers, none of them the header; empty ones are passed over.
    """
    expected = len(layout.columns)
    for number, line in lines:
        if not line.strip("\r\n"):
            continue
        place = f"{name}, line {number}"
        fields = split_line(place, line, layout.delimiter, layout.quote)
        if len(fields) != expected:
            raise InputError(
                f"{place}: this line has {len(fields)} columns, but the first one has {expected}"
            )
    raise InputError(f"{name}: cannot be read as CSV ({otherwise})")


def check_header(
    name: str, layout: Layout, labels: list[str], counts: Counts, expect: Expected | None
) -> None:
    """Raise if the first line was guessed to be a header, or a sample, and may be the other.

    The different labels come in the order in which they turn up.
    """
    if not layout.is_guess:
        return
    assert layout.label is not None
    own = layout.columns[layout.label]
    place = f"{name}, line {layout.first_line}"
    if layout.has_header and own in labels:
        raise InputError(
            f"{place}: this may be a header, or a sample without numbers, for {quoted(own)} is a label "
            "below; say --header or --no-header"
        )
    names_differ = len(set(layout.columns)) == len(layout.columns)
    is_known = expect is not None and own in [str(label) for label in expect.classes.tolist()]
    if not layout.has_header and names_differ and not is_known and _is_alone(labels, counts):
        raise InputError(
            f"{place}: this may be a header or a sample, for the label {quoted(own)} occurs nowhere "
            "else; say --header or --no-header"
        )


def _is_alone(values: list[str], counts: Counts) -> bool:
    """Say whether the first label occurs only once while others repeat, or all others are numbers."""
    if len(values) < 2 or counts[0] > 1:
        return False
    repeat = int(counts[1:].max()) > 1
    return repeat or (not is_number(values[0]) and all(is_number(value) for value in values[1:]))


def check_decimal_comma(
    name: str, layout: Layout, first: str, lines: Iterable[tuple[int, str]]
) -> None:
    """Raise if commas may be decimal points, and semicolons or tabs separate columns: ``1,5;M``.

    In such a file commas occur only within numbers, in every line: looking at the first is enough.
    """
    others = [sign for sign in ";\t" if sign in first]
    if layout.delimiter != "," or not others:
        return
    number, line = next((number, line) for number, line in lines if line.strip("\r\n"))
    for sign in others:
        fields = [field for field in line.split(sign) if "," in field]
        if all(set(field) <= set("0123456789+-.,eE \t\r\n") for field in fields):
            raise InputError(
                f"{name}, line {number}: {quoted(line.strip())} has two signs that may separate "
                f"columns, ',' and {sign!r}; if commas are decimal points, say --decimal ','"
            )
