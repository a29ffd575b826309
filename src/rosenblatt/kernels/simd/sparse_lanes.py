"""Scores of one sparse row by many halfspaces at once, next to each other in vector registers.

The halfspaces' weights are a table with one row per feature and one lane per halfspace: the weights
themselves, or a *shadow* of them, rounded to float32. So a stored value of a row reads one or two cache
lines and is multiplied by all of them in a few instructions. A loop over the lanes would keep the sums
in memory: only a number of lanes that is part of the type keeps them in registers. Eight and sixteen
halfspaces are scored several times faster than by plain loops (``benchmarks/plain.py``,
docs/guide/benchmarks.md). This code can go when the compiler does that automatically.

Scores never decide anything by themselves, so sums may be in any order. Updates are one rounded product
and one rounded addition per weight, see ``row_operations``.
"""

from collections.abc import Callable

import numpy as np
from numba import types

from rosenblatt.core.types import Data, Indices
from rosenblatt.kernels.simd.vector_code import (
    INDEX,
    LANES,
    Call,
    Lanes,
    Value,
    compile_as,
    for_all_lanes,
    loop,
    variable,
)

_WIDTHS = (1, 2, 4, 8)
_AT_ONCE = 2  # values, so that additions do not wait for each other


def n_lanes(n_halfspaces: int) -> int:
    """Return the number of lanes for ``n_halfspaces``: 1, 2, 4, 8 or a multiple of 16.

    >>> [n_lanes(n) for n in (1, 2, 5, 10, 17)]
    [1, 2, 8, 16, 32]
    """
    for width in _WIDTHS:
        if n_halfspaces <= width:
            return width
    return -(-n_halfspaces // LANES) * LANES


def lane_scores(
    values: Data, indices: Indices, start: int, end: int, shadow: Data, out: Data
) -> None:
    """Write the sum of ``values[k] * shadow[indices[k]]`` over start <= k < end into ``out``.

    ``shadow`` is C-ordered, with `n_lanes` columns, and ``out`` has the same length and type. Values are
    rounded to that type, sums are in any order, and indices are not checked: they must be rows of the
    shadow.

    >>> out = np.zeros(4, dtype=np.float32)
    >>> shadow = np.arange(12, dtype=np.float32).reshape(3, 4)
    >>> lane_scores(np.array([2.0, 1.0]), np.array([0, 2]), 0, 2, shadow, out)
    >>> out.tolist()
    [8.0, 11.0, 14.0, 17.0]
    """
    out[:] = np.dot(values[start:end].astype(shadow.dtype), shadow[indices[start:end]])


def lane_update(
    values: Data, indices: Indices, start: int, end: int, table: Data, steps: Data
) -> None:
    """Add ``steps * values[k]`` to ``table[indices[k]]`` for start <= k < end, each index once.

    The arrays are as for `lane_scores`; a lane whose step is 0 keeps its weights, if values are finite.

    >>> table = np.zeros((3, 2))
    >>> lane_update(np.array([2.0, 1.0]), np.array([0, 2]), 0, 2, table, np.array([1.0, -0.5]))
    >>> table.tolist()
    [[2.0, -1.0], [0.0, 0.0], [1.0, -0.5]]
    """
    table[indices[start:end]] += np.outer(values[start:end].astype(table.dtype), steps)


class _Row:
    """A sparse row and some lanes of the table, in a function that is being generated."""

    def __init__(self, call: Call, width: int, first: Value) -> None:
        builder, table = call.builder, call.array(4)
        self.builder = builder
        self.start, self.end = call.index(2), call.index(3)
        self._values, self._indices = call.array(0).data, call.array(1).data
        self._table, self._first = table.data, first
        # Up to LANES lanes, the stride is a constant, which costs no multiplication.
        self._stride = builder.extract_value(table.shape, 1) if width == LANES else INDEX(width)
        self.lanes = Lanes(builder, table.data.type.pointee, width)
        self.other = self.lanes.at(call.array(5).data, first)

    def value(self, k: Value) -> Value:
        """Return stored value k."""
        return self.builder.load(self.builder.gep(self._values, [k]))

    def weights(self, k: Value) -> Value:
        """Return the address of the weights for stored value k."""
        index = self.builder.load(self.builder.gep(self._indices, [k]))
        if index.type != INDEX:
            index = self.builder.zext(index, INDEX)
        offset = self.builder.add(self.builder.mul(index, self._stride), self._first)
        return self.lanes.at(self._table, offset)


def _write_scores(row: _Row) -> None:
    builder, lanes = row.builder, row.lanes
    sums = [variable(builder, lanes.zeros) for _ in range(_AT_ONCE)]
    position = variable(builder, row.start)

    def add(k: Value, total: Value) -> None:
        lanes.add_product(total, lanes.spread(row.value(k)), lanes.load(row.weights(k)))

    def add_some(k: Value) -> None:
        for at in range(_AT_ONCE):
            add(builder.add(k, INDEX(at)), sums[at])

    loop(builder, position, _AT_ONCE, row.end, add_some)
    loop(builder, position, 1, row.end, lambda k: add(k, sums[0]))
    total = builder.load(sums[0])
    for other in sums[1:]:
        total = builder.fadd(total, builder.load(other))
    lanes.store(total, row.other)


def _write_updates(row: _Row) -> None:
    builder, lanes = row.builder, row.lanes
    steps = lanes.load(row.other)

    def move(k: Value) -> None:
        address = row.weights(k)
        change = builder.fmul(steps, lanes.spread(row.value(k)))
        lanes.store(builder.fadd(lanes.load(address), change), address)

    loop(builder, variable(builder, row.start), 1, row.end, move)


def _for_all_lanes(write: Callable[[_Row], None]) -> Callable[[Call], None]:
    def write_all(call: Call) -> None:
        n_lanes = call.builder.extract_value(call.array(4).shape, 1)
        for_all_lanes(call.builder, n_lanes, _WIDTHS, lambda *some: write(_Row(call, *some)))

    return write_all


compile_as(lane_scores, types.void, _for_all_lanes(_write_scores))
compile_as(lane_update, types.void, _for_all_lanes(_write_updates))
