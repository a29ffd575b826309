"""Scores of a few dense rows for many halfspaces at once, side by side in vector registers.

The weights are a shadow, as in ``sparse_lanes``. Each weight that is read serves all the rows of a
tile, and the columns come in spans, whose weights stay in the nearest cache while one tile after
another passes them. Spans also keep the rounding small: a sum of d terms is rounded `tile_roundings`
(d) times, not d.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic, overload, register_jitable

from rosenblatt.core.types import Data
from rosenblatt.kernels.simd.sparse_lanes import LANES, PLACE, Lanes, loop, variable

TALL = 6
"""Rows of a tile: their sums, of two registers each, leave four of sixteen registers free."""

FEWEST = 4
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

    ``shadow`` has one row for each column of ``values``, or more, and `n_lanes` columns, `FEWEST` or
    more; ``out`` has as many, its type, and a multiple of `TALL` rows: what is in those beyond is lost.

    >>> out = np.zeros((6, 4), dtype=np.float32)
    >>> shadow = np.arange(8, dtype=np.float32).reshape(2, 4)
    >>> tile_scores(np.array([[1.0, 0.0], [1.0, 2.0]]), 0, 2, shadow, out)
    >>> out[:2].tolist()
    [[0.0, 1.0, 2.0, 3.0], [8.0, 11.0, 14.0, 17.0]]
    """
    rows: Any = values[start:stop].astype(shadow.dtype)
    out[: stop - start] += rows @ shadow[: values.shape[1]]


def _tile_of(width: int) -> Any:
    """Return a compiled function that adds the scores of a tile, over a span of columns."""

    def tile(
        _context: Any,
        values: Any,
        i: Any,
        last: Any,
        begin: Any,
        end: Any,
        shadow: Any,
        first: Any,
        out: Any,
        at: Any,
    ) -> tuple[Any, Callable[[Any, Any, Any, Any], Any]]:
        signature = types.void(values, i, last, begin, end, shadow, first, out, at)
        return signature, lambda *given: _generate(width, *given)

    return intrinsic(tile)


def _generate(width: int, context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    def array(argument: int) -> Any:
        kind = context.make_array(signature.args[argument])
        return kind(context, builder, arguments[argument])

    values, shadow, out = array(0), array(5), array(7)
    i, last, begin, end, first, at = (arguments[n] for n in (1, 2, 3, 4, 6, 8))
    lanes = Lanes(builder, shadow.data.type.pointee, width)
    n_columns, stride = (builder.extract_value(a.shape, 1) for a in (values, shadow))
    sums = [variable(builder, lanes.zeros) for _ in range(TALL)]
    starts = []
    for r in range(TALL):
        row = builder.add(i, PLACE(r))
        row = builder.select(builder.icmp_signed("<", row, last), row, last)  # again, beyond
        starts.append(builder.mul(row, n_columns))

    def add_column(j: Any) -> None:
        weights = lanes.load(lanes.at(shadow.data, builder.add(builder.mul(j, stride), first)))
        for start, total in zip(starts, sums, strict=True):
            value = builder.load(builder.gep(values.data, [builder.add(start, j)]))
            lanes.add_product(total, value, weights)

    loop(builder, variable(builder, begin), 1, end, add_column)
    for r, total in enumerate(sums):
        offset = builder.add(builder.mul(builder.add(at, PLACE(r)), stride), first)
        place = lanes.at(out.data, offset)
        lanes.store(builder.fadd(lanes.load(place), builder.load(total)), place)
    return context.get_dummy_value()


_tile_of_4, _tile_of_8, _tile_of_16 = _tile_of(4), _tile_of(8), _tile_of(LANES)


@overload(tile_scores, strict=False)
def _tile_scores(
    values: Any, _start: Any, _stop: Any, shadow: Any, _out: Any
) -> Callable[..., None]:
    return _of_one_type if values.dtype == shadow.dtype else _of_two_types


def _of_one_type(values: Data, start: int, stop: int, shadow: Data, out: Data) -> None:
    lanes = shadow.shape[1]
    for begin in range(0, values.shape[1], _SPAN):
        end = min(begin + _SPAN, values.shape[1])
        for i in range(start, stop, TALL):
            at, last = i - start, stop - 1
            if lanes == 4:
                _tile_of_4(values, i, last, begin, end, shadow, 0, out, at)
            elif lanes == 8:
                _tile_of_8(values, i, last, begin, end, shadow, 0, out, at)
            else:
                for first in range(0, lanes, LANES):
                    _tile_of_16(values, i, last, begin, end, shadow, first, out, at)


def _of_two_types(values: Data, start: int, stop: int, shadow: Data, out: Data) -> None:
    # Values are converted side by side here, not one by one within the tile.
    for begin in range(0, values.shape[1], _SPAN):
        end = min(begin + _SPAN, values.shape[1])
        tile = np.empty((TALL, end - begin), dtype=shadow.dtype)
        for i in range(start, stop, TALL):
            height = min(TALL, stop - i)
            for r in range(height):
                source, target = values[i + r, begin:end], tile[r]
                for j in range(target.shape[0]):
                    target[j] = source[j]
            tile_scores(tile, 0, height, shadow[begin:end], out[i - start : i - start + TALL])
