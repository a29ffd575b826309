"""Square roots of rationals, and weights as floats, with rounding that is known."""

import math
from fractions import Fraction

import numpy as np

from rosenblatt.core.types import Floats

Weights = Floats | tuple[int, ...]
"""The weights of a certificate: float64 numbers, or whole numbers of any size."""


def sqrt_down(square: Fraction) -> float:
    """Return the greatest float whose square is not above a rational number; 0 for negative ones.

    >>> sqrt_down(Fraction(1, 4)), sqrt_down(Fraction(2)), sqrt_down(Fraction(2)) ** 2 < 2
    (0.5, 1.414213562373095, True)
    """
    if square <= 0:
        return 0.0
    root = min(_sqrt_near(square), math.nextafter(math.inf, 0.0))
    while Fraction(root) ** 2 > square:
        root = math.nextafter(root, 0.0)
    while (above := math.nextafter(root, math.inf)) < math.inf and Fraction(above) ** 2 <= square:
        root = above
    return root


def sqrt_up(square: Fraction) -> float:
    """Return the least float whose square is not below a rational number.

    >>> sqrt_up(Fraction(1, 4)), sqrt_up(Fraction(2))
    (0.5, 1.4142135623730951)
    """
    root = sqrt_down(square)
    return root if Fraction(root) ** 2 >= square else math.nextafter(root, math.inf)


def _sqrt_near(square: Fraction) -> float:
    # As many binary places as leave some 64 digits of the root.
    places = 64 - (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    if places >= 0:
        scaled = (square.numerator << 2 * places) // square.denominator
    else:
        scaled = square.numerator // (square.denominator << -2 * places)
    try:
        return math.ldexp(math.isqrt(scaled), -places)
    except OverflowError:
        return math.inf


def near_weights(weights: Weights) -> Floats:
    """Return the weights, not all 0, times a power of two that brings the largest to 1, up to 2.

    Each differs from the true one by at most 2·2⁻⁵³ of its size, or by 2⁻¹⁰⁷⁴.

    >>> near_weights((3, -4, 0)).tolist()
    [0.75, -1.0, 0.0]
    """
    if isinstance(weights, tuple):
        bits = max(weight.bit_length() for weight in weights)
        return np.array([_near(weight, 1 - bits) for weight in weights])
    exponent = math.frexp(float(np.abs(weights).max()))[1]
    with np.errstate(all="ignore"):
        # In two steps: one power of two that takes the least float to 1 is no float itself.
        half = (1 - exponent) // 2
        return np.ldexp(np.ldexp(weights, half), 1 - exponent - half)


def _near(weight: int, exponent: int) -> float:
    dropped = max(0, weight.bit_length() - 60)
    return math.ldexp(weight >> dropped, dropped + exponent)


def float_weights(weights: Weights) -> Floats:
    """Return the weights rounded to floats, scaled down by a power of two where they are beyond them.

    >>> float_weights((1, 1, -3)).tolist(), float_weights((2**5000, 2**4999)).tolist()
    ([1.0, 1.0, -3.0], [1.0715086071862673e+301, 5.357543035931337e+300])
    """
    if not isinstance(weights, tuple):
        return weights
    bits = max((weight.bit_length() for weight in weights), default=0)
    if bits == 0:
        return np.zeros(len(weights))
    near: Floats = np.ldexp(near_weights(weights), min(bits - 1, 1000))
    return near
