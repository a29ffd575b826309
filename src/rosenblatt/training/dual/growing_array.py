"""Arrays that grow at the end: enlarged by half when full, so that adding is cheap on average."""

from typing import Any

import numpy as np


class Growing:
    """An array to which rows are added.

    >>> numbers = Growing(np.int64)
    >>> numbers.add([3, 1])
    >>> longer = numbers.branch()
    >>> longer.add([2])
    >>> longer.view(), numbers.view()
    (array([3, 1, 2]), array([3, 1]))
    """

    def __init__(self, dtype: Any, width: tuple[int, ...] = ()) -> None:
        self._array: Any = np.empty((0, *width), dtype=dtype)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def __getstate__(self) -> Any:
        return (self.view().copy(),)  # old pickle protocols test the state's truth value

    def __setstate__(self, state: Any) -> None:
        (self._array,) = state
        self._size = len(self._array)

    def add(self, rows: Any) -> None:
        """Add rows at the end."""
        needed = self._size + len(rows)
        if needed > len(self._array):
            array = np.empty((needed + needed // 2, *self._array.shape[1:]), self._array.dtype)
            array[: self._size] = self._array[: self._size]
            self._array = array
        self._array[self._size : needed] = rows
        self._size = needed

    def chosen(self, rows: Any) -> "Growing":
        """Return a new array with a copy of some rows."""
        other = Growing(self._array.dtype)
        other._array = self.view()[rows]
        other._size = len(other._array)
        return other

    def view(self, first: int = 0, last: int | None = None) -> Any:
        """Return a view of the rows from ``first`` up to, but not including, ``last``."""
        return self._array[first : self._size if last is None else last]

    def branch(self) -> "Growing":
        """Return an array that shares its memory with this one; add to only one of the two."""
        branch = Growing(self._array.dtype)
        branch._array, branch._size = self._array, self._size
        return branch
