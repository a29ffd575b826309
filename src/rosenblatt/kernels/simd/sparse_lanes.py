"""One sparse row and many halfspaces at once, side by side in vector registers.

The halfspaces' weights lie in a table with one row for each feature and one lane for each halfspace: the
weights themselves, or a *shadow* of them, rounded to float32. So a stored value of a row reads one or
two cache lines and is multiplied with all of them in a few instructions. Written as a loop over the
lanes, sums would be kept in memory: only their number in the type keeps them in registers.

Scores measure, they do not decide: whoever uses them knows a bound on their error. Updates are one
rounded product and one rounded addition for each weight, see ``rows``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload, register_jitable

from rosenblatt.core.types import Data, Floats, Signs

LANES = 16
"""Beyond so many halfspaces, lanes come in blocks of as many."""

_WIDTHS = (1, 2, 4, 8)

PLACE = ir.IntType(64)
_DOUBLE = ir.DoubleType()
variable: Any = cgutils.alloca_once_value
_OPTIONS: Any = {"forceinline": True, "_nrt": False}  # see ``uncounted``
_AT_ONCE = 2  # values, so that an addition need not wait for the one before it


def n_lanes(n_halfspaces: int, least: int = 1) -> int:
    """Return the number of lanes for so many halfspaces: 1, 2, 4, 8 or a multiple of 16.

    >>> [n_lanes(n) for n in (1, 2, 5, 10, 17)]
    [1, 2, 8, 16, 32]
    """
    for width in _WIDTHS:
        if max(n_halfspaces, least) <= width:
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


def lane_squares(values: Data, start: Any, end: Any) -> float:
    """Return the sum of the squares of the values from start to end, in float64 and in any order.

    The compiler's own loop is slow at its end, and short rows are little else.

    >>> lane_squares(np.array([3.0, 4.0, 5.0]), 0, 2)
    25.0
    """
    return float((values[start:end].astype(np.float64) ** 2).sum())


def lane_update(values: Data, indices: Any, start: Any, end: Any, table: Data, steps: Data) -> None:
    """Add ``steps * values[k]`` to ``table[indices[k]]`` for start <= k < end, each index once.

    The arrays are as for `lane_scores`; a lane whose step is 0 keeps its weights, if values are finite.

    >>> table = np.zeros((3, 2))
    >>> lane_update(np.array([2.0, 1.0]), np.array([0, 2]), 0, 2, table, np.array([1.0, -0.5]))
    >>> table.tolist()
    [[2.0, -1.0], [0.0, 0.0], [1.0, -0.5]]
    """
    table[indices[start:end]] += np.outer(values[start:end].astype(table.dtype), steps)


def lanes_beyond(
    signs: Signs, i: int, scores: Data, lengths: Floats, unit: float, least: float
) -> bool:
    """Say whether ``signs[i] * scores`` is above ``unit * lengths + least`` wherever a sign is not 0.

    The arrays have `n_lanes` columns. A score that is no number is above nothing.

    >>> signs, scores = np.array([[1, -1, 0, 1]], dtype=np.int8), np.array([3.0, -3.0, 0.0, 2.0])
    >>> lanes_beyond(signs, 0, scores, np.ones(4), 1.5, 0.25)
    True
    >>> lanes_beyond(signs, 0, scores, np.ones(4), 1.5, 0.5)
    False
    """
    return bool(((signs[i] == 0) | (signs[i] * scores > unit * lengths + least)).all())


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
        product = builder.fmul(self.spread(value), weights, flags=["contract"])
        builder.store(builder.fadd(product, builder.load(total), flags=["contract"]), total)

    def spread(self, value: Any) -> Any:
        """Return a value in every lane."""
        builder = self.builder
        if value.type != self.number:
            narrow = self.number == ir.FloatType()
            value = (builder.fptrunc if narrow else builder.fpext)(value, self.number)
        first = builder.insert_element(self._undefined, value, ir.IntType(32)(0))
        return builder.shuffle_vector(first, self._undefined, self._everywhere)


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


class _Row:
    """A sparse row and some lanes of the table, as given to a function that is being written."""

    def __init__(
        self, width: int, context: Any, builder: Any, signature: Any, arguments: Any
    ) -> None:
        def array(argument: int) -> Any:
            kind = context.make_array(signature.args[argument])
            return kind(context, builder, arguments[argument])

        self.builder = builder
        self.start, self.end, self._first = arguments[2], arguments[3], arguments[6]
        self._values, self._indices = array(0).data, array(1).data
        table = array(4)
        self._table = table.data
        # The number of lanes is known, unless they are many: a constant costs no multiplication.
        self._stride = builder.extract_value(table.shape, 1) if width == LANES else PLACE(width)
        self.lanes = Lanes(builder, table.data.type.pointee, width)
        self.other = self.lanes.at(array(5).data, self._first)

    def value(self, k: Any) -> Any:
        """Return stored value k."""
        return self.builder.load(self.builder.gep(self._values, [k]))

    def weights(self, k: Any) -> Any:
        """Return the address of the weights that stored value k meets."""
        index = self.builder.load(self.builder.gep(self._indices, [k]))
        if index.type != PLACE:
            index = self.builder.zext(index, PLACE)
        offset = self.builder.add(self.builder.mul(index, self._stride), self._first)
        return self.lanes.at(self._table, offset)


def _write_scores(row: _Row) -> None:
    builder, lanes = row.builder, row.lanes
    sums = [variable(builder, lanes.zeros) for _ in range(_AT_ONCE)]
    position = variable(builder, row.start)

    def add(k: Any, total: Any) -> None:
        lanes.add_product(total, row.value(k), lanes.load(row.weights(k)))

    def add_some(k: Any) -> None:
        for at in range(_AT_ONCE):
            add(builder.add(k, PLACE(at)), sums[at])

    loop(builder, position, _AT_ONCE, row.end, add_some)
    loop(builder, position, 1, row.end, lambda k: add(k, sums[0]))
    total = builder.load(sums[0])
    for other in sums[1:]:
        total = builder.fadd(total, builder.load(other))
    lanes.store(total, row.other)


def _write_updates(row: _Row) -> None:
    builder, lanes = row.builder, row.lanes
    steps = lanes.load(row.other)

    def move(k: Any) -> None:
        place = row.weights(k)
        change = builder.fmul(steps, lanes.spread(row.value(k)))
        lanes.store(builder.fadd(lanes.load(place), change), place)

    loop(builder, variable(builder, row.start), 1, row.end, move)


def _compiled(write: Callable[[_Row], None], width: int) -> Any:
    """Return a compiled function that serves ``width`` lanes, from the first one given."""

    def typed(
        _context: Any,
        values: Any,
        indices: Any,
        start: Any,
        end: Any,
        table: Any,
        other: Any,
        first: Any,
    ) -> tuple[Any, Callable[[Any, Any, Any, Any], Any]]:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            write(_Row(width, context, builder, signature, arguments))
            return context.get_dummy_value()

        return types.void(values, indices, start, end, table, other, first), generate

    return intrinsic(typed)


def _compile(function: Callable[..., None], write: Callable[[_Row], None]) -> None:
    """Compile a function for every number of lanes."""
    one, two, four, eight = (_compiled(write, width) for width in _WIDTHS)
    many = _compiled(write, LANES)

    def compiled(
        values: Data, indices: Any, start: Any, end: Any, table: Data, other: Data
    ) -> None:
        begin, stop = np.int64(start), np.int64(end)
        lanes = table.shape[1]
        if lanes == 1:
            one(values, indices, begin, stop, table, other, 0)
        elif lanes == 2:
            two(values, indices, begin, stop, table, other, 0)
        elif lanes == 4:
            four(values, indices, begin, stop, table, other, 0)
        elif lanes == 8:
            eight(values, indices, begin, stop, table, other, 0)
        else:
            for first in range(0, lanes, LANES):
                many(values, indices, begin, stop, table, other, first)

    @overload(function, jit_options=_OPTIONS, strict=False)
    def choose(*_types: Any) -> Callable[..., None]:
        return compiled


_compile(lane_scores, _write_scores)
_compile(lane_update, _write_updates)


def _squares(
    _context: Any, values: Any, start: Any, end: Any
) -> tuple[Any, Callable[[Any, Any, Any, Any], Any]]:
    """Write a loop over eight values at a time, and one over the rest."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        position = variable(builder, arguments[1])
        totals = []
        for width in (_WIDTHS[-1], 1):
            given = Lanes(builder, data.type.pointee, width)
            wide = Lanes(builder, _DOUBLE, width)
            total = variable(builder, wide.zeros)

            def add(k: Any, given: Lanes = given, wide: Lanes = wide, total: Any = total) -> None:
                some = given.load(given.at(data, k))
                if given.number != wide.number:
                    some = builder.fpext(some, wide.kind)
                square = builder.fmul(some, some, flags=["contract"])
                builder.store(builder.fadd(square, builder.load(total), flags=["contract"]), total)

            loop(builder, position, width, arguments[2], add)
            parts = builder.load(total)
            totals += [builder.extract_element(parts, ir.IntType(32)(t)) for t in range(width)]
        while len(totals) > 1:
            totals = [
                builder.fadd(*totals[t : t + 2]) if t + 1 < len(totals) else totals[t]
                for t in range(0, len(totals), 2)
            ]
        return totals[0]

    return types.float64(values, start, end), generate


_compiled_squares: Any = intrinsic(_squares)


@overload(lane_squares, jit_options=_OPTIONS, strict=False)
def _lane_squares(*_types: Any) -> Callable[..., float]:
    def compiled(values: Data, start: Any, end: Any) -> float:
        total: float = _compiled_squares(values, np.int64(start), np.int64(end))
        return total

    return compiled


def _beyond(width: int) -> Any:
    """Return a compiled function that looks at ``width`` lanes, from the first one given."""

    def typed(
        _context: Any,
        signs: Any,
        i: Any,
        scores: Any,
        lengths: Any,
        unit: Any,
        least: Any,
        first: Any,
    ) -> tuple[Any, Callable[[Any, Any, Any, Any], Any]]:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            def lanes_at(argument: int, offset: Any) -> Any:
                data = arrays[argument].data
                lanes = Lanes(builder, data.type.pointee, width)
                return builder.load(lanes.at(data, offset), align=1)

            arrays = {
                n: context.make_array(signature.args[n])(context, builder, arguments[n])
                for n in (0, 2, 3)
            }
            given, first = arguments[1], arguments[6]
            stride = builder.extract_value(arrays[0].shape, 1)
            sides = lanes_at(0, builder.add(builder.mul(given, stride), first))
            found = lanes_at(2, first)
            wide = Lanes(builder, _DOUBLE, width)
            if found.type != wide.kind:
                found = builder.fpext(found, wide.kind)
            product = builder.fmul(builder.sitofp(sides, wide.kind), found)
            band = builder.fmul(wide.spread(arguments[4]), lanes_at(3, first))
            band = builder.fadd(band, wide.spread(arguments[5]))
            unseen = builder.icmp_signed("==", sides, ir.Constant(sides.type, [0] * width))
            fine = builder.or_(unseen, builder.fcmp_ordered(">", product, band))
            number = ir.IntType(width)
            return builder.icmp_unsigned("==", builder.bitcast(fine, number), number(-1))

        return types.boolean(signs, i, scores, lengths, unit, least, first), generate

    return intrinsic(typed)


_beyond_1, _beyond_2, _beyond_4, _beyond_8, _beyond_many = map(_beyond, (*_WIDTHS, LANES))


@overload(lanes_beyond, jit_options=_OPTIONS, strict=False)
def _lanes_beyond(*_types: Any) -> Callable[..., bool]:
    def compiled(
        signs: Signs, i: int, scores: Data, lengths: Floats, unit: float, least: float
    ) -> bool:
        lanes = signs.shape[1]
        fine = True
        if lanes == 1:
            fine = _beyond_1(signs, i, scores, lengths, unit, least, 0)
        elif lanes == 2:
            fine = _beyond_2(signs, i, scores, lengths, unit, least, 0)
        elif lanes == 4:
            fine = _beyond_4(signs, i, scores, lengths, unit, least, 0)
        elif lanes == 8:
            fine = _beyond_8(signs, i, scores, lengths, unit, least, 0)
        else:
            for first in range(0, lanes, LANES):
                fine = fine and _beyond_many(signs, i, scores, lengths, unit, least, first)
        return fine

    return compiled
