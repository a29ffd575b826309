"""The text of blocks anywhere in their sources.

Compressed sources are not seekable, so the requested blocks are decompressed once into a local file. So
are small blocks of remote sources, at the beginning of each source: otherwise each would be a separate
request in every epoch.
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
# Every table costs half a millisecond of Python, for which the readers of other shards wait, and new
# memory: an epoch is at least a tenth faster than with pieces of half the size.
_BYTES_PER_READ = 2 * PIECE


class _Open(NamedTuple):
    """A seekable file: its name, where its text begins, and its file descriptor."""

    name: str
    file: pa.NativeFile
    start: int
    handle: int
    """The file descriptor, or -1."""


class BlockText:
    """The text of a block, read in order; with ``compares``, its digest is checked at the end."""

    def __init__(self, file: _Open, block: Block, *, compares: bool) -> None:
        self.name, self._file, self.handle, self._block = file.name, file.file, file.handle, block
        self.size = block.end - block.offset
        self.position = file.start + block.offset
        self._end = self.position + self.size
        self._hash = hashlib.sha256() if compares else None

    @property
    def is_compared(self) -> bool:
        """Whether the digest need not be checked."""
        return self._hash is None

    def read(self, n: int, /) -> bytes:
        """Return up to n bytes, or none at the end."""
        n = min(n, self._end - self.position)
        if n == 0:
            return b""
        with _ErrorsNaming(self.name):
            found = self._file.read_at(n, self.position)
        if len(found) < n:
            raise changed(self.name, f"it ends early, after line {self._block.line}")
        self.position += n
        if self._hash is not None:
            self._hash.update(found)
            if self.position == self._end and self._hash.hexdigest() != self._block.digest:
                raise changed(self.name, f"its bytes differ from line {self._block.line} on")
        return found


class _Copy:
    """Blocks of a source, decompressed into a temporary file."""

    def __init__(self) -> None:
        self._written = nameless_file()
        self.file = pa.PythonFile(self._written, mode="r")
        self.starts: dict[Block, int] = {}

    def add(self, source: Source, blocks: Iterable[Block]) -> None:
        """Copy blocks that are not copied yet."""
        missing = sorted(set(blocks) - set(self.starts), key=lambda block: block.offset)
        if not missing:
            return
        with source.open() as file, _ErrorsNaming(source.name):
            position, start = 0, self._written.seek(0, 2)
            for block in missing:
                for _ in file.blocks(block.offset - position):
                    pass
                for data in file.blocks(block.end - block.offset):
                    self._written.write(data)
                self.starts[block], position = start, block.end
                start += block.end - block.offset
            self._written.flush()

    def opened(self, name: str, block: Block) -> _Open:
        """Return the copy, positioned so that the block has the same offset as in the source."""
        return _Open(name, self.file, self.starts[block] - block.offset, self._written.fileno())

    def close(self) -> None:
        """Delete the copy."""
        self.file.close()
        self._written.close()


class BlockTexts:
    """The text of blocks of several sources."""

    def __init__(self, paths: Sequence[str], surveyed: Sequence[SourceIdentity]) -> None:
        self.sources = SurveyedSources(paths, surveyed)
        self._n_sources = len(surveyed)
        self._packed = {number for number, own in enumerate(surveyed) if own.is_packed}
        self._open: OrderedDict[int, _Open] = OrderedDict()
        self._copies: dict[int, _Copy] = {}

    def copy(self, blocks: Iterable[Block]) -> None:
        """Copy compressed and small remote blocks that are not copied yet."""
        packed, remote = self._packed, self._remote
        if not packed and not remote:
            return
        copied: dict[int, list[Block]] = {}
        for block in blocks:
            is_small = block.end - block.offset < _SMALL
            if block.source in packed or (is_small and block.source in remote):
                copied.setdefault(block.source, []).append(block)
        for number, own_blocks in copied.items():
            if number not in self._copies:
                self._copies[number] = _Copy()
            self._copies[number].add(self.sources[number], own_blocks)

    def text(self, block: Block, *, compares: bool) -> BlockText:
        """Return the text of a block; ``compares`` as in `BlockText`."""
        copy = self._copies.get(block.source)
        if copy is not None and block in copy.starts:
            opened = copy.opened(self.sources[block.source].name, block)
        else:
            opened = self._opened(block.source)
        return BlockText(opened, block, compares=compares)

    def close(self) -> None:
        """Close the sources and delete the copies."""
        self._open.clear()
        for copy in self._copies.values():
            copy.close()
        self._copies.clear()

    @cached_property
    def _remote(self) -> set[int]:
        """The numbers of the sources that are not local files."""
        return {n for n in range(self._n_sources) if self.sources[n].path is None}

    def _opened(self, number: int) -> _Open:
        """Return an open source; close the least recently used of many."""
        if number not in self._open:
            source = self.sources[number]
            with _ErrorsNaming(source.name):
                file = source.open_seekable()
                has_mark = file.read_at(len(BYTE_ORDER_MARK), 0) == BYTE_ORDER_MARK
            start = len(BYTE_ORDER_MARK) if has_mark else 0
            handle = file.fileno() if isinstance(file, pa.OSFile) else -1
            self._open[number] = _Open(source.name, file, start, handle)
            while len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)  # closes after its last reader
        self._open.move_to_end(number)
        return self._open[number]


class JoinedText(NamedTuple):
    """The text of several blocks, each ending with a line end, and the positions between them."""

    data: bytes
    starts: Counts


def joined_text(texts: Sequence[BlockText]) -> JoinedText:
    """Return the text of several blocks, read by compiled code if possible."""
    sizes = np.array([text.size for text in texts])
    if CAN_READ and all(text.is_compared and text.handle >= 0 for text in texts):
        handles, positions = np.array([(text.handle, text.position) for text in texts]).T.copy()
        out, starts = np.empty(sizes.sum() + len(sizes), np.uint8), np.empty(len(sizes) + 1, int)
        if read_ranges(handles, positions, sizes, out, starts):
            return JoinedText(out[: starts[-1]].tobytes(), starts)
    # Everything else; errors are raised here.
    parts = [text.read(text.size) for text in texts]
    parts = [part if part.endswith(b"\n") else part + b"\n" for part in parts]
    return JoinedText(b"".join(parts), np.cumsum([0, *map(len, parts)]))


def read_groups(
    blocks: Sequence[Block], key: Callable[[Block], object] = lambda _: None
) -> Iterator[Sequence[Block]]:
    """Yield groups of consecutive blocks with equal keys to read together, limited in size."""
    for _, own in groupby(blocks, key):
        yield from limited_groups(own, _BYTES_PER_READ)


def limited_groups(blocks: Iterable[Block], most: int) -> Iterator[Sequence[Block]]:
    """Yield groups of consecutive blocks with up to ``most`` bytes or rows, or of one larger block."""
    group: list[Block] = []
    total = 0
    for block in blocks:
        size = block.end - block.offset
        if group and total + size > most:
            yield group
            group, total = [], 0
        group.append(block)
        total += size
    yield group


class _ErrorsNaming:
    """Names the source in read errors; a class, as this wraps every block and generators are slow."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: object, error: BaseException | None, where: object) -> None:
        if isinstance(error, OSError | pa.ArrowException):
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"{self._name}: cannot be read ({reason!s:.300})") from error
