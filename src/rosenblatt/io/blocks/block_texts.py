"""The text of blocks, byte by byte, wherever in their sources they are.

What is packed cannot be sought: of such sources the blocks that somebody asks for are copied, unpacked,
to a file of this machine, once. So are small blocks of sources elsewhere, which are at the beginning of
a source, for each would be a request of its own, in every epoch.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import NamedTuple

import pyarrow as pa

from rosenblatt.core.errors import InputError
from rosenblatt.io.blocks.block import Block, SourceIdentity
from rosenblatt.io.blocks.surveyed_source import SurveyedSources, changed
from rosenblatt.io.sources.source import BYTE_ORDER_MARK, Source
from rosenblatt.io.sources.temporary_copy import nameless_file
from rosenblatt.io.streams.byte_pieces import PIECE

_MOST_OPEN = 32
_SMALL = 2**18


class BlockText:
    """The text of a block, read in order, and compared with its digest at the end if it is to be."""

    def __init__(
        self, name: str, file: pa.NativeFile, start: int, block: Block, *, compares: bool
    ) -> None:
        self.name, self._file, self._block = name, file, block
        self._place, self._end = start, start + block.end - block.offset
        self._hash = hashlib.sha256() if compares else None

    def read(self, n: int, /) -> bytes:
        """Return at most n bytes, or none at the end."""
        n = min(n, self._end - self._place)
        if n == 0:
            return b""
        with _named(self.name):
            found = self._file.read_at(n, self._place)
        if len(found) < n:
            raise changed(self.name, f"the bytes from line {self._block.line} on are not all there")
        self._place += n
        if self._hash is not None:
            self._hash.update(found)
            if self._place == self._end and self._hash.hexdigest() != self._block.digest:
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
        with source.open() as file, _named(source.name):
            place, start = 0, self._written.seek(0, 2)
            for block in missing:
                for _ in file.blocks(block.offset - place):
                    pass
                for data in file.blocks(block.end - block.offset):
                    self._written.write(data)
                self.starts[block], place = start, block.end
                start += block.end - block.offset
            self._written.flush()

    def close(self) -> None:
        """Let the copy go."""
        self.file.close()
        self._written.close()


class _Open(NamedTuple):
    """A file that is read from here and there, and where its text begins."""

    file: pa.NativeFile
    start: int


class BlockTexts:
    """The text of blocks of the sources at some places."""

    def __init__(self, places: Sequence[str], surveyed: Sequence[SourceIdentity]) -> None:
        self._surveyed = surveyed
        self.sources = SurveyedSources(places, surveyed)
        self._open: OrderedDict[int, _Open] = OrderedDict()
        self._copies: dict[int, _Copy] = {}

    def copy(self, blocks: Iterable[Block]) -> None:
        """Copy those blocks that cannot be sought, or had better not be, and are not copied yet."""
        copied: dict[int, list[Block]] = {}
        for block in blocks:
            is_remote = self.sources[block.source].path is None
            is_small = block.end - block.offset < _SMALL
            if self._surveyed[block.source].is_packed or (is_remote and is_small):
                copied.setdefault(block.source, []).append(block)
        for number, own in copied.items():
            if number not in self._copies:
                self._copies[number] = _Copy()
            self._copies[number].add(self.sources[number], own)

    def text(self, block: Block, *, compares: bool) -> BlockText:
        """Return the text of a block, which is compared with its digest if it is to be."""
        name = self.sources[block.source].name
        copy = self._copies.get(block.source)
        if copy is not None and block in copy.starts:
            return BlockText(name, copy.file, copy.starts[block], block, compares=compares)
        file, start = self._opened(block.source)
        return BlockText(name, file, start + block.offset, block, compares=compares)

    def close(self) -> None:
        """Close the sources, and let copies go."""
        self._open.clear()
        for copy in self._copies.values():
            copy.close()
        self._copies.clear()

    def _opened(self, number: int) -> _Open:
        """Return an open source; of many, those that were not asked for lately are closed."""
        if number not in self._open:
            source = self.sources[number]
            with _named(source.name):
                file = source.open_at_random()
                has_mark = file.read_at(len(BYTE_ORDER_MARK), 0) == BYTE_ORDER_MARK
            self._open[number] = _Open(file, len(BYTE_ORDER_MARK) if has_mark else 0)
            while len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)  # closed when nobody reads from it any more
        self._open.move_to_end(number)
        return self._open[number]


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
            if some and n_bytes + size > PIECE:
                yield some
                some, n_bytes = [], 0
            some.append(block)
            n_bytes += size
        yield some


@contextmanager
def _named(name: str) -> Iterator[None]:
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{name}: cannot be read ({reason!s:.300})") from error
