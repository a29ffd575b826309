"""The compiled loops of ``active_set``; everything else there is NumPy and BLAS.

A first run waits for the compiler, so these are plain loops over plain arrays: compiling a single
operation on whole arrays would take longer than all of them. Sums are rounded in the order written here,
and no operations are fused.
"""

import numpy as np
from numba.extending import register_jitable

from rosenblatt.core.types import Counts, Floats
from rosenblatt.kernels.compiled import compiled


@register_jitable
def leave(
    members: Counts, groups: Counts, weights: Floats, Q: Floats, R: Floats, size: int, k: int
) -> None:
    """Remove the k-th of ``size`` points; rotate rows of Q to make R triangular again."""
    last = size - 1
    for j in range(k, last):
        members[j], groups[j] = members[j + 1], groups[j + 1]
        weights[j] = weights[j + 1]
        for i in range(j + 2):
            R[j, i] = R[j + 1, i]
    for j in range(k, last):
        a, b = R[j, j], R[j, j + 1]
        r = np.hypot(a, b)
        c, d = (a / r, b / r) if r > 0.0 else (1.0, 0.0)
        R[j, j], R[j, j + 1] = r, 0.0
        for i in range(j + 1, last):
            upper, lower = R[i, j], R[i, j + 1]
            R[i, j] = c * upper + d * lower
            R[i, j + 1] = c * lower - d * upper
        for i in range(Q.shape[1]):
            upper, lower = Q[j, i], Q[j + 1, i]
            Q[j, i] = c * upper + d * lower
            Q[j + 1, i] = c * lower - d * upper


@register_jitable
def affine_weights(groups: Counts, Q: Floats, R: Floats, parts: Floats, size: int) -> bool:
    """Write the weights of the nearest point of the points' affine hull into ``parts[0]``.

    ``parts`` has one row per group, one or two. Return False if rounding leaves no weights that sum to
    1.
    """
    n_groups = parts.shape[0]
    a = b = c = d = 0.0  # sums[own group, part]
    for g in range(n_groups):
        for i in range(size):
            parts[g, i] = Q[i, g]
        for i in range(size - 1, -1, -1):
            value = parts[g, i] / R[i, i]
            parts[g, i] = value
            for j in range(i):
                parts[g, j] -= value * R[i, j]
    for i in range(size):
        first, second = parts[0, i], parts[n_groups - 1, i]
        if groups[i] == 0:
            a, b = a + first, b + second
        else:
            c, d = c + first, d + second
    if n_groups == 1:
        for i in range(size):
            parts[0, i] /= a
        return abs(a) > 0.0
    determinant = a * d - b * c
    one, other = 0.5 * (d - b) / determinant, 0.5 * (a - c) / determinant
    for i in range(size):
        parts[0, i] = one * parts[0, i] + other * parts[1, i]
    return abs(determinant) > 0.0


@compiled()
def move_weights(
    members: Counts,
    groups: Counts,
    weights: Floats,
    Q: Floats,
    R: Floats,
    parts: Floats,
    size: int,
) -> tuple[int, bool]:
    """Move the weights to the nearest point of the affine hull; drop points that would be negative.

    Each iteration but the last removes a point, so there are at most as many iterations as points.
    Return the number of points left, and whether the weights are at the nearest point.
    """
    while affine_weights(groups, Q, R, parts, size):
        step, leaver = 1.0, -1
        for k in range(size):
            if parts[0, k] <= 0.0:
                here = weights[k]
                length = here / (here - parts[0, k]) if here > parts[0, k] else 0.0
                if leaver < 0 or length < step:
                    step, leaver = length, k
        if leaver < 0:
            for k in range(size):
                weights[k] = parts[0, k]
            return size, True
        for k in range(size):
            weights[k] += step * (parts[0, k] - weights[k])
        weights[leaver] = 0.0
        for k in range(size - 1, -1, -1):
            if weights[k] <= 0.0 and parts[0, k] <= 0.0:
                leave(members, groups, weights, Q, R, size, k)
                size -= 1
    return size, False


@compiled()
def add_rows(Z: Floats, members: Counts, weights: Floats, size: int, out: Floats) -> None:
    """Add the members' rows of Z, each times its weight, in order."""
    for k in range(size):
        weight, i = weights[k], members[k]
        for j in range(out.shape[0]):
            out[j] += weight * Z[i, j]


@compiled()
def worst_candidate(
    Z: Floats,
    groups: Counts,
    point: Floats,
    members: Counts,
    weights: Floats,
    size: int,
    candidates: Counts,
) -> tuple[int, float]:
    """Return the candidate that is farthest below its group's plane, and its height above the plane.

    A group's members are all on its plane: the one with the largest weight determines it here.
    """
    first = second = -1
    for k in range(size):
        if groups[members[k]] == 0:
            if weights[k] > (weights[first] if first >= 0 else 0.0):
                first = k
        elif weights[k] > (weights[second] if second >= 0 else 0.0):
            second = k
    entering, worst = -1, 0.0
    floor = np.dot(Z[members[first]], point) if first >= 0 else 0.0
    other_floor = np.dot(Z[members[second]], point) if second >= 0 else 0.0
    for t in range(candidates.shape[0]):
        i = candidates[t]
        ahead = np.dot(Z[i], point) - (floor if groups[i] == 0 else other_floor)
        if ahead < worst:
            entering, worst = i, ahead
    return entering, worst
