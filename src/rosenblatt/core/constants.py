"""Constants of float64 arithmetic."""

from typing import Final

ROUNDOFF: Final = 2.0**-53
"""The largest relative error of one rounded operation."""

TWO_ROUNDOFFS: Final = 2.0**-52
"""Twice that: bounds are doubled to cover their own rounding."""

SMALL_PRODUCT: Final = 1e-290
"""An upper bound on what products, however many, lose to underflow."""

SMALL_NORM: Final = 1e-150
"""Norms below this may have lost bits to underflow."""

LARGE_SQUARE: Final = 1e300
"""Sums of squares below this have not overflowed, and products of their roots do not."""

LARGEST: Final = 1e150
"""Numbers below this have a finite square."""

WHOLE: Final = 2**53
"""float64 represents every whole number up to this one."""
