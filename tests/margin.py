"""The maximum margin by brute force, in rational arithmetic: for tiny problems only."""

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations


def dot(a: list[Fraction], b: list[Fraction]) -> Fraction:
    return sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0))


def _solve(matrix: list[list[Fraction]]) -> list[Fraction] | None:
    """Return the solution of ``matrix · a = 1``, or None if the matrix is singular."""
    n = len(matrix)
    rows = [[*row, Fraction(1)] for row in matrix]
    for k in range(n):
        pivot = next((i for i in range(k, n) if rows[i][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for i in range(n):
            if i != k:
                rows[i] = [p - rows[i][k] * q for p, q in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


def max_margin_squared(samples: Iterable[Iterable[object]]) -> Fraction:
    """Return γ*² of separable samples z = y·x: the squared distance of 0 to their convex hull.

    The nearest point is inside the hull of linearly independent samples S, where it equals
    Σ a_i·z_i / Σ a_i with Gram(S)·a = 1; every such sum with a ≥ 0 is a point of the hull.
    """
    Z = [[Fraction(value) for value in z] for z in samples]
    Z = [list(z) for z in dict.fromkeys(map(tuple, Z))]
    best = None
    for size in range(1, min(len(Z), len(Z[0])) + 1):
        for support in combinations(Z, size):
            gram = [[dot(a, b) for b in support] for a in support]
            solution = _solve(gram)
            if solution is not None and min(solution) >= 0:
                squared = 1 / sum(solution)
                best = squared if best is None else min(best, squared)
    assert best is not None
    return best
