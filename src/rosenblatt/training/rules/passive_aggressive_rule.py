"""The passive-aggressive rule: the smallest step that brings a sample's loss to 0, or near it."""

import numpy as np

from rosenblatt.core.types import Counts, Flags, Floats
from rosenblatt.kernels.epochs.online_rules import (
    PassRecord,
    StepLimits,
    joint_passive_aggressive_pass,
    passive_aggressive_pass,
)
from rosenblatt.training.deciders.average import Average
from rosenblatt.training.problem import Problem
from rosenblatt.training.rules.online_rule import Arrays, OnlineRule

_NO_DRIFT = np.zeros((0, 0))


class PassiveAggressiveRule(OnlineRule):
    """Passive-aggressive updates; ``arrays.extra`` is the drift if averages are kept."""

    def __init__(
        self,
        problem: Problem,
        arrays: Arrays,
        aggression: StepLimits,
        *,
        tol: float,
        misses_samples: bool = False,
    ) -> None:
        super().__init__(problem, arrays, misses_samples=misses_samples)
        self._aggression = aggression
        self._tol = tol

    def _pass(self, order: Counts, learning: Flags, arrays: Arrays, tally: Floats) -> int:
        problem = self.problem
        drift = _NO_DRIFT if arrays.extra is None else arrays.extra
        parts = arrays.weights, drift, PassRecord(arrays.visits, tally, self.scores)
        rows, steps, limits = problem.rows, problem.steps, self._aggression
        if problem.own is not None:
            own = problem.own
            return int(joint_passive_aggressive_pass(rows, own, steps, order, limits, *parts))
        signs = problem.signs
        return int(passive_aggressive_pass(rows, signs, steps, order, learning, limits, *parts))

    def _found_nothing(self, tally: Floats) -> Flags:
        return np.asarray(tally[:, 1] <= self._tol)

    @property
    def _averages(self) -> bool:
        return self.arrays.extra is not None

    @property
    def deciding(self) -> Floats:
        """The weights that make the predictions."""
        weights, drift, visits, _ = self.arrays
        return weights if drift is None else Average(drift).deciding(weights, visits)
