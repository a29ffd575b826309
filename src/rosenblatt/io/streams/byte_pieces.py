"""Text from any number of sources, in pieces of whole lines.

The memory does not grow with the sources. Where a piece ends depends on where it begins and on the text
alone: whoever goes on from the end of a piece, later or elsewhere, gets the same pieces.
"""

import hashlib
from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.io.sources.source import OpenSource, Source
from rosenblatt.io.streams.stream_position import BEGINNING, Position

PIECE = 2**22
"""About as many bytes a piece has."""
_LF = ord("\n")
LONGEST_LINE = 2**26
"""The most bytes of a line, so that what is not text cannot fill the memory."""


class Hash(Protocol):
    """What `hashlib` makes."""

    def update(self, data: bytes | memoryview, /) -> None:
        """Add bytes."""

    def copy(self) -> "Hash":
        """Return another one, of the same bytes."""

    def hexdigest(self) -> str:
        """Return the digest of the bytes that were added."""


class Text(Protocol):
    """What lines are read from."""

    @property
    def name(self) -> str:
        """What it is called in messages."""

    def read(self, n: int, /) -> bytes:
        """Return at least one and at most n bytes, or none at the end."""


class Piece(NamedTuple):
    """Whole lines of one source; only the last line of a source may lack its end.

    It begins at an offset in the unpacked bytes of the source, and its first line has a number, from 1.
    ``n_read`` bytes of all sources, as stored, were taken when it was complete. ``before`` has the bytes
    before the piece, and ``digest`` is that of all up to its end, if there is to be one.
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
    """Yield the text of sources from a position on.

    The digest is that of everything from the beginning of the first source on, so all of it is read if
    there is to be one. If the position has a digest, raise unless the bytes before it have the same.
    Who does not wait for standard input, which may come slowly, gets as many lines as have come.
    """
    if start.digest and digest is None:
        digest = hashlib.sha256()
    n_read = 0  # of the sources that are done
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
    """Yield the text of one source from a position in it on."""
    _go_to(file, start, digest)
    offset = start.offset
    for data, line in whole_lines(file, start.line + 1, size, waits=waits):
        before = None if digest is None else digest.copy()
        piece = Piece(data, start.source, offset, line, before=before)
        if digest is not None:
            digest.update(data)
            piece = piece._replace(digest=digest.hexdigest())
        yield piece
        offset += len(data)


def _go_to(file: OpenSource, start: Position, digest: Hash | None) -> None:
    if digest is None:
        file.skip(start.offset)
        return
    _hash(file, start.offset, digest)
    if start.digest and digest.hexdigest() != start.digest:
        raise InputError(
            f"{file.name}: what is before line {start.line + 1} is not what was read before; go on with "
            "the same files, or begin anew"
        )


def _hash(file: OpenSource, n: int | None, digest: Hash | None) -> None:
    """Add the next n bytes to a digest, or all that there are."""
    for data in file.blocks(n):
        if digest is not None:
            digest.update(data)


def whole_lines(
    file: Text, line: int, size: int = PIECE, *, waits: bool = True
) -> Iterator[tuple[bytes, int]]:
    """Yield whole lines, about ``size`` bytes at a time, and the number of the first of them."""
    parts: list[bytes] = []
    wanted, is_over = size, False
    while not is_over:
        is_over = _fill(file, parts, wanted, waits=waits)
        data = _cut_off(parts, is_over=is_over)
        if data:
            yield data, line
            line += line_count(data)
        if data or is_over:
            wanted = size
            continue
        if wanted >= LONGEST_LINE:
            raise InputError(
                f"{file.name}, line {line}: this line is longer than {LONGEST_LINE:,} bytes, the most "
                "that is read in a stream; give one sample per line"
            )
        wanted += size


def line_count(data: bytes) -> int:
    r"""Return how many lines end in a text; of a long one faster than Python counts.

    >>> line_count(b"a\nb\nc")
    2
    """
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == _LF))


def _fill(file: Text, parts: list[bytes], wanted: int, *, waits: bool) -> bool:
    """Read until the parts have the wanted number of bytes; say whether there are no more.

    They are fewer at the end, or as soon as there is a line if nobody waits.
    """
    n = sum(map(len, parts))
    while n < wanted:
        more = file.read(wanted - n)
        if not more:
            return True
        parts.append(more)
        n += len(more)
        if not waits and b"\n" in more:
            return False
    return False


def _cut_off(parts: list[bytes], *, is_over: bool) -> bytes:
    """Return the whole lines of the parts, in which the rest stays; at the end, all of it."""
    if is_over:
        data = b"".join(parts)
        parts.clear()
        return data
    for k in reversed(range(len(parts))):
        end = parts[k].rfind(b"\n") + 1
        if end:
            # One copy, not two: what is large is neither joined nor cut first.
            data = b"".join([*parts[:k], memoryview(parts[k])[:end]])
            parts[: k + 1] = [parts[k][end:]]
            return data
    return b""
