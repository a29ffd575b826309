"""The float64 nearest to digits times a power of ten, with 128-bit integers.

The method is Eisel and Lemire's. Ten to the power of q is five to the power of q times a power of two,
so the digits are multiplied by the first 128 bits of a power of five from a table, and the product's
first 54 bits, one more than a float64 has, determine the rounding. Mushtak and Lemire, "Fast number
parsing without fallback" (2023), prove that these are right for all digits, so that no case remains
undecided; a tie can occur only if the power of five is small.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numpy.typing import NDArray

from rosenblatt.kernels.parsing.text_words import count_zeros
from rosenblatt.kernels.simd.vector_code import DOUBLE, INDEX, Call, Value, compile_as

Fives = NDArray[np.uint64]

SMALLEST, LARGEST = -342, 308
"""With powers of ten below and above these, any number of nineteen digits becomes 0 or infinity."""

_TIES = (-4, 23)
_ROUNDED_UP = -27  # 5**27 is the largest with at most 64 bits
_WIDE = ir.IntType(128)
_MANTISSA_BITS = 52
_LARGEST_POWER = 2046


def _power_of_five(q: int) -> int:
    """Return the first 128 bits of a power of five.

    >>> _power_of_five(0) == 2**127
    True
    """
    if q >= 0:
        power: int = 5**q << 128
        return power >> (power.bit_length() - 128)
    divisor: int = 5**-q
    return (1 << (divisor.bit_length() + 127)) // divisor + (q >= _ROUNDED_UP)


_POWERS = [_power_of_five(q) for q in range(SMALLEST, LARGEST + 1)]

UPPER_FIVES = np.array([power >> 64 for power in _POWERS], dtype=np.uint64)
"""The first 64 bits of the powers of five, from `SMALLEST` to `LARGEST`."""

LOWER_FIVES = np.array([power & (2**64 - 1) for power in _POWERS], dtype=np.uint64)
"""The next 64 bits."""


def nearest_float(digits: int, q: int, _upper_fives: Fives, _lower_fives: Fives) -> float:
    """Return the float64 nearest to ``digits * 10**q``, or infinity; a tie goes to the even one.

    ``digits`` are at least 0 and below 2**64; 2**63 and more may be passed as negative numbers. The
    fives are the tables above.

    >>> nearest_float(9007199254740993, 0, UPPER_FIVES, LOWER_FIVES)
    9007199254740992.0
    """
    return float(f"{int(digits) % 2**64}e{q}")


def _five(call: Call, table: int) -> Value:
    """Return the table's entry for a power, clamped to the table's range."""
    builder, q = call.builder, call.index(1)
    q = builder.select(builder.icmp_signed("<", q, INDEX(SMALLEST)), INDEX(SMALLEST), q)
    q = builder.select(builder.icmp_signed(">", q, INDEX(LARGEST)), INDEX(LARGEST), q)
    position = builder.gep(call.array(table).data, [builder.sub(q, INDEX(SMALLEST))])
    return builder.zext(builder.load(position), _WIDE)


def _write_nearest(call: Call) -> Value:
    builder, digits, q = call.builder, call.index(0), call.index(1)
    zeros = builder.and_(count_zeros(builder, "llvm.ctlz", digits), INDEX(63))
    word = builder.zext(builder.shl(digits, zeros), _WIDE)
    below = builder.lshr(builder.mul(word, _five(call, 3)), _WIDE(64))
    product = builder.add(builder.mul(word, _five(call, 2)), below)
    upper = builder.trunc(builder.lshr(product, _WIDE(64)), INDEX)
    lower = builder.trunc(product, INDEX)
    # The leading bit of the product is its first or second: take 54 bits from there, and their power.
    first = builder.lshr(upper, INDEX(63))
    shift = builder.add(first, INDEX(63 - _MANTISSA_BITS - 2))
    mantissa = builder.lshr(upper, shift)
    power = builder.ashr(builder.mul(q, INDEX(217706)), INDEX(16))  # log2(10) * 2**16
    power = builder.add(power, builder.sub(builder.add(first, INDEX(1086)), zeros))
    is_subnormal = builder.icmp_signed("<=", power, INDEX(0))
    # A tie goes to the even number, so the bit below the last one must not round it up.
    is_tie = builder.and_(
        builder.icmp_unsigned("<=", lower, INDEX(1)),
        builder.icmp_unsigned("<=", builder.sub(q, INDEX(_TIES[0])), INDEX(_TIES[1] - _TIES[0])),
    )
    for condition in (
        builder.icmp_signed("==", builder.and_(mantissa, INDEX(3)), INDEX(1)),
        builder.icmp_signed("==", builder.shl(mantissa, shift), upper),
    ):
        is_tie = builder.and_(is_tie, condition)
    mantissa = builder.sub(mantissa, builder.zext(is_tie, INDEX))
    # A subnormal number has fewer bits; with none left it is 0.
    fewer = builder.sub(INDEX(1), power)
    is_none = builder.icmp_signed(">", fewer, INDEX(63))
    fewer = builder.select(is_none, INDEX(63), fewer)
    fewer = builder.select(is_subnormal, fewer, INDEX(0))
    mantissa = builder.lshr(mantissa, fewer)
    rounded = builder.lshr(builder.add(mantissa, builder.and_(mantissa, INDEX(1))), INDEX(1))
    # The first of 53 bits is not stored, but adds 1 to the power: so does rounding up to 54 bits.
    above = builder.select(is_subnormal, INDEX(0), builder.sub(power, INDEX(1)))
    bits = builder.add(rounded, builder.shl(above, INDEX(_MANTISSA_BITS)))
    is_infinite = builder.icmp_signed(">", power, INDEX(_LARGEST_POWER))
    bits = builder.select(is_infinite, INDEX((_LARGEST_POWER + 1) << _MANTISSA_BITS), bits)
    is_zero = builder.icmp_signed("==", digits, INDEX(0))
    return builder.bitcast(builder.select(is_zero, INDEX(0), bits), DOUBLE)


compile_as(nearest_float, types.float64, _write_nearest)
