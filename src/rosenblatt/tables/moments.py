"""Mean and standard deviation of numbers in chunks, independent of how they are cut into chunks.

Sums are exact (see `rosenblatt.kernels.exact_moments`) and are rounded only in the results.
"""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rosenblatt.core.types import Counts, Floats
from rosenblatt.kernels.exact_moments import HEAVIEST, MOST, UNIT, exact_totals

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
        # in units of 2**-UNIT and of its square
        self._sum, self._squares = 0, 0

    def add(self, values: Floats, times: Counts | None = None) -> None:
        """Add finite numbers, each ``times`` times; NaN is ignored."""
        for start in range(0, len(values), MOST):
            some = values[start : start + MOST]
            if times is None:
                self._add(some, None, 0)
                continue
            left, shift = times[start : start + MOST], 0
            while left.any():
                self._add(some, (left & HEAVIEST).astype(np.uint8), shift)
                left, shift = left >> HEAVIEST.bit_length(), shift + HEAVIEST.bit_length()

    def _add(self, values: Floats, times: NDArray[np.uint8] | None, shift: int) -> None:
        """Add each number ``times * 2**shift`` times."""
        n, lowest, highest, total, squares = exact_totals(values, times)
        self.n += n << shift
        self.lowest, self.highest = min(self.lowest, lowest), max(self.highest, highest)
        self._sum += total << shift
        self._squares += squares << shift

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
        return within and self._squares == self._sum << UNIT

    def mean(self) -> float:
        """Return the mean, rounded once."""
        return float(Fraction(self._sum, self.n << UNIT))

    def spread(self) -> float:
        """Return the standard deviation, or 0 if it is only rounding error."""
        # n² times the variance, in units
        total = self.n * self._squares - self._sum**2
        root = math.isqrt(total << 2 * _MORE_BITS)
        spread = float(Fraction(root, self.n << UNIT + _MORE_BITS))
        # relative to the power of 2 above the largest number
        smallest = min(self.n, _ROUNDINGS) * math.ulp(1.0)
        exponent = math.frexp(self.largest)[1]
        return 0.0 if math.ldexp(spread, -exponent) <= smallest else spread
