"""Square roots of rational numbers, and weights as floats, with known rounding."""

import math
from fractions import Fraction

import numpy as np

from rosenblatt.core.types import Floats

Weights = Floats | tuple[int, ...]
"""The weights of a certificate: float64 numbers, or integers of any size."""


def sqrt_down(square: Fraction) -> float:
    """Return the square root of a rational number, rounded down; 0 for negative numbers.

    >>> sqrt_down(Fraction(1, 4)), sqrt_down(Fraction(2)), sqrt_down(Fraction(2)) ** 2 < 2
    (0.5, 1.414213562373095, True)
    """
    if square <= 0:
        return 0.0
    root = min(_approximate_sqrt(square), math.nextafter(math.inf, 0.0))
    while Fraction(root) ** 2 > square:
        root = math.nextafter(root, 0.0)
    while (above := math.nextafter(root, math.inf)) < math.inf and Fraction(above) ** 2 <= square:
        root = above
    return root


def sqrt_up(square: Fraction) -> float:
    """Return the square root of a rational number, rounded up.

    >>> sqrt_up(Fraction(1, 4)), sqrt_up(Fraction(2))
    (0.5, 1.4142135623730951)
    """
    root = sqrt_down(square)
    return root if Fraction(root) ** 2 >= square else math.nextafter(root, math.inf)


def _approximate_sqrt(square: Fraction) -> float:
    # Enough binary places for about 64 bits of the root.
    places = 64 - (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    if places >= 0:
        scaled = (square.numerator << 2 * places) // square.denominator
    else:
        scaled = square.numerator // (square.denominator << -2 * places)
    try:
        return math.ldexp(math.isqrt(scaled), -places)
    except OverflowError:
        return math.inf


def scaled_weights(weights: Weights) -> Floats:
    """Return the weights, not all 0, times a power of two that makes the largest between 1 and 2.

    Each differs from the true one by at most 2·2⁻⁵³ of its size, or by 2⁻¹⁰⁷⁴.

    >>> scaled_weights((3, -4, 0)).tolist()
    [0.75, -1.0, 0.0]
    """
    if isinstance(weights, tuple):
        bits = max(weight.bit_length() for weight in weights)
        return np.array([_scaled(weight, 1 - bits) for weight in weights])
    exponent = math.frexp(float(np.abs(weights).max()))[1]
    with np.errstate(all="ignore"):
        # In two steps: the power of two that scales the smallest float to 1 is not a float itself.
        half = (1 - exponent) // 2
        return np.ldexp(np.ldexp(weights, half), 1 - exponent - half)


def _scaled(weight: int, exponent: int) -> float:
    dropped = max(0, weight.bit_length() - 60)
    return math.ldexp(weight >> dropped, dropped + exponent)


def float_weights(weights: Weights) -> Floats:
    """Return the weights rounded to floats, scaled down by a power of two if they would overflow.

    >>> float_weights((1, 1, -3)).tolist(), float_weights((2**5000, 2**4999)).tolist()
    ([1.0, 1.0, -3.0], [1.0715086071862673e+301, 5.357543035931337e+300])
    """
    if not isinstance(weights, tuple):
        return weights
    bits = max((weight.bit_length() for weight in weights), default=0)
    if bits == 0:
        return np.zeros(len(weights))
    rounded: Floats = np.ldexp(scaled_weights(weights), min(bits - 1, 1000))
    return rounded
