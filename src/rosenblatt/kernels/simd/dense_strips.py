"""One dense row and many halfspaces: each value that is read meets several weight vectors.

The halfspaces' weights, or a shadow of them (see ``panel_layout``), lie vector by vector. A row comes
from far away and is not needed for long, so while one is at work the next one is asked for, line by
line: asked for all at once it would have to wait, for a processor fetches no more than a dozen lines at
a time.

Scores measure, they do not decide: sums may be in any order.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from rosenblatt.core.types import Data
from rosenblatt.kernels.simd.prefetch import CACHE_LINE, ask_for
from rosenblatt.kernels.simd.sparse_lanes import PLACE, Lanes, loop, variable

_OPTIONS: Any = {"forceinline": True, "_nrt": False}  # see ``uncounted``
_DOUBLE = ir.DoubleType()
_declared: Any = cgutils.get_or_insert_function

_TALLEST = 8
"""So many vectors meet a row at once: more would not find registers for their sums."""


def strip_scores(values: Data, i: int, _soon: int, shadow: Data, out: Data) -> None:
    """Write the scores of row i by all rows of ``shadow`` into ``out``, which is of their type.

    A row of the shadow has one number for each of the row's, or more. Row ``soon``, the third
    argument, is asked for.

    >>> out = np.zeros(2)
    >>> strip_scores(np.array([[1.0, 2.0], [3.0, 4.0]]), 1, 1, np.array([[1.0, 0.0], [1.0, 1.0]]), out)
    >>> out.tolist()
    [3.0, 7.0]
    """
    out[:] = shadow[:, : values.shape[1]] @ values[i].astype(shadow.dtype)


def strip_squares(values: Data, i: int) -> float:
    """Return the sum of the squares of row i in float64.

    >>> strip_squares(np.array([[3.0, 4.0]]), 0)
    25.0
    """
    return float((values[i].astype(np.float64) ** 2).sum())


class _Strip:
    """A row of values, and the one that is asked for, if any, in a function that is being written."""

    def __init__(self, builder: Any, array: Any, row: Any, soon: Any = None) -> None:
        self.builder = builder
        self.width = builder.extract_value(array.shape, 1)
        self._data = array.data
        self._at = builder.mul(row, self.width)
        self._soon = None if soon is None else builder.mul(soon, self.width)

    def load(self, j: Any, wanted: Lanes) -> Any:
        """Return the values from column j on, as numbers of the lanes that are wanted."""
        builder = self.builder
        given = Lanes(builder, self._data.type.pointee, wanted.kind.count)
        some = given.load(given.at(self._data, builder.add(self._at, j)))
        if given.number == wanted.number:
            return some
        convert = builder.fpext if wanted.number == _DOUBLE else builder.fptrunc
        return convert(some, wanted.kind)

    def ask(self, j: Any) -> None:
        """Ask for the values of the coming row from column j on."""
        builder = self.builder
        ask_for(builder, builder.gep(self._data, [builder.add(self._soon, j)]))

    def walk(self, lanes: Sequence[Lanes], body: Callable[[Any, Lanes], None]) -> None:
        """Write the loops over the row: in steps as wide as the first lanes, then as the next ones."""
        position = variable(self.builder, PLACE(0))
        line = CACHE_LINE // (8 if self._data.type.pointee == _DOUBLE else 4)
        for some in lanes:
            step = some.kind.count

            def go(j: Any, some: Lanes = some, step: int = step) -> None:
                for first in range(0, step if step > 1 and self._soon else 0, line):
                    self.ask(self.builder.add(j, PLACE(first)))
                body(j, some)

            loop(self.builder, position, step, self.width, go)


def _sum_of(builder: Any, totals: Sequence[Any]) -> Any:
    """Return the sum of the lanes in some variables."""
    total = None
    for place in totals:
        lanes = builder.load(place)
        number, count = lanes.type.element, lanes.type.count
        kind = ir.FunctionType(number, [number, lanes.type])
        name = f"llvm.vector.reduce.fadd.v{count}{'f64' if number == _DOUBLE else 'f32'}"
        reduce = _declared(builder.module, kind, name)
        start = ir.Constant(number, 0.0) if total is None else total
        total = builder.call(reduce, [start, lanes], fastmath=("reassoc",))
    return total


def _scores_of(height: int) -> Any:
    """Return a compiled function that scores a row by so many vectors, from a given one on."""

    def typed(
        _context: Any, values: Any, i: Any, soon: Any, shadow: Any, first: Any, out: Any
    ) -> tuple[Any, Callable[[Any, Any, Any, Any], Any]]:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            def array(argument: int) -> Any:
                kind = context.make_array(signature.args[argument])
                return kind(context, builder, arguments[argument])

            table, answers = array(3), array(5)
            number = table.data.type.pointee
            at_once = CACHE_LINE // (8 if number == _DOUBLE else 4)
            strip = _Strip(builder, array(0), arguments[1], arguments[2])
            stride = builder.extract_value(table.shape, 1)
            vectors = [builder.add(arguments[4], PLACE(k)) for k in range(height)]
            starts = [builder.mul(vector, stride) for vector in vectors]
            widths = (at_once * max(1, 4 // height), at_once, 1)
            lanes = [Lanes(builder, number, width) for width in dict.fromkeys(widths)]
            sums = {some: [variable(builder, some.zeros) for _ in vectors] for some in lanes}

            def add(j: Any, some: Lanes) -> None:
                given = strip.load(j, some)
                for start, total in zip(starts, sums[some], strict=True):
                    weights = some.load(some.at(table.data, builder.add(start, j)))
                    product = builder.fmul(given, weights, flags=["contract"])
                    both = builder.fadd(product, builder.load(total), flags=["contract"])
                    builder.store(both, total)

            strip.walk(lanes, add)
            for k, vector in enumerate(vectors):
                score = _sum_of(builder, [sums[some][k] for some in lanes])
                builder.store(score, builder.gep(answers.data, [vector]))
            return context.get_dummy_value()

        return types.void(values, i, soon, shadow, first, out), generate

    return intrinsic(typed)


_one, _two, _three, _four, _five, _six, _seven, _eight = map(_scores_of, range(1, _TALLEST + 1))


@overload(strip_scores, jit_options=_OPTIONS, strict=False)
def _strip_scores(*_types: Any) -> Callable[..., None]:
    def compiled(values: Data, i: int, _soon: int, shadow: Data, out: Data) -> None:
        soon = _soon
        left = shadow.shape[0]
        n_groups = (left + _TALLEST - 1) // _TALLEST
        k = 0
        while n_groups > 0:  # of about the same size
            height = (left + n_groups - 1) // n_groups
            if height == 1:
                _one(values, i, soon, shadow, k, out)
            elif height == 2:
                _two(values, i, soon, shadow, k, out)
            elif height == 3:
                _three(values, i, soon, shadow, k, out)
            elif height == 4:
                _four(values, i, soon, shadow, k, out)
            elif height == 5:
                _five(values, i, soon, shadow, k, out)
            elif height == 6:
                _six(values, i, soon, shadow, k, out)
            elif height == 7:
                _seven(values, i, soon, shadow, k, out)
            else:
                _eight(values, i, soon, shadow, k, out)
            k += height
            left -= height
            n_groups -= 1

    return compiled


def _squares(_context: Any, values: Any, i: Any) -> tuple[Any, Callable[[Any, Any, Any, Any], Any]]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        strip = _Strip(builder, array, arguments[1])
        lanes = [Lanes(builder, _DOUBLE, width) for width in (16, 1)]
        sums = {some: variable(builder, some.zeros) for some in lanes}

        def add(j: Any, some: Lanes) -> None:
            given = strip.load(j, some)
            square = builder.fmul(given, given, flags=["contract"])
            total = builder.fadd(square, builder.load(sums[some]), flags=["contract"])
            builder.store(total, sums[some])

        strip.walk(lanes, add)
        return _sum_of(builder, list(sums.values()))

    return types.float64(values, i), generate


_compiled_squares: Any = intrinsic(_squares)


@overload(strip_squares, jit_options=_OPTIONS, strict=False)
def _strip_squares(*_types: Any) -> Callable[..., float]:
    def compiled(values: Data, i: int) -> float:
        total: float = _compiled_squares(values, i)
        return total

    return compiled
