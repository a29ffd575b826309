"""The numbers that units are given, checked."""

import numbers
from collections.abc import Iterable
from fractions import Fraction

from rosenblatt.core.errors import InputError

Number = int | Fraction


def exact_number(name: str, value: object) -> Number:
    """Return a whole number or a fraction as it is, or raise.

    Floats are accepted where they are whole, as learned weights often are: others are rarely the
    numbers that they look like.

    >>> exact_number("threshold", 2.0), exact_number("threshold", Fraction(1, 2))
    (2, Fraction(1, 2))
    >>> exact_number("threshold", 0.3)
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: threshold=0.3 is not accepted: use a whole number or a Fraction
    """
    if isinstance(value, numbers.Rational) and not isinstance(value, bool):
        number = Fraction(int(value.numerator), int(value.denominator))
    elif isinstance(value, float) and value.is_integer():
        number = Fraction(value)
    else:
        raise InputError(f"{name}={value!r} is not accepted: use a whole number or a Fraction")
    return number.numerator if number.denominator == 1 else number


def exact_numbers(name: str, values: Iterable[object]) -> tuple[Number, ...]:
    """Return numbers as they are, or raise unless all are whole or fractions, and there are any."""
    try:
        listed = list(values)
    except TypeError:
        listed = []
    if not listed:
        raise InputError(f"{name}={values!r} is not accepted: give at least one number in a row")
    return tuple(exact_number(f"{name}[{place}]", value) for place, value in enumerate(listed))
