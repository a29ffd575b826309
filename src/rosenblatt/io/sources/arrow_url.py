"""Remote files read through PyArrow's file systems: s3://, gs://, hdfs://, abfs://.

To use an S3 endpoint other than Amazon's, set the environment variable ``AWS_ENDPOINT_URL``, or put it
in the URL: ``s3://bucket/key?endpoint_override=localhost:9000&scheme=http``.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase

import pyarrow as pa
import pyarrow.fs as pa_fs

from rosenblatt.core.errors import InputError
from rosenblatt.io.sources.shown_url import shown_url
from rosenblatt.io.sources.stored import State

# Each read of a remote file is a separate request.
_REQUEST = 2**22


class _OpenObject:
    """A remote file, open for sequential reading."""

    def __init__(self, origin: "ArrowFile", file: pa.NativeFile) -> None:
        self._origin, self._file = origin, file

    def read(self, n: int, /) -> bytes:
        """Return between 1 and n bytes, or none at the end."""
        return self._file.read(n)

    def seek(self, offset: int, /) -> bool:
        """Continue reading at an offset."""
        self._file.close()
        self._file = self._origin.open_seekable()
        self._file.seek(offset)
        return True

    def close(self) -> None:
        """Close the remote file."""
        self._file.close()

    def state(self) -> State:
        """Return the remote file's current size and version."""
        return self._origin.state()


@dataclass(frozen=True)
class ArrowFile:
    """A remote file: its URL, and its path within its file system."""

    url: str
    system: pa_fs.FileSystem
    path: str
    is_repeatable: bool = True

    @property
    def name(self) -> str:
        """Its name in messages: the URL without secrets."""
        return shown_url(self.url)

    def state(self) -> State:
        """Return the remote file's current size and version."""
        with _naming(self.url):
            info = self.system.get_file_info(self.path)
        if info.type == pa_fs.FileType.NotFound:
            raise InputError(f"{self.name}: there is no such file")
        if info.type != pa_fs.FileType.File:
            raise InputError(f"{self.name}: this is a folder, not a file")
        modified = "" if info.mtime_ns is None else f"modified {info.mtime_ns}"
        return State(info.size, modified)

    def open(self) -> _OpenObject:
        """Open the remote file for sequential reading."""
        self.state()
        with _naming(self.url):
            file = self.system.open_input_stream(self.path, compression=None, buffer_size=_REQUEST)
            return _OpenObject(self, file)

    def open_seekable(self) -> pa.NativeFile:
        """Open the remote file for random access."""
        self.state()
        with _naming(self.url):
            return self.system.open_input_file(self.path)


def arrow_files(url: str) -> list[ArrowFile]:
    """Return the file at a URL; if its last part contains a ``*``, all matching files, sorted."""
    with _naming(url):
        system, path = pa_fs.FileSystem.from_uri(url)
    folder, _, pattern = path.rpartition("/")
    if "*" not in pattern:
        return [ArrowFile(url, system, path)]
    with _naming(url):
        found = system.get_file_info(pa_fs.FileSelector(folder, allow_not_found=True))
    paths = sorted(
        one.path
        for one in found
        if one.type == pa_fs.FileType.File and fnmatchcase(one.path.rpartition("/")[2], pattern)
    )
    before, _, query = url.partition("?")
    parent, suffix = before.rpartition("/")[0], f"?{query}" if query else ""
    return [
        ArrowFile(f"{parent}/{found.rpartition('/')[2]}{suffix}", system, found) for found in paths
    ]


@contextmanager
def _naming(url: str) -> Iterator[None]:
    """Name the URL in errors; only the first line of Arrow's messages is meant for users."""
    try:
        yield
    except (OSError, pa.ArrowException, ValueError) as error:
        if isinstance(error, InputError):
            raise
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        shown = shown_url(url)
        reason = reason.replace(url, shown)
        raise InputError(f"{shown}: cannot be read ({reason:.300})") from error
