"""The exact maximum margin of tiny tables, by trying all subsets.

The maximum margin is the distance of 0 from the hull of the vectors z (see ``simplex``). The affine one
is half the distance between the hulls of the two classes, so half that of 0 from the hull of all
differences. The nearest point of a hull is the nearest point of the affine hull of some affinely
independent vectors, as a combination with positive coefficients.
"""

from fractions import Fraction
from itertools import combinations


def squared_margin(z: list[list[Fraction]]) -> Fraction:
    """Return the square of the distance of 0 from the hull of the vectors."""
    return min(
        square
        for size in range(1, min(len(z), len(z[0]) + 1) + 1)
        for chosen in combinations(z, size)
        if (square := nearest(list(chosen))) is not None
    )


def squared_affine_margin(X: list[list[float]], labels: list[int]) -> Fraction:
    """Return the square of half the distance between the hulls of both classes."""
    above = [[Fraction(x) for x in row] for row, s in zip(X, labels, strict=True) if s > 0]
    below = [[Fraction(x) for x in row] for row, s in zip(X, labels, strict=True) if s < 0]
    differences = {
        tuple(a - b for a, b in zip(one, other, strict=True)) for one in above for other in below
    }
    return squared_margin([list(vector) for vector in sorted(differences)]) / 4


def nearest(z: list[list[Fraction]]) -> Fraction | None:
    """Return the square of the nearest point's length, if its coefficients are positive.

    The coefficients a solve a·G = t·(1, …, 1), where G has the products of the vectors, and sum to 1;
    the point's square is then t. Return None also if the vectors are not affinely independent.
    """
    first, *others = z
    edges = [[a - b for a, b in zip(other, first, strict=True)] for other in others]
    system = [[dot(edge, other) for other in edges] + [-dot(edge, first)] for edge in edges]
    coefficients = solved(system)
    if (
        coefficients is None
        or any(coefficient <= 0 for coefficient in coefficients)
        or sum(coefficients) >= 1
    ):
        return None
    point = [
        x
        + sum(
            (coefficient * edge[j] for coefficient, edge in zip(coefficients, edges, strict=True)),
            Fraction(0),
        )
        for j, x in enumerate(first)
    ]
    return dot(point, point)


def dot(a: list[Fraction], b: list[Fraction]) -> Fraction:
    return sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0))


def solved(system: list[list[Fraction]]) -> list[Fraction] | None:
    """Return the solution of a square system, its right side last in each row; None if singular."""
    rows = [row[:] for row in system]
    n = len(rows)
    for j in range(n):
        pivot = next((i for i in range(j, n) if rows[i][j] != 0), None)
        if pivot is None:
            return None
        rows[j], rows[pivot] = rows[pivot], rows[j]
        rows[j] = [x / rows[j][j] for x in rows[j]]
        for i in range(n):
            if i != j and rows[i][j] != 0:
                times = rows[i][j]
                rows[i] = [a - times * b for a, b in zip(rows[i], rows[j], strict=True)]
    return [row[n] for row in rows]
