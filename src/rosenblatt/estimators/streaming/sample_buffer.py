"""Buffers for samples with named features, in the layout of the compiled visits (``single_sample``).

Streams of dicts often repeat the same names, so a buffer remembers the names of its last sample. For a
sample with the same ``n`` names, ``pack(value_bytes, 0, *values_of(x), constant)`` then writes it;
callers on the hot path do this directly, to avoid a call of `write`.
"""

import struct
from collections.abc import Callable
from functools import cache
from operator import itemgetter
from typing import Any

import numpy as np

from rosenblatt.core.types import Counts, Floats
from rosenblatt.estimators.common.learned import Columns

NOT_NUMBERS = (TypeError, ValueError, OverflowError, struct.error)
"""The errors raised by writing a value that is not a number or does not fit float64."""


class SampleBuffer:
    """The active features of one sample, the constant last.

    ``columns`` is None if the features have no names; ``last`` is the column of the constant.

    >>> buffer = SampleBuffer({"width": 0, "height": 1}, 2)
    >>> buffer.write({"height": 2.0, "width": 0.5}, 1.0)
    >>> buffer.columns[: buffer.columns[1] + 2], buffer.values[: buffer.columns[1]]
    (array([0, 3, 1, 0, 2]), array([2. , 0.5, 1. ]))
    """

    values: Floats
    columns: Counts

    def __init__(self, columns: Columns | None, last: int) -> None:
        self._columns = columns
        self._last = last
        self._allocate(16)
        self._forget()

    def _allocate(self, n: int) -> None:
        self.value_bytes = bytearray(8 * n)
        self._column_bytes = bytearray(8 * (n + 2))
        self.values = np.frombuffer(self.value_bytes, dtype=np.float64)
        self.columns = np.frombuffer(self._column_bytes, dtype=np.int64)

    def _forget(self) -> None:
        self.n = -1
        self.values_of: Callable[[dict[Any, Any]], Any] = _nothing
        self.pack: Callable[..., None] = _nothing

    def write(self, x: dict[Any, Any], constant: float) -> None:
        """Write a sample; raise KeyError if it has a name without a column."""
        if self._columns is None:
            raise KeyError(x)
        column = self._columns.__getitem__
        names = list(x)
        n = len(names)
        self._forget()
        if n >= len(self.values):
            self._allocate(2 * n)
        _writer("q", n + 3)(self._column_bytes, 0, 0, n + 1, *map(column, names), self._last)
        self.values_of = _getter(names)
        self.pack = _writer("d", n + 1)
        self.pack(self.value_bytes, 0, *x.values(), constant)
        self.n = n

    def write_values(self, values: Any, columns: Any, constant: float) -> None:
        """Write a sample without names."""
        n = len(values)
        self._forget()
        if n >= len(self.values):
            self._allocate(2 * n)
        self.values[:n] = values
        self.values[n] = constant
        self.columns[1] = n + 1
        self.columns[2 : n + 2] = columns
        self.columns[n + 2] = self._last


def _nothing(*_arguments: Any) -> Any:
    """Do nothing: no names are remembered."""


def _getter(names: list[Any]) -> Callable[[dict[Any, Any]], Any]:
    """Return a function that gets the values of these names from a dict, in this order."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda x: [x[name] for name in names]


@cache
def _writer(kind: str, n: int) -> Callable[..., None]:
    """Return the fastest known writer of n numbers to a buffer; it rejects anything but numbers."""
    return struct.Struct(f"{n}{kind}").pack_into
