"""Finding the blocks of a Parquet or Arrow file."""

import hashlib
from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from rosenblatt.core.types import Counts
from rosenblatt.io.blocks.block import Block
from rosenblatt.io.streams.tables.row_files import MOST_ROWS, Group
from rosenblatt.training.shards.dealing import block_size

_GROUPS_PER_SHARD = 16
_MOST_BYTES = 2**24


class RowBlockFinder:
    """Finds the blocks of a source, part by part.

    If groups of rows are given, each of them is a block. Otherwise a block begins at the row of its
    first sample, but the first block begins with the source.
    """

    def __init__(self, source: int, groups: Sequence[Group] | None) -> None:
        self._source = source
        self._ends = None if groups is None else _ends(groups)
        # The first row and the first sample of each block.
        self._begins: list[tuple[int, int]] = []
        self._next = self._n_rows = 0

    def add(self, rows: Counts) -> None:
        """Add the next samples, given their row numbers from 0."""
        if self._ends is None:
            while self._next < self._n_rows + len(rows):
                begin = int(rows[self._next - self._n_rows]) if self._next else 0
                self._begins.append((begin, self._next))
                self._next += block_size(self._next)
        else:
            owners = np.searchsorted(self._ends, rows, side="right")
            groups, firsts = np.unique(owners, return_index=True)
            last = self._begins[-1][0] if self._begins else -1
            begins = np.append(0, self._ends)[groups]
            self._begins += [
                (begin, self._n_rows + first)
                for begin, first in zip(begins.tolist(), firsts.tolist(), strict=True)
                if begin > last
            ]
        self._n_rows += len(rows)

    def blocks(self, groups: Sequence[Group]) -> tuple[Block, ...]:
        """Return all blocks of a source with these groups, after the last samples."""
        if not self._begins:
            return ()
        ends = _ends(groups)
        starts, rows = np.array(self._begins).T
        if self._ends is None:
            stops = np.append(starts[1:], ends[-1])
        else:
            stops = ends[np.searchsorted(ends, starts, side="right")]
        counts = np.diff(rows, append=self._n_rows)
        own = ends.tolist()
        found = zip(*(one.tolist() for one in (starts, stops, rows, counts)), strict=True)
        return tuple(
            Block(
                self._source, start, stop, start + 1, row, count, _digest(groups, own, start, stop)
            )
            for start, stop, row, count in found
        )


def are_blocks(groups: Sequence[Group], n_shards: int) -> bool:
    """Return whether groups of rows are blocks: at least sixteen per shard, and none is large.

    >>> are_blocks([Group(100, 800)] * 31, 2), are_blocks([Group(100, 800)] * 32, 2)
    (False, True)
    """
    return len(groups) >= _GROUPS_PER_SHARD * n_shards and all(
        group.n_rows <= MOST_ROWS and group.n_bytes <= _MOST_BYTES for group in groups
    )


def _ends(groups: Sequence[Group]) -> Counts:
    return np.cumsum([group.n_rows for group in groups], dtype=np.int64)


def _digest(groups: Sequence[Group], ends: Sequence[int], start: int, stop: int) -> str:
    own = "".join(groups[k].digest for k in overlapped(ends, start, stop))
    return hashlib.sha256(own.encode()).hexdigest()


def overlapped(ends: Sequence[int], start: int, end: int) -> range:
    """Return the numbers of the groups that a range of rows overlaps, given the ends of groups.

    >>> overlapped([3, 5, 9], 4, 6)
    range(1, 3)
    """
    return range(bisect_right(ends, start), bisect_right(ends, end - 1) + 1)
