"""An exact linear program, small and slow: is there a direction with w·z > 0 for all vectors z?

By Gordan's theorem either such a direction exists, or some a ≥ 0, not all 0, have Σ a·z = 0. The second
case is a linear program: a ≥ 0, Σ a = 1, Σ a·z = 0. Its first phase is solved in fractions, by the
simplex method with Bland's rule, which cannot cycle.
"""

from collections.abc import Sequence
from fractions import Fraction

Vectors = Sequence[Sequence[float]]


def vectors(X: Vectors, labels: Sequence[int], constant: int) -> list[list[Fraction]]:
    """Return the vectors that need a positive score: samples with their constant, times the label."""
    return [
        [label * Fraction(x) for x in (*row, constant)]
        for row, label in zip(X, labels, strict=True)
    ]


def pair_vectors(
    X: Vectors, own: Sequence[int], n_classes: int, constant: int
) -> list[list[Fraction]]:
    """Return these vectors for all classes jointly: each sample in its own block minus a rival's."""
    found = []
    for row, k in zip(X, own, strict=True):
        extended = [Fraction(x) for x in (*row, constant)]
        for rival in set(range(n_classes)) - {k}:
            blocks = [[Fraction(0)] * len(extended) for _ in range(n_classes)]
            blocks[k], blocks[rival] = extended, [-x for x in extended]
            found.append([x for block in blocks for x in block])
    return found


def is_separable(z: list[list[Fraction]]) -> bool:
    """Return whether some w has w·z > 0 for every vector."""
    columns = [[*vector, Fraction(1)] for vector in z]
    goal = [Fraction(0)] * len(z[0]) + [Fraction(1)]
    return not is_feasible(columns, goal)


def is_feasible(columns: list[list[Fraction]], goal: list[Fraction]) -> bool:
    """Return whether some a ≥ 0 has Σ a·column = goal ≥ 0: the first phase of the simplex method."""
    n_rows, n = len(goal), len(columns)
    # One artificial variable per row forms the first basis; their sum must become 0.
    tableau = [[column[i] for column in columns] + [goal[i]] for i in range(n_rows)]
    basis = [n + i for i in range(n_rows)]
    costs = [-sum((row[j] for row in tableau), Fraction(0)) for j in range(n + 1)]
    while True:
        enters = next((j for j in range(n) if costs[j] < 0), None)
        if enters is None:
            return costs[n] == 0
        ratios = [
            (row[n] / row[enters], basis[i], i) for i, row in enumerate(tableau) if row[enters] > 0
        ]
        if not ratios:  # impossible: the sum of the artificial variables is at least 0
            raise AssertionError("unbounded")
        _, _, leaves = min(ratios)
        pivot(tableau, costs, leaves, enters)
        basis[leaves] = enters


def pivot(tableau: list[list[Fraction]], costs: list[Fraction], leaves: int, enters: int) -> None:
    """Make the entering column a unit vector; artificial columns never return and are not stored."""
    factor = tableau[leaves][enters]
    row = tableau[leaves] = [x / factor for x in tableau[leaves]]
    for other in (*tableau, costs):
        if other is not row and other[enters] != 0:
            times = other[enters]
            other[:] = [a - times * b for a, b in zip(other, row, strict=True)]
