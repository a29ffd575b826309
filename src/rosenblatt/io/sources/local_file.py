"""A local file as a source of bytes."""

import os
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_readable
from rosenblatt.io.sources.stored import State

_EPOCH = datetime(1970, 1, 1)


class _OpenFile:
    """An open file; it stays the same file even if another one takes its path."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.read = file.read
        self.close = file.close

    def seek(self, offset: int, /) -> bool:
        """Continue reading at an offset."""
        self._file.seek(offset)
        return True

    def state(self) -> State:
        """Return the file's current size and version."""
        return _state(os.fstat(self._file.fileno()))


@dataclass(frozen=True)
class LocalFile:
    """A local file."""

    path: Path
    is_repeatable: bool = True
    display_name: str = ""

    @property
    def name(self) -> str:
        """Its name in messages."""
        return self.display_name or str(self.path)

    def state(self) -> State:
        """Return the file's current size and version."""
        check_readable(self.path)
        return _state(os.stat(self.path))

    def open(self) -> _OpenFile:
        """Open the file for sequential reading."""
        check_readable(self.path)
        try:
            return _OpenFile(self.path.open("rb", buffering=0))
        except OSError as error:  # deleted since the check
            raise InputError(f"{self.path}: cannot be read ({error.strerror})") from error

    def open_seekable(self) -> pa.NativeFile:
        """Open the file for random access."""
        check_readable(self.path)
        return pa.OSFile(str(self.path))


def _state(status: os.stat_result) -> State:
    seconds, nanoseconds = divmod(status.st_mtime_ns, 10**9)
    when = _EPOCH + timedelta(seconds=seconds)
    return State(status.st_size, f"modified {when:%Y-%m-%d %H:%M:%S}.{nanoseconds:09d} UTC")
