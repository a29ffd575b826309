"""Parse decimal numbers to float64, correct to the last bit, with the same result as Python's ``float``.

``core/number_syntax`` defines what a number is. The first nineteen digits are kept. If there are more,
the number is between two numbers with nineteen digits, and is known if both have the same float64. If
not, or if a number is longer than a window, Python must read it.

The digits of most numbers are an integer up to 2**53, and their power of ten is exact in float64: then a
product or a quotient of two floats is the nearest float (Clinger 1990). For the others, see
``nearest_float``.
"""

import numpy as np
from numba.extending import register_jitable

from rosenblatt.core.constants import WHOLE
from rosenblatt.core.types import Bytes
from rosenblatt.kernels.parsing.nearest_float import (
    LOWER_FIVES,
    UPPER_FIVES,
    nearest_float,
)
from rosenblatt.kernels.parsing.text_words import (
    AT_ONCE,
    byte_at,
    eight_digits,
    n_digits,
    sixteen_digits,
    without,
)

_ZERO, _POINT, _E, _SMALL = ord("0"), ord("."), ord("e"), 32
_PLUS, _MINUS = ord("+"), ord("-")

_TENS = 10 ** np.arange(19)
_MOST_AT_ONCE = 18  # every number with this many digits is an int64
_LAST_TEN = 10**18

_FLOAT_TENS = 10.0 ** np.arange(23)
_LARGEST_FLOAT_TEN = 22


@register_jitable
def _with_more_digits(text: Bytes, position: int, end: int, digits: int) -> tuple[int, int, int]:
    """Return the digits extended by those that follow, how many were omitted, and 0 if those are all 0.

    Values of 2**63 or more are negative in compiled code, which uses 64 bits.
    """
    n_left_out = 0
    left_out = 0
    for k in range(position, end):
        digit = byte_at(text, k) - _ZERO
        if digit >= 0:  # not the point
            if 0 <= digits < _LAST_TEN:
                digits = 10 * digits + digit
            else:
                n_left_out += 1
                left_out |= digit
    return digits, n_left_out, left_out


@register_jitable
def number_at(text: Bytes, position: int, window: np.uint64) -> tuple[float, int]:
    """Return the finite number at a position whose window is given, and its end.

    The end is -1 if there is no number, or one that Python must read: not finite, longer than the
    window, or not determined by its first nineteen digits.
    """
    sign = byte_at(text, position)
    is_negative = sign == _MINUS
    if is_negative or sign == _PLUS:
        position += 1
        window = without(window, 1)
    n_whole = n_digits(window)
    n_fraction = 0
    window = without(window, n_whole)
    end = position + n_whole
    if byte_at(text, end) == _POINT:
        window = without(window, 1)
        n_fraction = n_digits(window)
        window = without(window, n_fraction)
        end += 1 + n_fraction
    fraction, q = end - n_fraction, -n_fraction
    is_number = n_whole + n_fraction > 0
    if byte_at(text, end) | _SMALL == _E:
        power_sign = byte_at(text, end + 1)
        is_small = power_sign == _MINUS
        n_before = 2 if is_small or power_sign == _PLUS else 1
        window = without(window, n_before)
        n_power = n_digits(window)
        window = without(window, n_power)
        power = eight_digits(text, end + n_before, n_power)
        is_number = is_number and 0 < n_power <= AT_ONCE // 2
        end += n_before + n_power
        q += -power if is_small else power
    if not is_number or n_digits(window) > 0:
        return 0.0, -1
    digits, left_out, rest, n_taken = 0, 0, position, n_fraction
    if n_fraction > AT_ONCE:
        n_taken = AT_ONCE
    if n_whole <= AT_ONCE // 2 and n_whole + n_taken <= _MOST_AT_ONCE:
        digits = eight_digits(text, position, n_whole) * _TENS[n_taken]
        digits += sixteen_digits(text, fraction, n_taken)
        rest = fraction + n_taken
    if rest < fraction + n_fraction:
        digits, n_left_out, left_out = _with_more_digits(text, rest, fraction + n_fraction, digits)
        q += n_left_out
    if left_out == 0 and 0 <= digits <= WHOLE and -_LARGEST_FLOAT_TEN <= q <= _LARGEST_FLOAT_TEN:
        value = digits * _FLOAT_TENS[q] if q >= 0 else digits / _FLOAT_TENS[-q]
    else:
        value = nearest_float(digits, q, UPPER_FIVES, LOWER_FIVES)
        is_open = left_out != 0 and nearest_float(digits + 1, q, UPPER_FIVES, LOWER_FIVES) != value
        if is_open or value == np.inf:
            end = -1
    return (-value if is_negative else value), end
