"""The samples of blocks of Parquet and Arrow files.

A group of rows is decoded as a whole, and kept for a while, or, if it is large, in order from its
beginning. Where groups would be decoded again and again for small parts of them, because blocks are
asked for in another order than that of the file, or are few of many, the blocks are decoded once, in the
order of the file, and copied to a file of this machine.
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
from rosenblatt.io.blocks.surveyed_source import SurveyedSources
from rosenblatt.io.blocks.tables.row_copies import RowCopies
from rosenblatt.io.blocks.tables.row_cutting import touched
from rosenblatt.io.blocks.tables.surveyed_rows import SurveyedRows, taken
from rosenblatt.io.streams.tables.row_files import Group
from rosenblatt.io.streams.tables.table_rows import TableRows, table_rows

_KEPT = 2**26  # bytes of decoded groups
_LARGE = _KEPT // 2
_MOST_OPEN = 32
# Rows, and bytes of them, that are worth a reading of their own; and a copy.
_ROWS, _BYTES = 2**14, 2**22
_COPIED = 2**12


class _Home(NamedTuple):
    """Where blocks are that can be read together: in one group, or in one copy; or a block alone."""

    is_copy: bool
    source: int
    number: int
    alone: int = -1


class RowBlocks:
    """Reads blocks of Parquet or Arrow files."""

    def __init__(self, places: Sequence[str], form: SampleForm) -> None:
        self.sources = SurveyedSources(places, form.sources)
        self._form = form
        self._ends = [list(accumulate(group.n_rows for group in own.groups)) for own in form.tables]
        self._open: OrderedDict[int, SurveyedRows] = OrderedDict()
        self._compared: set[tuple[int, int]] = set()
        self._kept: OrderedDict[_Home, pa.Table] = OrderedDict()
        self._copies = RowCopies()

    def tasks(
        self, blocks: Sequence[Block]
    ) -> Generator[tuple[Sequence[Block], Callable[[], TableRows]], None, None]:
        """Yield blocks that are read together, and what makes samples of their rows."""
        for some in self._together(self._to_copy(blocks), _COPIED):
            self._copies.add(self.sources[some[0].source].name, some, self._rows(some))
        for some in self._together(blocks, _ROWS):
            yield some, partial(self._samples, some, self._rows(some))

    def has_read(self, blocks: Sequence[Block]) -> None:
        """Do nothing: groups are compared when they are read."""

    def close(self) -> None:
        """Close the sources."""
        for file in self._open.values():
            file.close()
        self._open.clear()
        self._kept.clear()
        self._copies.close()

    def _samples(self, blocks: Sequence[Block], table: pa.Table) -> TableRows:
        """Return the samples among the rows of blocks; a thread does this, ahead of the others."""
        form, source = self._form, blocks[0].source
        numbers = _ranges([(block.offset, block.end) for block in blocks]) + 1
        rows, _ = table_rows(
            table,
            form.tables[source].own,
            form.tables[0].own.features,
            numbers,
            np.full(len(numbers), source, np.int32),
            needs_labels=form.reading.needs_labels,
        )
        return rows

    def _together(self, blocks: Sequence[Block], most: int) -> Iterator[Sequence[Block]]:
        """Yield blocks of one source, all or none of them copied, of so many rows, or one of them."""
        for (source, _), own in groupby(blocks, lambda one: (one.source, one in self._copies)):
            groups = self._form.tables[source].groups
            width = sum(group.n_bytes for group in groups) // sum(group.n_rows for group in groups)
            most = max(1, min(most, _BYTES // max(width, 1)))
            some: list[Block] = []
            n_rows = 0
            for block in own:
                size = block.end - block.offset
                if some and n_rows + size > most:
                    yield some
                    some, n_rows = [], 0
                some.append(block)
                n_rows += size
            yield some

    def _to_copy(self, blocks: Sequence[Block]) -> list[Block]:
        """Return the blocks that are to be copied, in the order of the files."""
        small = [block for block in blocks if block not in self._copies and self._is_small(block)]
        groups = [
            self._surveyed(source, number)
            for source, number in {(one.source, k) for one in small for k in self._touched(one)}
        ]
        if sum(group.n_bytes for group in groups) <= _KEPT:
            return []
        n_rows = sum(block.end - block.offset for block in small)
        is_half = 2 * n_rows > sum(group.n_rows for group in groups)
        in_order = sorted(small, key=lambda block: (block.source, block.offset))
        return [] if is_half and small == in_order else in_order

    def _is_small(self, block: Block) -> bool:
        """Say whether a block has less than half of the rows that are decoded for it."""
        n_rows = sum(self._surveyed(block.source, k).n_rows for k in self._touched(block))
        return 2 * (block.end - block.offset) < n_rows

    def _surveyed(self, source: int, number: int) -> Group:
        return self._form.tables[source].groups[number]

    def _touched(self, block: Block) -> range:
        return touched(self._ends[block.source], block.offset, block.end)

    def _rows(self, blocks: Sequence[Block]) -> pa.Table:
        """Return the rows of blocks of one source, one block after another."""
        tables = [self._rows_at(home, list(own)) for home, own in groupby(blocks, self._home)]
        return pa.concat_tables(tables) if len(tables) > 1 else tables[0]

    def _home(self, block: Block) -> _Home:
        if block in self._copies:
            return _Home(True, block.source, self._copies.home(block)[0])
        first, *others = self._touched(block)
        return _Home(False, block.source, first, block.offset if others else -1)

    def _rows_at(self, home: _Home, blocks: Sequence[Block]) -> pa.Table:
        """Return the rows of blocks that have one home."""
        if home.is_copy:
            starts = [self._copies.home(block)[1] for block in blocks]
            sizes = [block.end - block.offset for block in blocks]
            ranges = [(start, start + size) for start, size in zip(starts, sizes, strict=True)]
            return taken(self._whole(home), _ranges(ranges))
        if home.alone >= 0:
            parts = [
                self._rows_in(home.source, number, *self._part(blocks[0], number))
                for number in self._touched(blocks[0])
            ]
            return pa.concat_tables(parts)
        return self._rows_in(
            home.source, home.number, *(self._part(one, home.number)[0] for one in blocks)
        )

    def _part(self, block: Block, number: int) -> list[tuple[int, int]]:
        """Return which rows of a group a block has, as the first and the last one, exclusively."""
        end = self._ends[block.source][number]
        before = end - self._surveyed(block.source, number).n_rows
        return [(max(block.offset, before) - before, min(block.end, end) - before)]

    def _rows_in(self, source: int, number: int, *ranges: tuple[int, int]) -> pa.Table:
        """Return ranges of the rows of a group, one after another."""
        if self._surveyed(source, number).n_bytes <= _LARGE:
            return taken(self._whole(_Home(False, source, number)), _ranges(ranges))
        file = self._file(source, number)
        if all(one[1] <= other[0] for one, other in pairwise(ranges)):
            return file.some(number, _ranges(ranges))
        return pa.concat_tables([file.some(number, _ranges([own])) for own in ranges])

    def _whole(self, home: _Home) -> pa.Table:
        """Return all rows of a group, or of a copy, which are kept for a while."""
        if home not in self._kept:
            if home.is_copy:
                self._kept[home] = self._copies.rows(home.number)
            else:
                self._kept[home] = self._file(home.source, home.number).whole(home.number)
            while len(self._kept) > 1 and sum(own.nbytes for own in self._kept.values()) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(home)
        return self._kept[home]

    def _file(self, source: int, number: int) -> SurveyedRows:
        """Return an open file, one of whose groups is compared with what it was."""
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
    """Return all numbers of ranges."""
    return np.concatenate([np.arange(start, end) for start, end in ranges])
