"""The float64 nearest to digits times a power of ten, in whole numbers of 128 bits.

Method: Eisel and Lemire's. Ten to the power of q is five to the power of q times a power of two, so the
digits are multiplied with the first 128 bits of a power of five from a table, and the product's first
54 bits, one more than a float64 has, say how it is rounded. That these are right whatever the digits
are, so that no case is left undecided, is proved in Mushtak and Lemire, "Fast number parsing without
fallback" (2023); a tie can only occur where the power of five is small.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numpy.typing import NDArray

from rosenblatt.kernels.parsing.text_words import count_zeros
from rosenblatt.kernels.simd.vector_code import DOUBLE, INDEX, Call, Value, compile_as

Fives = NDArray[np.uint64]

SMALLEST, LARGEST = -342, 308
"""Powers of ten below and above these make 0 and infinity of any number of nineteen digits."""

_TIES = (-4, 23)
_ROUNDED_UP = -27  # 5**27 is the largest that has no more than 64 bits
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
"""The first 64 bits of the powers of five, from that of `SMALLEST` to that of `LARGEST`."""

LOWER_FIVES = np.array([power & (2**64 - 1) for power in _POWERS], dtype=np.uint64)
"""The next 64 bits."""


def nearest_float(digits: int, q: int, _upper_fives: Fives, _lower_fives: Fives) -> float:
    """Return the float64 nearest to ``digits * 10**q``, perhaps infinity; of two, the even one.

    ``digits`` are at least 0 and below 2**64: what is from 2**63 on may come as a negative number.
    The fives are the tables above.

    >>> nearest_float(9007199254740993, 0, UPPER_FIVES, LOWER_FIVES)
    9007199254740992.0
    """
    return float(f"{int(digits) % 2**64}e{q}")


def _five(call: Call, table: int) -> Value:
    """Return what a table has for a power, or at its end that is nearer to it."""
    builder, q = call.builder, call.index(1)
    q = builder.select(builder.icmp_signed("<", q, INDEX(SMALLEST)), INDEX(SMALLEST), q)
    q = builder.select(builder.icmp_signed(">", q, INDEX(LARGEST)), INDEX(LARGEST), q)
    place = builder.gep(call.array(table).data, [builder.sub(q, INDEX(SMALLEST))])
    return builder.zext(builder.load(place), _WIDE)


def _write_nearest(call: Call) -> Value:
    builder, digits, q = call.builder, call.index(0), call.index(1)
    zeros = builder.and_(count_zeros(builder, "llvm.ctlz", digits), INDEX(63))
    word = builder.zext(builder.shl(digits, zeros), _WIDE)
    below = builder.lshr(builder.mul(word, _five(call, 3)), _WIDE(64))
    product = builder.add(builder.mul(word, _five(call, 2)), below)
    upper = builder.trunc(builder.lshr(product, _WIDE(64)), INDEX)
    lower = builder.trunc(product, INDEX)
    # The product begins in its first bit or in its second: take 54 bits, with the power that they have.
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
    # The first of 53 bits is not stored, but adds 1 to the power: so does what is rounded up to 54.
    above = builder.select(is_subnormal, INDEX(0), builder.sub(power, INDEX(1)))
    bits = builder.add(rounded, builder.shl(above, INDEX(_MANTISSA_BITS)))
    is_infinite = builder.icmp_signed(">", power, INDEX(_LARGEST_POWER))
    bits = builder.select(is_infinite, INDEX((_LARGEST_POWER + 1) << _MANTISSA_BITS), bits)
    is_zero = builder.icmp_signed("==", digits, INDEX(0))
    return builder.bitcast(builder.select(is_zero, INDEX(0), bits), DOUBLE)


compile_as(nearest_float, types.float64, _write_nearest)
