"""The beginning of a CSV file: its layout, and the first lines, which suggest the column types."""

import io
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from rosenblatt.core.errors import InputError
from rosenblatt.io.csv.column_types import HEAD, feature_names
from rosenblatt.io.csv.csv_checks import check_decimal_comma
from rosenblatt.io.csv.csv_layout import Layout, find_layout, split_line, unquoted
from rosenblatt.io.csv.line_count import lines_in
from rosenblatt.io.samples.table import Arrangement, Reading
from rosenblatt.io.sources.source import Source
from rosenblatt.io.streams.byte_pieces import LONGEST_LINE

# Read this many lines of a file to detect its layout, or this many bytes.
_N_LINES = 200
_N_BYTES = 2**22


class Beginning(NamedTuple):
    """The layout and columns of a source, and its first lines."""

    layout: Layout
    arrangement: Arrangement
    head: bytes = b""


def found_beginning(source: Source, reading: Reading) -> Beginning:
    """Return the beginning of a source; raise InputError if it has no samples."""
    begin = _first_bytes(source)
    layout = find_layout(source.name, text_lines(begin), reading)
    if not lines_in(begin, layout.delimiter, layout.quote).can_be_split:
        # The single quotes are apostrophes.
        layout = find_layout(source.name, text_lines(begin), reading, '"')
    features = feature_names(source.name, layout, reading)
    own = Arrangement(layout.names, layout.has_header, layout.label, features)
    lines = list(islice(enumerate(text_lines(begin), start=1), layout.lines_above, None))
    number, first = next(((n, line) for n, line in lines if line.strip("\r\n")), (0, ""))
    if not number:
        raise InputError(f"{source.name}: there are no samples below the header")
    place = f"{source.name}, line {number}"
    fields = split_line(place, first, layout.delimiter, layout.quote)
    if layout.label is not None and layout.label < len(fields):
        label = unquoted(fields[layout.label], layout.quote)
        check_decimal_comma(source.name, layout, label, lines)
    longest = max(map(len, begin.splitlines()), default=0)
    end = begin.find(b"\n", max(HEAD, 2 * longest)) + 1 or len(begin)
    return Beginning(layout, own, begin[:end])


def _first_bytes(source: Source) -> bytes:
    """Return the first lines of a source."""
    size = 2 * HEAD
    while True:
        head = source.head(size)
        if len(head) < size or size >= LONGEST_LINE:
            return head
        n_lines = head.count(b"\n")
        if n_lines >= _N_LINES or (n_lines and size >= _N_BYTES):
            return head[: head.rindex(b"\n") + 1]
        size *= 2


def text_lines(data: bytes) -> Iterator[str]:
    """Return lines, with their ends; bytes that are not UTF-8 become lone surrogates."""
    return io.TextIOWrapper(
        io.BytesIO(data), encoding="utf-8", errors="surrogateescape", newline=""
    )
