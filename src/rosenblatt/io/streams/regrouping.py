"""Regrouping the parts of sources into chunks: one part each, or a number of samples each."""

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from rosenblatt.core.types import Counts
from rosenblatt.io.streams.byte_pieces import Piece
from rosenblatt.io.streams.stream_position import Position


class Rows(Protocol):
    """Consecutive samples, each with the number of its line or row, from 1."""

    @property
    def lines(self) -> Counts:
        """The line numbers in the sources."""

    def __len__(self) -> int: ...

    def part(self, start: int, stop: int) -> Self:
        """Return a range of samples."""


class Cut(Protocol):
    """The positions where a part can be cut."""

    def after(self, line: int) -> Position:
        """Return the position after a line; lines must increase from call to call."""


class Cuts:
    """The positions after each line of a piece of text."""

    def __init__(self, piece: Piece) -> None:
        self.piece = piece
        self.ends = np.flatnonzero(np.frombuffer(piece.data, np.uint8) == ord("\n")) + 1
        self._hash = None if piece.before is None else piece.before.copy()
        self._n_hashed = 0

    def after(self, line: int) -> Position:
        """Return the position after a line; lines must increase from call to call."""
        piece, k = self.piece, line - self.piece.line
        end = int(self.ends[k]) if k < len(self.ends) else len(piece.data)
        digest = ""
        if self._hash is not None:
            self._hash.update(memoryview(piece.data)[self._n_hashed : end])
            self._n_hashed, digest = end, self._hash.hexdigest()
        return Position(piece.source, piece.offset + end, line, digest=digest)


Own = TypeVar("Own", bound=Rows)


class Part(NamedTuple, Generic[Own]):
    """The samples of a part of a source, where it ends, and where it can be cut, if anywhere."""

    rows: Own
    end: Position
    n_read: int
    n_unlabeled: int
    cuts: Cut | None


class Chunk(NamedTuple, Generic[Own]):
    """The samples of a chunk, and where it ends."""

    rows: Own
    end: Position
    n_read: int
    n_unlabeled: int


def by_bytes(parts: Iterator[Part[Own]]) -> Iterator[Chunk[Own]]:
    """Yield each part that has samples as a chunk."""
    n_unlabeled = 0
    for part in parts:
        n_unlabeled += part.n_unlabeled
        if len(part.rows):
            yield Chunk(part.rows, part.end, part.n_read, n_unlabeled)
            n_unlabeled = 0


def by_rows(
    parts: Iterator[Part[Own]], size: int, joined: Callable[[Sequence[Own]], Own]
) -> Iterator[Chunk[Own]]:
    """Yield chunks of ``size`` samples; only the last may have fewer."""
    held: list[Own] = []
    n_held = n_unlabeled = 0
    last = None
    for part in parts:
        n_unlabeled += part.n_unlabeled
        if not len(part.rows):
            continue
        last, start = part, 0
        while (stop := start + size - n_held) <= len(part.rows):
            rows = joined([*held, part.rows.part(start, stop)])
            yield _cut(rows, part, n_unlabeled)
            held, n_held, n_unlabeled, start = [], 0, 0, stop
        if start < len(part.rows):
            held.append(part.rows.part(start, len(part.rows)))
            n_held += len(part.rows) - start
    if held and last is not None:
        yield _cut(joined(held), last, n_unlabeled)


def _cut(rows: Own, part: Part[Own], n_unlabeled: int) -> Chunk[Own]:
    """Return a chunk that ends in this part, after its last sample."""
    assert part.cuts is not None
    end = part.cuts.after(int(rows.lines[-1]))
    return Chunk(rows, end, part.n_read, n_unlabeled)
