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

from typing import NamedTuple

import numpy as np

from rosenblatt.core.constants import LARGEST
from rosenblatt.core.errors import not_finite, too_long
from rosenblatt.core.types import Counts, Flags, Floats, Signs
from rosenblatt.kernels.epochs.criterion_gradient import measure_criterion
from rosenblatt.training.loop import Log
from rosenblatt.training.outcomes import Outcome
from rosenblatt.training.problem import Problem

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


class Descent:
    """Halfspaces that go down along the gradients of their criteria, each along its own.

    ``weights`` has one row for each halfspace, in units of the learning ``rate``; ``visits`` counts the
    looks that each has had at its samples. ``mistakes`` counts those of all looks. A halfspace without a
    mistake is ``clean``; a ``flat`` one has mistakes, but a gradient no longer than ``tol``: neither is
    looked at any more.

    With a fixed rate η and samples of margin γ > 0 and radius R, n of them, w = 0 is followed by at most
    n·(R/γ)² steps: every step adds at least η·γ·m to w·w*, where m is the number of mistaken samples,
    and at most η²·R²·m² to ‖w‖², for g·w ≥ 0. Where mistakes are left the gradient is at least γ·m
    long, so a gradient of 0 says that no weights separate the samples. It is summed in floats: where
    products of weights and values vanish below their range, or sums are rounded, it is no proof.
    """

    epochs_at_once = 1

    def __init__(
        self,
        problem: Problem,
        weights: Floats,
        visits: Counts,
        rate: float,
        *,
        schedule: str = "fixed",
        tol: float = 0.0,
    ) -> None:
        self.weights, self.visits = weights, visits
        n_halfspaces = len(weights)
        self.mistakes: Counts = np.zeros(n_halfspaces, dtype=np.int64)
        self.clean: Flags = np.zeros(n_halfspaces, dtype=bool)
        self.flat: Flags = np.zeros(n_halfspaces, dtype=bool)
        self._problem = problem
        self._signs: Signs = np.ascontiguousarray(problem.signs.T)
        self._rate, self._schedule, self._tol = rate, schedule, tol
        # What the last look found: the criteria, the lengths of the gradients, and the mistakes; and
        # the weights before the step, and the rates of the steps.
        self._criteria: Floats = np.zeros(n_halfspaces)
        self._lengths: Floats = np.zeros(n_halfspaces)
        self._found: Counts = np.zeros(n_halfspaces, dtype=np.int64)
        self._before = weights
        self._rates: Floats = np.zeros(n_halfspaces)

    @property
    def sees_samples(self) -> bool:
        """Whether every halfspace sees a sample."""
        return bool(self._signs.any(axis=1).all())

    @property
    def learning(self) -> Flags:
        """Which halfspaces are still looked at."""
        return ~(self.clean | self.flat)

    def visit(self, _order: Counts | None = None, _most: int = 1) -> int:
        """Look at all samples, and let the halfspaces that are not finished make one step."""
        self._before = self.weights.copy()
        self._rates[:] = 0.0
        for k in np.flatnonzero(self.learning).tolist():
            self._step(k)
        return 1

    def record(self, log: Log, _n_epochs: int, seconds: float) -> None:
        """Add the last step to the log."""
        log.history.append(self.last_step(log.columns, seconds))

    def last_step(self, columns: slice, seconds: float) -> Step:
        """Return the record of the last step of some halfspaces."""
        return Step(
            criterion=self._rate * float(self._criteria[columns].sum()),
            gradient=float(np.linalg.norm(self._lengths[columns])),
            mistakes=int(self._found[columns].sum()),
            norm=self._rate * float(np.linalg.norm(self._before[columns])),
            rate=self._rate * float(self._rates.max(initial=0.0)),
            seconds=seconds,
        )

    def write_back(self) -> None:
        """Do nothing: the weights are up to date."""

    def outcome(self, columns: slice) -> Outcome:
        """Return why the descent stopped."""
        if self.clean[columns].all():
            return Outcome.SEPARATED
        return Outcome.BUDGET if self.learning[columns].any() else Outcome.STATIONARY

    def _step(self, k: int) -> None:
        """Let one halfspace make its step."""
        problem, gradient = self._problem, np.empty(self.weights.shape[1])
        self.visits[k] += 1
        self._criteria[k], self._found[k], stuck_at = measure_criterion(
            problem.rows, self._signs[k], problem.steps, problem.tie, self.weights[k], gradient
        )
        if stuck_at >= 0:
            raise not_finite(stuck_at)
        if not (np.abs(gradient) < LARGEST).all():
            raise too_long()
        self.mistakes[k] += self._found[k]
        self._lengths[k] = _length(gradient)
        self._rates[k] = rate_at(self._schedule, int(self.visits[k]))
        self.clean[k] = self._found[k] == 0
        self.flat[k] = not self.clean[k] and self._lengths[k] <= self._tol
        if self.learning[k]:
            self.weights[k] -= self._rates[k] * gradient
            if not (np.abs(self.weights[k]) < LARGEST).all():
                raise too_long()


def _length(vector: Floats) -> float:
    """Return the length of a vector; it is 0 only if all its numbers are."""
    largest = float(np.abs(vector).max(initial=0.0))
    return largest * float(np.linalg.norm(vector / largest)) if largest else 0.0
