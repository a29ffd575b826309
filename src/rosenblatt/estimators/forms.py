"""Samples of named features, as the compiled visits read them: see ``visits``.

A stream of dicts often has the same names in the same order, so a form remembers those of the sample it
held last: then only the values are written.
"""

import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.rows import CSRRows
from rosenblatt.typing import Counts, Floats

Columns = dict[Any, int]
"""The column of each name, in order of appearance."""

NOT_NUMBERS = (TypeError, ValueError, OverflowError, struct.error)
"""What writing a value raises that is no number, or none that float64 holds."""


class Form:
    """The active features of one sample, the constant last.

    ``last`` is the column of the constant. With ``in_order`` the features are written by ascending
    column, the order in which the length of a sample is summed, else as they come.

    >>> form = Form({"width": 0, "height": 1}, 2, in_order=False)
    >>> form.write({"height": 2.0, "width": 0.5}, 1.0)
    >>> form.columns[: form.columns[1] + 2], form.values[: form.columns[1]]
    (array([0, 3, 1, 0, 2]), array([2. , 0.5, 1. ]))
    """

    values: Floats
    columns: Counts
    _write_values: Callable[..., None]

    def __init__(self, columns: Columns, last: int, *, in_order: bool) -> None:
        self._column = columns.__getitem__
        self._last = last
        self._in_order = in_order
        self._names: list[Any] | None = None
        self._make_room(16)

    def _make_room(self, n: int) -> None:
        self._value_bytes = bytearray(8 * n)
        self._column_bytes = bytearray(8 * (n + 2))
        self.values = np.frombuffer(self._value_bytes, dtype=np.float64)
        self.columns = np.frombuffer(self._column_bytes, dtype=np.int64)

    def write(self, x: dict[Any, Any], constant: float) -> None:
        """Take in a sample; raise KeyError if it has a name without a column."""
        names = list(x)
        if names == self._names:
            self._write_values(self._value_bytes, 0, *x.values(), constant)
            return
        self._names = None
        if self._in_order:
            names.sort(key=self._column)
        n = len(names) + 1
        if n > len(self.values):
            self._make_room(2 * n)
        _writer("q", n + 2)(self._column_bytes, 0, 0, n, *map(self._column, names), self._last)
        self._write_values = _writer("d", n)
        self._write_values(self._value_bytes, 0, *[x[name] for name in names], constant)
        self._names = names

    def write_row(self, rows: CSRRows, constant: float) -> None:
        """Take in the first of sparse rows."""
        self._names = None
        n = int(rows.indptr[1]) + 1
        if n > len(self.values):
            self._make_room(2 * n)
        self.columns[1] = n
        self.columns[2 : n + 1] = rows.indices[: n - 1]
        self.columns[n + 1] = self._last
        self.values[: n - 1] = rows.values[: n - 1]
        self.values[n - 1] = constant


_WRITERS: dict[tuple[str, int], Callable[..., None]] = {}


def _writer(kind: str, n: int) -> Callable[..., None]:
    """Return what writes n numbers to a buffer: it takes nothing but numbers, and none is faster."""
    key = (kind, n)
    if key not in _WRITERS:
        _WRITERS[key] = struct.Struct(f"{n}{kind}").pack_into
    return _WRITERS[key]
