"""Text files, compressed or not: their bytes, their lines, and one sentence if they cannot be read.

Conventions: a byte order mark at the beginning is skipped. A line ends with LF, CR LF or CR alone
(libsvm: not CR alone). No line may be longer than ``LONGEST_LINE``, so that a file that claims
to be text, or a small one that unpacks to a huge one, cannot fill the memory before it is looked at.
"""

import bz2
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import AnyStr

import pyarrow as pa

from rosenblatt.core.errors import InputError

BinaryFile = io.BufferedReader | gzip.GzipFile | bz2.BZ2File
"""A file that is open for reading bytes."""

_COMPRESSIONS = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}

LONGEST_LINE = 2**28
# Larger pieces fall out of the processor's cache while they are looked at, smaller ones cost calls.
_PIECE = 2**18
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def compression(path: Path) -> str | None:
    """Return how a file is compressed, as Arrow calls it: its first bytes say so, whatever its name."""
    try:
        with path.open("rb") as file:
            beginning = file.read(4)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    return next((name for sign, name in _COMPRESSIONS.items() if beginning.startswith(sign)), None)


def _opened(path: Path) -> BinaryFile:
    match compression(path):
        case "gzip":
            return gzip.open(path)
        case "bz2":
            return bz2.open(path)
        case "zstd":  # which Python 3.11 does not read
            return io.BufferedReader(pa.input_stream(str(path), compression="zstd"))
    return path.open("rb")


@contextmanager
def open_bytes(path: Path) -> Iterator[BinaryFile]:
    """Open a file, unpacked, after its byte order mark."""
    try:
        with _opened(path) as file:
            if file.peek(len(_BYTE_ORDER_MARK)).startswith(_BYTE_ORDER_MARK):
                file.read(len(_BYTE_ORDER_MARK))
            yield file
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be read ({reason})") from error


def byte_lines(path: Path, file: BinaryFile) -> Iterator[bytes]:
    """Yield the lines of an open file, each with its LF."""
    return _lines(path, file.readline, b"\n")


def text_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file, each with its end; bytes that are not UTF-8 become lone surrogates."""
    with open_bytes(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", errors="surrogateescape", newline="")
        yield from _lines(path, text.readline, "\n", "\r")


def pieces(path: Path) -> Iterator[bytes]:
    """Yield a file in pieces of whole lines (of lines that end with LF)."""
    n_lines = 1
    with open_bytes(path) as file:
        while piece := file.read(_PIECE):
            n_lines += piece.count(b"\n")
            rest = file.readline(LONGEST_LINE)
            _check_length(path, n_lines, rest, b"\n")
            n_lines += rest.endswith(b"\n")
            yield piece + rest


def _lines(path: Path, readline: Callable[[int], AnyStr], *ends: AnyStr) -> Iterator[AnyStr]:
    number = 0
    while line := readline(LONGEST_LINE):
        number += 1
        _check_length(path, number, line, *ends)
        yield line


def _check_length(path: Path, number: int, line: AnyStr, *ends: AnyStr) -> None:
    if len(line) >= LONGEST_LINE and not line.endswith(ends):
        raise InputError(
            f"{path}, line {number}: this line is longer than {LONGEST_LINE:,} bytes, the most that is "
            "read; give one sample per line"
        )
