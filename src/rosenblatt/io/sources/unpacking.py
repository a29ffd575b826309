"""gzip, bzip2 and zstd, told by the first bytes, and unpacked until the stored bytes end.

A file of several members, one after another, is all of them. What is cut off or damaged anywhere, and
whatever follows the last member, is an error: neither may look like a shorter file.
"""

import bz2
import zlib
from collections.abc import Callable
from typing import Protocol

import pyarrow as pa

_SIGNS = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}
_SKIPPED = {bytes([low, 0x2A, 0x4D, 0x18]) for low in range(0x50, 0x60)}  # as pzstd begins
SIGN = 4
"""The number of bytes that say how a file is packed."""
_STORED = 2**17


class Readable(Protocol):
    """What has bytes to read."""

    def read(self, n: int, /) -> bytes:
        """Return at least one and at most n bytes, or none at the end."""


def compression(beginning: bytes) -> str | None:
    """Return how a file is packed that begins with these bytes, as Arrow calls it.

    >>> compression(b"BZh91AY"), compression(b"+1 3:0.5")
    ('bz2', None)
    """
    if beginning[:SIGN] in _SKIPPED:
        return "zstd"
    return next((name for sign, name in _SIGNS.items() if beginning.startswith(sign)), None)


def unpacked(stored: Readable, kind: str | None) -> Readable:
    """Return what reads stored bytes unpacked; it raises OSError, EOFError or zlib.error."""
    match kind:
        case None:
            return stored
        case "zstd":
            return _Zstd(stored)
        case "gzip":
            return _Members(stored, _Gzip)
    return _Members(stored, _Bzip2)  # Arrow does not read an empty member of several


class _Zstd:
    """zstd, which Python 3.11 does not unpack."""

    def __init__(self, stored: Readable) -> None:
        self._stream = pa.CompressedInputStream(pa.PythonFile(stored, mode="r"), "zstd")

    def read(self, n: int, /) -> bytes:
        """Return at least one and at most n bytes, or none at the end."""
        # Where Arrow's own `read` fails, the bytes that it was to fill are never freed (pyarrow 26).
        return self._stream.read_buffer(n).to_pybytes()


class _Member(Protocol):
    """What unpacks one member."""

    @property
    def rest(self) -> bytes | None:
        """The bytes after the member, or None if it has not ended."""

    @property
    def needs_input(self) -> bool:
        """Whether nothing more can be unpacked from the bytes that were given."""

    def unpack(self, packed: bytes, n: int) -> bytes:
        """Return at most n bytes, from these and from what is left of earlier ones."""


class _Gzip:
    def __init__(self) -> None:
        self._unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        self._is_full = False

    @property
    def rest(self) -> bytes | None:
        # Tapes are filled up with zeros, which gzip overlooks too.
        return self._unpacker.unused_data.lstrip(b"\0") if self._unpacker.eof else None

    @property
    def needs_input(self) -> bool:
        return not (self._unpacker.unconsumed_tail or self._is_full)

    def unpack(self, packed: bytes, n: int) -> bytes:
        found = self._unpacker.decompress(self._unpacker.unconsumed_tail + packed, n)
        self._is_full = len(found) == n  # then zlib may hold back more
        return found


class _Bzip2:
    def __init__(self) -> None:
        self._unpacker = bz2.BZ2Decompressor()

    @property
    def rest(self) -> bytes | None:
        return self._unpacker.unused_data if self._unpacker.eof else None

    @property
    def needs_input(self) -> bool:
        return self._unpacker.needs_input

    def unpack(self, packed: bytes, n: int) -> bytes:
        return self._unpacker.decompress(packed, n)


class _Members:
    """Members one after another, to the end of the stored bytes."""

    def __init__(self, stored: Readable, new: Callable[[], _Member]) -> None:
        self._stored, self._new = stored, new
        self._member = new()

    def read(self, n: int, /) -> bytes:
        """Return at least one and at most n bytes, or none at the end of the last member."""
        while True:
            packed = b""
            if self._member.rest is not None:
                packed = self._next_member()
                if not packed:
                    return b""
            elif self._member.needs_input:
                packed = self._stored.read(_STORED)
                if not packed:
                    raise EOFError("the compressed file ended early: it is truncated")
            found = self._member.unpack(packed, n)
            if found:
                return found

    def _next_member(self) -> bytes:
        """Begin with the next member, and return its first bytes; none if there is no other."""
        packed = self._member.rest or b""
        while not packed and (more := self._stored.read(_STORED)):
            packed = more.lstrip(b"\0") if self._new is _Gzip else more
        if packed:
            self._member = self._new()
        return packed
