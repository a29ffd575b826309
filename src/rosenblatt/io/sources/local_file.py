"""A file of this machine."""

import os
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_readable
from rosenblatt.io.sources.stored import State

_TIME_0 = datetime(1970, 1, 1)


class _OpenFile:
    """An open file; unlike its path, it stays the same file when another one takes its name."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.read = file.read
        self.close = file.close

    def go_to(self, offset: int, /) -> bool:
        """Go on reading from an offset."""
        self._file.seek(offset)
        return True

    def state(self) -> State:
        """Return what the file is now."""
        return _state(os.fstat(self._file.fileno()))


@dataclass(frozen=True)
class LocalFile:
    """A file of this machine."""

    path: Path
    is_repeatable: bool = True
    called: str = ""

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return self.called or str(self.path)

    def state(self) -> State:
        """Return what the file is now."""
        check_readable(self.path)
        return _state(os.stat(self.path))

    def open(self) -> _OpenFile:
        """Open the file for reading in order."""
        check_readable(self.path)
        try:
            return _OpenFile(self.path.open("rb", buffering=0))
        except OSError as error:  # it has gone since
            raise InputError(f"{self.path}: cannot be read ({error.strerror})") from error

    def open_at_random(self) -> pa.NativeFile:
        """Open the file for reading here and there."""
        check_readable(self.path)
        return pa.OSFile(str(self.path))


def _state(status: os.stat_result) -> State:
    seconds, rest = divmod(status.st_mtime_ns, 10**9)
    when = _TIME_0 + timedelta(seconds=seconds)
    return State(status.st_size, f"modified {when:%Y-%m-%d %H:%M:%S}.{rest:09d} UTC")
