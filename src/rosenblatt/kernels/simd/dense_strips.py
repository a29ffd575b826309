"""Scores of one dense row by many halfspaces: each value that is read is used for several of them.

The halfspaces' weights, or a shadow of them (see ``panel_layout``), are stored vector by vector. A row
must be read from main memory and is used only briefly, so while one is scored the next one is
prefetched, cache line by cache line. Prefetching it all at once stalls, because a processor has at most
a dozen cache lines in flight: 10 classes then took as long as arithmetic and memory one after the other.

``benchmarks/plain.py`` measures the gain: ten halfspaces are scored in half the time of plain loops, and
in two thirds of that of loops over five vectors at once (docs/guide/benchmarks.md). For one halfspace
it gains on one kind of processor and loses on another, so a plain loop is used. This code can go when it
gains less than a tenth.

Scores never decide anything by themselves, so sums may be in any order.
"""

from collections.abc import Callable, Sequence
from functools import partial

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import overload

from rosenblatt.core.types import Data
from rosenblatt.kernels.simd.vector_code import (
    CACHE_LINE,
    DOUBLE,
    INDEX,
    OPTIONS,
    SMALL_INT,
    Array,
    Builder,
    Call,
    Kind,
    Lanes,
    Type,
    Value,
    loop,
    switch,
    variable,
    written,
)

_declared: Callable[[ir.Module, Type, str], Value] = cgutils.get_or_insert_function

_MOST_VECTORS = 8
"""Vectors that are scored at once: for more there are not enough registers."""


def strip_scores(values: Data, i: int, _next_row: int, shadow: Data, out: Data) -> None:
    """Write the scores of row i by all rows of ``shadow`` into ``out``, which has their type.

    A row of the shadow is as long as a row of values, or longer. The third argument is the row to
    prefetch.

    >>> import numpy as np
    >>> out = np.zeros(2)
    >>> strip_scores(np.array([[1.0, 2.0], [3.0, 4.0]]), 1, 1, np.array([[1.0, 0.0], [1.0, 1.0]]), out)
    >>> out.tolist()
    [3.0, 7.0]
    """
    out[:] = shadow[:, : values.shape[1]] @ values[i].astype(shadow.dtype)


def _write_prefetch(builder: Builder, place: Value) -> None:
    """Emit the instruction that prefetches the cache line of an address."""
    address = builder.bitcast(place, cgutils.voidptr_t)
    kind = ir.FunctionType(ir.VoidType(), [address.type, SMALL_INT, SMALL_INT, SMALL_INT])
    request = builder.module.declare_intrinsic("llvm.prefetch", [address.type], kind)
    to_read, nearest_cache, data = SMALL_INT(0), SMALL_INT(3), SMALL_INT(1)
    builder.call(request, [address, to_read, nearest_cache, data])


def _per_line(number: Type) -> int:
    """Return how many numbers of a type fit in a cache line."""
    return CACHE_LINE // (8 if number == DOUBLE else 4)


class _Strip:
    """A row of values, and the row to prefetch, if any, in a function that is being generated."""

    def __init__(self, builder: Builder, array: Array, row: Value, next_row: Value | None) -> None:
        self.builder = builder
        self.width = builder.extract_value(array.shape, 1)
        self._data = array.data
        self._at = builder.mul(row, self.width)
        self._next_row = None if next_row is None else builder.mul(next_row, self.width)

    def load(self, j: Value, lanes: Lanes) -> Value:
        """Return the values from column j on, converted to the type of the lanes."""
        builder = self.builder
        stored = Lanes(builder, self._data.type.pointee, lanes.width)
        some = stored.load(stored.at(self._data, builder.add(self._at, j)))
        if stored.number == lanes.number:
            return some
        convert = builder.fpext if lanes.number == DOUBLE else builder.fptrunc
        return convert(some, lanes.kind)

    def for_all(self, lanes: Sequence[Lanes], body: Callable[[Value, Lanes], None]) -> None:
        """Emit the loops over the row: in steps as wide as the first lanes, then as the next ones."""
        builder = self.builder
        position = variable(builder, INDEX(0))

        def go(some: Lanes, j: Value) -> None:
            if self._next_row is not None and some.width > 1:
                for first in range(0, some.width, _per_line(self._data.type.pointee)):
                    place = builder.add(self._next_row, builder.add(j, INDEX(first)))
                    _write_prefetch(builder, builder.gep(self._data, [place]))
            body(j, some)

        for some in lanes:
            loop(builder, position, some.width, self.width, partial(go, some))


def _sum_of(builder: Builder, number: Type, totals: Sequence[Value]) -> Value:
    """Return the sum of all lanes of some variables."""
    total = ir.Constant(number, 0.0)
    for address in totals:
        lanes = builder.load(address)
        kind = ir.FunctionType(number, [number, lanes.type])
        name = f"llvm.vector.reduce.fadd.v{lanes.type.count}{'f64' if number == DOUBLE else 'f32'}"
        reduce = _declared(builder.module, kind, name)
        total = builder.call(reduce, [total, lanes], fastmath=("reassoc",))
    return total


def _write_scores(call: Call, height: int) -> None:
    """Emit code that scores a row by ``height`` vectors, starting with the call's fifth argument."""
    builder, (_, i, next_row, _, first, _, _) = call.builder, call.arguments
    table, out = call.array(3), call.array(6)
    number = table.data.type.pointee
    strip = _Strip(builder, call.array(0), i, next_row)
    stride = builder.extract_value(table.shape, 1)
    vectors = [builder.add(first, INDEX(k)) for k in range(height)]
    starts = [builder.mul(vector, stride) for vector in vectors]
    at_once = _per_line(number)
    widths = (at_once * max(1, 4 // height), at_once, 1)
    lanes = [Lanes(builder, number, width) for width in dict.fromkeys(widths)]
    sums = {some: [variable(builder, some.zeros) for _ in vectors] for some in lanes}

    def add(j: Value, some: Lanes) -> None:
        given = strip.load(j, some)
        for start, total in zip(starts, sums[some], strict=True):
            weights = some.load(some.at(table.data, builder.add(start, j)))
            some.add_product(total, given, weights)

    strip.for_all(lanes, add)
    for k, vector in enumerate(vectors):
        score = _sum_of(builder, number, [sums[some][k] for some in lanes])
        builder.store(score, builder.gep(out.data, [vector]))


def _write_all_scores(call: Call) -> None:
    cases = {height: partial(_write_scores, call, height) for height in range(1, _MOST_VECTORS)}
    switch(call.builder, call.arguments[5], cases, partial(_write_scores, call, _MOST_VECTORS))


_scores = written(types.void, _write_all_scores)


@overload(strip_scores, jit_options=OPTIONS, strict=False)
def _strip_scores(*_kinds: Kind) -> Callable[..., None]:
    def compiled(values: Data, i: int, _next_row: int, shadow: Data, out: Data) -> None:
        left = shadow.shape[0]
        n_groups = (left + _MOST_VECTORS - 1) // _MOST_VECTORS
        k = 0
        while n_groups > 0:  # of about the same size
            height = (left + n_groups - 1) // n_groups
            _scores(values, i, _next_row, shadow, k, height, out)
            k += height
            left -= height
            n_groups -= 1

    return compiled
