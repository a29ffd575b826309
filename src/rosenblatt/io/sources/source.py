"""Where samples come from, byte by byte: unpacked, and whole, or there is an error that names it.

A place that changes while it is read is an error, as is a packed one that is cut off. A byte order mark
at the beginning is skipped, and does not count.
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
from rosenblatt.io.sources.stored import Origin, State, Stored
from rosenblatt.io.sources.temporary_copy import temporary_file
from rosenblatt.io.sources.unpacking import SIGN, Readable, compression, unpacked

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""How a text in UTF-8 may begin; it is skipped."""
# Those that PyArrow's file systems read.
_ARROW = ("s3", "gs", "gcs", "hdfs", "viewfs", "abfs", "abfss")
_URL = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
_BLOCK = 2**20
# A whole line that is neither blank nor a comment.
_SAMPLE = re.compile(rb"^[ \t\r]*[^#\s][^\n]*\n", re.MULTILINE)


class _Watched:
    """The stored bytes of a place, counted, and compared with what it was when they end."""

    def __init__(self, name: str, stored: Stored) -> None:
        self.name, self._stored, self.n_read = name, stored, 0
        self.closed = False  # Arrow asks for it
        self._state = stored.state()

    def read(self, n: int, /) -> bytes:
        """Return at least one and at most n bytes, or none at the end."""
        found = self._stored.read(n)
        self.n_read += len(found)
        if not found:
            self._check()
        return found

    def go_to(self, offset: int) -> bool:
        """Go on reading from an offset, if that is possible, and if there are as many bytes."""
        if (self._state.n_bytes or 0) < offset or not self._stored.go_to(offset):
            return False
        self.n_read = offset
        return True

    def close(self) -> None:
        """Leave the place."""
        self.closed = True
        self._stored.close()

    def _check(self) -> None:
        now = self._stored.state()
        if now != self._state:
            raise InputError(
                f"{self.name}: it has changed while it was read: first it was {self._state}, now it is "
                f"{now}; read it when nobody writes to it"
            )
        if now.n_bytes is not None and now.n_bytes != self.n_read:
            raise InputError(
                f"{self.name}: {self.n_read:,} bytes could be read, but it has {now.n_bytes:,}"
            )


class _Ahead:
    """Bytes, some of which may be looked at before they are read."""

    def __init__(self, file: Readable) -> None:
        self._file, self._held = file, b""
        self.closed = False

    def peek(self, n: int, *, waits: bool = True) -> bytes:
        """Return the next n bytes, fewer if there are not as many, or if a sample is enough."""
        while len(self._held) < n and (waits or not _SAMPLE.search(self._held)):
            more = self._file.read(n - len(self._held))
            if not more:
                break
            self._held += more
        return self._held[:n]

    def read(self, n: int, /) -> bytes:
        """Return at least one and at most n bytes, or none at the end."""
        if not self._held:
            return self._file.read(n)
        found, self._held = self._held[:n], self._held[n:]
        return found

    def forget(self) -> None:
        """Leave out what was looked at and not read."""
        self._held = b""

    def close(self) -> None:
        """Do nothing: what is below is closed by who has opened it."""


class OpenSource:
    """A source that is open: its bytes in order, unpacked."""

    def __init__(self, watched: _Watched) -> None:
        self._watched = watched
        self._stored = _Ahead(watched)
        with self._named():
            self._compression = compression(self._stored.peek(SIGN))
            self._unpacked = _Ahead(unpacked(self._stored, self._compression))
            has_mark = self._unpacked.peek(len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK
            self._mark = len(self._unpacked.read(len(BYTE_ORDER_MARK))) if has_mark else 0

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return self._watched.name

    @property
    def is_packed(self) -> bool:
        """Whether its bytes are not those that are stored."""
        return self._compression is not None

    @property
    def n_read(self) -> int:
        """How many bytes, as stored, were taken so far."""
        return self._watched.n_read

    def peek(self, n: int, *, waits: bool = True) -> bytes:
        """Return the next n bytes, which are read again; see `Source.head`."""
        with self._named():
            return self._unpacked.peek(n, waits=waits)

    def read(self, n: int, /) -> bytes:
        """Return at least one and at most n bytes, or none at the end."""
        with self._named():
            return self._unpacked.read(n)

    def skip(self, n: int) -> None:
        """Go on after the first n bytes, none of which was read yet."""
        if self._compression is None and self._watched.go_to(self._mark + n):
            self._stored.forget()
            self._unpacked.forget()
            return
        for _ in self.blocks(n):
            pass

    def blocks(self, n: int | None = None) -> Iterator[bytes]:
        """Yield the next n bytes, or all that there are; raise if there are fewer."""
        left = n
        while left is None or left > 0:
            found = self.read(_BLOCK if left is None else min(left, _BLOCK))
            if not found and left is None:
                return
            if not found:
                raise InputError(
                    f"{self.name}: it is shorter than it was, by {left:,} bytes at least: this is not "
                    "what was read before"
                )
            left = None if left is None else left - len(found)
            yield found

    def close(self) -> None:
        """Close what is read from."""
        self._watched.close()

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except (OSError, EOFError, zlib.error, pa.ArrowException) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"{self.name}: cannot be read ({reason!s:.300})") from error


class Source:
    """A place that samples are read from; `sources_of` makes them."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        self._begun: OpenSource | None = None
        self._is_used = False
        self._is_copy = False

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return self._origin.name

    @property
    def place(self) -> str:
        """Where it is, for who opens it: its URL may have a secret that its name has not."""
        return getattr(self._origin, "url", self.name)

    @property
    def n_bytes(self) -> int | None:
        """How many bytes it has, as stored, or None if that is not known."""
        return self._origin.state().n_bytes

    @property
    def is_repeatable(self) -> bool:
        """Whether it can be read more than once."""
        return self._origin.is_repeatable

    @property
    def path(self) -> Path | None:
        """Where it is on this machine, or None."""
        return self._origin.path if isinstance(self._origin, LocalFile) else None

    def state(self) -> State:
        """Return its size and version: what changes when it does."""
        return self._origin.state()

    def identity(self) -> str:
        """Return its size and version in words."""
        if self._is_copy:  # whose time says nothing
            return f"{self.n_bytes} bytes"
        return str(self.state())

    def head(self, n: int, *, waits: bool = True) -> bytes:
        """Return its first n bytes, unpacked, fewer if it is shorter; they are read again later.

        Of standard input, which may come slowly, the first sample is enough for who does not wait.
        """
        if self.is_repeatable:
            with self.open() as file:
                return file.peek(n)
        if self._begun is None:
            self._begun = self._opened()
        return self._begun.peek(n, waits=waits)

    @contextmanager
    def open(self) -> Iterator[OpenSource]:
        """Open it for reading in order."""
        file = self._begun or self._opened()
        self._begun = None
        try:
            yield file
        finally:
            file.close()

    def stored(self) -> Iterator[bytes]:
        """Yield its bytes as they are stored."""
        watched = _Watched(self.name, self._origin.open())
        try:
            yield from iter(partial(watched.read, _BLOCK), b"")
        finally:
            watched.close()

    def open_at_random(self) -> pa.NativeFile:
        """Open it for reading here and there, as it is stored; a copy, if it can be read only once."""
        self.keep()
        return self._origin.open_at_random()

    def keep(self) -> None:
        """Copy what can be read only once, unpacked, so that it can be read again."""
        if self.is_repeatable:
            return
        path = temporary_file()
        with self.open() as file, path.open("wb") as copy:
            for block in file.blocks():
                copy.write(block)
        self._origin, self._is_copy = LocalFile(path, called=self.name), True

    def _opened(self) -> OpenSource:
        if self._is_used and not self.is_repeatable:
            raise InputError(f"{self.name}: it can be read only once; give files instead")
        self._is_used = True
        stored = self._origin.open()
        try:
            return OpenSource(_Watched(self.name, stored))
        except BaseException:
            stored.close()
            raise


def sources_of(places: Sequence[str | Path]) -> list[Source]:
    """Return the sources that are meant: files, patterns (sorted), URLs, "-" for standard input.

    A file whose name looks like a pattern is meant itself if it is there.
    """
    origins = [origin for place in places for origin in _origins(place)]
    if sum(isinstance(origin, StandardInput) for origin in origins) > 1:
        raise InputError("standard input can be read only once; give - once, or files")
    return [Source(origin) for origin in origins]


def is_local(place: str | Path) -> bool:
    """Say whether a place is a file of this machine, or a pattern for such files, by its name."""
    return str(place) != "-" and not _URL.match(str(place))


def local_files(text: str) -> list[Path]:
    """Return the file that is meant, or those that a pattern matches, sorted."""
    path = Path(text)
    if not glob.has_magic(text) or os.path.lexists(path):
        return [path]
    paths = [Path(one) for one in sorted(glob.glob(text, recursive=True))]
    return [path for path in paths if not path.is_dir()]


def _origins(place: str | Path) -> Sequence[Origin]:
    text = str(place)
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
    # imported here: they take longer than to read a small file
    if scheme in _ARROW:
        from rosenblatt.io.sources.arrow_url import arrow_files

        return arrow_files(url)
    if scheme not in ("http", "https"):
        raise InputError(
            f"{shown_url(url)}: {scheme}:// is not supported; use s3://, gs:// or https://"
        )
    from rosenblatt.io.sources.web_url import WebFile

    return [WebFile(url)]
