"""A file at any other URL that fsspec knows, if it is installed: http://, sftp://, memory://."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pyarrow as pa

from rosenblatt.core.errors import InputError, quoted
from rosenblatt.io.sources.shown_url import shown_url
from rosenblatt.io.sources.stored import State

# What the file systems of fsspec call that which changes with a file.
_VERSIONS = ("ETag", "etag", "md5", "mtime", "LastModified", "last_modified", "updated", "created")


class _OpenURL:
    """A URL that is open for reading in order."""

    def __init__(self, origin: "FsspecFile", file: Any) -> None:
        self._origin, self._file = origin, file
        self.read = file.read
        self.close = file.close

    def go_to(self, offset: int, /) -> bool:
        """Go on reading from an offset, if the file system can."""
        if not self._file.seekable():
            return False
        self._file.seek(offset)
        return True

    def state(self) -> State:
        """Return what the file is now."""
        return self._origin.state()


@dataclass(frozen=True)
class FsspecFile:
    """A file by its URL, and its path within the file system of fsspec."""

    url: str
    system: Any
    path: str
    is_repeatable: bool = True

    @property
    def name(self) -> str:
        """What it is called in messages: its URL, without what is secret in it."""
        return shown_url(self.url)

    def state(self) -> State:
        """Return what the file is now."""
        try:
            self.system.invalidate_cache()
            info = self.system.info(self.path)
        except FileNotFoundError as error:
            raise InputError(f"{self.name}: there is no such file") from error
        except Exception as error:  # whatever a library of its own makes of a network
            raise _cannot_be_read(self.url, error) from error
        if info.get("type") == "directory":
            raise InputError(f"{self.name}: this is a folder, not a file")
        versions = [f"{key} {info[key]}" for key in _VERSIONS if info.get(key) is not None]
        return State(info.get("size"), ", ".join(versions))

    def open(self) -> _OpenURL:
        """Open the file for reading in order."""
        return _OpenURL(self, self._opened())

    def open_at_random(self) -> pa.NativeFile:
        """Open the file for reading here and there."""
        return pa.PythonFile(self._opened(), mode="r")

    def _opened(self) -> Any:
        self.state()
        try:
            return self.system.open(self.path, "rb")
        except Exception as error:  # as above
            raise _cannot_be_read(self.url, error) from error


def fsspec_files(url: str) -> list[FsspecFile]:
    """Return the file of a URL, or those that it matches, sorted, if it has a ``*``."""
    try:
        fsspec = import_module("fsspec")
    except ImportError as error:
        scheme = url.partition("://")[0]
        raise InputError(
            f"{shown_url(url)}: files at {scheme}:// are read with fsspec, which is not installed: "
            "pip install 'rosenblatt[remote]'"
        ) from error
    try:
        system, path = fsspec.core.url_to_fs(url)
        paths = sorted(system.glob(path)) if "*" in path else [path]
    except Exception as error:  # a scheme, or a library, that is not there
        raise _cannot_be_read(url, error) from error
    if "*" not in path:
        return [FsspecFile(url, system, path)]
    return [FsspecFile(system.unstrip_protocol(found), system, found) for found in paths]


def _cannot_be_read(url: str, error: Exception) -> InputError:
    shown = shown_url(url)
    reason = (str(error).splitlines() or [type(error).__name__])[0].replace(url, shown)
    return InputError(
        f"{shown if shown.isprintable() else quoted(shown)}: cannot be read ({reason:.300})"
    )
