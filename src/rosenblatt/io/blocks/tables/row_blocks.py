"""Reading blocks of Parquet and Arrow files.

A group of rows is decoded as a whole and cached, or, if it is large, in order from its beginning. If
groups would be decoded repeatedly for small parts of them, because blocks are requested in another order
than that of the file, or are few of many, the blocks are decoded once, in the order of the file, and
copied to a local file.
"""

from collections import OrderedDict
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from rosenblatt.core.types import Counts
from rosenblatt.io.blocks.block import Block, SampleForm
from rosenblatt.io.blocks.block_texts import limited_groups
from rosenblatt.io.blocks.surveyed_source import SurveyedSources
from rosenblatt.io.blocks.tables.row_block_finder import overlapped
from rosenblatt.io.blocks.tables.row_copies import RowCopies
from rosenblatt.io.blocks.tables.surveyed_rows import SurveyedRows, taken
from rosenblatt.io.streams.tables.row_files import Group
from rosenblatt.io.streams.tables.table_rows import TableRows, table_rows

_CACHE_BYTES = 2**26  # of decoded groups
_LARGE = _CACHE_BYTES // 2
_MOST_OPEN = 32
# The most rows, and bytes, that are read together; and the most rows that are copied together.
_ROWS, _BYTES = 2**14, 2**22
_COPIED_ROWS = 2**12


class _Location(NamedTuple):
    """Where blocks can be read together: one group, or one copy; or a block that overlaps several."""

    is_copy: bool
    source: int
    number: int
    alone: int = -1


class RowBlocks:
    """Reads blocks of Parquet or Arrow files."""

    def __init__(self, paths: Sequence[str], form: SampleForm) -> None:
        self.sources = SurveyedSources(paths, form.sources)
        self._form = form
        self._ends = [list(accumulate(group.n_rows for group in own.groups)) for own in form.tables]
        self._open: OrderedDict[int, SurveyedRows] = OrderedDict()
        self._compared: set[tuple[int, int]] = set()
        self._cache: OrderedDict[_Location, pa.Table] = OrderedDict()
        self._copies = RowCopies()

    def tasks(
        self, blocks: Sequence[Block]
    ) -> Generator[tuple[Sequence[Block], Callable[[], TableRows]], None, None]:
        """Yield blocks that are read together, with the task that makes samples of their rows."""
        for group in self._read_groups(self._to_copy(blocks), _COPIED_ROWS):
            self._copies.add(self.sources[group[0].source].name, group, self._rows(group))
        for group in self._read_groups(blocks, _ROWS):
            yield group, partial(self._samples, group, self._rows(group))

    def mark_checked(self, blocks: Sequence[Block]) -> None:
        """Do nothing: groups are checked when they are read."""

    def close(self) -> None:
        """Close the sources."""
        for file in self._open.values():
            file.close()
        self._open.clear()
        self._cache.clear()
        self._copies.close()

    def _samples(self, blocks: Sequence[Block], table: pa.Table) -> TableRows:
        """Return the samples in the rows of blocks; runs on a thread."""
        form, source = self._form, blocks[0].source
        numbers = _ranges([(block.offset, block.end) for block in blocks]) + 1
        rows, _ = table_rows(
            table,
            form.tables[source].arrangement,
            form.tables[0].arrangement.features,
            numbers,
            np.full(len(numbers), source, np.int32),
            needs_labels=True,
        )
        return rows

    def _read_groups(self, blocks: Sequence[Block], most: int) -> Iterator[Sequence[Block]]:
        """Yield groups of blocks of one source, all or none copied, with up to ``most`` rows."""
        for (source, _), own in groupby(blocks, lambda one: (one.source, one in self._copies)):
            groups = self._form.tables[source].groups
            width = sum(group.n_bytes for group in groups) // sum(group.n_rows for group in groups)
            most = max(1, min(most, _BYTES // max(width, 1)))
            yield from limited_groups(own, most)

    def _to_copy(self, blocks: Sequence[Block]) -> list[Block]:
        """Return the blocks to copy, in the order of the files."""
        small = [block for block in blocks if block not in self._copies and self._is_small(block)]
        groups = [
            self._surveyed(source, number)
            for source, number in {(one.source, k) for one in small for k in self._overlapped(one)}
        ]
        if sum(group.n_bytes for group in groups) <= _CACHE_BYTES:
            return []
        n_rows = sum(block.end - block.offset for block in small)
        is_half = 2 * n_rows > sum(group.n_rows for group in groups)
        in_order = sorted(small, key=lambda block: (block.source, block.offset))
        return [] if is_half and small == in_order else in_order

    def _is_small(self, block: Block) -> bool:
        """Return whether a block has less than half of the rows that are decoded for it."""
        n_rows = sum(self._surveyed(block.source, k).n_rows for k in self._overlapped(block))
        return 2 * (block.end - block.offset) < n_rows

    def _surveyed(self, source: int, number: int) -> Group:
        return self._form.tables[source].groups[number]

    def _overlapped(self, block: Block) -> range:
        return overlapped(self._ends[block.source], block.offset, block.end)

    def _rows(self, blocks: Sequence[Block]) -> pa.Table:
        """Concatenate the rows of blocks of one source."""
        tables = [
            self._rows_at(location, list(own)) for location, own in groupby(blocks, self._location)
        ]
        return pa.concat_tables(tables) if len(tables) > 1 else tables[0]

    def _location(self, block: Block) -> _Location:
        if block in self._copies:
            return _Location(True, block.source, self._copies.location(block)[0])
        first, *others = self._overlapped(block)
        return _Location(False, block.source, first, block.offset if others else -1)

    def _rows_at(self, location: _Location, blocks: Sequence[Block]) -> pa.Table:
        """Return the rows of blocks at one location."""
        if location.is_copy:
            starts = [self._copies.location(block)[1] for block in blocks]
            sizes = [block.end - block.offset for block in blocks]
            ranges = [(start, start + size) for start, size in zip(starts, sizes, strict=True)]
            return taken(self._whole(location), _ranges(ranges))
        if location.alone >= 0:
            parts = [
                self._rows_in(location.source, number, *self._part(blocks[0], number))
                for number in self._overlapped(blocks[0])
            ]
            return pa.concat_tables(parts)
        return self._rows_in(
            location.source,
            location.number,
            *(self._part(one, location.number)[0] for one in blocks),
        )

    def _part(self, block: Block, number: int) -> list[tuple[int, int]]:
        """Return the range of a group's rows that a block has."""
        end = self._ends[block.source][number]
        before = end - self._surveyed(block.source, number).n_rows
        return [(max(block.offset, before) - before, min(block.end, end) - before)]

    def _rows_in(self, source: int, number: int, *ranges: tuple[int, int]) -> pa.Table:
        """Concatenate ranges of the rows of a group."""
        if self._surveyed(source, number).n_bytes <= _LARGE:
            return taken(self._whole(_Location(False, source, number)), _ranges(ranges))
        file = self._file(source, number)
        if all(one[1] <= other[0] for one, other in pairwise(ranges)):
            return file.some(number, _ranges(ranges))
        return pa.concat_tables([file.some(number, _ranges([own])) for own in ranges])

    def _whole(self, location: _Location) -> pa.Table:
        """Return all rows of a group or copy, from the cache if possible."""
        if location not in self._cache:
            if location.is_copy:
                self._cache[location] = self._copies.rows(location.number)
            else:
                self._cache[location] = self._file(location.source, location.number).whole(
                    location.number
                )
            while (
                len(self._cache) > 1
                and sum(own.nbytes for own in self._cache.values()) > _CACHE_BYTES
            ):
                self._cache.popitem(last=False)
        self._cache.move_to_end(location)
        return self._cache[location]

    def _file(self, source: int, number: int) -> SurveyedRows:
        """Return an open file, after checking one of its groups."""
        if source not in self._open:
            surveyed = self._form.tables[source]
            self._open[source] = SurveyedRows(self.sources[source], self._form.kind, surveyed)
            while len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)[1].close()
        self._open.move_to_end(source)
        if (source, number) not in self._compared:
            self._open[source].check(number)
            self._compared.add((source, number))
        return self._open[source]


def _ranges(ranges: Sequence[tuple[int, int]]) -> Counts:
    """Return the numbers in all ranges."""
    return np.concatenate([np.arange(start, end) for start, end in ranges])
