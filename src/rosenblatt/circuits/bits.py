"""Inputs and truth tables, checked: any finite numbers, and zeros and ones."""

from collections.abc import Iterable
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from rosenblatt.core.checks import whole
from rosenblatt.core.constants import WHOLE
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Floats, Numbers

MOST_INPUTS = 16
"""A truth table has 2**n_inputs rows: more inputs than these are refused."""


def all_inputs(n_inputs: int) -> Counts:
    """Return every input, one in each row, in the order of truth tables.

    >>> all_inputs(2)
    array([[0, 0],
           [0, 1],
           [1, 0],
           [1, 1]])
    """
    return _counted(whole("n_inputs", n_inputs, 1, MOST_INPUTS))


@cache
def _counted(n_inputs: int) -> Counts:
    places = np.arange(n_inputs - 1, -1, -1)
    table = (np.arange(2**n_inputs)[:, None] >> places) & 1
    table.flags.writeable = False
    return table


def as_inputs(values: ArrayLike, n_inputs: int) -> Numbers:
    """Return one input, or one in each row, as an array, or raise unless it is finite and has the width.

    Whole numbers become integers, which are summed as such; all others are float64, and none is rounded.

    >>> as_inputs("011", 2)
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: inputs have shape (3,): give 2 values, or rows of 2 values
    >>> as_inputs([1.0, 2.0], 2), as_inputs([0.5, 2.0], 2)
    (array([1, 2]), array([0.5, 2. ]))
    """
    if isinstance(values, str):
        array: Numbers = _as_bits("inputs", values)
    else:
        array = _as_array("inputs", values, "finite numbers")
    if array.ndim not in (1, 2) or array.shape[-1] != n_inputs:
        raise InputError(
            f"inputs have shape {array.shape}: give {n_inputs} values, or rows of {n_inputs} values"
        )
    finite = np.isfinite(array)
    if not finite.all():
        place = tuple(int(axis) for axis in np.argwhere(~finite)[0])
        raise _not_accepted("inputs", array[place].item(), place, "finite numbers")
    if array.dtype.kind == "f":
        with np.errstate(over="ignore"):
            floats = array.astype(np.float64)
        _check_not_rounded(values, array, floats)
        is_whole = (np.abs(floats) < WHOLE).all() and (floats == np.rint(floats)).all()
        return floats.astype(np.int64) if is_whole else floats
    return array if array.dtype.kind in "iu" else array.astype(np.int64)


def _check_not_rounded(values: ArrayLike, array: Numbers, floats: Floats) -> None:
    """Raise if a number is not the float64 that it became: a long double, or a long int among floats."""
    given = array
    if not hasattr(values, "dtype") and (np.abs(floats) >= WHOLE).any():
        listed = np.asarray(values, dtype=np.object_)
        # Python compares its own numbers exactly.
        own = [v.item() if isinstance(v, np.generic) else v for v in listed.ravel()]
        given = np.array(own, dtype=np.object_).reshape(listed.shape)
    rounded = np.argwhere(given != floats.astype(given.dtype))
    if len(rounded):
        accepted = "numbers that float64 holds, or only whole numbers that int64 holds"
        place = tuple(int(axis) for axis in rounded[0])
        raise _not_accepted("inputs", given[place], place, accepted)


def as_truth_table(values: ArrayLike) -> Counts:
    """Return a truth table as an array, or raise unless it has one value for each input.

    >>> as_truth_table("011")
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: truth_table has shape (3,): give 2, 4, 8, 16, ... or 65536 \
values in a row, one for each input
    """
    bits = _as_bits("truth_table", values)
    size = bits.size
    if bits.ndim != 1 or not 2 <= size <= 2**MOST_INPUTS or size & (size - 1):
        raise InputError(
            f"truth_table has shape {bits.shape}: give 2, 4, 8, 16, ... or {2**MOST_INPUTS} values "
            "in a row, one for each input"
        )
    return bits


def named(row: Iterable[int]) -> str:
    """Return an input as its digits.

    >>> named([0, 1, 1])
    '011'
    """
    return "".join(str(int(bit)) for bit in row)


def _as_bits(name: str, values: ArrayLike) -> Counts:
    accepted = "0 and 1"
    if isinstance(values, str):
        wrong = next((place for place, digit in enumerate(values) if digit not in "01"), None)
        if wrong is not None:
            raise _not_accepted(name, values[wrong], (wrong,), accepted)
        return np.array([int(digit) for digit in values], dtype=np.int64)
    array = _as_array(name, values, "the numbers 0 and 1, or bool")
    is_bit = (array == 0) | (array == 1)
    if not is_bit.all():
        place = tuple(int(axis) for axis in np.argwhere(~is_bit)[0])
        raise _not_accepted(name, array[place].item(), place, accepted)
    return array.astype(np.int64)


def _as_array(name: str, values: ArrayLike, accepted: str) -> Numbers:
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise InputError(f"{name} cannot be read: rows must have the same length") from error
    if array.dtype.kind not in "biuf" and array.size:
        raise InputError(f"{name} of type {array.dtype} cannot be read: use {accepted}")
    return array


def _not_accepted(name: str, value: object, place: tuple[int, ...], accepted: str) -> InputError:
    where = f"[{', '.join(str(axis) for axis in place)}]" if place else ""
    return InputError(f"{name}{where}={value!r} is not accepted: use {accepted}")
