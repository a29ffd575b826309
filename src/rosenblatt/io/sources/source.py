"""Sources of bytes, decompressed: read completely, or an error names the source.

A source that changes while it is read is an error, and so is a truncated compressed one. A byte order
mark at the beginning is skipped and not counted.
"""

import glob
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pyarrow as pa

from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_readable
from rosenblatt.io.sources.local_file import LocalFile
from rosenblatt.io.sources.shown_url import shown_url
from rosenblatt.io.sources.standard_stream import StandardInput
from rosenblatt.io.sources.stored import Origin, State, StoredBytes
from rosenblatt.io.sources.temporary_copy import temporary_file
from rosenblatt.io.sources.unpacking import MAGIC_LENGTH, Readable, compression, unpacked

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""The mark that a UTF-8 text may begin with; it is skipped."""
# The schemes that PyArrow's file systems read.
_ARROW = ("s3", "gs", "gcs", "hdfs", "viewfs", "abfs", "abfss")
_URL = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
_BLOCK = 2**20
# A whole line that is neither blank nor a comment.
_SAMPLE = re.compile(rb"^[ \t\r]*[^#\s][^\n]*\n", re.MULTILINE)


class _VerifiedBytes:
    """Stored bytes, counted; at the end, size and version must be those at the start."""

    def __init__(self, name: str, stored: StoredBytes) -> None:
        self.name, self._stored, self.n_read = name, stored, 0
        self.closed = False  # Arrow reads this
        self._state = stored.state()

    def read(self, n: int, /) -> bytes:
        """Return between 1 and n bytes, or none at the end."""
        found = self._stored.read(n)
        self.n_read += len(found)
        if not found:
            self._check()
        return found

    def seek(self, offset: int) -> bool:
        """Continue reading at an offset; return whether that was possible."""
        if (self._state.n_bytes or 0) < offset or not self._stored.seek(offset):
            return False
        self.n_read = offset
        return True

    def close(self) -> None:
        """Close the source."""
        self.closed = True
        self._stored.close()

    def _check(self) -> None:
        now = self._stored.state()
        if now != self._state:
            raise InputError(
                f"{self.name}: it changed while it was read: it was {self._state}, now it is {now}; "
                "read it while nothing writes to it"
            )
        if now.n_bytes is not None and now.n_bytes != self.n_read:
            raise InputError(
                f"{self.name}: only {self.n_read:,} of its {now.n_bytes:,} bytes could be read"
            )


class _Peekable:
    """Bytes that can be looked at before they are read."""

    def __init__(self, file: Readable) -> None:
        self._file, self._peeked = file, b""
        self.closed = False

    def peek(self, n: int, *, waits: bool = True) -> bytes:
        """Return the next n bytes; fewer at the end or, unless it waits, once there is a sample."""
        while len(self._peeked) < n and (waits or not _SAMPLE.search(self._peeked)):
            more = self._file.read(n - len(self._peeked))
            if not more:
                break
            self._peeked += more
        return self._peeked[:n]

    def read(self, n: int, /) -> bytes:
        """Return between 1 and n bytes, or none at the end."""
        if not self._peeked:
            return self._file.read(n)
        found, self._peeked = self._peeked[:n], self._peeked[n:]
        return found

    def discard(self) -> None:
        """Drop the bytes that were looked at but not read."""
        self._peeked = b""

    def close(self) -> None:
        """Do nothing: the owner of the file closes it."""


class OpenSource:
    """An open source: its bytes in order, decompressed."""

    def __init__(self, watched: _VerifiedBytes) -> None:
        self._watched = watched
        self._stored = _Peekable(watched)
        with self._naming():
            self._compression = compression(self._stored.peek(MAGIC_LENGTH))
            self._unpacked = _Peekable(unpacked(self._stored, self._compression))
            has_mark = self._unpacked.peek(len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK
            self._mark = len(self._unpacked.read(len(BYTE_ORDER_MARK))) if has_mark else 0

    @property
    def name(self) -> str:
        """Its name in messages."""
        return self._watched.name

    @property
    def is_packed(self) -> bool:
        """Whether it is compressed."""
        return self._compression is not None

    @property
    def n_read(self) -> int:
        """The number of stored bytes read so far."""
        return self._watched.n_read

    def peek(self, n: int, *, waits: bool = True) -> bytes:
        """Return the next n bytes without consuming them; see `Source.head`."""
        with self._naming():
            return self._unpacked.peek(n, waits=waits)

    def read(self, n: int, /) -> bytes:
        """Return between 1 and n bytes, or none at the end."""
        with self._naming():
            return self._unpacked.read(n)

    def skip(self, n: int) -> None:
        """Skip the first n bytes; nothing may have been read yet."""
        if self._compression is None and self._watched.seek(self._mark + n):
            self._stored.discard()
            self._unpacked.discard()
            return
        for _ in self.blocks(n):
            pass

    def blocks(self, n: int | None = None) -> Iterator[bytes]:
        """Yield the next n bytes, or all that are left; raise InputError if there are fewer."""
        left = n
        while left is None or left > 0:
            found = self.read(_BLOCK if left is None else min(left, _BLOCK))
            if not found and left is None:
                return
            if not found:
                raise InputError(
                    f"{self.name}: it is shorter than before, by at least {left:,} bytes; it is not the "
                    "file that was read before"
                )
            left = None if left is None else left - len(found)
            yield found

    def close(self) -> None:
        """Close the source."""
        self._watched.close()

    @contextmanager
    def _naming(self) -> Iterator[None]:
        try:
            yield
        except (OSError, EOFError, zlib.error, pa.ArrowException) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"{self.name}: cannot be read ({reason!s:.300})") from error


class Source:
    """A file or stream to read samples from; made by `sources_of`."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        self._open_file: OpenSource | None = None
        self._is_used = False
        self._is_copy = False

    @property
    def name(self) -> str:
        """Its name in messages."""
        return self._origin.name

    @property
    def location(self) -> str:
        """Its path or full URL, for opening it; unlike its name, a URL may contain secrets."""
        return getattr(self._origin, "url", self.name)

    @property
    def n_bytes(self) -> int | None:
        """The number of stored bytes, or None if unknown."""
        return self._origin.state().n_bytes

    @property
    def is_repeatable(self) -> bool:
        """Whether it can be read more than once."""
        return self._origin.is_repeatable

    @property
    def path(self) -> Path | None:
        """Its local path, or None."""
        return self._origin.path if isinstance(self._origin, LocalFile) else None

    def state(self) -> State:
        """Return its current size and version."""
        return self._origin.state()

    def identity(self) -> str:
        """Return its size and version as text."""
        if self._is_copy:  # the time of a copy means nothing
            return f"{self.n_bytes} bytes"
        return str(self.state())

    def head(self, n: int, *, waits: bool = True) -> bytes:
        """Return its first n bytes, decompressed, or fewer if it is shorter, without consuming them.

        With ``waits=False``, the first sample of a slow standard input is enough.
        """
        if self.is_repeatable:
            with self.open() as file:
                return file.peek(n)
        if self._open_file is None:
            self._open_file = self._opened()
        return self._open_file.peek(n, waits=waits)

    @contextmanager
    def open(self) -> Iterator[OpenSource]:
        """Open it for sequential reading."""
        file = self._open_file or self._opened()
        self._open_file = None
        try:
            yield file
        finally:
            file.close()

    def stored(self) -> Iterator[bytes]:
        """Yield its bytes as stored."""
        watched = _VerifiedBytes(self.name, self._origin.open())
        try:
            yield from iter(partial(watched.read, _BLOCK), b"")
        finally:
            watched.close()

    def open_seekable(self) -> pa.NativeFile:
        """Open its stored bytes for random access, or a copy if it can be read only once."""
        self.make_repeatable()
        return self._origin.open_seekable()

    def make_repeatable(self) -> None:
        """Copy a source that can be read only once, decompressed, so that it can be read again."""
        if self.is_repeatable:
            return
        path = temporary_file()
        with self.open() as file, path.open("wb") as copy:
            for block in file.blocks():
                copy.write(block)
        self._origin, self._is_copy = LocalFile(path, display_name=self.name), True

    def _opened(self) -> OpenSource:
        if self._is_used and not self.is_repeatable:
            raise InputError(f"{self.name}: it can be read only once; give files instead")
        self._is_used = True
        stored = self._origin.open()
        try:
            return OpenSource(_VerifiedBytes(self.name, stored))
        except BaseException:
            stored.close()
            raise


def sources_of(locations: Sequence[str | Path]) -> list[Source]:
    """Return the sources at some locations: files, patterns (sorted), URLs, "-" for standard input.

    An existing file whose name looks like a pattern is read itself.
    """
    origins = [origin for location in locations for origin in _origins(location)]
    if sum(isinstance(origin, StandardInput) for origin in origins) > 1:
        raise InputError("standard input can be read only once; give - once, or give files")
    return [Source(origin) for origin in origins]


def is_local(location: str | Path) -> bool:
    """Return whether a location looks like a local file, or a pattern for local files."""
    return str(location) != "-" and not _URL.match(str(location))


def local_files(text: str) -> list[Path]:
    """Return the named file or, sorted, the files that match a pattern."""
    path = Path(text)
    if not glob.has_magic(text) or os.path.lexists(path):
        return [path]
    paths = [Path(one) for one in sorted(glob.glob(text, recursive=True))]
    return [path for path in paths if not path.is_dir()]


def _origins(location: str | Path) -> Sequence[Origin]:
    text = str(location)
    if text == "-":
        return [StandardInput()]
    scheme = _URL.match(text)
    if scheme is not None and scheme[1].lower() == "file":
        text, scheme = url2pathname(urlsplit(text).path), None
    found: Sequence[Origin]
    if scheme is None:
        found = [LocalFile(path) for path in local_files(text)]
        for origin in found:
            check_readable(Path(origin.name))
    else:
        found = _remote_files(text, scheme[1].lower())
    if not found:
        raise InputError(f"{shown_url(text)}: no file matches this pattern")
    return found


def _remote_files(url: str, scheme: str) -> Sequence[Origin]:
    # imported here: importing them takes longer than reading a small file
    if scheme in _ARROW:
        from rosenblatt.io.sources.arrow_url import arrow_files

        return arrow_files(url)
    if scheme not in ("http", "https"):
        raise InputError(
            f"{shown_url(url)}: {scheme}:// is not supported; use s3://, gs:// or https://"
        )
    from rosenblatt.io.sources.web_url import WebFile

    return [WebFile(url)]
