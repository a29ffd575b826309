"""Text files, compressed or not: their bytes, their lines, and one sentence if they cannot be read.

Conventions: a byte order mark at the beginning is passed over. A line ends with LF, CR LF or CR alone
(libsvm: not CR alone). No line may be longer than ``LONGEST_LINE``, so that a file that claims
to be text, or a small one that unpacks to a huge one, cannot fill the memory before it is looked at.
"""

import bz2
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from rosenblatt.core.errors import InputError

LONGEST_LINE = 2**28
_PIECE = (
    2**18
)  # larger pieces fall out of the cache while they are looked at, smaller ones cost calls
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Compression(NamedTuple):
    """How a compressed file is opened, and what Arrow calls it."""

    open: Any
    arrow_name: str | None


_COMPRESSIONS = {".gz": Compression(gzip.open, "gzip"), ".bz2": Compression(bz2.open, "bz2")}


def compression(path: Path) -> Compression:
    """Return how a file is compressed, which its name says."""
    return _COMPRESSIONS.get(path.suffix.lower(), Compression(open, None))


@contextmanager
def open_bytes(path: Path) -> Iterator[IO[bytes]]:
    """Open a file, unpacked, after its byte order mark."""
    try:
        with compression(path).open(path, "rb") as file:
            if file.read(len(_BYTE_ORDER_MARK)) != _BYTE_ORDER_MARK:
                file.seek(0)
            yield cast("IO[bytes]", file)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be read ({reason})") from error


def byte_lines(path: Path, file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of an open file, each with its LF."""
    return _lines(path, file, b"\n")


def text_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file, each with its end; bytes that are not UTF-8 become lone surrogates."""
    with open_bytes(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", errors="surrogateescape", newline="")
        yield from _lines(path, text, ("\n", "\r"))


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


def _lines(path: Path, file: IO[Any], ends: Any) -> Iterator[Any]:
    number = 0
    while line := file.readline(LONGEST_LINE):
        number += 1
        _check_length(path, number, line, ends)
        yield line


def _check_length(path: Path, number: int, line: Any, ends: Any) -> None:
    if len(line) >= LONGEST_LINE and not line.endswith(ends):
        raise InputError(
            f"{path}, line {number}: this line is longer than {LONGEST_LINE:,} bytes, the most that is "
            "read; give one sample a line"
        )


def quoted(text: str) -> str:
    """Return the first 60 characters of a text in quotes, for a message.

    >>> quoted("1_000"), len(quoted("9" * 1000))
    ("'1_000'", 62)
    """
    return repr(text if len(text) <= 60 else f"{text[:59]}…")
