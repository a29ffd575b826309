"""A file of parsed chunks, so that later passes over the same samples do not parse again.

    "ROSENBLATT CACHE", version, length and CRC-32 of the header, header in JSON: what it was made from
    for each chunk: "ROWS", CRC-32 and length of the block, its samples, the block (``cache_blocks``)
    "END." and a block of the numbers of chunks and of samples, and a CRC-32 of all CRC-32

It is there whole or not at all. Lengths are compared with the file's before anything is read.
"""

import json
import os
import struct
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from io import FileIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_readable, written_whole
from rosenblatt.io.samples.table import Table
from rosenblatt.io.streams.cache_blocks import Block, BlockError, packed, unpacked_block
from rosenblatt.io.streams.read_ahead import ahead

_MAGIC = b"ROSENBLATT CACHE"
_VERSION = 1
_BEGINNING = struct.Struct("<16sIII4x")
_BLOCK = struct.Struct("<4sIQQ")
_ROWS, _END = b"ROWS", b"END."
_TOTALS = struct.Struct("<QQI4x")

Origin = Mapping[str, object]
"""What a cache was made from, as JSON has it: the sources, and how they were read."""


class _Totals(NamedTuple):
    """What the blocks of a cache have in all."""

    n_blocks: int = 0
    n_rows: int = 0
    checksum: int = 0

    def and_one(self, n_rows: int, checksum: int) -> "_Totals":
        """Return the totals with one more block."""
        own = checksum.to_bytes(4, "little")
        return _Totals(self.n_blocks + 1, self.n_rows + n_rows, zlib.crc32(own, self.checksum))

    def packed(self) -> bytes:
        """Return the totals as bytes."""
        return _TOTALS.pack(*self)


class CacheWriter:
    """Adds chunks to a cache; `new_cache` makes it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._totals = _Totals()

    def add(self, table: Table, n_read: int) -> None:
        """Write a chunk."""
        self._write(_ROWS, packed(table, n_read), table.n_samples)

    def end(self) -> None:
        """Write what there is in all."""
        self._write(_END, [self._totals.packed()], 0)

    def _write(self, tag: bytes, parts: list[bytes | memoryview], n_rows: int) -> None:
        checksum = 0
        for part in parts:
            checksum = zlib.crc32(part, checksum)
        self._totals = self._totals.and_one(n_rows, checksum)
        self._file.write(_BLOCK.pack(tag, checksum, sum(map(len, parts)), n_rows))
        for part in parts:
            self._file.write(part)


@contextmanager
def new_cache(path: Path, origin: Origin) -> Iterator[CacheWriter]:
    """Give a cache to add chunks to; it is there when the block of code ends without an exception."""
    header = json.dumps(origin).encode()
    header += b" " * (-len(header) % 8)
    with written_whole(path) as file:
        file.write(_BEGINNING.pack(_MAGIC, _VERSION, len(header), zlib.crc32(header)))
        file.write(header)
        writer = CacheWriter(file)
        yield writer
        writer.end()


def is_cache(path: Path) -> bool:
    """Say whether a file begins as a cache does."""
    check_readable(path)
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def cache_origin(path: Path) -> Origin:
    """Return what a cache was made from."""
    with _opened(path) as (_, origin):
        return origin


def cached_blocks(path: Path, skipped: int = 0) -> Generator[Block, None, None]:
    """Yield the chunks of a cache after a number of samples, read and checked ahead on threads."""
    with closing(ahead(_works(path, skipped))) as blocks:
        yield from blocks


def _works(path: Path, skipped: int) -> Generator[Callable[[], Block], None, None]:
    """Yield what makes chunks of the blocks of a cache."""
    totals = _Totals()
    with _opened(path) as (file, _):
        while True:
            tag, checksum, length, n_rows = _BLOCK.unpack(_taken(path, file, _BLOCK.size))
            _check_length(path, file, length)
            if n_rows > length:  # each takes some bytes
                raise _damaged(path)
            if tag != _ROWS:
                break
            totals = totals.and_one(n_rows, checksum)
            if totals.n_rows > skipped:
                yield partial(_block, path, _taken(path, file, length), checksum)
            else:
                file.seek(length, os.SEEK_CUR)
        content = _taken(path, file, length)
        if (
            (tag, n_rows) != (_END, 0)
            or zlib.crc32(content) != checksum
            or content != totals.packed()
            or file.read(1)
        ):
            raise _damaged(path)


def _block(path: Path, content: bytearray, checksum: int) -> Block:
    """Return the chunk that a block is; a thread does this, ahead of the others."""
    if zlib.crc32(content) != checksum:
        raise _damaged(path)
    try:
        return unpacked_block(content)
    except BlockError as error:
        raise _damaged(path) from error


@contextmanager
def _opened(path: Path) -> Iterator[tuple[FileIO, Origin]]:
    """Open a cache after its header, which is returned."""
    check_readable(path)
    try:
        with path.open("rb", buffering=0) as file:
            yield file, _header(path, file)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error


def _header(path: Path, file: FileIO) -> Origin:
    beginning = file.read(_BEGINNING.size)
    if not beginning.startswith(_MAGIC):
        raise InputError(f"{path}: this is not a cache of samples; give another name for the cache")
    if len(beginning) < _BEGINNING.size:
        raise _damaged(path)
    _, version, length, _ = _BEGINNING.unpack(beginning)
    if version != _VERSION:
        raise InputError(
            f"{path}: the cache has version {version}, but this rosenblatt reads version {_VERSION}; "
            "remove it, and it is made again"
        )
    _check_length(path, file, length)
    header = _taken(path, file, length)
    if _BEGINNING.pack(_MAGIC, version, length, zlib.crc32(header)) != beginning:
        raise _damaged(path)
    try:
        origin = json.loads(header)
    except (ValueError, RecursionError) as error:
        raise _damaged(path) from error
    if not isinstance(origin, dict):
        raise _damaged(path)
    return origin


def _check_length(path: Path, file: FileIO, length: int) -> None:
    """Raise unless the file has as many bytes left."""
    if file.tell() + length > os.fstat(file.fileno()).st_size:
        raise _damaged(path)


def _taken(path: Path, file: FileIO, n: int) -> bytearray:
    """Return the next n bytes of a file; a single read may return fewer, if they are very many."""
    content = bytearray(
        n
    )  # which can be written to: compiled code has a type of its own for others
    view, done = memoryview(content), 0
    while done < n and (more := file.readinto(view[done:])):
        done += more
    if done < n:
        raise _damaged(path)
    return content


def _damaged(path: Path) -> InputError:
    return InputError(
        f"{path}: the cache is damaged or incomplete; remove it, and it is made again"
    )
