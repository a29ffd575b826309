"""The numbers that units are given, checked."""

import math
import numbers
from collections.abc import Iterable
from fractions import Fraction

from rosenblatt.core.constants import WHOLE
from rosenblatt.core.errors import InputError

Number = int | Fraction | float


def exact_number(name: str, value: object) -> Number:
    """Return a finite number as it is, an int where it is whole and not too long to read, or raise.

    A float is the binary number that it is: 0.1 is a little more than 1/10.

    >>> exact_number("threshold", 2.0), exact_number("threshold", Fraction(1, 2))
    (2, Fraction(1, 2))
    >>> exact_number("threshold", 0.3)
    0.3
    >>> exact_number("threshold", float("nan"))
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: threshold=nan is not accepted: use a finite number
    """
    if not isinstance(value, bool):
        if isinstance(value, numbers.Rational):
            return simplest(Fraction(int(value.numerator), int(value.denominator)))
        if isinstance(value, numbers.Real) and math.isfinite(value) and float(value) == value:
            number = float(value)
            return int(number) if number.is_integer() and abs(number) < WHOLE else number
    raise InputError(f"{name}={value!r} is not accepted: use a finite number")


def simplest(number: Fraction) -> Number:
    """Return a fraction as an int where it is whole."""
    return number.numerator if number.denominator == 1 else number


def exact_numbers(name: str, values: Iterable[object]) -> tuple[Number, ...]:
    """Return numbers as they are, or raise unless all are finite, and there are any."""
    try:
        listed = list(values)
    except TypeError:
        listed = []
    if not listed:
        raise InputError(f"{name}={values!r} is not accepted: give at least one number in a row")
    return tuple(exact_number(f"{name}[{place}]", value) for place, value in enumerate(listed))
