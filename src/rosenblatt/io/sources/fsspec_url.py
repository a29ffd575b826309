"""A file at any other URL that fsspec knows, if it is installed: http://, sftp://, memory://."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pyarrow as pa

from rosenblatt.core.errors import InputError, quoted
from rosenblatt.io.sources.stored import State

# What the file systems of fsspec call that which changes with a file.
_VERSIONS = ("ETag", "etag", "md5", "mtime", "LastModified", "last_modified", "updated", "created")


class _OpenURL:
    """A URL that is open for reading in order."""

    def __init__(self, origin: "FsspecFile", file: Any) -> None:
        self._origin = origin
        self.read = file.read
        self.close = file.close

    def go_to(self, _offset: int, /) -> bool:
        """Say that it must be read up to there."""
        return False

    def state(self) -> State:
        """Return what the file is now."""
        return self._origin.state()


@dataclass(frozen=True)
class FsspecFile:
    """A file by its URL, which is also its name, and its path within the file system of fsspec."""

    name: str
    system: Any
    path: str
    is_repeatable: bool = True

    def state(self) -> State:
        """Return what the file is now."""
        try:
            self.system.invalidate_cache()
            info = self.system.info(self.path)
        except FileNotFoundError as error:
            raise InputError(f"{self.name}: there is no such file") from error
        except Exception as error:  # whatever a library of its own makes of a network
            raise _cannot_be_read(self.name, error) from error
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
            raise _cannot_be_read(self.name, error) from error


def fsspec_files(url: str) -> list[FsspecFile]:
    """Return the file of a URL, or those that it matches, sorted, if it has a ``*``."""
    try:
        fsspec = import_module("fsspec")
    except ImportError as error:
        scheme = url.partition("://")[0]
        raise InputError(
            f"{url}: files at {scheme}:// are read with fsspec, which is not installed: "
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
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return InputError(
        f"{url if url.isprintable() else quoted(url)}: cannot be read ({reason:.300})"
    )
