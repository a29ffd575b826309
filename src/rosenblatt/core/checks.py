"""Parameter checks.

Each function takes a parameter's name and value, and returns the value or raises an InputError with the
name, the value and the accepted values.
"""

import math
import numbers
from collections.abc import Sequence

import numpy as np

from rosenblatt.core.errors import InputError

SMALLEST_RATE, LARGEST_RATE = 1e-100, 1e100
"""The range of learning rates: products with weights below 1e150 are finite."""

# Python refuses to print numbers of more than 4,300 digits.
_MOST_BITS = 256


def is_number(value: object) -> bool:
    """Return whether a value is a real number (Python or NumPy) and not a bool.

    >>> is_number(0.5), is_number(True), is_number("1")
    (True, False, False)
    """
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def as_float(value: object) -> float:
    """Return a number as a float: infinity if it overflows, NaN if the value is not a number.

    >>> as_float(2), as_float(-(10**400)), as_float(True), as_float("2")
    (2.0, -inf, nan, nan)
    """
    if not isinstance(value, numbers.Real) or not is_number(value):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return -math.inf if value < 0 else math.inf


def check_choice(name: str, value: object, accepted: Sequence[str]) -> None:
    """Raise unless the value is one of the accepted strings.

    >>> check_choice("order", "sorted", ["cyclic", "shuffle"])
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: order='sorted' is not accepted: use 'cyclic' or 'shuffle'
    """
    if not isinstance(value, str) or value not in accepted:
        choices = " or ".join(repr(choice) for choice in accepted)
        raise InputError(f"{name}={value!r} is not accepted: use {choices}")


def check_flag(name: str, value: object) -> None:
    """Raise unless the value is a Python or NumPy bool.

    >>> check_flag("exact", 1)
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: exact=1 is not accepted: use True or False
    """
    if type(value).__name__ not in ("bool", "bool_"):
        raise InputError(f"{name}={value!r} is not accepted: use True or False")


def check_unmasked(values: object, name: str) -> None:
    """Raise if an array, or a row in a list of them, is masked: NumPy would show what is hidden.

    >>> check_unmasked(np.ma.masked_equal([1, -9], -9), "y")
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: y has masked values: fill them in, or leave these samples out
    """
    parts = values if isinstance(values, list | tuple) else [values]
    if any(isinstance(part, np.ma.MaskedArray) and np.ma.is_masked(part) for part in parts):
        raise InputError(f"{name} has masked values: fill them in, or leave these samples out")


def whole_number(name: str, value: object, least: int, most: int | None = None) -> int:
    """Return the value as an int; raise unless it is a whole number from ``least`` to ``most``.

    >>> whole_number("n_mistakes", 7, 0, 5)
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: n_mistakes=7 is not accepted: use a whole number from 0 to 5
    """
    number = int(value) if isinstance(value, numbers.Integral) and is_number(value) else None
    if number is None or number < least or (most is not None and number > most):
        accepted = f"of at least {least}" if most is None else f"from {least} to {most}"
        is_long = number is not None and number.bit_length() > _MOST_BITS
        shown = f"{name} of {_MOST_BITS} bits or more" if is_long else f"{name}={value!r}"
        raise InputError(f"{shown} is not accepted: use a whole number {accepted}")
    return number


def number(
    name: str,
    value: object,
    accepted: str,
    *,
    above: float = -math.inf,
    least: float = -math.inf,
    below: float = math.inf,
    most: float = math.inf,
) -> float:
    """Return the value as a float; raise unless it is in the range that ``accepted`` describes.

    >>> number("tol", 1, "a number from 0 to below 1", least=0, below=1)
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: tol=1 is not accepted: use a number from 0 to below 1
    """
    found = as_float(value)
    if not (above < found < below and least <= found <= most):
        raise InputError(f"{name}={value!r} is not accepted: use {accepted}")
    return found


def positive(name: str, value: object) -> float:
    """Return the value as a float; raise unless it is a finite number above 0."""
    return number(name, value, "a finite number above 0", above=0.0)


def not_negative(name: str, value: object) -> float:
    """Return the value as a float; raise unless it is a finite number of at least 0."""
    return number(name, value, "a finite number of at least 0", least=0.0)


def between(name: str, value: object, low: float, high: float) -> float:
    """Return the value as a float; raise unless it is strictly between ``low`` and ``high``.

    >>> between("delta", 1, 0, 1)
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: delta=1 is not accepted: use a number above 0 and below 1
    """
    accepted = f"a number above {low:g}" + (f" and below {high:g}" if high < math.inf else "")
    return number(name, value, accepted, above=low, below=high)


def rate(name: str, value: object) -> float:
    """Return a learning rate as a float; raise unless it is a number from 1e-100 to 1e100."""
    return number(
        name, value, "a number from 1e-100 to 1e100", least=SMALLEST_RATE, most=LARGEST_RATE
    )


def time_limit(name: str, value: object) -> float:
    """Return a limit in seconds, infinity for None; raise unless it is a number above 0 or None.

    >>> time_limit("time_limit", None)
    inf
    """
    if value is None or (is_number(value) and value == math.inf):
        return math.inf
    return number(name, value, "None or a number above 0", above=0.0)
