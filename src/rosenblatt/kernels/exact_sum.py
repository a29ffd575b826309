"""Exact sums of products of float64 numbers, for the few scores whose sign depends on rounding.

A float64 is an integer of at most 53 bits times a power of two, so a sum of products is an integer
in units of 2**-2256, the smallest that two float64 numbers can produce. The sum is kept as base-2**32
digits in an int64 array, wide enough for the whole range of float64: nothing is rounded, nothing
overflows, and the sign of the sum is the sign of the number. Each product adds less than 2**33 to a
digit, so 2**30 of them fit before a carry is needed: more than any row has features.

The idea is Kulisch's long accumulator; see also R. Neal, "Fast exact summation using small and large
superaccumulators" (2015).
"""

import math

import numpy as np
from numba.extending import register_jitable

from rosenblatt.core.types import Counts

N_DIGITS = 140
_UNIT_EXPONENT = 2256
_DIGIT = 0xFFFFFFFF
_HALF = 0x7FFFFFF  # the low 27 bits of a 53-bit mantissa


@register_jitable
def new_digits() -> Counts:
    """Return the digits of zero."""
    return np.zeros(N_DIGITS, dtype=np.int64)


@register_jitable
def clear(digits: Counts) -> None:
    """Set the digits to zero."""
    for k in range(digits.shape[0]):
        digits[k] = 0


@register_jitable
def _add_shifted(digits: Counts, part: int, position: int) -> None:
    """Add ``part * 2**position``, |part| < 2**55, to the digits in place."""
    sign = -1 if part < 0 else 1
    size = sign * part
    k = position >> 5
    shift = position & 31
    low = (size & _DIGIT) << shift
    high = (size >> 32) << shift
    digits[k] += sign * (low & _DIGIT)
    digits[k + 1] += sign * ((low >> 32) + (high & _DIGIT))
    digits[k + 2] += sign * (high >> 32)


@register_jitable
def add_product(digits: Counts, a: float, b: float) -> None:
    """Add ``a * b`` to the digits in place, exactly; both must be finite."""
    if a == 0.0 or b == 0.0:
        return
    a_fraction, a_exponent = math.frexp(a)
    b_fraction, b_exponent = math.frexp(b)
    a_mantissa = int(a_fraction * 9007199254740992.0)
    b_mantissa = int(b_fraction * 9007199254740992.0)
    position = a_exponent + b_exponent - 106 + _UNIT_EXPONENT
    a_high = a_mantissa >> 27
    a_low = a_mantissa & _HALF
    b_high = b_mantissa >> 27
    b_low = b_mantissa & _HALF
    _add_shifted(digits, a_low * b_low, position)
    _add_shifted(digits, a_high * b_low + a_low * b_high, position + 27)
    _add_shifted(digits, a_high * b_high, position + 54)


@register_jitable
def sign_of(digits: Counts) -> int:
    """Return -1, 0 or +1, the sign of the sum; carry the digits in place."""
    carry = 0
    anything = 0
    for k in range(digits.shape[0]):
        total = digits[k] + carry
        carry = total >> 32
        digits[k] = total & _DIGIT
        anything |= digits[k]
    if carry < 0:
        return -1
    return 1 if anything != 0 else 0


@register_jitable
def nearest(digits: Counts) -> float:
    """Return the float64 nearest to the sum, ties to even; the digits are overwritten.

    A sum beyond the range of float64 gives an infinity.
    """
    sign = sign_of(digits)
    if sign == 0:
        return 0.0
    if sign < 0:
        _negate(digits)
    top = digits.shape[0] - 1
    while digits[top] == 0:
        top -= 1
    leading = 32 * top + math.frexp(float(digits[top]))[1] - 1
    # The exponent of the last place, which is never below the smallest float64.
    last = max(leading - 52, _UNIT_EXPONENT - 1074)
    mantissa = 0
    for k in range(last >> 5, top + 1):
        shift = 32 * k - last
        mantissa |= digits[k] << shift if shift >= 0 else digits[k] >> -shift
    if _rounds_up(digits, last - 1, mantissa & 1):
        mantissa += 1
    exponent = last - _UNIT_EXPONENT
    if exponent > 971 or (exponent == 971 and mantissa == 9007199254740992):
        return sign * math.inf
    return sign * math.ldexp(float(mantissa), exponent)


@register_jitable
def _negate(digits: Counts) -> None:
    """Negate carried digits in place."""
    carry = 0
    for k in range(digits.shape[0]):
        total = carry - digits[k]
        carry = total >> 32
        digits[k] = total & _DIGIT


@register_jitable
def _rounds_up(digits: Counts, half: int, odd: int) -> bool:
    """Return whether the bits from ``half`` down round up; a tie does if the rest is odd."""
    k = half >> 5
    below = half & 31
    if (digits[k] >> below) & 1 == 0:
        return False
    if odd != 0 or digits[k] & ((1 << below) - 1) != 0:
        return True
    anything = 0
    for j in range(k):
        anything |= digits[j]
    return anything != 0
