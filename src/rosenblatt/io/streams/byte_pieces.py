"""Text from any number of sources, in pieces of whole lines.

Memory does not grow with the sources. The end of a piece depends only on its beginning and on the text,
so a reader that resumes at the end of a piece gets the same pieces.
"""

import hashlib
from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.io.sources.source import OpenSource, Source
from rosenblatt.io.streams.stream_position import BEGINNING, Position

PIECE = 2**22
"""The approximate size of a piece in bytes."""
_LF = ord("\n")
LONGEST_LINE = 2**26
"""The limit on the bytes of a line, so that binary data cannot fill the memory."""


class Hash(Protocol):
    """A hash object of `hashlib`."""

    def update(self, data: bytes | memoryview, /) -> None:
        """Add bytes."""

    def copy(self) -> "Hash":
        """Return a copy with the same state."""

    def hexdigest(self) -> str:
        """Return the digest of the bytes added so far."""


class Text(Protocol):
    """A source of text."""

    @property
    def name(self) -> str:
        """The name in messages."""

    def read(self, n: int, /) -> bytes:
        """Return between 1 and n bytes, or none at the end."""


class Piece(NamedTuple):
    """Whole lines of one source; only the last line of a source may have no line end.

    ``offset`` counts decompressed bytes, ``line`` is the number of the first line, from 1, and
    ``n_read`` counts the stored bytes read from all sources so far. If digests are requested, ``before``
    is the hash of everything before the piece, and ``digest`` that of everything up to its end.
    """

    data: bytes
    source: int
    offset: int
    line: int
    n_read: int = 0
    before: Hash | None = None
    digest: str = ""


def pieces(
    sources: Sequence[Source],
    start: Position = BEGINNING,
    size: int = PIECE,
    digest: Hash | None = None,
    *,
    waits: bool = True,
) -> Generator[Piece, None, None]:
    """Yield the text of sources, starting at a position.

    The digest covers everything from the beginning of the first source, so with a digest all of it is
    read. If the position has a digest, raise InputError unless the bytes before it still match. With
    ``waits=False``, standard input yields the lines that have arrived so far.
    """
    if start.digest and digest is None:
        digest = hashlib.sha256()
    n_read = 0  # of finished sources
    for number, source in enumerate(sources):
        if number < start.source and digest is None:
            n_read += source.n_bytes or 0
            continue
        with source.open() as file:
            if number < start.source:
                _hash(file, None, digest)
            else:
                begin = Position(number) if number > start.source else start
                is_live = not waits and not source.is_repeatable
                for piece in _pieces_of(file, begin, size, digest, waits=not is_live):
                    yield piece._replace(n_read=n_read + file.n_read)
            n_read += file.n_read


def _pieces_of(
    file: OpenSource,
    start: Position,
    size: int,
    digest: Hash | None,
    *,
    waits: bool,
) -> Iterator[Piece]:
    """Yield the text of one source, starting at a position."""
    _seek(file, start, digest)
    offset = start.offset
    for data, line in whole_lines(file, start.line + 1, size, waits=waits):
        before = None if digest is None else digest.copy()
        piece = Piece(data, start.source, offset, line, before=before)
        if digest is not None:
            digest.update(data)
            piece = piece._replace(digest=digest.hexdigest())
        yield piece
        offset += len(data)


def _seek(file: OpenSource, start: Position, digest: Hash | None) -> None:
    if digest is None:
        file.skip(start.offset)
        return
    _hash(file, start.offset, digest)
    if start.digest and digest.hexdigest() != start.digest:
        raise InputError(
            f"{file.name}: the text before line {start.line + 1} has changed since it was read; resume "
            "with the original files, or start over"
        )


def _hash(file: OpenSource, n: int | None, digest: Hash | None) -> None:
    """Add the next n bytes, or all remaining bytes, to a digest."""
    for data in file.blocks(n):
        if digest is not None:
            digest.update(data)


def whole_lines(
    file: Text, line: int, size: int = PIECE, *, waits: bool = True
) -> Iterator[tuple[bytes, int]]:
    """Yield whole lines, about ``size`` bytes at a time, and the number of the first line."""
    parts: list[bytes] = []
    target, is_over = size, False
    while not is_over:
        is_over = _fill(file, parts, target, waits=waits)
        data = _cut_off(parts, is_over=is_over)
        if data:
            yield data, line
            line += line_count(data)
        if data or is_over:
            target = size
            continue
        if target >= LONGEST_LINE:
            raise InputError(
                f"{file.name}, line {line}: this line is longer than {LONGEST_LINE:,} bytes, the "
                "limit in a stream; give one sample per line"
            )
        target += size


def line_count(data: bytes) -> int:
    r"""Count line ends; faster than `bytes.count` for long text.

    >>> line_count(b"a\nb\nc")
    2
    """
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == _LF))


def _fill(file: Text, parts: list[bytes], target: int, *, waits: bool) -> bool:
    """Read until the parts have the target number of bytes; return whether the file has ended.

    Stop early at the end, or after a line if ``waits`` is false.
    """
    n = sum(map(len, parts))
    while n < target:
        more = file.read(target - n)
        if not more:
            return True
        parts.append(more)
        n += len(more)
        if not waits and b"\n" in more:
            return False
    return False


def _cut_off(parts: list[bytes], *, is_over: bool) -> bytes:
    """Remove and return the whole lines of the parts; at the end of the file, everything."""
    if is_over:
        data = b"".join(parts)
        parts.clear()
        return data
    for k in reversed(range(len(parts))):
        end = parts[k].rfind(b"\n") + 1
        if end:
            # Copy large data only once: join and cut in one step.
            data = b"".join([*parts[:k], memoryview(parts[k])[:end]])
            parts[: k + 1] = [parts[k][end:]]
            return data
    return b""
