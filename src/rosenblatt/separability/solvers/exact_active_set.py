"""The active-set method in exact integers.

It starts with the support found in floats. That is almost always the right one, and then one exact
solution and one pass over the vectors are enough. Otherwise the method continues from there and ends
after finitely many steps, because each decreases the distance. The squared distance of rational vectors
is a rational number; a distance of 0 is found exactly, with the weights that prove it.

Only vectors whose float score is inconclusive are checked in integers.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import numpy as np
import scipy.linalg

from rosenblatt.core.compiling import working_time
from rosenblatt.core.types import Counts, Floats
from rosenblatt.separability.signed_samples import Vectors, norm_up
from rosenblatt.separability.solvers.integers import (
    as_integers,
    combination,
    gram,
    null_vector,
    solve,
)

_BLOCK = 256

_Number = TypeVar("_Number", int, Fraction)


@dataclass(frozen=True)
class ExactPoint:
    """The nearest point: w = weights · 2**exponent, as the combination Σ number·z / Σ number.

    ``floors`` has the smallest w·z of each group, in the units of w: with a bias b in the same units the
    margins are the floors + b and - b. All numbers are integers.
    """

    order: Counts
    numbers: list[int]
    weights: list[int]
    floors: list[int]
    exponent: int
    squared_margin: Fraction


def nearest_point(
    vectors: Vectors, order: Counts, weights: Floats, deadline: float
) -> ExactPoint | None:
    """Return the nearest point, starting from a support with weights; None if time runs out.

    A solution cannot be interrupted: none is started that would end too late if it took as long as the
    last.

    It terminates even without a deadline. Each iteration removes a member from the support, or finds
    that the nearest point of the affine hull is inside the convex hull and adds a vector below its
    group's floor. Such a vector is affinely independent of the members (otherwise it would be at the
    floor), so it gets a weight above 0, the next step has a length above 0, and the distance decreases.
    Whenever a vector enters, the distance is that of the affine hull of some vectors, and there are
    finitely many such hulls.
    """
    support = [int(i) for i in order]
    shares = _normalized(weights, vectors.groups[order], vectors.n_groups)
    started = working_time()
    while (now := working_time()) + (now - started) < deadline:
        started = now
        members = vectors.unpacked(np.array(support))
        columns = np.flatnonzero(members.any(axis=0))
        numbers, exponent = as_integers(members[:, columns])
        groups = vectors.groups[support].tolist()
        target = _affine(gram(numbers), groups, vectors.n_groups)
        if target is None:
            shares = _slide(shares, _dependence(numbers, groups, vectors.n_groups))
        else:
            solution, divisor = target
            counts, multipliers = solution[: len(support)], solution[len(support) :]
            goal = [Fraction(count, divisor) for count in counts]
            if min(goal) < 0:
                shares = _toward(shares, goal)
            else:
                point = _spread(combination(counts, numbers), columns, vectors.dimension)
                floors = [-multiplier for multiplier in multipliers]
                entering = _violator(vectors, point, floors, exponent) if any(point) else None
                if entering is None:
                    return _exact_point(vectors, support, counts, point, floors, exponent, divisor)
                support, shares = [*support, entering], [*goal, Fraction(0)]
                counts = [*counts, 1]
                support, shares = _kept(support, shares, counts)
                continue
        support, shares = _kept(support, shares, shares)
    return None


def zero_point(vectors: Vectors, order: Counts) -> ExactPoint | None:
    """Return the proof that the only combination of the given vectors that can be zero is, or None.

    That is a linear system with as many equations as vectors: one per group, and the equations of those
    coordinates that floats find independent; the others must then hold, too.
    """
    members = vectors.unpacked(order)
    columns = np.flatnonzero(members.any(axis=0))
    members, groups = members[:, columns], vectors.groups[order]
    belongs = (groups[:, None] == np.arange(vectors.n_groups)).astype(np.float64)
    n_equations = len(order) - vectors.n_groups
    if not 0 < n_equations <= len(columns):
        return None
    means = belongs @ ((belongs.T @ members) / np.maximum(belongs.sum(axis=0), 1.0)[:, None])
    _, pivots = scipy.linalg.qr(
        (members - means) / norm_up(members.ravel()), mode="r", pivoting=True
    )
    numbers, exponent = as_integers(members)
    system = [[row[j] for row in numbers] for j in pivots[:n_equations].tolist()]
    system += belongs.T.astype(int).tolist()
    solution = solve(system, [0] * n_equations + [1] * vectors.n_groups)
    if solution is None or min(solution[0]) < 0 or any(combination(solution[0], numbers)):
        return None
    counts, divisor = solution
    point, floors = [0] * vectors.dimension, [0] * vectors.n_groups
    return _exact_point(vectors, order.tolist(), counts, point, floors, exponent, divisor)


def _exact_point(
    vectors: Vectors,
    support: list[int],
    counts: list[int],
    point: list[int],
    floors: list[int],
    exponent: int,
    divisor: int,
) -> ExactPoint:
    squared = sum(map(int.__mul__, point, point))
    margin = Fraction(squared, (divisor * vectors.n_groups) ** 2) * Fraction(4) ** exponent
    used = sorted((i, count) for i, count in zip(support, counts, strict=True) if count > 0)
    order, numbers = np.array([i for i, _ in used]), [count for _, count in used]
    return ExactPoint(order, numbers, point, floors, exponent, margin)


def _spread(numbers: list[int], columns: Counts, dimension: int) -> list[int]:
    """Return the numbers at their columns, zeros elsewhere."""
    out = [0] * dimension
    for number, column in zip(numbers, columns.tolist(), strict=True):
        out[column] = number
    return out


def _kept(
    support: list[int], shares: list[_Number], criterion: Sequence[Fraction | int]
) -> tuple[list[int], list[_Number]]:
    """Return the members whose criterion is above 0, and their shares."""
    kept = [t for t, value in enumerate(criterion) if value > 0]
    return [support[t] for t in kept], [shares[t] for t in kept]


def _normalized(weights: Floats, groups: Counts, n: int) -> list[Fraction]:
    """Return the weights as fractions that sum to 1 in each group."""
    shares = [Fraction(weight) for weight in weights.tolist()]
    sums = [Fraction(0)] * n
    for share, group in zip(shares, groups.tolist(), strict=True):
        sums[group] += share
    return [share / sums[group] for share, group in zip(shares, groups.tolist(), strict=True)]


def _affine(products: list[list[int]], groups: list[int], n: int) -> tuple[list[int], int] | None:
    """Return the weights of the nearest point of the affine hull, which sum to 1 in each group.

    They are followed by the groups' multipliers: minus the product of that point with each member.
    """
    size = len(products)
    belongs = [[int(own == g) for own in groups] for g in range(n)]
    system = [[*row, *(belong[i] for belong in belongs)] for i, row in enumerate(products)] + [
        [*belong, *([0] * n)] for belong in belongs
    ]
    return solve(system, [0] * size + [1] * n)


def _dependence(numbers: list[list[int]], groups: list[int], n: int) -> list[int]:
    """Return weights that sum to 0 in each group and whose combination is zero."""
    columns = [list(column) for column in zip(*numbers, strict=True)]
    return null_vector(columns + [[int(own == g) for own in groups] for g in range(n)])


def _slide(shares: list[Fraction], along: list[int]) -> list[Fraction]:
    """Return shares moved along a direction until the first one is 0."""
    if not any(step < 0 for step in along):
        along = [-step for step in along]
    length = min(share / -step for share, step in zip(shares, along, strict=True) if step < 0)
    return [share + length * step for share, step in zip(shares, along, strict=True)]


def _toward(shares: list[Fraction], target: list[Fraction]) -> list[Fraction]:
    """Return shares moved toward the target until the first one is 0."""
    length = min(
        share / (share - goal) for share, goal in zip(shares, target, strict=True) if goal < 0
    )
    return [share + length * (goal - share) for share, goal in zip(shares, target, strict=True)]


def _violator(vectors: Vectors, point: list[int], floors: list[int], exponent: int) -> int | None:
    """Return the vector that is farthest below its group's floor, or None if no vector is below.

    The point and the floors are integers; vectors are integer multiples of 2**exponent.
    """
    shift = max(0, max(abs(number).bit_length() for number in point) - 60)
    rounded = np.array([float(number >> shift) for number in point])
    levels = np.array([_as_float(floor, exponent - shift) for floor in floors])[vectors.groups]
    doubt = vectors.bands(rounded) * 2.0
    ahead = vectors.margins(rounded) - levels
    candidates = np.flatnonzero(~(ahead > doubt + np.abs(levels) * 2.0**-50))
    worst, found = 0, None
    for order in _blocks(candidates):
        numbers, unit = as_integers(vectors.unpacked(order))
        for i, row in zip(order.tolist(), numbers, strict=True):
            score = sum(map(int.__mul__, row, point))
            floor = floors[vectors.groups[i]]
            gap = _scaled(score, unit - exponent) - floor
            if gap < worst:
                worst, found = gap, i
    return found


def _blocks(order: Counts) -> Iterator[Counts]:
    for start in range(0, len(order), _BLOCK):
        yield order[start : start + _BLOCK]


def _scaled(number: int, exponent: int) -> Fraction | int:
    return number << exponent if exponent >= 0 else Fraction(number, 1 << -exponent)


def _as_float(number: int, exponent: int) -> float:
    """Return number · 2**exponent, rounded; infinity if it is too large."""
    if number == 0:
        return 0.0
    excess = max(0, abs(number).bit_length() - 60)
    try:
        return math.ldexp(float(number >> excess), exponent + excess)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
