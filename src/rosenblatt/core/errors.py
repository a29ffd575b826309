"""What can go wrong, in words: every message names the place, what came and what is accepted."""

import math
import numbers
from collections.abc import Sequence


class InputError(ValueError):
    """A value, a file or a line that cannot be used; the message is one sentence for the user."""


class InterruptionError(Exception):
    """The user pressed Ctrl-C."""


class ClosedPipeError(Exception):
    """Whoever was reading the output has gone."""


def check_choice(name: str, value: object, accepted: Sequence[str]) -> None:
    """Raise unless the parameter ``name`` has one of the accepted values.

    >>> check_choice("order", "sorted", ["cyclic", "shuffle"])
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: order='sorted' is not accepted: use 'cyclic' or 'shuffle'
    """
    if not isinstance(value, str) or value not in accepted:
        choices = " or ".join(repr(choice) for choice in accepted)
        raise InputError(f"{name}={value!r} is not accepted: use {choices}")


def check_flag(name: str, value: object) -> None:
    """Raise unless the parameter is True or False, Python's or NumPy's.

    >>> check_flag("exact", 1)
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: exact=1 is not accepted: use True or False
    """
    if type(value).__name__ not in ("bool", "bool_"):
        raise InputError(f"{name}={value!r} is not accepted: use True or False")


def as_float(value: object) -> float:
    """Return a real number as a float: infinity where float64 has none so large, NaN if it is no number.

    >>> as_float(2), as_float(-(10**400)), as_float(True), as_float("2")
    (2.0, -inf, nan, nan)
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return -math.inf if value < 0 else math.inf


def too_long() -> InputError:
    """Return the error for an update that is beyond what float64 can square."""
    return InputError(
        "an update of the weights is so long that its square is no finite float64: "
        "scale the samples of X, or their weights, down, well below 1e150"
    )


def not_finite(row: int) -> InputError:
    """Return the error for a sample whose score is no finite number."""
    return InputError(
        f"the score of row {row} of X is not a finite number: the row contains NaN or infinity, "
        "or values so large that float64 overflows; give finite values, well below 1e150"
    )
