"""Separability by brute force, in rational arithmetic: for tiny problems only.

No code is shared with the library: vectors are lists of fractions, and every subset is tried.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

from margin import max_margin_squared

Vector = list[Fraction]
Table = np.ndarray | Sequence[Sequence[float]]


def signed(X: Table, signs: Iterable[int], *, constant: bool) -> list[Vector]:
    """Return the vectors z = sign · (x, 1), or sign · x without a constant."""
    return [
        [sign * Fraction(value) for value in [*row, *([1] if constant else [])]]
        for row, sign in zip(_rows(X), signs, strict=True)
    ]


def differences(X: Table, signs: Sequence[int]) -> list[Vector]:
    """Return each positive sample minus each negative one; their hull is the hulls' difference."""
    rows = _rows(X)
    plus = [row for row, sign in zip(rows, signs, strict=True) if sign > 0]
    minus = [row for row, sign in zip(rows, signs, strict=True) if sign < 0]
    return [
        [Fraction(a) - Fraction(b) for a, b in zip(p, q, strict=True)] for p in plus for q in minus
    ]


def kesler(X: Table, codes: Sequence[int], n_classes: int, *, constant: bool) -> list[Vector]:
    """Return a vector per sample and rival class: x in the own class's block, -x in the rival's."""
    out = []
    for row, own in zip(_rows(X), codes, strict=True):
        x = [Fraction(value) for value in [*row, *([1] if constant else [])]]
        for rival in range(n_classes):
            if rival != own:
                blocks = {own: x, rival: [-value for value in x]}
                zero = [Fraction(0)] * len(x)
                out.append([value for k in range(n_classes) for value in blocks.get(k, zero)])
    return out


def is_separable(Z: Iterable[Vector]) -> bool:
    """Return whether some w has w·z > 0 for every z.

    By Gordan's alternative, it has if and only if no positive combination of any of the vectors is zero.
    By Carathéodory's theorem, it is enough to check sets of vectors with exactly one linear dependence,
    and whether all its coefficients have the same sign.
    """
    distinct = [list(z) for z in dict.fromkeys(map(tuple, Z))]
    width = len(distinct[0])
    return not any(
        _is_positive_circuit(subset)
        for size in range(1, min(len(distinct), width + 1) + 1)
        for subset in combinations(distinct, size)
    )


def gamma_squared(Z: Iterable[Vector]) -> Fraction:
    """Return the square of the maximum margin of the vectors, or 0 if they are not separable."""
    vectors = list(Z)
    return max_margin_squared(vectors) if is_separable(vectors) else Fraction(0)


def affine_gamma_squared(X: Table, signs: Sequence[int]) -> Fraction:
    """Return the square of half the distance between the classes' hulls."""
    return gamma_squared(differences(X, signs)) / 4


def combined(Z: Sequence[Vector], weights: dict[int, int]) -> Vector:
    """Return Σ weight · z over the vectors with the indices in ``weights``."""
    return [
        sum((weight * Z[i][j] for i, weight in weights.items()), Fraction(0))
        for j in range(len(Z[0]))
    ]


def squared(vector: Iterable[Fraction | float]) -> Fraction:
    """Return a vector's squared length."""
    return sum((Fraction(value) ** 2 for value in vector), Fraction(0))


def _rows(X: Table) -> list[list[float]]:
    return X.tolist() if hasattr(X, "tolist") else [list(row) for row in X]


def _is_positive_circuit(subset: Sequence[Vector]) -> bool:
    """Return whether the vectors have exactly one dependence, with all coefficients above 0."""
    n = len(subset)
    rows = [[z[j] for z in subset] for j in range(len(subset[0]))]
    pivots: list[int] = []
    for column in range(n):
        rank = len(pivots)
        found = next((i for i in range(rank, len(rows)) if rows[i][column] != 0), None)
        if found is None:
            if column < n - 1:  # a subset is already dependent
                return False
            break
        rows[rank], rows[found] = rows[found], rows[rank]
        pivot = rows[rank][column]
        rows[rank] = [value / pivot for value in rows[rank]]
        for i in range(len(rows)):
            factor = rows[i][column]
            if i != rank and factor != 0:
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[rank], strict=True)]
        pivots.append(column)
    if len(pivots) == n:
        return False
    return all(rows[k][n - 1] < 0 for k in range(len(pivots)))
