"""The passive-aggressive rule: the smallest step that brings a sample's loss to 0, or near it."""

import numpy as np

from rosenblatt.core.types import Counts, Flags, Floats
from rosenblatt.kernels.epochs.online_rules import PassRecord, StepLimits, passive_aggressive_pass
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
        problem, drift = self.problem, arrays.extra
        return int(
            passive_aggressive_pass(
                problem.rows,
                problem.signs,
                problem.steps,
                order,
                learning,
                self._aggression,
                arrays.weights,
                _NO_DRIFT if drift is None else drift,
                PassRecord(arrays.visits, tally, self.scores),
            )
        )

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
