"""One sparse row and many halfspaces at once, side by side in vector registers.

The halfspaces' weights lie in an array with one row for each feature and one lane for each halfspace.
So a stored value of a row finds all its weights in one or two cache lines, and is multiplied with them
in a few instructions. Written as a loop over the lanes, sums would be kept in memory: only their number
in the type keeps them in registers.

Scores measure, they do not decide, and may be summed in any order. Updates are one rounded product and
one rounded addition for each weight, see ``rows``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from rosenblatt.typing import Data

_variable: Any = cgutils.alloca_once_value
_WIDTHS = (1, 2, 4, 8)
_WIDEST = 16
_AT_ONCE = 2  # values, so that an addition need not wait for the one before it


def n_lanes(n_halfspaces: int) -> int:
    """Return the number of lanes for so many halfspaces: 1, 2, 4, 8 or a multiple of 16.

    >>> [n_lanes(n) for n in (1, 2, 5, 10, 17)]
    [1, 2, 8, 16, 32]
    """
    for width in _WIDTHS:
        if n_halfspaces <= width:
            return width
    return -(-n_halfspaces // _WIDEST) * _WIDEST


def lane_scores(values: Data, indices: Any, start: Any, end: Any, weights: Data, out: Data) -> None:
    """Write the sum of ``values[k] * weights[indices[k]]`` over start <= k < end into ``out``.

    ``weights`` is C-ordered, with `n_lanes` columns, and ``out`` has as many numbers of the same type,
    to which the values are converted. Indices are not checked: they must be rows of the weights.

    >>> out = np.zeros(4, dtype=np.float32)
    >>> weights = np.arange(12, dtype=np.float32).reshape(3, 4)
    >>> lane_scores(np.array([2.0, 1.0]), np.array([0, 2]), 0, 2, weights, out)
    >>> out.tolist()
    [8.0, 11.0, 14.0, 17.0]
    """
    out[:] = values[start:end].astype(weights.dtype) @ weights[indices[start:end]]


def lane_update(
    values: Data, indices: Any, start: Any, end: Any, weights: Data, steps: Data
) -> None:
    """Add ``steps * values[k]`` to ``weights[indices[k]]`` for start <= k < end, each index once.

    The arrays are as for `lane_scores`; a lane whose step is 0 keeps its weights, if values are finite.

    >>> weights = np.zeros((3, 2))
    >>> lane_update(np.array([2.0, 1.0]), np.array([0, 2]), 0, 2, weights, np.array([1.0, -0.5]))
    >>> weights.tolist()
    [[2.0, -1.0], [0.0, 0.0], [1.0, -0.5]]
    """
    weights[indices[start:end]] += np.outer(values[start:end].astype(weights.dtype), steps)


class _Loop:
    """A loop over the stored values of a row, as it is being written, for some lanes of the weights."""

    def __init__(
        self, context: Any, builder: Any, signature: Any, arguments: Any, width: int
    ) -> None:
        def array(argument: int) -> Any:
            kind = context.make_array(signature.args[argument])
            return kind(context, builder, arguments[argument])

        self.builder = builder
        self.number = context.get_data_type(signature.args[4].dtype)
        self.width = width
        self.lanes = ir.VectorType(self.number, width)
        self._values, self._indices = array(0).data, array(1).data
        self._start, self._end, self._first = arguments[2], arguments[3], arguments[6]
        weights = array(4)
        self._weights, self._stride = weights.data, builder.extract_value(weights.shape, 1)
        self.other = self._lanes_at(array(5).data, self._first)
        self._is_single = self.number == ir.FloatType()
        self._alignment = 4 if self._is_single else 8

    def _lanes_at(self, data: Any, offset: Any) -> Any:
        return self.builder.bitcast(self.builder.gep(data, [offset]), self.lanes.as_pointer())

    def load(self, place: Any) -> Any:
        return self.builder.load(place, align=self._alignment)

    def store(self, value: Any, place: Any) -> None:
        self.builder.store(value, place, align=self._alignment)

    def value(self, k: Any) -> Any:
        """Return the stored value k, in every lane."""
        value = self.builder.load(self.builder.gep(self._values, [k]))
        if value.type != self.number:
            convert = self.builder.fptrunc if self._is_single else self.builder.fpext
            value = convert(value, self.number)
        undefined = ir.Constant(self.lanes, ir.Undefined)
        first = self.builder.insert_element(undefined, value, ir.IntType(32)(0))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), self.width), [0] * self.width)
        return self.builder.shuffle_vector(first, undefined, everywhere)

    def weights_of(self, k: Any) -> Any:
        """Return where the weights of stored value k are."""
        index = self.builder.load(self.builder.gep(self._indices, [k]))
        place = ir.IntType(64)
        if index.type != place:
            index = self.builder.zext(index, place)
        offset = self.builder.mul(index, self._stride)
        return self._lanes_at(self._weights, self.builder.add(offset, self._first))

    def run(self, visit: Callable[[Any, int], None]) -> None:
        """Write ``visit(k, turn)`` for all values k, `_AT_ONCE` of them in each turn."""
        position = _variable(self.builder, self._start)
        self._go_on(position, _AT_ONCE, visit)
        self._go_on(position, 1, visit)

    def _go_on(self, position: Any, step: int, visit: Callable[[Any, int], None]) -> None:
        """Write a loop in steps, as long as they end before the row does."""
        builder, place = self.builder, ir.IntType(64)
        check = builder.append_basic_block("check")
        body = builder.append_basic_block("body")
        after = builder.append_basic_block("after")
        builder.branch(check)
        builder.position_at_end(check)
        k = builder.load(position)
        beyond = builder.add(k, place(step))
        builder.cbranch(builder.icmp_signed("<=", beyond, self._end), body, after)
        builder.position_at_end(body)
        for turn in range(step):
            visit(builder.add(k, place(turn)), turn)
        builder.store(beyond, position)
        builder.branch(check)
        builder.position_at_end(after)


def _write_scores(loop: _Loop) -> None:
    builder = loop.builder
    zeros = ir.Constant(loop.lanes, [0.0] * loop.width)
    sums = [_variable(builder, zeros) for _ in range(_AT_ONCE)]

    def visit(k: Any, turn: int) -> None:
        product = builder.fmul(loop.value(k), loop.load(loop.weights_of(k)), flags=["contract"])
        total = builder.fadd(product, builder.load(sums[turn]), flags=["contract"])
        builder.store(total, sums[turn])

    loop.run(visit)
    total = builder.load(sums[0])
    for other in sums[1:]:
        total = builder.fadd(total, builder.load(other))
    loop.store(total, loop.other)


def _write_updates(loop: _Loop) -> None:
    builder = loop.builder
    steps = loop.load(loop.other)

    def visit(k: Any, _turn: int) -> None:
        place = loop.weights_of(k)
        move = builder.fmul(steps, loop.value(k))
        loop.store(builder.fadd(loop.load(place), move), place)

    loop.run(visit)


def _compiled(write: Callable[[_Loop], None], width: int) -> Any:
    """Return a compiled function that serves ``width`` lanes, beginning with the one given last."""

    def typed(_context: Any, *given: Any) -> tuple[Any, Callable[[Any, Any, Any, Any], Any]]:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            write(_Loop(context, builder, signature, arguments, width))
            return context.get_dummy_value()

        return types.void(*given), generate

    def named(
        context: Any,
        values: Any,
        indices: Any,
        start: Any,
        end: Any,
        weights: Any,
        x: Any,
        first: Any,
    ) -> tuple[Any, Callable[[Any, Any, Any, Any], Any]]:
        return typed(context, values, indices, start, end, weights, x, first)

    return intrinsic(named)


def _overload(function: Callable[..., None], write: Callable[[_Loop], None]) -> None:
    """Compile a function for every number of lanes."""
    one, two, four, eight = (_compiled(write, width) for width in _WIDTHS)
    widest = _compiled(write, _WIDEST)

    def compiled(
        values: Data, indices: Any, start: Any, end: Any, weights: Data, other: Data
    ) -> None:
        begin, stop = np.int64(start), np.int64(end)
        lanes = weights.shape[1]
        if lanes == 1:
            one(values, indices, begin, stop, weights, other, 0)
        elif lanes == 2:
            two(values, indices, begin, stop, weights, other, 0)
        elif lanes == 4:
            four(values, indices, begin, stop, weights, other, 0)
        elif lanes == 8:
            eight(values, indices, begin, stop, weights, other, 0)
        else:
            for first in range(0, lanes, _WIDEST):
                widest(values, indices, begin, stop, weights, other, first)

    @overload(function, jit_options={"forceinline": True}, strict=False)
    def choose(*_types: Any) -> Callable[..., None]:
        return compiled


_overload(lane_scores, _write_scores)
_overload(lane_update, _write_updates)
