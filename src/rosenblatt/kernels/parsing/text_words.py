"""Text many bytes at a time: what the compiler does not find by itself.

A *window* is 64 bytes of text, one bit for each of them: 1 where the byte is not a digit. Once it is
known, the digits that follow one another are counted, and stepped over, by an instruction each, without
another look at the text; and up to sixteen of them become a number by a few multiplications. In a loop
over bytes each would wait for the one before it.

Nothing here checks where it reads: from any place of a text, `MARGIN` bytes must be readable.
"""

import numpy as np
from llvmlite import ir
from numba import types

from rosenblatt.core.types import Bytes
from rosenblatt.kernels.simd.vector_code import (
    INDEX,
    SMALL_INT,
    Builder,
    Call,
    Type,
    Value,
    compile_as,
)

MARGIN = 256
"""How many bytes must be readable from any place on: a few windows."""

AT_ONCE = 16
"""Digits that become a number in one step."""

WINDOW = 64

_BYTE = ir.IntType(8)
_WIDE = ir.IntType(8 * AT_ONCE)
_ZERO = ord("0")


def byte_at(text: Bytes, place: int) -> int:
    """Return a byte of a text.

    >>> byte_at(np.frombuffer(b"a", dtype=np.uint8), 0)
    97
    """
    return int(text[place])


def word_at(text: Bytes, place: int) -> int:
    r"""Return four bytes of a text, the first of them lowest.

    >>> word_at(np.frombuffer(b"a\0\0\0", dtype=np.uint8), 0)
    97
    """
    return int.from_bytes(text[place : place + 4].tobytes(), "little")


def window_at(text: Bytes, place: int) -> np.uint64:
    """Return which of the next 64 bytes are not digits; the first of them is the lowest bit.

    >>> bin(window_at(np.frombuffer(b"12:345 " + b"0" * 57, dtype=np.uint8), 0))
    '0b1000100'
    """
    others = (text[place : place + WINDOW] - _ZERO).astype(np.uint8) > 9
    return np.uint64(int.from_bytes(np.packbits(others, bitorder="little").tobytes(), "little"))


def n_digits(window: np.uint64) -> int:
    """Return how many digits a window begins with; all its 64 bits if it has no other byte.

    >>> n_digits(np.uint64(0b1000100))
    2
    """
    return (int(window) & -int(window)).bit_length() - 1 if window else WINDOW


def without(window: np.uint64, n: int) -> np.uint64:
    """Return a window without its first bytes; n is less than 64, or the window is empty.

    >>> bin(without(np.uint64(0b1000100), 3))
    '0b1000'
    """
    return np.uint64(int(window) >> n)


def eight_digits(text: Bytes, place: int, n: int) -> int:
    r"""Return the number that n digits, at most eight, are.

    >>> eight_digits(np.frombuffer(b"1:0.25\n", dtype=np.uint8), 4, 2)
    25
    """
    return sixteen_digits(text, place, n)


def sixteen_digits(text: Bytes, place: int, n: int) -> int:
    r"""Return the number that n digits, at most sixteen, are.

    >>> sixteen_digits(np.frombuffer(b"1:0.25\n", dtype=np.uint8), 4, 2)
    25
    """
    # Of more, compiled code makes some number, which nobody uses.
    return int(text[place : place + n].tobytes() or b"0") if n <= AT_ONCE else 0


def _load_at(call: Call, kind: Type) -> Value:
    """Write the load of what is at the place that a call names."""
    place = call.builder.gep(call.array(0).data, [call.index(1)])
    return call.builder.load(call.builder.bitcast(place, kind.as_pointer()), align=1)


def _write_byte(call: Call) -> Value:
    return call.builder.zext(_load_at(call, _BYTE), INDEX)


def _write_word(call: Call) -> Value:
    return call.builder.zext(_load_at(call, SMALL_INT), INDEX)


def _write_window(call: Call) -> Value:
    kind = ir.VectorType(_BYTE, WINDOW)
    codes = call.builder.sub(_load_at(call, kind), ir.Constant(kind, [_ZERO] * WINDOW))
    others = call.builder.icmp_unsigned(">", codes, ir.Constant(kind, [9] * WINDOW))
    return call.builder.bitcast(others, INDEX)


def count_zeros(builder: Builder, name: str, word: Value) -> Value:
    """Write how many zeros a word of 64 bits begins ("llvm.ctlz") or ends ("llvm.cttz") with."""
    is_defined_for_0 = ir.IntType(1)(0)
    kind = ir.FunctionType(INDEX, [INDEX, is_defined_for_0.type])
    count = builder.module.declare_intrinsic(name, [INDEX], kind)
    return builder.call(count, [word, is_defined_for_0])


def _write_n_digits(call: Call) -> Value:
    return count_zeros(call.builder, "llvm.cttz", call.arguments[0])


def _write_without(call: Call) -> Value:
    # More than 63 is undefined; an empty window stays one whatever is asked.
    return call.builder.lshr(call.arguments[0], call.builder.and_(call.index(1), INDEX(WINDOW - 1)))


def _at_the_end(call: Call, word: Type, n_bytes: int) -> Value:
    """Return n digits as the last of some bytes, each less the code of 0, with zeros before them."""
    builder, n = call.builder, call.index(2)
    values = builder.xor(_load_at(call, word), word(int.from_bytes([_ZERO] * n_bytes, "little")))
    n_bits = builder.sub(INDEX(8 * n_bytes), builder.shl(n, INDEX(3)))
    n_bits = builder.and_(n_bits, INDEX(8 * n_bytes - 1))  # more is undefined
    if word != INDEX:
        n_bits = builder.zext(n_bits, word)
    is_none = builder.icmp_signed("==", n, INDEX(0))
    return builder.select(is_none, word(0), builder.shl(values, n_bits))


def _eight(builder: Builder, digits: Value) -> Value:
    """Return the number that eight digits are, the first one lowest: as pairs, as fours, as a whole."""
    pairs = builder.add(builder.mul(digits, INDEX(10)), builder.lshr(digits, INDEX(8)))
    mask = INDEX(0x000000FF000000FF)
    first = builder.mul(builder.and_(pairs, mask), INDEX(100 + (10**6 << 32)))
    second = builder.and_(builder.lshr(pairs, INDEX(16)), mask)
    total = builder.add(first, builder.mul(second, INDEX(1 + (10**4 << 32))))
    return builder.lshr(total, INDEX(32))


def _write_eight_digits(call: Call) -> Value:
    return _eight(call.builder, _at_the_end(call, INDEX, AT_ONCE // 2))


def _write_sixteen_digits(call: Call) -> Value:
    builder = call.builder
    digits = _at_the_end(call, _WIDE, AT_ONCE)
    first = _eight(builder, builder.trunc(digits, INDEX))
    second = _eight(builder, builder.trunc(builder.lshr(digits, _WIDE(64)), INDEX))
    return builder.add(builder.mul(first, INDEX(10**8)), second)


compile_as(byte_at, types.int64, _write_byte)
compile_as(word_at, types.int64, _write_word)
compile_as(window_at, types.uint64, _write_window)
compile_as(n_digits, types.int64, _write_n_digits)
compile_as(without, types.uint64, _write_without)
compile_as(eight_digits, types.int64, _write_eight_digits)
compile_as(sixteen_digits, types.int64, _write_sixteen_digits)
