"""Where files are cut in ranges that are read by themselves: nothing but their beginnings is read.

Text that is not packed is cut after about the same number of bytes: a line belongs to the range in which
its first byte is. (Quoted fields of CSV have no line breaks: see ``csv.line_count``.) Parquet and Arrow
files are cut between groups of rows. A packed file is one range, which is read step by step.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from rosenblatt.io.sources.file_kind import ARROW_BEGINNINGS
from rosenblatt.io.sources.source import BYTE_ORDER_MARK, Source
from rosenblatt.io.streams.byte_pieces import LONGEST_LINE
from rosenblatt.io.streams.sample_stream import Stream
from rosenblatt.io.streams.table_chunks import TableChunks
from rosenblatt.io.streams.tables.row_files import naming, open_rows

RANGE = 2**24
"""About as many bytes a range has."""
ROW_KINDS = tuple(ARROW_BEGINNINGS.values())
"""The kinds of files that have groups of rows."""
_SCANNED = 2**14


@dataclass(frozen=True)
class FileRange:
    """A range of the source with this number, from a place on, up to another one or to its end.

    Places are bytes or, in Parquet and Arrow files, groups of rows. ``n_bytes`` is about its size as
    stored, ``size`` that of the whole source.
    """

    source: int
    start: int
    stop: int | None
    n_bytes: int
    size: int | None
    is_packed: bool = False


def file_ranges(stream: Stream, kind: str) -> list[FileRange]:
    """Return ranges of all sources of a stream of a kind, in order, which have all of it."""
    cut = _row_ranges if kind in ROW_KINDS else _text_ranges
    return [own for number in range(len(stream.sources)) for own in cut(stream, number, kind)]


def lots(ranges: Sequence[FileRange]) -> list[tuple[FileRange, ...]]:
    """Return ranges that are worked on together, in order: small ones, up to the size of a large one.

    >>> [len(lot) for lot in lots([FileRange(k, 0, None, 2**22, None) for k in range(6)])]
    [4, 2]
    """
    found: list[list[FileRange]] = []
    n_bytes = 0
    for own in ranges:
        is_alone = own.is_packed or (bool(found) and found[-1][-1].is_packed)
        if not found or is_alone or n_bytes + own.n_bytes > RANGE:
            found.append([])
            n_bytes = 0
        found[-1].append(own)
        n_bytes += own.n_bytes
    return [tuple(lot) for lot in found]


def whole_lines_of(source: Source, own: FileRange) -> tuple[int, int | None] | None:
    """Return where the lines of a range of text begin, and where they end, if not with the source.

    None: no line begins in it.
    """
    most = LONGEST_LINE if own.stop is None else own.stop - own.start
    begin = _line_begin(source, own.start, most)
    if begin is None or (own.stop is not None and begin >= own.stop):
        return None
    return begin, None if own.stop is None else _line_begin(source, own.stop, LONGEST_LINE)


def _line_begin(source: Source, offset: int, most: int) -> int | None:
    """Return where the first line begins that begins at an offset or after it.

    None: none begins within the most bytes after it, nor is that where the source ends.
    """
    if offset == 0:
        return 0
    with source.open() as file:
        file.skip(offset - 1)
        place = offset - 1
        while place < offset + most:
            found = file.read(_SCANNED)
            if not found:
                return place
            end = found.find(b"\n") + 1
            if end:
                return place + end
            place += len(found)
    return None


def _text_ranges(stream: Stream, number: int, _kind: str) -> Iterator[FileRange]:
    source, reader = stream.sources[number], stream.reader
    size = source.n_bytes
    with source.open() as file:
        is_packed = file.is_packed
    above = reader.n_bytes_above(number) if isinstance(reader, TableChunks) else 0
    if is_packed or size is None or above is None:
        yield FileRange(number, 0, None, size or 0, size, is_packed=True)
        return
    # A mark at the beginning does not count: all places are before the end in any case.
    cuts = range(max(RANGE, above), size - len(BYTE_ORDER_MARK), RANGE)
    for start, stop in zip([0, *cuts], [*cuts, None], strict=True):
        yield FileRange(number, start, stop, (size if stop is None else stop) - start, size)


def _row_ranges(stream: Stream, number: int, kind: str) -> Iterator[FileRange]:
    source = stream.sources[number]
    with closing(source.open_at_random()) as file, naming(source.name):
        n_groups = open_rows(file, kind).n_groups
    size = source.n_bytes or 0
    step = max(1, RANGE * n_groups // max(size, 1))
    for start in range(0, n_groups, step):
        stop = min(start + step, n_groups)
        yield FileRange(number, start, stop, size * (stop - start) // n_groups, size)
