"""Read text many bytes at a time, with vector code that the compiler does not find.

A *window* has one bit for each of 64 bytes of text: 1 if the byte is not a digit. With a window,
consecutive digits are counted and skipped with one instruction each, without reading the text again; and
up to sixteen digits are converted to a number by a few multiplications. In a loop over bytes each step
would wait for the previous one.

Nothing here checks bounds: from every position of a text, `MARGIN` bytes must be readable.
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
"""How many bytes must be readable from any position on: a few windows."""

AT_ONCE = 16
"""Digits that are converted in one step."""

WINDOW = 64

_BYTE = ir.IntType(8)
_WIDE = ir.IntType(8 * AT_ONCE)
_ZERO = ord("0")


def byte_at(text: Bytes, position: int) -> int:
    """Return a byte of a text.

    >>> byte_at(np.frombuffer(b"a", dtype=np.uint8), 0)
    97
    """
    return int(text[position])


def word_at(text: Bytes, position: int) -> int:
    r"""Return four bytes of a text, the first of them lowest.

    >>> word_at(np.frombuffer(b"a\0\0\0", dtype=np.uint8), 0)
    97
    """
    return int.from_bytes(text[position : position + 4].tobytes(), "little")


def window_at(text: Bytes, position: int) -> np.uint64:
    """Return which of the next 64 bytes are not digits; the first of them is the lowest bit.

    >>> bin(window_at(np.frombuffer(b"12:345 " + b"0" * 57, dtype=np.uint8), 0))
    '0b1000100'
    """
    others = (text[position : position + WINDOW] - _ZERO).astype(np.uint8) > 9
    return np.uint64(int.from_bytes(np.packbits(others, bitorder="little").tobytes(), "little"))


def n_digits(window: np.uint64) -> int:
    """Return how many digits a window begins with; 64 if it has only digits.

    >>> n_digits(np.uint64(0b1000100))
    2
    """
    return (int(window) & -int(window)).bit_length() - 1 if window else WINDOW


def without(window: np.uint64, n: int) -> np.uint64:
    """Return a window without its first n bytes; n must be below 64, or the window empty.

    >>> bin(without(np.uint64(0b1000100), 3))
    '0b1000'
    """
    return np.uint64(int(window) >> n)


def eight_digits(text: Bytes, position: int, n: int) -> int:
    r"""Return the value of n digits, at most eight.

    >>> eight_digits(np.frombuffer(b"1:0.25\n", dtype=np.uint8), 4, 2)
    25
    """
    return sixteen_digits(text, position, n)


def sixteen_digits(text: Bytes, position: int, n: int) -> int:
    r"""Return the value of n digits, at most sixteen.

    >>> sixteen_digits(np.frombuffer(b"1:0.25\n", dtype=np.uint8), 4, 2)
    25
    """
    # For more digits, compiled code returns an arbitrary number, which is not used.
    return int(text[position : position + n].tobytes() or b"0") if n <= AT_ONCE else 0


def _load_at(call: Call, kind: Type) -> Value:
    """Emit a load from the text at the position that is the call's second argument."""
    position = call.builder.gep(call.array(0).data, [call.index(1)])
    return call.builder.load(call.builder.bitcast(position, kind.as_pointer()), align=1)


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
    """Emit the number of zeros that a 64-bit word begins ("llvm.ctlz") or ends ("llvm.cttz") with."""
    is_defined_for_0 = ir.IntType(1)(0)
    kind = ir.FunctionType(INDEX, [INDEX, is_defined_for_0.type])
    count = builder.module.declare_intrinsic(name, [INDEX], kind)
    return builder.call(count, [word, is_defined_for_0])


def _write_n_digits(call: Call) -> Value:
    return count_zeros(call.builder, "llvm.cttz", call.arguments[0])


def _write_without(call: Call) -> Value:
    # Shifts by more than 63 bits are undefined; an empty window stays empty.
    return call.builder.lshr(call.arguments[0], call.builder.and_(call.index(1), INDEX(WINDOW - 1)))


def _at_the_end(call: Call, word: Type, n_bytes: int) -> Value:
    """Return the values of n digits as the last bytes of a word, with zeros before them."""
    builder, n = call.builder, call.index(2)
    values = builder.xor(_load_at(call, word), word(int.from_bytes([_ZERO] * n_bytes, "little")))
    n_bits = builder.sub(INDEX(8 * n_bytes), builder.shl(n, INDEX(3)))
    n_bits = builder.and_(n_bits, INDEX(8 * n_bytes - 1))  # larger shifts are undefined
    if word != INDEX:
        n_bits = builder.zext(n_bits, word)
    is_none = builder.icmp_signed("==", n, INDEX(0))
    return builder.select(is_none, word(0), builder.shl(values, n_bits))


def _eight(builder: Builder, digits: Value) -> Value:
    """Return the value of eight digits, the first one in the lowest byte: by pairs, fours, all."""
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
