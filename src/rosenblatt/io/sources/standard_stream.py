"""Standard input, read once and sequentially, without a copy."""

import os
import select
import sys
from dataclasses import dataclass

import pyarrow as pa

from rosenblatt.core.errors import InputError
from rosenblatt.io.sources.stored import State, StoredBytes

STANDARD_INPUT = "standard input"
"""Its name in messages."""
_WAIT = 0.01  # seconds


class _Input:
    """Standard input without Python's buffer, which stays locked while a thread waits, even at exit."""

    def __init__(self) -> None:
        self._is_at_end = False

    def read(self, n: int, /) -> bytes:
        """Return the bytes that have arrived, at most n."""
        try:
            handle = sys.stdin.fileno()
        except (OSError, ValueError, AttributeError):  # sys.stdin was replaced
            return sys.stdin.buffer.read(n)
        parts: list[bytes] = []
        # A pipe holds little: taking only one pipeful per read would slow down a fast writer.
        while n > 0 and not self._is_at_end and (not parts or _has_more(handle)):
            parts.append(os.read(handle, n))
            n -= len(parts[-1])
            self._is_at_end = not parts[-1]  # on a terminal, more may follow an empty read
        return b"".join(parts)

    def seek(self, _offset: int, /) -> bool:
        """Return False: skipping means reading."""
        return False

    def state(self) -> State:
        """Return an unknown state."""
        return State(None)

    def close(self) -> None:
        """Leave standard input open: it is not ours."""


def _has_more(handle: int) -> bool:
    """Return whether bytes can be read within `_WAIT`."""
    if sys.platform == "win32":  # select works with sockets only
        return False
    return bool(select.select([handle], [], [], _WAIT)[0])


@dataclass(frozen=True)
class StandardInput:
    """Standard input."""

    name: str = STANDARD_INPUT
    is_repeatable: bool = False

    def state(self) -> State:
        """Return an unknown state."""
        return State(None)

    def open(self) -> StoredBytes:
        """Start reading it."""
        return _Input()

    def open_seekable(self) -> pa.NativeFile:
        """Raise InputError: it can only be read sequentially."""
        raise InputError(
            f"{self.name}: this kind of file cannot be read from standard input; give the path of a file"
        )
