"""Arrays that end at a guard page: reading or writing one byte beyond them crashes."""

import ctypes
import mmap
from typing import Any

import numpy as np

PAGE = mmap.PAGESIZE


class GuardedMemory:
    """Memory for one array at a time, before a protected page."""

    def __init__(self, n_bytes: int) -> None:
        self._size = -(-n_bytes // PAGE) * PAGE
        self._map = mmap.mmap(-1, self._size + PAGE)
        begin = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mprotect(ctypes.c_void_p(begin + self._size), ctypes.c_size_t(PAGE), 0):
            raise OSError(ctypes.get_errno(), "the page cannot be protected")
        self._bytes = np.frombuffer(self._map, np.uint8, self._size)

    def array(self, size: int, dtype: Any) -> Any:
        """Return an array of zeros; it replaces the one returned before."""
        n_bytes = size * np.dtype(dtype).itemsize
        found = self._bytes[self._size - n_bytes :].view(dtype)
        found[:] = 0
        return found

    def text(self, content: bytes) -> Any:
        """Return bytes as a read-only array."""
        found = self.array(len(content), np.uint8)
        found[:] = np.frombuffer(content, np.uint8)
        found.flags.writeable = False
        return found
