"""Mean and standard deviation of numbers in chunks, independent of how they are cut into chunks.

Sums are exact (see `rosenblatt.kernels.exact_moments`) and are rounded only in the results.
"""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rosenblatt.core.types import Counts, Floats
from rosenblatt.kernels.exact_moments import (
    HEAVIEST,
    LOW_BITS,
    MOST,
    N_PARTS,
    N_POWERS,
    SHORT_BITS,
    add_moments,
)

# The smallest positive float64 is 2**-_UNIT, and all others are multiples of it.
_UNIT = 1074
# Numbers that differ by less than this differ by rounding.
_ROUNDINGS = 64
_MORE_BITS = 128


class Moments:
    """The count, exact sum, exact sum of squares, lowest and highest of some numbers.

    >>> moments = Moments()
    >>> moments.add(np.array([1.0, np.nan]))
    >>> moments.add(np.array([4.0]), times=np.array([2]))
    >>> moments.n, moments.mean(), moments.largest, moments.spread()
    (3, 3.0, 4.0, 1.4142135623730951)
    """

    def __init__(self) -> None:
        self.n, self.lowest, self.highest = 0, math.inf, -math.inf
        # in units of 2**-_UNIT and of its square
        self._sum, self._squares = 0, 0

    def add(self, values: Floats, times: Counts | None = None) -> None:
        """Add finite numbers, each ``times`` times; NaN is ignored."""
        for start in range(0, len(values), MOST):
            # a read-only array would be compiled for separately
            some = np.require(values[start : start + MOST], requirements=["C", "W"])
            if times is None:
                self._add(some, np.ones(len(some), np.uint8), 0)
                continue
            left, shift = times[start : start + MOST], 0
            while left.any():
                self._add(some, (left & HEAVIEST).astype(np.uint8), shift)
                left, shift = left >> HEAVIEST.bit_length(), shift + HEAVIEST.bit_length()

    def _add(self, values: Floats, times: NDArray[np.uint8], shift: int) -> None:
        """Add each number ``times * 2**shift`` times."""
        parts = np.zeros((N_POWERS, N_PARTS), np.int64)
        n, lowest, highest, first, last = add_moments(values, values.view(np.uint64), times, parts)
        self.n += n << shift
        self.lowest, self.highest = min(self.lowest, lowest), max(self.highest, highest)
        for power, (low, high, *halves) in enumerate(parts[first : last + 1].tolist(), first):
            position = shift + max(power - 1, 0)
            self._sum += (low + (high << LOW_BITS)) << position
            of_low, of_both, of_high = (
                halves[k] + (halves[k + 1] << SHORT_BITS) for k in range(0, len(halves), 2)
            )
            square = of_low + (of_both << LOW_BITS + 1) + (of_high << 2 * LOW_BITS)
            self._squares += square << position + max(power - 1, 0)

    def join(self, others: "Moments") -> None:
        """Add the numbers of other moments."""
        self.n += others.n
        self.lowest, self.highest = (
            min(self.lowest, others.lowest),
            max(self.highest, others.highest),
        )
        self._sum += others._sum
        self._squares += others._squares

    @property
    def largest(self) -> float:
        """The largest absolute value."""
        return max(abs(self.lowest), abs(self.highest))

    def are_zero_or_one(self) -> bool:
        """Return whether all numbers are 0 or 1: others between 0 and 1 have smaller squares."""
        within = self.lowest >= 0.0 and self.highest <= 1.0
        return within and self._squares == self._sum << _UNIT

    def mean(self) -> float:
        """Return the mean, rounded once."""
        return float(Fraction(self._sum, self.n << _UNIT))

    def spread(self) -> float:
        """Return the standard deviation, or 0 if it is only rounding error."""
        # n² times the variance, in units
        total = self.n * self._squares - self._sum**2
        root = math.isqrt(total << 2 * _MORE_BITS)
        spread = float(Fraction(root, self.n << _UNIT + _MORE_BITS))
        # relative to the power of 2 above the largest number
        smallest = min(self.n, _ROUNDINGS) * math.ulp(1.0)
        exponent = math.frexp(self.largest)[1]
        return 0.0 if math.ldexp(spread, -exponent) <= smallest else spread
