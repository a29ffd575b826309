"""The point of a polytope that is nearest to the origin: Wolfe's active-set method.

Given points z_i in one or two groups, it finds weights that minimize ‖Σ weight_i·z_i‖ and whose sum in
each group is one over the number of groups. One group: the nearest point of the convex hull, whose
distance is the maximum margin. Two groups, of opposite signs: half the vector between the nearest points
of two hulls, the maximum margin with a free bias.

The support, Wolfe's *corral*, is kept affinely independent. Each point p_i = (scale·e_group, z_i) of the
corral is a column of Q·R, with Q orthonormal: a point that enters is orthogonalized twice, one that
leaves is rotated away, so a step costs O(support·dimension) and no system is solved from scratch. With
Q_g the coordinates of Q that belong to the groups, the corral's weights, without constraints on their
signs, are R⁻¹·Q_gᵀ, normalized. Unlike a Cholesky factor of the Gram matrix, this does not square the
condition number: margins of 1e-8 of the radius have eight correct digits.

The steps are NumPy code; loops over single numbers are compiled, in ``corral_loops``. BLAS is SciPy's,
which compiled code calls, too: NumPy's may be a different one, and round differently.

P. Wolfe, Finding the nearest point in a polytope (1976); J. Daniel, W. Gragg, L. Kaufman and
G. Stewart, Reorthogonalization and stable algorithms for updating the Gram-Schmidt QR factorization
(1976).
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import ddot, dgemv

from rosenblatt.core.types import Counts, Floats
from rosenblatt.separability.solvers.corral_loops import (
    add_rows,
    move_weights,
    worst_candidate,
)

NEAREST, STEPS, STUCK = 0, 1, 2
"""Why a call ended: at the nearest point; at its limit of steps; rounding hides further progress."""

_DEPENDENT = 1e-13

# In exact arithmetic every step brings the point nearer to the origin (Wolfe's theorem), so no corral
# repeats. If the distance is almost zero, rounding hides that, and corrals may repeat in a cycle: stop
# after this many steps in a row without progress. (Measured: searches that reach the nearest point have
# no such steps, and those in a cycle never make progress again.)
_STALLS = 8

# A pass over all points remembers up to this many of the worst; only these are checked while one of them
# is at least _ENOUGH times as bad as the worst was.
_CANDIDATES = 64
_ENOUGH = 0.3


@dataclass
class Corral:
    """The support and its factors, changed in place; the first ``size`` entries of each are in use.

    ``Q`` has the orthonormal vectors as rows and ``R`` the columns of the triangle as rows, so that both
    are read in memory order; ``parts`` is work space. ``nearest`` is the smallest squared distance so
    far, and ``stalls`` counts the steps since.
    """

    members: Counts
    groups: Counts
    weights: Floats
    Q: Floats
    R: Floats
    parts: Floats
    scale: float
    n_groups: int
    size: int = 0
    nearest: float = np.inf
    stalls: int = 0

    def enter(self, point: Floats, group: int, member: int) -> bool:
        """Add a point with weight 0; return False if it is affinely dependent on the corral."""
        s = self.size
        if s == len(self.members):
            return False
        extended = np.zeros(self.Q.shape[1])
        extended[group] = self.scale
        extended[self.n_groups :] = point
        length = math.sqrt(ddot(extended, extended))
        column = self.R[s]
        column[:] = 0.0
        if s > 0:
            basis = self.Q[:s].T
            for _ in range(2):
                along = dgemv(1.0, basis, extended, trans=1)
                extended -= dgemv(1.0, basis, along)
                column[:s] += along
        left = math.sqrt(ddot(extended, extended))
        if left <= _DEPENDENT * length:
            return False
        column[s] = left
        self.Q[s] = extended / left
        self.members[s], self.groups[s], self.weights[s] = member, group, 0.0
        self.size = s + 1
        return True

    def move_weights(self) -> bool:
        """Move the weights to the nearest point of the affine hull, without negative weights."""
        self.size, has_moved = move_weights(
            self.members, self.groups, self.weights, self.Q, self.R, self.parts, self.size
        )
        return has_moved

    def has_stalled(self, square: float) -> bool:
        """Record the squared distance; return whether too many steps made no progress."""
        if square < self.nearest:
            self.nearest, self.stalls = square, 0
        else:
            self.stalls += 1
        return self.stalls >= _STALLS


def new_corral(capacity: int, dimension: int, n_groups: int, scale: float) -> Corral:
    """Return an empty corral for points of the given dimension."""
    capacity = min(capacity, dimension + n_groups)
    return Corral(
        members=np.zeros(capacity, dtype=np.int64),
        groups=np.zeros(capacity, dtype=np.int64),
        weights=np.zeros(capacity),
        Q=np.zeros((capacity, dimension + n_groups)),
        R=np.zeros((capacity, capacity)),
        parts=np.zeros((n_groups, capacity)),
        scale=scale,
        n_groups=n_groups,
    )


def point_of(Z: Floats, corral: Corral) -> Floats:
    """Return the corral's weighted sum of points, computed from scratch."""
    point = np.zeros(Z.shape[1])
    add_rows(Z, corral.members, corral.weights, corral.size, point)
    return point


def _begin(Z: Floats, groups: Counts, corral: Corral) -> None:
    """Start with the shortest point of each group."""
    for g in range(corral.n_groups):
        own = np.flatnonzero(groups == g).tolist()
        rows = [Z[i] for i in own]
        squares = list(map(ddot, rows, rows))
        best = own[squares.index(min(squares))]
        if corral.enter(Z[best], g, best):
            corral.weights[corral.size - 1] = 1.0 / corral.n_groups


def _worst_of_all(
    Z: Floats, groups: Counts, corral: Corral, point: Floats
) -> tuple[int, float, Counts]:
    """Find the vector that is farthest below its group's plane, and others at least half as far.

    Return its index, its height above the plane (at most 0), and the indices of the others.
    """
    members, m = corral.members[: corral.size], corral.n_groups
    scores = dgemv(1.0, Z.T, point, trans=1)
    terms = m * corral.weights[: corral.size] * scores[members]
    floors = np.bincount(corral.groups[: corral.size], weights=terms, minlength=m)
    scores -= floors[groups] if m > 1 else floors[0]
    entering = int(scores.argmin())
    worst = float(scores[entering])
    if not worst < 0.0:
        return -1, 0.0, members[:0]
    return entering, worst, np.flatnonzero(scores < 0.5 * worst)[:_CANDIDATES]


def descend(
    Z: Floats, groups: Counts, corral: Corral, tolerance: float, max_steps: int
) -> tuple[int, int]:
    """Move the corral toward the nearest point of the hulls of the rows of Z, in place.

    It ends when no point is below the supporting plane by more than ``tolerance`` times the squared
    distance. Between passes over all points, it checks only the worst points of the last pass. Return
    why it ended, and the number of steps.

    A sequence of calls on one corral ends with NEAREST or STUCK: the smallest distance so far is a float
    that only decreases, so it decreases finitely often, and there are few steps in between.
    """
    # Overflow and NaN make the comparisons below false.
    with np.errstate(all="ignore"):
        return _descend(Z, groups, corral, tolerance, max_steps)


def _descend(
    Z: Floats, groups: Counts, corral: Corral, tolerance: float, max_steps: int
) -> tuple[int, int]:
    if corral.size == 0:
        _begin(Z, groups, corral)
    candidates = np.zeros(0, dtype=np.int64)
    goal, last = 0.0, -1
    for step in range(max_steps):
        if not corral.move_weights():
            return STUCK, step
        point = point_of(Z, corral)
        square = ddot(point, point)
        if corral.has_stalled(square):
            return STUCK, step
        entering, worst = worst_candidate(
            Z, groups, point, corral.members, corral.weights, corral.size, candidates
        )
        if worst >= goal or entering == last or _is_member(corral, entering):
            entering, worst, candidates = _worst_of_all(Z, groups, corral, point)
            goal = _ENOUGH * worst
        if worst >= -tolerance * square:
            return NEAREST, step
        if entering == last or _is_member(corral, entering):
            return STUCK, step
        if not corral.enter(Z[entering], groups[entering], entering):
            return STUCK, step
        last = entering
    return STEPS, max_steps


def _is_member(corral: Corral, i: int) -> bool:
    return i in corral.members[: corral.size].tolist()  # faster than NumPy's, for a few hundred
