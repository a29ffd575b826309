"""Finding the blocks of a text."""

import hashlib
from dataclasses import replace

from rosenblatt.core.types import Counts
from rosenblatt.io.blocks.block import Block
from rosenblatt.io.streams.byte_pieces import Hash, Piece
from rosenblatt.training.shards.dealing import block_size


class TextBlockFinder:
    """Finds the blocks of a source, piece by piece.

    A block begins at the line of its first sample, but the first block begins with the source, so that
    every byte is in a block.
    """

    def __init__(self, source: int) -> None:
        self._source = source
        self._done: list[Block] = []
        self._current: Block | None = None
        self._hash: Hash = hashlib.sha256()
        self._end = 0
        self.n_rows = 0

    def add(self, piece: Piece, lines: Counts, ends: Counts) -> None:
        """Add the next piece: the lines of its samples, and the positions after all its lines."""
        text, first, done = memoryview(piece.data), self.n_rows, 0
        while (row := self._next_row()) < first + len(lines):
            line = int(lines[row - first])
            begin = int(ends[line - piece.line - 1]) if line > piece.line else 0
            if self._current is None:
                self._current = Block(self._source, 0, 0, 1, 0, 0, "")
                continue
            self._hash.update(text[done:begin])
            self._close(piece.offset + begin, row)
            self._current = Block(self._source, piece.offset + begin, 0, line, row, 0, "")
            done = begin
        self._hash.update(text[done:])
        self._end = piece.offset + len(piece.data)
        self.n_rows += len(lines)

    def blocks(self) -> tuple[Block, ...]:
        """Return all blocks, after the last piece."""
        if self._current is not None:
            self._close(self._end, self.n_rows)
            self._current = None
        return tuple(self._done)

    def _next_row(self) -> int:
        """Return the first sample of the next block."""
        return 0 if self._current is None else self._current.row + block_size(self._current.row)

    def _close(self, end: int, row: int) -> None:
        """Close the current block before a sample."""
        assert self._current is not None
        digest, n_rows = self._hash.hexdigest(), row - self._current.row
        self._done.append(replace(self._current, end=end, n_rows=n_rows, digest=digest))
        self._hash = hashlib.sha256()
