"""The point of a polytope that is nearest to the origin: Wolfe's active-set method.

Given points z_i in one group, or in two, it finds weights that minimise ‖Σ weight_i·z_i‖ and sum, in
each group, to one over the number of groups. One group: the nearest point of the convex hull, whose
distance is the maximum margin. Two groups, of opposite signs: half the vector between the nearest
points of two hulls, the maximum margin with a free bias.

The support, Wolfe's *corral*, is kept affinely independent. Each point p_i = (scale·e_group, z_i) of
the corral is a column of Q·R, with Q orthonormal: a point that enters is orthogonalised twice, one
that leaves is rotated away, so a step costs O(support·dimension) and no system is solved afresh. With
Q_g the coordinates of Q that belong to the groups, the corral's weights without regard to their signs
are R⁻¹·Q_gᵀ, normalised. Unlike a Cholesky factor of the Gram matrix this does not square the
condition number: margins of 1e-8 of the radius come out with eight digits.

P. Wolfe, Finding the nearest point in a polytope (1976); J. Daniel, W. Gragg, L. Kaufman and
G. Stewart, Reorthogonalization and stable algorithms for updating the Gram-Schmidt QR factorization
(1976).
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from rosenblatt.core.types import Counts, Floats

NEAREST, STEPS, STUCK = 0, 1, 2
"""How a call ended: at the nearest point; at its limit of steps; where rounding hides the way on."""

_DEPENDENT = 1e-13

# In exact arithmetic every step brings the point nearer to the origin (Wolfe's theorem), so no corral
# comes twice. Where the distance is next to nothing rounding hides that, and corrals may follow each
# other in a circle: this many steps in a row without getting nearer are one too many. (Searches that
# reach the nearest point were measured to have none; those in a circle never get nearer again.)
_STALLS = 8

# A pass over all points notes up to this many of the worst; they alone are looked at while one of them
# is at least _ENOUGH times as bad as the worst was.
_CANDIDATES = 64
_ENOUGH = 0.3


class Corral(NamedTuple):
    """The support and its factors, changed in place; ``size[0]`` entries of each are in use.

    ``Q`` has the orthonormal vectors as rows and ``R`` the columns of the triangle as rows, so that
    both are read as they lie in memory. ``nearest[0]`` is the least squared distance met, and
    ``stalls[0]`` counts the steps since.
    """

    size: Counts
    members: Counts
    weights: Floats
    Q: Floats
    R: Floats
    nearest: Floats
    stalls: Counts
    scale: float
    n_groups: int


def new_corral(capacity: int, dimension: int, n_groups: int, scale: float) -> Corral:
    """Return an empty corral for points of the given dimension."""
    capacity = min(capacity, dimension + n_groups)
    return Corral(
        size=np.zeros(1, dtype=np.int64),
        members=np.zeros(capacity, dtype=np.int64),
        weights=np.zeros(capacity),
        Q=np.zeros((capacity, dimension + n_groups)),
        R=np.zeros((capacity, capacity)),
        nearest=np.full(1, np.inf),
        stalls=np.zeros(1, dtype=np.int64),
        scale=scale,
        n_groups=n_groups,
    )


@njit(cache=True)
def _enter(corral: Corral, point: Floats, group: int, member: int) -> bool:
    """Add a point with weight 0; answer False where it depends on the corral affinely."""
    s = corral.size[0]
    if s == corral.members.shape[0]:
        return False
    extended = np.zeros(corral.Q.shape[1])
    extended[group] = corral.scale
    extended[corral.n_groups :] = point
    length = np.sqrt(np.dot(extended, extended))
    column = corral.R[s]
    column[:] = 0.0
    if s > 0:
        basis = corral.Q[:s]
        for _ in range(2):
            along = np.dot(basis, extended)
            extended -= np.dot(along, basis)
            column[:s] += along
    left = np.sqrt(np.dot(extended, extended))
    if left <= _DEPENDENT * length:
        return False
    column[s] = left
    corral.Q[s] = extended / left
    corral.members[s] = member
    corral.weights[s] = 0.0
    corral.size[0] = s + 1
    return True


@njit(cache=True)
def _leave(corral: Corral, k: int) -> None:
    """Take the k-th point out and make R triangular again by rotations of neighbouring rows."""
    s = corral.size[0]
    R, Q = corral.R, corral.Q
    for j in range(k, s - 1):
        corral.members[j] = corral.members[j + 1]
        corral.weights[j] = corral.weights[j + 1]
        for i in range(j + 2):
            R[j, i] = R[j + 1, i]
    for j in range(k, s - 1):
        a, b = R[j, j], R[j, j + 1]
        r = np.hypot(a, b)
        c, d = (a / r, b / r) if r > 0.0 else (1.0, 0.0)
        R[j, j], R[j, j + 1] = r, 0.0
        for i in range(j + 1, s - 1):
            upper, lower = R[i, j], R[i, j + 1]
            R[i, j] = c * upper + d * lower
            R[i, j + 1] = c * lower - d * upper
        first, second = Q[j], Q[j + 1]
        for i in range(first.shape[0]):
            upper, lower = first[i], second[i]
            first[i] = c * upper + d * lower
            second[i] = c * lower - d * upper
    corral.size[0] = s - 1


@njit(cache=True)
def _affine_weights(corral: Corral, groups: Counts, out: Floats) -> bool:
    """Write the weights of the point of the corral's affine hull that is nearest to the origin."""
    s, m = corral.size[0], corral.n_groups
    parts = np.zeros((m, s))
    for g in range(m):
        part = parts[g]
        part[:] = corral.Q[:s, g]
        for i in range(s - 1, -1, -1):
            part[i] /= corral.R[i, i]
            for j in range(i):
                part[j] -= part[i] * corral.R[i, j]
    share = 1.0 / m
    if m == 1:
        total = parts[0].sum()
        if not abs(total) > 0.0:
            return False
        out[:s] = parts[0] / total
        return True
    sums = np.zeros((2, 2))
    for k in range(s):
        for g in range(2):
            sums[groups[corral.members[k]], g] += parts[g, k]
    determinant = sums[0, 0] * sums[1, 1] - sums[0, 1] * sums[1, 0]
    if not abs(determinant) > 0.0:
        return False
    first = share * (sums[1, 1] - sums[0, 1]) / determinant
    second = share * (sums[0, 0] - sums[1, 0]) / determinant
    out[:s] = first * parts[0] + second * parts[1]
    return True


@njit(cache=True)
def _move_weights(corral: Corral, groups: Counts) -> bool:
    """Move the weights to the nearest point of the affine hull, and out whatever would turn negative.

    Each turn but the last takes a point out of the corral, so there are no more turns than points.
    """
    target = np.empty(corral.members.shape[0])
    while True:
        s = corral.size[0]
        if not _affine_weights(corral, groups, target):
            return False
        step, leaver = 1.0, -1
        for k in range(s):
            if target[k] <= 0.0:
                here = corral.weights[k]
                length = here / (here - target[k]) if here > target[k] else 0.0
                if leaver < 0 or length < step:
                    step, leaver = length, k
        if leaver < 0:
            corral.weights[:s] = target[:s]
            return True
        corral.weights[:s] += step * (target[:s] - corral.weights[:s])
        corral.weights[leaver] = 0.0
        for k in range(s - 1, -1, -1):
            if corral.weights[k] <= 0.0 and (k == leaver or target[k] <= 0.0):
                _leave(corral, k)


@njit(cache=True)
def point_of(Z: Floats, corral: Corral) -> Floats:
    """Return the point that the corral's weights stand for, summed afresh."""
    s = corral.size[0]
    point = np.zeros(Z.shape[1])
    for k in range(s):
        weight, row = corral.weights[k], Z[corral.members[k]]
        for j in range(row.shape[0]):
            point[j] += weight * row[j]
    return point


@njit(cache=True)
def _begin(Z: Floats, groups: Counts, corral: Corral) -> None:
    """Start with the shortest point of each group."""
    for g in range(corral.n_groups):
        best, shortest = -1, np.inf
        for i in range(Z.shape[0]):
            if groups[i] == g:
                square = np.dot(Z[i], Z[i])
                if square < shortest:
                    best, shortest = i, square
        if _enter(corral, Z[best], g, best):
            corral.weights[corral.size[0] - 1] = 1.0 / corral.n_groups


@njit(cache=True)
def _floors(Z: Floats, groups: Counts, corral: Corral, point: Floats) -> Floats:
    """Return the product of the point with each group's members, which is the same for all of them."""
    floors = np.zeros(corral.n_groups)
    heaviest = np.zeros(corral.n_groups)
    for k in range(corral.size[0]):
        i = corral.members[k]
        if corral.weights[k] > heaviest[groups[i]]:
            heaviest[groups[i]] = corral.weights[k]
            floors[groups[i]] = np.dot(Z[i], point)
    return floors


@njit(cache=True)
def _worst_of_all(
    Z: Floats, groups: Counts, corral: Corral, point: Floats, candidates: Counts
) -> tuple[int, float, int]:
    """Find the vector furthest before its group's plane, and note some that are half as far.

    Returned: that vector, how far it lies before the plane (at most 0), and how many were noted.
    """
    scores = np.dot(Z, point)
    floors = np.zeros(corral.n_groups)
    for k in range(corral.size[0]):
        i = corral.members[k]
        floors[groups[i]] += corral.n_groups * corral.weights[k] * scores[i]
    entering, worst = -1, 0.0
    for i in range(scores.shape[0]):
        scores[i] -= floors[groups[i]]
        if scores[i] < worst:
            entering, worst = i, scores[i]
    noted = 0
    for i in range(scores.shape[0]):
        if scores[i] < 0.5 * worst and noted < candidates.shape[0]:
            candidates[noted] = i
            noted += 1
    return entering, worst, noted


@njit(cache=True)
def _worst_candidate(
    Z: Floats, groups: Counts, corral: Corral, point: Floats, candidates: Counts
) -> tuple[int, float]:
    """Return the candidate furthest before its group's plane, and how far it lies before it."""
    floors = _floors(Z, groups, corral, point)
    entering, worst = -1, 0.0
    for t in range(candidates.shape[0]):
        i = candidates[t]
        ahead = np.dot(Z[i], point) - floors[groups[i]]
        if ahead < worst:
            entering, worst = i, ahead
    return entering, worst


@njit(cache=True)
def _has_stalled(corral: Corral, point: Floats) -> bool:
    """Note how near the point is; say whether too many steps have come no nearer."""
    square = np.dot(point, point)
    if square < corral.nearest[0]:
        corral.nearest[0] = square
        corral.stalls[0] = 0
    else:
        corral.stalls[0] += 1
    return bool(corral.stalls[0] >= _STALLS)


@njit(cache=True)
def _is_member(corral: Corral, i: int) -> bool:
    return i in corral.members[: corral.size[0]]


@njit(cache=True)
def descend(
    Z: Floats, groups: Counts, corral: Corral, tolerance: float, max_steps: int
) -> tuple[int, int]:
    """Move the corral towards the nearest point of the hulls of the rows of Z, in place.

    It ends where no point lies before the supporting plane by more than ``tolerance`` times its
    squared distance. Between looks at all points, the worst of the last look are looked at alone.
    Returned: how it ended, and the steps made.

    Every sequence of calls on one corral comes to an end other than STEPS: the least distance met is a
    float that only falls, so it falls finitely often, and between two falls there are few steps.
    """
    if corral.size[0] == 0:
        _begin(Z, groups, corral)
    candidates = np.zeros(_CANDIDATES, dtype=np.int64)
    noted, goal, last = 0, 0.0, -1
    for step in range(max_steps):
        if not _move_weights(corral, groups):
            return STUCK, step
        point = point_of(Z, corral)
        if _has_stalled(corral, point):
            return STUCK, step
        entering, worst = _worst_candidate(Z, groups, corral, point, candidates[:noted])
        if worst >= goal or entering == last or _is_member(corral, entering):
            entering, worst, noted = _worst_of_all(Z, groups, corral, point, candidates)
            goal = _ENOUGH * worst
        if worst >= -tolerance * np.dot(point, point):
            return NEAREST, step
        if entering == last or _is_member(corral, entering):
            return STUCK, step
        if not _enter(corral, Z[entering], groups[entering], entering):
            return STUCK, step
        last = entering
    return STEPS, max_steps
