"""What changed of an array, so that only that travels, where it is less than all of it.

Numbers are told apart by their bits: 0.0 and -0.0 differ, and a NaN is the same as itself. What comes
out is what went in, bit for bit.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rosenblatt.core.types import Floats, Indices

_Bits = NDArray[np.uint64]

_STRETCH = 1 << 16
"""As many numbers are compared at a time as stay in a processor's cache."""


@dataclass(frozen=True)
class Changes:
    """New values at some places of an array, or all of its values where ``places`` is None."""

    shape: tuple[int, ...]
    places: Indices | None
    values: Floats


def changes(before: Floats | None, after: Floats) -> Changes:
    """Return what makes ``after`` of ``before``, or of an array of zeros where that is None.

    >>> changes(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.0, 5.0, 4.0]))
    Changes(shape=(4,), places=array([2], dtype=int32), values=array([5.]))
    >>> changes(None, np.array([1.0, 2.0])).places is None
    True
    """
    values = np.ascontiguousarray(after, dtype=np.float64).reshape(-1)
    places = None
    if before is None or before.shape == after.shape:
        places = _few_places(_bits(before, after.size), _bits(values, after.size))
    if places is None:
        return Changes(after.shape, None, values)
    return Changes(after.shape, places, values[places])


def changed(before: Floats | None, what: Changes) -> Floats:
    """Return the array after the changes; the one before stays as it was.

    >>> changed(np.zeros(3), changes(np.zeros(3), np.array([0.0, -0.0, 0.0])))
    array([ 0., -0.,  0.])
    """
    if what.places is None:
        return what.values.reshape(what.shape)
    after = np.zeros(what.shape) if before is None else np.array(before, np.float64, order="C")
    after.reshape(-1)[what.places] = what.values
    return after


def _bits(values: Floats | None, size: int) -> _Bits:
    if values is None:
        return np.broadcast_to(np.uint64(0), (size,))
    return np.ascontiguousarray(values, dtype=np.float64).reshape(-1).view(np.uint64)


def _few_places(before: _Bits, after: _Bits) -> Indices | None:
    """Return where both differ, or None where places and values would be more than all values."""
    is_short = len(after) <= np.iinfo(np.int32).max
    most = 8 * len(after) // (8 + (4 if is_short else 8))
    differ = np.empty(len(after), np.bool_)
    n_places = 0
    for start in range(0, len(after), _STRETCH):
        stretch = slice(start, start + _STRETCH)
        np.not_equal(before[stretch], after[stretch], out=differ[stretch])
        n_places += int(np.count_nonzero(differ[stretch]))
        if n_places > most:
            return None
    places = np.flatnonzero(differ)
    return places.astype(np.int32) if is_short else places
