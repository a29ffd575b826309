"""Text files, compressed or not: their bytes and lines.

A byte order mark at the beginning is skipped. A line ends with LF, CR LF or CR alone (libsvm: not CR
alone). No line may be longer than ``LONGEST_LINE``, so that a binary file, or a small file that unpacks
to a huge one, cannot fill the memory before it is checked.
"""

import io
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, AnyStr

from rosenblatt.core.errors import InputError
from rosenblatt.io.sources.local_file import LocalFile
from rosenblatt.io.sources.source import OpenSource, Source
from rosenblatt.io.sources.unpacking import MAGIC_LENGTH, compression

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

LONGEST_LINE = 2**28
# Larger pieces do not fit in the processor's cache, smaller ones cost calls.
_PIECE = 2**18
_BUFFER = 2**16


class _Raw(io.RawIOBase):
    """Adapts an open source to `io`, so that Python can buffer it."""

    def __init__(self, source: OpenSource) -> None:
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        view = memoryview(buffer).cast("B")
        found = self._source.read(len(view))
        view[: len(found)] = found
        return len(found)


def file_compression(path: Path) -> str | None:
    """Detect the compression from the first bytes, whatever the name; return Arrow's name for it."""
    stored = LocalFile(path).open()
    try:
        return compression(stored.read(MAGIC_LENGTH))
    finally:
        stored.close()


@contextmanager
def open_bytes(path: Path) -> Iterator[io.BufferedReader]:
    """Open a file, decompressed, after its byte order mark."""
    with Source(LocalFile(path)).open() as source:
        yield io.BufferedReader(_Raw(source), _BUFFER)


def byte_lines(path: Path, file: io.BufferedReader) -> Iterator[bytes]:
    """Yield the lines of an open file, each with its LF."""
    return _lines(path, file.readline, b"\n")


def text_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file, with their ends; bytes that are not UTF-8 become lone surrogates."""
    with open_bytes(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", errors="surrogateescape", newline="")
        yield from _lines(path, text.readline, "\n", "\r")


def pieces(path: Path, size: int | None = None) -> Generator[bytes]:
    """Yield a file in pieces of whole lines (those that end with LF), of about this size."""
    size = min(_PIECE if size is None else size, LONGEST_LINE)
    with open_bytes(path) as file:
        while piece := file.read(size):
            rest = file.readline(LONGEST_LINE)
            if _is_too_long(rest, b"\n"):
                with open_bytes(path) as again:  # raises, naming the line
                    for _ in byte_lines(path, again):
                        pass
            yield piece + rest


def _lines(path: Path, readline: Callable[[int], AnyStr], *ends: AnyStr) -> Iterator[AnyStr]:
    number = 0
    while line := readline(LONGEST_LINE):
        number += 1
        _check_length(path, number, line, *ends)
        yield line


def _check_length(path: Path, number: int, line: AnyStr, *ends: AnyStr) -> None:
    if _is_too_long(line, *ends):
        raise InputError(
            f"{path}, line {number}: this line is longer than {LONGEST_LINE:,} bytes, the limit; give "
            "one sample per line"
        )


def _is_too_long(line: AnyStr, *ends: AnyStr) -> bool:
    return len(line) >= LONGEST_LINE and not line.endswith(ends)
