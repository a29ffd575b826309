"""Decompression of gzip, bzip2 and zstd, detected by their first bytes.

A file of several members is read to the end of the last one. Truncation, damage and trailing garbage
are errors: none of them may pass for a shorter file.
"""

import bz2
import zlib
from collections.abc import Callable
from typing import Protocol

import pyarrow as pa

_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}
_SKIPPED = {bytes([low, 0x2A, 0x4D, 0x18]) for low in range(0x50, 0x60)}  # pzstd files begin so
MAGIC_LENGTH = 4
"""The number of bytes that reveal how a file is compressed."""
_BLOCK = 2**17


class Readable(Protocol):
    """A readable file."""

    def read(self, n: int, /) -> bytes:
        """Return between 1 and n bytes, or none at the end."""


def compression(beginning: bytes) -> str | None:
    """Return Arrow's name for the compression of a file with these first bytes, or None.

    >>> compression(b"BZh91AY"), compression(b"+1 3:0.5")
    ('bz2', None)
    """
    if beginning[:MAGIC_LENGTH] in _SKIPPED:
        return "zstd"
    return next((name for magic, name in _MAGIC.items() if beginning.startswith(magic)), None)


def unpacked(stored: Readable, kind: str | None) -> Readable:
    """Return a reader of decompressed bytes; it may raise OSError, EOFError or zlib.error."""
    match kind:
        case None:
            return stored
        case "zstd":
            return _Zstd(stored)
        case "gzip":
            return _Members(stored, _Gzip)
    return _Members(stored, _Bzip2)  # Arrow stops at an empty member


class _Zstd:
    """zstd, which Python 3.11 cannot decompress."""

    def __init__(self, stored: Readable) -> None:
        self._stream = pa.CompressedInputStream(pa.PythonFile(stored, mode="r"), "zstd")

    def read(self, n: int, /) -> bytes:
        """Return between 1 and n bytes, or none at the end."""
        # If Arrow's own `read` fails, it never frees the buffer that it was filling (pyarrow 26).
        return self._stream.read_buffer(n).to_pybytes()


class _Member(Protocol):
    """Decompresses one member."""

    @property
    def rest(self) -> bytes | None:
        """The bytes after the member, or None before its end."""

    @property
    def needs_input(self) -> bool:
        """Whether all bytes given so far are decompressed."""

    def unpack(self, packed: bytes, n: int) -> bytes:
        """Return at most n decompressed bytes, from these and from the rest of earlier ones."""


class _Gzip:
    def __init__(self) -> None:
        self._unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        self._is_full = False

    @property
    def rest(self) -> bytes | None:
        # Tapes are padded with zeros, which gzip ignores too.
        return self._unpacker.unused_data.lstrip(b"\0") if self._unpacker.eof else None

    @property
    def needs_input(self) -> bool:
        return not (self._unpacker.unconsumed_tail or self._is_full)

    def unpack(self, packed: bytes, n: int) -> bytes:
        found = self._unpacker.decompress(self._unpacker.unconsumed_tail + packed, n)
        self._is_full = len(found) == n  # zlib may be holding more
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
    """Members in sequence, up to the end of the stored bytes."""

    def __init__(self, stored: Readable, new: Callable[[], _Member]) -> None:
        self._stored, self._new = stored, new
        self._member = new()

    def read(self, n: int, /) -> bytes:
        """Return between 1 and n bytes, or none at the end of the last member."""
        while True:
            packed = b""
            if self._member.rest is not None:
                packed = self._next_member()
                if not packed:
                    return b""
            elif self._member.needs_input:
                packed = self._stored.read(_BLOCK)
                if not packed:
                    raise EOFError("the compressed file is truncated")
            found = self._member.unpack(packed, n)
            if found:
                return found

    def _next_member(self) -> bytes:
        """Start the next member and return its first bytes, or none if there is no other."""
        packed = self._member.rest or b""
        while not packed and (more := self._stored.read(_BLOCK)):
            packed = more.lstrip(b"\0") if self._new is _Gzip else more
        if packed:
            self._member = self._new()
        return packed
