"""The numbers that bounds are given, checked."""

import math
import numbers
from typing import Any

import numpy as np

from rosenblatt.core.errors import InputError, as_float
from rosenblatt.core.types import Floats


def positive(name: str, value: object) -> float:
    """Return the value as a float, or raise unless it is a finite number above 0."""
    return _number(name, value, above_zero=True)


def not_negative(name: str, value: object) -> float:
    """Return the value as a float, or raise unless it is a finite number of at least 0."""
    return _number(name, value, above_zero=False)


def _number(name: str, value: object, *, above_zero: bool) -> float:
    number = as_float(value)
    if not 0.0 <= number < math.inf or (above_zero and number == 0.0):
        accepted = "above 0" if above_zero else "of at least 0"
        raise InputError(f"{name}={value!r} is not accepted: use a finite number {accepted}")
    return number


def probability(name: str, value: object) -> float:
    """Return the value as a float, or raise unless it is a number above 0 and below 1.

    >>> probability("delta", 1)
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: delta=1 is not accepted: use a number above 0 and below 1
    """
    number = as_float(value)
    if not 0 < number < 1:
        raise InputError(f"{name}={value!r} is not accepted: use a number above 0 and below 1")
    return number


def whole(name: str, value: object, least: int, most: int | None = None) -> int:
    """Return the value as an int, or raise unless it is a whole number in the closed range.

    >>> whole("n_mistakes", 7, 0, 5)
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: n_mistakes=7 is not accepted: use a whole number from 0 to 5
    """
    if (
        isinstance(value, bool)
        or not isinstance(value, numbers.Integral)
        or int(value) < least
        or (most is not None and int(value) > most)
    ):
        accepted = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise InputError(f"{name}={value!r} is not accepted: use a whole number {accepted}")
    return int(value)


def nonnegatives(name: str, values: Any) -> Floats:
    """Return the values as a vector, or raise unless all are finite numbers of at least 0."""
    vector = np.asarray(values)
    if vector.dtype.kind not in "iuf" or vector.ndim != 1 or vector.size == 0:
        raise InputError(
            f"{name} has shape {vector.shape} and type {vector.dtype}: give a vector of numbers, "
            "one for each sample"
        )
    vector = vector.astype(np.float64)
    if not ((vector >= 0.0) & (vector < np.inf)).all():
        raise InputError(f"{name} must be finite and at least 0 everywhere")
    return vector


def whole_counts(name: str, values: Any, n_samples: int) -> Floats:
    """Return the counts, one for each sample, as floats; a ledger's single row of them will do."""
    counts = np.asarray(values)
    counts = counts[0] if counts.ndim == 2 and len(counts) == 1 else counts
    if counts.shape != (n_samples,) or counts.dtype.kind not in "iu" or (counts < 0).any():
        raise InputError(
            f"{name} has shape {counts.shape} and type {counts.dtype}: give {n_samples} whole numbers "
            "of at least 0, one for each sample"
        )
    return counts.astype(np.float64)
