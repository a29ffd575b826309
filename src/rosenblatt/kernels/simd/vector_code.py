"""Code for vector registers, written instruction by instruction: what Numba calls an intrinsic.

A function of this folder is compiled from instructions of LLVM, the compiler below Numba, wherever a
plain loop would not keep its sums in registers. A *lane* is one number of a register. How many there
are has to be known when the code is written, so it is written once for each number, and the choice is
made when it runs: `switch`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import intrinsic, lower_builtin

Builder = ir.IRBuilder
Type = ir.Type
Value = ir.Value
Kind = types.Type
"""A type as Numba knows it; a `Type` is one of LLVM."""

INDEX = ir.IntType(64)
DOUBLE = ir.DoubleType()
SINGLE = ir.FloatType()
SMALL_INT = ir.IntType(32)

OPTIONS: Any = {"forceinline": True, "_nrt": False}
"""How functions around such code are compiled: see ``compiled`` for the latter."""

CACHE_LINE = 64

LANES = 16
"""More lanes than these come in blocks of as many."""


Compiled = Callable[..., Any]


class Array(Protocol):
    """The parts of a NumPy array."""

    data: Value
    shape: Value


class Signature(Protocol):
    """The types of a call's arguments."""

    args: Sequence[Kind]


class _Context(Protocol):
    def make_array(self, kind: Kind) -> "Callable[[_Context, Builder, Value], Array]": ...

    def get_dummy_value(self) -> Value: ...


@dataclass(frozen=True)
class Call:
    """The call that code is written for: its arguments, and the arrays among them."""

    builder: Builder
    arguments: Sequence[Value]
    array: Callable[[int], Array]

    def index(self, argument: int) -> Value:
        """Return an argument that is a place in an array, in 64 bits."""
        value = self.arguments[argument]
        return value if value.type == INDEX else self.builder.sext(value, INDEX)


def written(result: Kind, write: Callable[[Call], Value | None]) -> Compiled:
    """Return a function, for compiled code only, whose own code is written by ``write``."""

    def define(_context: object, *kinds: Kind) -> tuple[object, Callable[..., Value]]:
        def generate(
            context: _Context, builder: Builder, _signature: object, given: Sequence[Value]
        ) -> Value:
            def array(argument: int) -> Array:
                return context.make_array(kinds[argument])(context, builder, arguments[argument])

            arguments = _unpacked(builder, given[0], len(kinds))
            value = write(Call(builder, arguments, array))
            return context.get_dummy_value() if value is None else value

        return result(_packed(kinds)), generate

    function: Compiled = intrinsic(define)
    return function


def compile_as(
    function: Callable[..., object], result: Kind, write: Callable[[Call], Value | None]
) -> None:
    """Let a function, which plain Python runs as it stands, have code that is written by ``write``.

    The code stands where the function is called: nothing is compiled for it alone.
    """

    class Typing(AbstractTemplate):
        def generic(self, args: Sequence[Kind], _names: object) -> object:
            return result(*args)

    def generate(
        context: _Context, builder: Builder, signature: Signature, arguments: Sequence[Value]
    ) -> Value:
        def array(argument: int) -> Array:
            kind = signature.args[argument]
            return context.make_array(kind)(context, builder, arguments[argument])

        value = write(Call(builder, arguments, array))
        return context.get_dummy_value() if value is None else value

    _typed(function)(Typing)
    _lowered(function, _any_number_of(types.Any))(generate)


_typed: Callable[[object], Callable[[type], object]] = infer_global
_lowered: Callable[..., Callable[[object], object]] = lower_builtin
_any_number_of: Callable[[object], object] = types.VarArg

# A function of any number of arguments gets them in a tuple.
_packed: Callable[[Sequence[Kind]], Kind] = types.StarArgTuple.from_types
_unpacked: Callable[[Builder, Value, int], Sequence[Value]] = cgutils.unpack_tuple

variable: Callable[[Builder, Value], Value] = cgutils.alloca_once_value
"""Return the address of a new variable, which is set to a value."""


def loop(
    builder: Builder, position: Value, step: int, end: Value, body: Callable[[Value], None]
) -> None:
    """Write a loop: the body, for the position and in steps, while a step ends before the end."""
    check = builder.append_basic_block("check")
    inside = builder.append_basic_block("inside")
    after = builder.append_basic_block("after")
    builder.branch(check)
    builder.position_at_end(check)
    k = builder.load(position)
    beyond = builder.add(k, INDEX(step))
    builder.cbranch(builder.icmp_signed("<=", beyond, end), inside, after)
    builder.position_at_end(inside)
    body(k)
    builder.store(beyond, position)
    builder.branch(check)
    builder.position_at_end(after)


def switch(
    builder: Builder,
    number: Value,
    cases: Mapping[int, Callable[[], None]],
    otherwise: Callable[[], None],
) -> None:
    """Write what is done for some values of a number, and for all others."""
    default, after = builder.append_basic_block("default"), builder.append_basic_block("after")
    choice = builder.switch(number, default)
    for value, write in cases.items():
        block = builder.append_basic_block(f"case{value}")
        choice.add_case(INDEX(value), block)
        builder.position_at_end(block)
        write()
        builder.branch(after)
    builder.position_at_end(default)
    otherwise()
    builder.branch(after)
    builder.position_at_end(after)


def for_all_lanes(
    builder: Builder, n_lanes: Value, widths: Sequence[int], write: Callable[[int, Value], None]
) -> None:
    """Write what is done with all lanes: they are one of the widths, or many blocks of `LANES`.

    ``write`` is given a number of lanes, and the first of them.
    """

    def write_blocks() -> None:
        first = variable(builder, INDEX(0))
        loop(builder, first, LANES, n_lanes, partial(write, LANES))

    cases = {width: partial(write, width, INDEX(0)) for width in widths}
    switch(builder, n_lanes, cases, write_blocks)


class Lanes:
    """Instructions on ``width`` numbers of a type, side by side."""

    def __init__(self, builder: Builder, number: Type, width: int) -> None:
        self.builder = builder
        self.number = number
        self.width = width
        self.kind = ir.VectorType(number, width)
        self.zeros = ir.Constant(self.kind, [0.0] * width)
        self._undefined = ir.Constant(self.kind, ir.Undefined)
        self._everywhere = ir.Constant(ir.VectorType(SMALL_INT, width), [0] * width)

    def at(self, data: Value, offset: Value) -> Value:
        """Return the address of the lanes that begin at an offset."""
        return self.builder.bitcast(self.builder.gep(data, [offset]), self.kind.as_pointer())

    def load(self, address: Value) -> Value:
        """Return the lanes at an address."""
        return self.builder.load(address, align=4)

    def store(self, lanes: Value, address: Value) -> None:
        """Write the lanes to an address."""
        self.builder.store(lanes, address, align=4)

    def add_product(self, total: Value, values: Value, weights: Value) -> None:
        """Add values times weights to the lanes in a variable, in one rounding or two."""
        builder = self.builder
        product = builder.fmul(values, weights, flags=["contract"])
        builder.store(builder.fadd(product, builder.load(total), flags=["contract"]), total)

    def spread(self, value: Value) -> Value:
        """Return a value in every lane."""
        builder = self.builder
        if value.type != self.number:
            narrow = self.number == SINGLE
            value = (builder.fptrunc if narrow else builder.fpext)(value, self.number)
        first = builder.insert_element(self._undefined, value, SMALL_INT(0))
        return builder.shuffle_vector(first, self._undefined, self._everywhere)
