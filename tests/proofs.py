"""A slow reference checker of certificates: all vectors written out, all numbers as fractions."""

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from margin import dot

Key = int | tuple[int, int]
Vectors = dict[Key, list[Fraction]]
Combination = Mapping[int, int] | Mapping[tuple[int, int], int]
Weights = np.ndarray | tuple[int, ...]


def vectors(X: np.ndarray, y: np.ndarray, positive: str | float | None, constant: int) -> Vectors:
    """Return the vectors to separate, by row, or by row and rival class without a positive class."""
    classes = sorted(set(y.tolist()))
    rows = [[*(Fraction(float(value)) for value in row), Fraction(constant)] for row in X]
    if positive is not None:
        return {
            i: [value if label == positive else -value for value in row]
            for i, (row, label) in enumerate(zip(rows, y.tolist(), strict=True))
        }
    width = len(rows[0])
    result: Vectors = {}
    for i, (row, label) in enumerate(zip(rows, y.tolist(), strict=True)):
        for rival in range(len(classes)):
            own = classes.index(label)
            if rival != own:
                vector = [Fraction(0)] * (width * len(classes))
                vector[own * width : (own + 1) * width] = row
                vector[rival * width : (rival + 1) * width] = [-value for value in row]
                result[i, rival] = vector
    return result


def exact(weights: Weights) -> list[Fraction]:
    return [
        Fraction(weight) for weight in (weights if isinstance(weights, tuple) else weights.tolist())
    ]


def margin_squared(vectors: Vectors, weights: Weights, margin: str) -> Fraction | None:
    """Return the square of the margin of the weights, or None if they do not separate."""
    w = exact(weights)
    least = min(dot(w, z) for z in vectors.values())
    counted = w[:-1] if margin == "affine" else w
    return least**2 / dot(counted, counted) if least > 0 and any(counted) else None


def summed(vectors: Vectors, combination: Combination) -> list[Fraction]:
    width = len(next(iter(vectors.values())))
    terms = [[count * value for value in vectors[key]] for key, count in combination.items()]
    return [sum((term[j] for term in terms), Fraction(0)) for j in range(width)]


def upper_squared(vectors: Vectors, combination: Combination) -> Fraction:
    """Return the upper bound on the squared margin that a combination proves."""
    total = summed(vectors, combination)
    return dot(total, total) / sum(combination.values()) ** 2
