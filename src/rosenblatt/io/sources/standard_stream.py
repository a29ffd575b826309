"""Standard input, read once and in order, without a copy of it."""

import os
import select
import sys
from dataclasses import dataclass

import pyarrow as pa

from rosenblatt.core.errors import InputError
from rosenblatt.io.sources.stored import State, Stored

STANDARD_INPUT = "standard input"
"""What it is called in messages."""
_MOMENT = 0.01  # seconds


class _Input:
    """Standard input, past Python's buffer: it is locked while a thread waits, even if Python ends."""

    def __init__(self) -> None:
        self._is_over = False

    def read(self, n: int, /) -> bytes:
        """Return what has come, at most n bytes."""
        try:
            handle = sys.stdin.fileno()
        except (OSError, ValueError, AttributeError):  # something else is there in its place
            return sys.stdin.buffer.read(n)
        parts: list[bytes] = []
        # A pipe holds little: to take only that would cost whoever writes to it fast much time.
        while n > 0 and not self._is_over and (not parts or _has_more(handle)):
            parts.append(os.read(handle, n))
            n -= len(parts[-1])
            self._is_over = not parts[-1]  # on a terminal more may follow
        return b"".join(parts)

    def go_to(self, _offset: int, /) -> bool:
        """Say that it must be read up to there."""
        return False

    def state(self) -> State:
        """Return that nothing is known of it."""
        return State(None)

    def close(self) -> None:
        """Do nothing: it is not ours."""


def _has_more(handle: int) -> bool:
    """Say whether something can be read now, or in a moment."""
    if sys.platform == "win32":  # where only sockets can be asked
        return False
    return bool(select.select([handle], [], [], _MOMENT)[0])


@dataclass(frozen=True)
class StandardInput:
    """Standard input."""

    name: str = STANDARD_INPUT
    is_repeatable: bool = False

    def state(self) -> State:
        """Return that nothing is known of it."""
        return State(None)

    def open(self) -> Stored:
        """Begin to read it."""
        return _Input()

    def open_at_random(self) -> pa.NativeFile:
        """Raise: it can be read in order only."""
        raise InputError(
            f"{self.name}: this kind of file cannot be read from standard input; give its path"
        )
