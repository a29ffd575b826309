"""The columns that Vowpal Wabbit gives to names: MurmurHash3 of 32 bits, or the number that a name is.

A feature is hashed with the hash of its namespace as the seed, so that equal names in two namespaces are
two features. As with Vowpal Wabbit's own default (``--hash strings``), a name of digits alone is not
hashed: its number is added to the seed.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import register_jitable

from rosenblatt.core.types import Bytes
from rosenblatt.kernels.parsing.text_words import (
    WINDOW,
    byte_at,
    load_at,
    n_digits,
    word_at,
)
from rosenblatt.kernels.simd.vector_code import INDEX, Call, Value, compile_as

_BLANK, _COLON, _BAR, _ZERO, _NINE = (ord(byte) for byte in " :|09")
_LOW = 2**32 - 1


def name_window(text: Bytes, place: int) -> np.uint64:
    """Return which of the next 64 bytes end a name: blanks and whatever is below, colons, bars.

    >>> bin(name_window(np.frombuffer(b"ab:1 |c" + b"d" * 57, dtype=np.uint8), 0))
    '0b110100'
    """
    window = text[place : place + WINDOW]
    ends = (window <= _BLANK) | (window == _COLON) | (window == _BAR)
    return np.uint64(int.from_bytes(np.packbits(ends, bitorder="little").tobytes(), "little"))


def _write_name_window(call: Call) -> Value:
    builder = call.builder
    kind = ir.VectorType(ir.IntType(8), WINDOW)
    window = load_at(call, kind)
    ends = builder.icmp_unsigned("<=", window, ir.Constant(kind, [_BLANK] * WINDOW))
    for byte in (_COLON, _BAR):
        is_byte = builder.icmp_unsigned("==", window, ir.Constant(kind, [byte] * WINDOW))
        ends = builder.or_(ends, is_byte)
    return builder.bitcast(ends, INDEX)


compile_as(name_window, types.uint64, _write_name_window)


@register_jitable
def name_length(text: Bytes, place: int) -> int:
    """Return how many bytes the name at a place has."""
    n = n_digits(name_window(text, place))
    length = n
    while n == WINDOW:
        n = n_digits(name_window(text, place + length))
        length += n
    return length


@register_jitable
def name_hash(text: Bytes, place: int, n: int, seed: int) -> int:
    """Return the hash of a name of n bytes, from 0 to below 2**32; an empty name has the seed's.

    >>> text = np.frombuffer(b"price 23 " + bytes(64), dtype=np.uint8)
    >>> name_hash(text, 0, 5, 0), name_hash(text, 6, 2, 5)
    (3888873998, 28)
    """
    number, at = 0, 0
    while at < n and _ZERO <= byte_at(text, place + at) <= _NINE:
        number = (10 * number + byte_at(text, place + at) - _ZERO) & _LOW
        at += 1
    if at == n:
        return (number + seed) & _LOW
    state, left = seed, n
    while left > 0:
        word = word_at(text, place + n - left)
        word = word if left >= 4 else word & ((1 << 8 * left) - 1)
        word = (word * 0xCC9E2D51) & _LOW
        state ^= (((word << 15) | (word >> 17)) * 0x1B873593) & _LOW
        if left >= 4:
            state = ((state << 13) | (state >> 19)) & _LOW
            state = (5 * state + 0xE6546B64) & _LOW
        left -= 4
    state ^= n
    state = ((state ^ (state >> 16)) * 0x85EBCA6B) & _LOW
    state = ((state ^ (state >> 13)) * 0xC2B2AE35) & _LOW
    return state ^ (state >> 16)
