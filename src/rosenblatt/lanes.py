"""Scores of one sparse row for many halfspaces at once, side by side in vector registers.

The halfspaces' weights are kept as a *shadow*: rounded, mostly to float32, one row for each feature and
one lane for each halfspace. So a stored value of a row reads one or two cache lines, whatever the
number of halfspaces, and is multiplied with all of them in a few instructions. Written as a loop over
the lanes, the sums would be kept in memory: only their number in the type keeps them in registers.

Such scores measure, they do not decide: whoever uses them knows a bound on their error.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload, register_jitable

from rosenblatt.typing import Data

LANES = 16
"""Beyond so many halfspaces, lanes come in blocks of as many."""

PLACE = ir.IntType(64)
variable: Any = cgutils.alloca_once_value
_AT_ONCE = 2  # values, so that an addition need not wait for the one before it


def n_lanes(n_halfspaces: int) -> int:
    """Return the number of lanes for so many halfspaces: 4, 8 or a multiple of 16.

    >>> [n_lanes(n) for n in (2, 5, 10, 17)]
    [4, 8, 16, 32]
    """
    for width in (4, 8):
        if n_halfspaces <= width:
            return width
    return -(-n_halfspaces // LANES) * LANES


@register_jitable
def lane_roundings(n_values: int) -> int:
    """Return how often, at most, `lane_scores` rounds a term: weight, value, product and sums."""
    return 4 + n_values // _AT_ONCE + _AT_ONCE


def lane_scores(values: Data, indices: Any, start: Any, end: Any, shadow: Data, out: Data) -> None:
    """Write the sum of ``values[k] * shadow[indices[k]]`` over start <= k < end into ``out``.

    ``shadow`` is C-ordered, with `n_lanes` columns, and ``out`` has as many numbers of its type. Values
    are rounded to that type, sums are in any order, and indices are not checked: they must be rows of
    the shadow.

    >>> out = np.zeros(4, dtype=np.float32)
    >>> shadow = np.arange(12, dtype=np.float32).reshape(3, 4)
    >>> lane_scores(np.array([2.0, 1.0]), np.array([0, 2]), 0, 2, shadow, out)
    >>> out.tolist()
    [8.0, 11.0, 14.0, 17.0]
    """
    out[:] = values[start:end].astype(shadow.dtype) @ shadow[indices[start:end]]


class Lanes:
    """Instructions on so many numbers of the shadow's type, side by side."""

    def __init__(self, builder: Any, number: Any, width: int) -> None:
        self.builder = builder
        self.number = number
        self.kind = ir.VectorType(number, width)
        self.zeros = ir.Constant(self.kind, [0.0] * width)
        self._undefined = ir.Constant(self.kind, ir.Undefined)
        self._everywhere = ir.Constant(ir.VectorType(ir.IntType(32), width), [0] * width)

    def at(self, data: Any, offset: Any) -> Any:
        """Return the address of the lanes that begin at an offset."""
        return self.builder.bitcast(self.builder.gep(data, [offset]), self.kind.as_pointer())

    def load(self, address: Any) -> Any:
        """Return the lanes at an address."""
        return self.builder.load(address, align=4)

    def store(self, lanes: Any, address: Any) -> None:
        """Write the lanes to an address."""
        self.builder.store(lanes, address, align=4)

    def add_product(self, total: Any, value: Any, weights: Any) -> None:
        """Add value times weights to the lanes in a variable, in one rounding or two."""
        builder = self.builder
        if value.type != self.number:
            narrow = self.number == ir.FloatType()
            value = (builder.fptrunc if narrow else builder.fpext)(value, self.number)
        spread = builder.insert_element(self._undefined, value, ir.IntType(32)(0))
        spread = builder.shuffle_vector(spread, self._undefined, self._everywhere)
        product = builder.fmul(spread, weights, flags=["contract"])
        builder.store(builder.fadd(product, builder.load(total), flags=["contract"]), total)


def loop(builder: Any, position: Any, step: int, end: Any, body: Callable[[Any], None]) -> None:
    """Write a loop: the body, for the position and in steps, while a step ends before the end."""
    check = builder.append_basic_block("check")
    inside = builder.append_basic_block("inside")
    after = builder.append_basic_block("after")
    builder.branch(check)
    builder.position_at_end(check)
    k = builder.load(position)
    beyond = builder.add(k, PLACE(step))
    builder.cbranch(builder.icmp_signed("<=", beyond, end), inside, after)
    builder.position_at_end(inside)
    body(k)
    builder.store(beyond, position)
    builder.branch(check)
    builder.position_at_end(after)


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
    def array(argument: int) -> Any:
        kind = context.make_array(signature.args[argument])
        return kind(context, builder, arguments[argument])

    values, indices, shadow, out = array(0), array(1), array(4), array(6)
    start, end, first = arguments[2], arguments[3], arguments[5]
    lanes = Lanes(builder, shadow.data.type.pointee, width)
    stride = builder.extract_value(shadow.shape, 1)
    sums = [variable(builder, lanes.zeros) for _ in range(_AT_ONCE)]
    position = variable(builder, start)

    def add(k: Any, total: Any) -> None:
        value = builder.load(builder.gep(values.data, [k]))
        index = builder.load(builder.gep(indices.data, [k]))
        if index.type != PLACE:
            index = builder.zext(index, PLACE)
        offset = builder.add(builder.mul(index, stride), first)
        lanes.add_product(total, value, lanes.load(lanes.at(shadow.data, offset)))

    def add_some(k: Any) -> None:
        for at in range(_AT_ONCE):
            add(builder.add(k, PLACE(at)), sums[at])

    loop(builder, position, _AT_ONCE, end, add_some)
    loop(builder, position, 1, end, lambda k: add(k, sums[0]))
    total = builder.load(sums[0])
    for other in sums[1:]:
        total = builder.fadd(total, builder.load(other))
    lanes.store(total, lanes.at(out.data, first))
    return context.get_dummy_value()


_sums_of_4, _sums_of_8, _sums_of_16 = _sums_of(4), _sums_of(8), _sums_of(LANES)


@overload(lane_scores, jit_options={"forceinline": True}, strict=False)
def _lane_scores(*_types: Any) -> Callable[..., None]:
    def compiled(values: Data, indices: Any, start: Any, end: Any, shadow: Data, out: Data) -> None:
        begin, stop = np.int64(start), np.int64(end)
        lanes = shadow.shape[1]
        if lanes == 4:
            _sums_of_4(values, indices, begin, stop, shadow, 0, out)
        elif lanes == 8:
            _sums_of_8(values, indices, begin, stop, shadow, 0, out)
        else:
            for first in range(0, lanes, LANES):
                _sums_of_16(values, indices, begin, stop, shadow, first, out)

    return compiled
