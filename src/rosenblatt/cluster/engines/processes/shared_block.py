"""Memory that two processes share, for the arrays of a message whose rest goes through a pipe.

A block has no name: the processes that hold its handle share it, and with the last of them it is gone,
however they end. So nothing is ever left behind, and nobody else can open it.
"""

import mmap
import os
import pickle
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_SMALL = 4096
"""Arrays of fewer bytes stay in the message."""
_ALIGNMENT = 64


@dataclass(frozen=True)
class Message:
    """A pickled object, and how many bytes each of its arrays has in the block."""

    text: bytes
    sizes: tuple[int, ...]


class SharedBlock:
    """A block that this process writes to and others read."""

    def __init__(self, n_bytes: int) -> None:
        self.handle = _new_handle()
        os.ftruncate(self.handle, n_bytes)
        self._memory = mmap.mmap(self.handle, n_bytes)

    def __len__(self) -> int:
        return len(self._memory)

    def write(self, arrays: Sequence[pickle.PickleBuffer]) -> None:
        """Write the arrays of a message, one after another."""
        start = 0
        for array in arrays:
            raw = array.raw()
            self._memory[start : start + raw.nbytes] = raw
            start += _padded(raw.nbytes)

    def close(self) -> None:
        """Let go of the memory: others that hold it keep it."""
        self._memory.close()
        os.close(self.handle)


def message_of(thing: object) -> tuple[Message, list[pickle.PickleBuffer]]:
    """Return an object as a message, and the arrays that belong in a block."""
    arrays: list[pickle.PickleBuffer] = []

    def stays(array: pickle.PickleBuffer) -> bool:
        if array.raw().nbytes < _SMALL:
            return True
        arrays.append(array)
        return False

    text = pickle.dumps(thing, protocol=5, buffer_callback=stays)
    return Message(text, tuple(array.raw().nbytes for array in arrays)), arrays


def n_bytes_of(message: Message) -> int:
    """Return how large a block has to be for a message."""
    return sum(_padded(size) for size in message.sizes)


def thing_of(message: Message, memory: memoryview) -> Any:
    """Return the object of a message, whose arrays stay in the memory, and keep it."""
    arrays, start = [], 0
    for size in message.sizes:
        arrays.append(memory[start : start + size])
        start += _padded(size)
    return pickle.loads(message.text, buffers=arrays)


def mapped(handle: int) -> memoryview:
    """Return the memory of another process's block, to be read; the handle is closed."""
    memory = memoryview(mmap.mmap(handle, 0, access=mmap.ACCESS_READ))
    os.close(handle)
    return memory


def _padded(n_bytes: int) -> int:
    return -(-n_bytes // _ALIGNMENT) * _ALIGNMENT


def _new_handle() -> int:
    if sys.platform == "linux":
        return os.memfd_create("rosenblatt")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
