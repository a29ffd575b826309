"""Scores of one sparse row for many halfspaces at once, side by side in vector registers.

The halfspaces' weights are kept as a *shadow*: their float32 roundings, one row for each feature and
one lane for each halfspace. So a stored value of a row reads one or two cache lines, whatever the
number of halfspaces, and is multiplied with all of them in a few instructions. Written as a loop over
the lanes, the sums would be kept in memory: only their number in the type keeps them in registers.

Scores in float32 measure, they do not decide: whoever uses them knows a bound on their error.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from rosenblatt.typing import Data, Singles

_variable: Any = cgutils.alloca_once_value
_WIDEST = 16
_AT_ONCE = 2  # values, so that an addition need not wait for the one before it


def n_lanes(n_halfspaces: int) -> int:
    """Return the number of lanes for so many halfspaces: 4, 8 or a multiple of 16.

    >>> [n_lanes(n) for n in (2, 5, 10, 17)]
    [4, 8, 16, 32]
    """
    for width in (4, 8):
        if n_halfspaces <= width:
            return width
    return -(-n_halfspaces // _WIDEST) * _WIDEST


def lane_scores(
    values: Data, indices: Any, start: Any, end: Any, shadow: Singles, out: Singles
) -> None:
    """Write the sum of ``values[k] * shadow[indices[k]]`` over start <= k < end into ``out``.

    ``shadow`` is C-ordered, with `n_lanes` columns, and ``out`` has as many numbers. Values are rounded
    to float32, sums are in any order, and indices are not checked: they must be rows of the shadow.

    >>> out = np.zeros(4, dtype=np.float32)
    >>> shadow = np.arange(12, dtype=np.float32).reshape(3, 4)
    >>> lane_scores(np.array([2.0, 1.0]), np.array([0, 2]), 0, 2, shadow, out)
    >>> out.tolist()
    [8.0, 11.0, 14.0, 17.0]
    """
    out[:] = values[start:end].astype(np.float32) @ shadow[indices[start:end]]


def _sums_of(width: int) -> Any:
    """Return a compiled function that sums ``width`` lanes of the shadow from the first one given."""

    def sums(
        _context: Any,
        values: Any,
        indices: Any,
        start: Any,
        end: Any,
        shadow: Any,
        first: Any,
        out: Any,
    ) -> tuple[Any, Callable[[Any, Any, Any, Any], Any]]:
        signature = types.void(values, indices, start, end, shadow, first, out)
        return signature, lambda *given: _generate(width, *given)

    return intrinsic(sums)


def _generate(width: int, context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Write the loop over the stored values of a row, ``_AT_ONCE`` of them in each turn."""
    place = ir.IntType(64)
    single = ir.FloatType()
    lanes = ir.VectorType(single, width)

    def array(argument: int) -> Any:
        kind = context.make_array(signature.args[argument])
        return kind(context, builder, arguments[argument])

    values, indices, shadow, out = array(0), array(1), array(4), array(6)
    start, end, first = arguments[2], arguments[3], arguments[5]
    stride = builder.extract_value(shadow.shape, 1)
    zeros = ir.Constant(lanes, [0.0] * width)
    sums = [_variable(builder, zeros) for _ in range(_AT_ONCE)]
    position = _variable(builder, start)

    def lanes_at(data: Any, offset: Any) -> Any:
        return builder.bitcast(builder.gep(data, [offset]), lanes.as_pointer())

    def add(k: Any, total: Any) -> None:
        value = builder.load(builder.gep(values.data, [k]))
        if value.type != single:
            value = builder.fptrunc(value, single)
        index = builder.load(builder.gep(indices.data, [k]))
        if index.type != place:
            index = builder.zext(index, place)
        offset = builder.add(builder.mul(index, stride), first)
        weights = builder.load(lanes_at(shadow.data, offset), align=4)
        undefined = ir.Constant(lanes, ir.Undefined)
        spread = builder.insert_element(undefined, value, ir.IntType(32)(0))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), width), [0] * width)
        spread = builder.shuffle_vector(spread, undefined, everywhere)
        product = builder.fmul(spread, weights, flags=["contract"])
        builder.store(builder.fadd(product, builder.load(total), flags=["contract"]), total)

    def loop(step: int) -> None:
        """Go on in steps as long as they end before the row does."""
        check = builder.append_basic_block("check")
        body = builder.append_basic_block("body")
        after = builder.append_basic_block("after")
        builder.branch(check)
        builder.position_at_end(check)
        k = builder.load(position)
        beyond = builder.add(k, place(step))
        builder.cbranch(builder.icmp_signed("<=", beyond, end), body, after)
        builder.position_at_end(body)
        for at in range(step):
            add(builder.add(k, place(at)), sums[at])
        builder.store(beyond, position)
        builder.branch(check)
        builder.position_at_end(after)

    loop(_AT_ONCE)
    loop(1)
    total = builder.load(sums[0])
    for other in sums[1:]:
        total = builder.fadd(total, builder.load(other))
    builder.store(total, lanes_at(out.data, first), align=4)
    return context.get_dummy_value()


_sums_of_4, _sums_of_8, _sums_of_16 = _sums_of(4), _sums_of(8), _sums_of(_WIDEST)


@overload(lane_scores, jit_options={"forceinline": True}, strict=False)
def _lane_scores(*_types: Any) -> Callable[..., None]:
    def compiled(
        values: Data, indices: Any, start: Any, end: Any, shadow: Singles, out: Singles
    ) -> None:
        begin, stop = np.int64(start), np.int64(end)
        lanes = shadow.shape[1]
        if lanes == 4:
            _sums_of_4(values, indices, begin, stop, shadow, 0, out)
        elif lanes == 8:
            _sums_of_8(values, indices, begin, stop, shadow, 0, out)
        else:
            for first in range(0, lanes, _WIDEST):
                _sums_of_16(values, indices, begin, stop, shadow, first, out)

    return compiled
