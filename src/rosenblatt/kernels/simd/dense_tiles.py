"""Scores of a few dense rows for many halfspaces at once, side by side in vector registers.

The weights are a shadow, as in ``sparse_lanes``. Each weight that is read serves all the rows of a
tile, and the columns come in spans, whose weights stay in the nearest cache while one tile after
another passes them. Spans also keep the rounding small: a sum of d terms is rounded `tile_roundings`
(d) times, not d.
"""

from collections.abc import Callable

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from rosenblatt.core.types import Data
from rosenblatt.kernels.simd.vector_code import (
    INDEX,
    Call,
    Kind,
    Lanes,
    Value,
    for_all_lanes,
    loop,
    variable,
    written,
)

TILE_ROWS = 6
"""Rows of a tile: their sums, of two registers each, leave four of sixteen registers free."""

FEWEST_LANES = 4
"""Fewer lanes than these are not compiled."""

_SPAN = 256


@register_jitable
def tile_roundings(n_features: int) -> int:
    """Return how often, at most, a term of a score is rounded on its way into the score.

    Its weight and its value may have been rounded before; the product and the sums are.
    """
    return 3 + _SPAN + (n_features + _SPAN - 1) // _SPAN


def tile_scores(values: Data, start: int, stop: int, shadow: Data, out: Data) -> None:
    """Add the scores of the rows start <= i < stop to the first stop - start rows of ``out``.

    ``shadow`` has one row for each column of ``values``, or more, and `n_lanes` columns, at least
    `FEWEST_LANES`. ``out`` has as many columns, its type, and a multiple of `TILE_ROWS` rows: what is in
    those beyond is lost.

    >>> out = np.zeros((6, 4), dtype=np.float32)
    >>> shadow = np.arange(8, dtype=np.float32).reshape(2, 4)
    >>> tile_scores(np.array([[1.0, 0.0], [1.0, 2.0]]), 0, 2, shadow, out)
    >>> out[:2].tolist()
    [[0.0, 1.0, 2.0, 3.0], [8.0, 11.0, 14.0, 17.0]]
    """
    rows = values[start:stop].astype(shadow.dtype)
    out[: stop - start] += np.dot(rows, shadow[: values.shape[1]])


def _write_tile(call: Call, width: int, first: Value) -> None:
    """Write what adds the scores of a tile for some lanes, over a span of columns."""
    builder, (_, i, last, begin, end, _, _, at) = call.builder, call.arguments
    values, shadow, out = call.array(0), call.array(5), call.array(6)
    lanes = Lanes(builder, shadow.data.type.pointee, width)
    n_columns, stride = (builder.extract_value(a.shape, 1) for a in (values, shadow))
    sums = [variable(builder, lanes.zeros) for _ in range(TILE_ROWS)]
    starts = []
    for r in range(TILE_ROWS):
        row = builder.add(i, INDEX(r))
        row = builder.select(builder.icmp_signed("<", row, last), row, last)  # again, beyond
        starts.append(builder.mul(row, n_columns))

    def add_column(j: Value) -> None:
        weights = lanes.load(lanes.at(shadow.data, builder.add(builder.mul(j, stride), first)))
        for start, total in zip(starts, sums, strict=True):
            value = builder.load(builder.gep(values.data, [builder.add(start, j)]))
            lanes.add_product(total, lanes.spread(value), weights)

    loop(builder, variable(builder, begin), 1, end, add_column)
    for r, total in enumerate(sums):
        offset = builder.add(builder.mul(builder.add(at, INDEX(r)), stride), first)
        address = lanes.at(out.data, offset)
        lanes.store(builder.fadd(lanes.load(address), builder.load(total)), address)


def _write_tiles(call: Call) -> None:
    n_lanes = call.builder.extract_value(call.array(5).shape, 1)
    for_all_lanes(call.builder, n_lanes, (FEWEST_LANES, 8), lambda *some: _write_tile(call, *some))


_add_tile = written(types.void, _write_tiles)


@overload(tile_scores, strict=False)
def _tile_scores(
    values: types.Array, _start: Kind, _stop: Kind, shadow: types.Array, _out: Kind
) -> Callable[..., None]:
    return _of_one_type if values.dtype == shadow.dtype else _of_two_types


def _of_one_type(values: Data, start: int, stop: int, shadow: Data, out: Data) -> None:
    for begin in range(0, values.shape[1], _SPAN):
        end = min(begin + _SPAN, values.shape[1])
        for i in range(start, stop, TILE_ROWS):
            _add_tile(values, i, stop - 1, begin, end, shadow, out, i - start)


def _of_two_types(values: Data, start: int, stop: int, shadow: Data, out: Data) -> None:
    # Values are converted side by side here, not one by one within the tile.
    for begin in range(0, values.shape[1], _SPAN):
        end = min(begin + _SPAN, values.shape[1])
        tile = np.empty((TILE_ROWS, end - begin), dtype=shadow.dtype)
        for i in range(start, stop, TILE_ROWS):
            height = min(TILE_ROWS, stop - i)
            for r in range(height):
                source, target = values[i + r, begin:end], tile[r]
                for j in range(target.shape[0]):
                    target[j] = source[j]
            tile_scores(tile, 0, height, shadow[begin:end], out[i - start : i - start + TILE_ROWS])
