"""Bounds on the maximum margin that a run proves.

For samples z_i = y_i·x_i (extended by the constant) the maximum margin is γ* = max over ‖w‖ ≤ 1 of
min_i w·z_i; it is 0 if no w separates them. Any weights w bound it from below by min_i w·z_i/‖w‖. Any
counts c ≥ 0 bound it from above by ‖Σ c_i·z_i‖ / Σ c_i, and the perceptron's own weights are such a
sum: so ‖w - w0‖/(η·M) after M mistakes is an upper bound, however the run ended.

Both bounds are rounded in the safe direction: the lower one allows for the error of each float score,
the upper one for the rounding of every update (each rounds w by at most 2u times the length of w and
the step).
"""

import math
from typing import NamedTuple

import numpy as np

from rosenblatt.core.constants import ROUNDOFF
from rosenblatt.core.digits import digits_down, digits_up
from rosenblatt.core.types import Floats, Signs
from rosenblatt.kernels.rows import Rows
from rosenblatt.kernels.scoring import scores
from rosenblatt.training.panel import Panel

# A sum of squares above this has lost nothing that matters to underflow.
_SMALL = 1e-200


class Interval(NamedTuple):
    """A closed interval that contains the maximum margin.

    >>> print(Interval(0.25, 0.5), Interval(1 / 6, 1 / 3))
    [0.25, 0.5] [0.166666, 0.333334]
    """

    lower: float
    upper: float

    def __str__(self) -> str:
        # Rounded outward, so that the printed interval contains the maximum margin, too.
        return f"[{digits_down(self.lower)}, {digits_up(self.upper)}]"


def proved_interval(panel: Panel, k: int, start: Floats) -> Interval:
    """Return the interval for γ* that the run of halfspace k proves."""
    halfspace, problem = panel.halfspace(k), panel.problem
    mass = halfspace.mass * (1.0 - (2 * halfspace.n_updates + 8) * ROUNDOFF)
    upper = upper_bound(mass, halfspace.n_updates, halfspace.energy, start, halfspace.weights)
    lower = 0.0
    if halfspace.clean:
        lower = lower_bound(problem.rows, halfspace.signs, halfspace.weights)
    return Interval(lower, upper)


def joint_interval(panel: Panel, start: Floats) -> Interval:
    """Return the interval for the joint maximum margin that a run of jointly learning classes proves.

    Here w is the concatenation of all weight vectors, and z has the sample in the block of its own class
    and its negative in the block of a rival: every pair of a sample and a rival has a margin.
    """
    n_updates = int(panel.updates.sum()) + panel.n_roundings
    mass = float(panel.mass.sum()) * (1.0 - (2 * n_updates + len(panel) + 8) * ROUNDOFF)
    energy = float(panel.energy.sum()) * (1.0 + len(panel) * ROUNDOFF)
    upper = upper_bound(mass, n_updates, energy, start.ravel(), panel.weights.ravel())
    return Interval(_joint_lower(panel) if panel.clean.all() else 0.0, upper)


def _joint_lower(panel: Panel) -> float:
    """Return the smallest lead of a sample's own class over ‖w‖, rounded down, at least 0."""
    rows = panel.problem.rows
    assert panel.problem.own is not None
    norm = _norm_up(panel.weights.ravel())
    seen = np.flatnonzero(panel.problem.own >= 0)
    own = panel.problem.own[seen]
    if norm == 0.0 or seen.size == 0:
        return 0.0
    floor = np.empty(seen.size)
    for k, weights in enumerate(panel.weights):
        out, bands = scores(rows, seen[own == k], weights)
        floor[own == k] = out - bands
    least = math.inf
    for k, weights in enumerate(panel.weights):
        others = own != k
        if others.any():
            out, bands = scores(rows, seen[others], weights)
            least = min(least, float((floor[others] - (out + bands)).min()))
    return max(0.0, least / norm * (1.0 - 8 * ROUNDOFF))


def lower_bound(rows: Rows, signs: Signs, weights: Floats) -> float:
    """Return a lower bound on γ*, rounded down: the smallest margin of w over ‖w‖, at least 0."""
    norm = _norm_up(weights)
    if norm == 0.0:
        return 0.0
    seen = np.flatnonzero(signs)
    if seen.size == 0:
        return 0.0
    out, bands = scores(rows, seen, weights)
    return max(0.0, float((signs[seen] * out - bands).min()) / norm * (1.0 - 8 * ROUNDOFF))


def upper_bound(mass: float, n_updates: int, energy: float, start: Floats, end: Floats) -> float:
    """Return an upper bound on γ*, rounded up: ‖w - w0‖ over the weighted number of mistakes.

    ``mass`` is Σ c_i·s_i with the samples' weights s_i, not above its true value; ``n_updates`` is how
    often the weights were rounded; ``energy`` is the sum of the squared lengths of the updates;
    ``start`` and ``end`` are the weights w0 and w in units of the learning rate. Without a mistake the
    bound is infinite.
    """
    if n_updates == 0 or mass <= 0.0:
        return math.inf
    # By the convergence theorem's inequality the weights were never longer than ‖w0‖ + √energy, and no
    # update was longer than √energy. The factor covers the rounding of the energy itself; the small
    # terms cover squares and parts of updates that underflow.
    size = n_updates * len(start)
    reach = _norm_up(start) + 2 * math.sqrt(energy + size * 2.0**-1021)
    rounding = 2 * ROUNDOFF * (n_updates + 1) * reach * 1.001 + size * 2.0**-1074
    return (_norm_up(end - start) + rounding) / mass * (1.0 + 8 * ROUNDOFF)


def _norm_up(vector: Floats) -> float:
    # Not by BLAS: its threads keep spinning and slow down other threads.
    squares = float(np.einsum("j,j->", vector, vector))
    if _SMALL < squares < 1.0 / _SMALL:
        return math.sqrt(squares) * (1.0 + (len(vector) + 8) * ROUNDOFF)
    # Scaled by a power of two, so that squares neither overflow nor underflow.
    largest = float(np.abs(vector).max())
    if largest == 0.0:
        return 0.0
    scale = math.ldexp(1.0, math.frexp(largest)[1] - 1)
    norm = math.sqrt(float(np.square(vector / scale).sum())) * scale
    return norm * (1.0 + (len(vector) + 8) * ROUNDOFF)
