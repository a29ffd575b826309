"""Facts about float64 that more than one module uses."""

from typing import Final

ROUNDOFF: Final = 2.0**-53
"""The relative error of one rounded operation, at most."""

TWO_ROUNDOFFS: Final = 2.0**-52
"""Twice that: bounds are made twice as wide as they need be, which pays for their own rounding."""

SMALL_PRODUCT: Final = 1e-290
"""What products may have lost to underflow, at most, however many they are."""

SMALL_NORM: Final = 1e-150
"""Square roots of sums of squares below it may have lost bits to underflow."""

LARGE_SQUARE: Final = 1e300
"""Sums of squares below it have not overflowed, nor does a product of their roots."""

LARGEST: Final = 1e150
"""Numbers below it have a finite square."""

WHOLE: Final = 2**53
"""Whole numbers up to this one are all float64 numbers."""
