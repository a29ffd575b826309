"""The perceptron criterion, its gradient, and the descent along it.

For samples x_i with labels y_i = ±1 and weights s_i, the criterion of the weights w is

    E(w) = −Σ s_i·y_i·w·x_i   over the mistaken samples   = Σ s_i·max(0, −y_i·w·x_i).

It is convex, at least 0, and E(c·w) = c·E(w) for every c > 0; it is 0 at w = 0 and wherever no score
has the wrong sign. Its gradient g(w) = −Σ s_i·y_i·x_i over the mistaken samples does not depend on the
length of w, and g·w = E(w).

Convention: a score of exactly 0 adds nothing to E, which has a kink there. Its −y·x is part of g if the
score counts as a mistake (see ``tie`` in `signs`), else not: both are subgradients. From w = 0, where
all scores are 0, the former is what makes the first step.

Which samples are mistaken is decided by the exact sign of the score, and the gradient is summed in the
order of the samples, so that g has the same bits for dense and sparse samples; E is measured in floats.
"""

import time
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from rosenblatt.core.constants import LARGEST
from rosenblatt.core.errors import not_finite, too_long
from rosenblatt.core.types import Counts, Flags, Floats, Signs
from rosenblatt.kernels.epochs.criterion_gradient import measure_criterion
from rosenblatt.kernels.rows import Rows

SCHEDULES = ("fixed", "decaying")


class Step(NamedTuple):
    """One step of a descent: what was found at the weights before it, and its rate.

    ``criterion`` and ``mistakes`` are summed over all halfspaces; ``gradient`` and ``norm`` are the
    lengths of the gradient and of the weights, all halfspaces together.
    """

    criterion: float
    gradient: float
    mistakes: int
    norm: float
    rate: float
    seconds: float


def rate_at(schedule: str, step: int) -> float:
    """Return the rate of a step, counted from 1, as a part of the first one's: 1, or 1/√step.

    >>> rate_at("fixed", 4), rate_at("decaying", 4)
    (1.0, 0.5)
    """
    return 1.0 if schedule == "fixed" else float(1.0 / np.sqrt(step))


@dataclass
class Descent:
    """Halfspaces that go down along the gradients of their criteria, each along its own.

    ``signs`` has one row for each halfspace (0: the sample is not seen), ``weights`` one for each too,
    in units of the learning rate ``unit``; ``visits`` counts the looks that each has had at its samples.
    ``criteria``, ``lengths`` (of the gradients) and ``mistakes`` are what the last look found,
    ``totals`` the mistakes of all looks. A halfspace without a mistake is ``clean``; a ``flat`` one
    has mistakes, but a gradient no longer than ``tol``: neither is looked at any more.

    With a fixed rate η and samples of margin γ > 0 and radius R, n of them, w = 0 is followed by at most
    n·(R/γ)² steps: every step adds at least η·γ·m to w·w*, where m is the number of mistaken samples,
    and at most η²·R²·m² to ‖w‖², for g·w ≥ 0. Where mistakes are left the gradient is at least γ·m
    long, so a gradient of 0 says that no weights separate the samples. It is summed in floats: where
    products of weights and values vanish below their range, or sums are rounded, it is no proof.
    """

    rows: Rows
    signs: Signs
    steps: Floats
    tie: int
    weights: Floats
    visits: Counts
    unit: float
    schedule: str = "fixed"
    tol: float = 0.0
    criteria: Floats = field(init=False)
    lengths: Floats = field(init=False)
    mistakes: Counts = field(init=False)
    totals: Counts = field(init=False)
    clean: Flags = field(init=False)
    flat: Flags = field(init=False)

    def __post_init__(self) -> None:
        n_halfspaces = len(self.weights)
        self.criteria = np.zeros(n_halfspaces)
        self.lengths = np.zeros(n_halfspaces)
        self.mistakes = np.zeros(n_halfspaces, dtype=np.int64)
        self.totals = np.zeros(n_halfspaces, dtype=np.int64)
        self.clean = np.zeros(n_halfspaces, dtype=bool)
        self.flat = np.zeros(n_halfspaces, dtype=bool)

    @property
    def finished(self) -> Flags:
        """Which halfspaces are not looked at any more."""
        return self.clean | self.flat

    def step(self, recorded: slice) -> Step:
        """Look at the samples and let the halfspaces that are not finished make one step.

        The record that is returned speaks of the recorded halfspaces.
        """
        started = time.perf_counter()
        norm = self.unit * float(np.linalg.norm(self.weights[recorded]))
        rates = [self._step_one(k) for k in np.flatnonzero(~self.finished).tolist()]
        return Step(
            criterion=self.unit * float(self.criteria[recorded].sum()),
            gradient=float(np.linalg.norm(self.lengths[recorded])),
            mistakes=int(self.mistakes[recorded].sum()),
            norm=norm,
            rate=self.unit * max(rates, default=0.0),
            seconds=time.perf_counter() - started,
        )

    def _step_one(self, k: int) -> float:
        """Let one halfspace make its step; return the rate of it."""
        gradient = np.empty(self.weights.shape[1])
        self.visits[k] += 1
        self.criteria[k], self.mistakes[k], stuck_at = measure_criterion(
            self.rows, self.signs[k], self.steps, self.tie, self.weights[k], gradient
        )
        if stuck_at >= 0:
            raise not_finite(stuck_at)
        if not (np.abs(gradient) < LARGEST).all():
            raise too_long()
        self.totals[k] += self.mistakes[k]
        self.lengths[k] = _length(gradient)
        rate = rate_at(self.schedule, int(self.visits[k]))
        self.clean[k] = self.mistakes[k] == 0
        self.flat[k] = not self.clean[k] and self.lengths[k] <= self.tol
        if not self.finished[k]:
            self.weights[k] -= rate * gradient
            if not (np.abs(self.weights[k]) < LARGEST).all():
                raise too_long()
        return rate


def _length(vector: Floats) -> float:
    """Return the length of a vector; it is 0 only if all its numbers are."""
    largest = float(np.abs(vector).max(initial=0.0))
    return largest * float(np.linalg.norm(vector / largest)) if largest else 0.0
