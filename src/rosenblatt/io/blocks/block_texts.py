"""The text of blocks, byte by byte, wherever in their sources they are.

What is packed cannot be sought: of such sources the blocks that somebody asks for are copied, unpacked,
to a file of this machine, once. So are small blocks of sources elsewhere, which are at the beginning of
a source, for each would be a request of its own, in every epoch.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts
from rosenblatt.io.blocks.block import Block, SourceIdentity
from rosenblatt.io.blocks.surveyed_source import SurveyedSources, changed
from rosenblatt.io.sources.source import BYTE_ORDER_MARK, Source
from rosenblatt.io.sources.temporary_copy import nameless_file
from rosenblatt.io.streams.byte_pieces import PIECE
from rosenblatt.kernels.parsing.read_ranges import CAN_READ, read_ranges

_MOST_OPEN = 32
_SMALL = 2**18
# Every table costs its reader half a millisecond of Python, for which the readers of other shards wait,
# and fresh memory: an epoch is faster by a tenth at least than with pieces of half the size.
_TOGETHER = 2 * PIECE


class _Open(NamedTuple):
    """A file that is read from here and there, its name, where its text begins, and its handle."""

    name: str
    file: pa.NativeFile
    start: int
    handle: int
    """The system's number of it; -1: it has none."""


class BlockText:
    """The text of a block, read in order, and compared with its digest at the end if it is to be."""

    def __init__(self, file: _Open, block: Block, *, compares: bool) -> None:
        self.name, self._file, self.handle, self._block = file.name, file.file, file.handle, block
        self.size = block.end - block.offset
        self.place = file.start + block.offset
        self._end = self.place + self.size
        self._hash = hashlib.sha256() if compares else None

    @property
    def is_compared(self) -> bool:
        """Whether it needs no more than to be read."""
        return self._hash is None

    def read(self, n: int, /) -> bytes:
        """Return at most n bytes, or none at the end."""
        n = min(n, self._end - self.place)
        if n == 0:
            return b""
        with _Named(self.name):
            found = self._file.read_at(n, self.place)
        if len(found) < n:
            raise changed(self.name, f"the bytes from line {self._block.line} on are not all there")
        self.place += n
        if self._hash is not None:
            self._hash.update(found)
            if self.place == self._end and self._hash.hexdigest() != self._block.digest:
                raise changed(self.name, f"its bytes from line {self._block.line} on are others")
        return found


class _Copy:
    """Blocks of a source, unpacked: where each is, in a file."""

    def __init__(self) -> None:
        self._written = nameless_file()
        self.file = pa.PythonFile(self._written, mode="r")
        self.starts: dict[Block, int] = {}

    def add(self, source: Source, blocks: Iterable[Block]) -> None:
        """Copy blocks that are not there yet."""
        missing = sorted(set(blocks) - set(self.starts), key=lambda block: block.offset)
        if not missing:
            return
        with source.open() as file, _Named(source.name):
            place, start = 0, self._written.seek(0, 2)
            for block in missing:
                for _ in file.blocks(block.offset - place):
                    pass
                for data in file.blocks(block.end - block.offset):
                    self._written.write(data)
                self.starts[block], place = start, block.end
                start += block.end - block.offset
            self._written.flush()

    def opened(self, name: str, block: Block) -> _Open:
        """Return the copy as if it were the source, which has this name, where it has this block."""
        return _Open(name, self.file, self.starts[block] - block.offset, self._written.fileno())

    def close(self) -> None:
        """Let the copy go."""
        self.file.close()
        self._written.close()


class BlockTexts:
    """The text of blocks of the sources at some places."""

    def __init__(self, places: Sequence[str], surveyed: Sequence[SourceIdentity]) -> None:
        self.sources = SurveyedSources(places, surveyed)
        self._n_sources = len(surveyed)
        self._packed = {number for number, own in enumerate(surveyed) if own.is_packed}
        self._open: OrderedDict[int, _Open] = OrderedDict()
        self._copies: dict[int, _Copy] = {}

    def copy(self, blocks: Iterable[Block]) -> None:
        """Copy those blocks that cannot be sought, or had better not be, and are not copied yet."""
        packed, remote = self._packed, self._remote
        if not packed and not remote:
            return
        copied: dict[int, list[Block]] = {}
        for block in blocks:
            is_small = block.end - block.offset < _SMALL
            if block.source in packed or (is_small and block.source in remote):
                copied.setdefault(block.source, []).append(block)
        for number, own in copied.items():
            if number not in self._copies:
                self._copies[number] = _Copy()
            self._copies[number].add(self.sources[number], own)

    def text(self, block: Block, *, compares: bool) -> BlockText:
        """Return the text of a block, which is compared with its digest if it is to be."""
        copy = self._copies.get(block.source)
        if copy is not None and block in copy.starts:
            opened = copy.opened(self.sources[block.source].name, block)
        else:
            opened = self._opened(block.source)
        return BlockText(opened, block, compares=compares)

    def close(self) -> None:
        """Close the sources, and let copies go."""
        self._open.clear()
        for copy in self._copies.values():
            copy.close()
        self._copies.clear()

    @cached_property
    def _remote(self) -> set[int]:
        """The sources that are not files of this machine."""
        return {n for n in range(self._n_sources) if self.sources[n].path is None}

    def _opened(self, number: int) -> _Open:
        """Return an open source; of many, those that were not used lately are closed."""
        if number not in self._open:
            source = self.sources[number]
            with _Named(source.name):
                file = source.open_seekable()
                has_mark = file.read_at(len(BYTE_ORDER_MARK), 0) == BYTE_ORDER_MARK
            start = len(BYTE_ORDER_MARK) if has_mark else 0
            handle = file.fileno() if isinstance(file, pa.OSFile) else -1
            self._open[number] = _Open(source.name, file, start, handle)
            while len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)  # closed when nobody reads from it any more
        self._open.move_to_end(number)
        return self._open[number]


class JoinedText(NamedTuple):
    """The text of several blocks, each with an end of its last line; where each begins, and the end."""

    data: bytes
    starts: Counts


def joined_text(texts: Sequence[BlockText]) -> JoinedText:
    """Return the whole text of several blocks, whatever can be read of them without Python."""
    sizes = np.array([text.size for text in texts])
    if CAN_READ and all(text.is_compared and text.handle >= 0 for text in texts):
        handles, places = np.array([(text.handle, text.place) for text in texts]).T.copy()
        out, starts = np.empty(sizes.sum() + len(sizes), np.uint8), np.empty(len(sizes) + 1, int)
        if read_ranges(handles, places, sizes, out, starts):
            return JoinedText(out[: starts[-1]].tobytes(), starts)
    # Others; and what cannot be read as expected is named here.
    parts = [text.read(text.size) for text in texts]
    parts = [part if part.endswith(b"\n") else part + b"\n" for part in parts]
    return JoinedText(b"".join(parts), np.cumsum([0, *map(len, parts)]))


def together(
    blocks: Sequence[Block], alike: Callable[[Block], object] = lambda _: None
) -> Iterator[Sequence[Block]]:
    """Yield blocks that are read together: they have as much text as is worth the while, or are one.

    Those that follow each other are read together only if they are alike.
    """
    for _, own in groupby(blocks, alike):
        some: list[Block] = []
        n_bytes = 0
        for block in own:
            size = block.end - block.offset
            if some and n_bytes + size > _TOGETHER:
                yield some
                some, n_bytes = [], 0
            some.append(block)
            n_bytes += size
        yield some


class _Named:
    """Names the source in the error of what cannot be read; a class, for each block is read in one."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: object, error: BaseException | None, where: object) -> None:
        if isinstance(error, OSError | pa.ArrowException):
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"{self._name}: cannot be read ({reason!s:.300})") from error
