"""Rules that visit one sample after the other and keep nothing but weights and numbers beside them.

An epoch is over when each halfspace has found nothing to do. After the last epoch the samples that what
decides is mistaken on are counted, for the weights may have moved after a sample was visited.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Flags, Floats
from rosenblatt.kernels.epochs.online_rules import (
    Aggression,
    Growth,
    passive_aggressive_pass,
    winnow_pass,
)
from rosenblatt.kernels.epochs.ordered_sums import BALANCED
from rosenblatt.training.deciders.average import Average
from rosenblatt.training.history import Epoch
from rosenblatt.training.loop import Log
from rosenblatt.training.outcomes import Outcome
from rosenblatt.training.panel_rule import count_errors
from rosenblatt.training.problem import Problem

_NO_DRIFT = np.zeros((0, 0))


class Arrays(NamedTuple):
    """What is changed in place, a row for each halfspace: weights, what is beside them, two counts."""

    weights: Floats
    beside: Floats | None
    visits: Counts
    mistakes: Counts

    def copied(self) -> "Arrays":
        """Return copies."""
        beside = None if self.beside is None else self.beside.copy()
        return Arrays(self.weights.copy(), beside, self.visits.copy(), self.mistakes.copy())


class OnlineRule(ABC):
    """Abstract: halfspaces that learn from one sample after the other."""

    epochs_at_once = 1

    def __init__(self, problem: Problem, arrays: Arrays, *, misses_samples: bool = False) -> None:
        self.problem = problem
        self.arrays = arrays
        self.learning: Flags = np.ones(len(arrays.weights), dtype=np.bool_)
        self.tally: Floats = np.zeros((len(arrays.weights), 2))
        self._misses_samples = misses_samples
        self._n_wrong = -1

    @abstractmethod
    def _pass(self, order: Counts, learning: Flags, arrays: Arrays, tally: Floats) -> int:
        """Visit samples in order, changing the arrays and the tally in place: see ``online_rules``.

        Returned is the sample at which a number was not finite or too large, or -1.
        """

    def _found_nothing(self, tally: Floats) -> Flags:
        """Say for which halfspaces an epoch with this tally has found nothing to do."""
        return np.asarray(tally[:, 0] == 0.0)

    @property
    def deciding(self) -> Floats:
        """The weights that decide."""
        return self.arrays.weights

    def visit(self, order: Counts, _most: int = 1) -> int:
        """Let the halfspaces that are learning visit the samples in order, once."""
        self.tally = np.zeros_like(self.tally)
        stuck_at = self._pass(order, self.learning, self.arrays, self.tally)
        if stuck_at >= 0:
            raise InputError(
                f"row {stuck_at} of X would bring a score or a weight beyond what float64 can square: "
                "scale the samples of X, or their weights, to moderate size, or take smaller steps"
            )
        self.arrays.mistakes[:] += self.tally[:, 0].astype(np.int64)
        for k in np.flatnonzero(self.learning & self._found_nothing(self.tally)).tolist():
            self.learning[k] = self._is_left_to_do(k)
        if not self.learning.any():
            self._n_wrong = sum(
                count_errors(self.problem, weights, k) for k, weights in enumerate(self.deciding)
            )
        return 1

    def _is_left_to_do(self, k: int) -> bool:
        """Say whether halfspace k, which found nothing to do, still has something on some sample."""
        if self._misses_samples:
            only, looked = np.arange(len(self.tally)) == k, np.zeros_like(self.tally)
            self._pass(np.arange(len(self.problem)), only, self.arrays.copied(), looked)
            if not self._found_nothing(looked)[k]:
                return True
        return self.tally[k, 0] > 0 and count_errors(self.problem, self.arrays.weights[k], k) > 0

    def record(self, log: Log, _n_epochs: int, seconds: float) -> None:
        """Add what the last epoch did to the log."""
        updates = int(self.tally[log.columns, 0].sum())
        norm = float(np.linalg.norm(self.arrays.weights[log.columns]))
        known = self._n_wrong if self._n_wrong >= 0 else None
        log.history.append(Epoch(updates, known, norm, seconds))

    def write_back(self) -> None:
        """Do nothing: the arrays are up to date."""
        return

    def outcome(self, _columns: slice) -> Outcome:
        """Return why learning stopped."""
        if self._n_wrong == 0:
            return Outcome.SEPARATED
        return Outcome.AVERAGED if self._n_wrong > 0 and self._averages else Outcome.BUDGET

    @property
    def _averages(self) -> bool:
        """Whether an average decides."""
        return False


class PassiveAggressiveRule(OnlineRule):
    """Passive-aggressive updates; where averages are kept, beside the weights is their drift."""

    def __init__(
        self,
        problem: Problem,
        arrays: Arrays,
        aggression: Aggression,
        *,
        tol: float,
        misses_samples: bool = False,
    ) -> None:
        super().__init__(problem, arrays, misses_samples=misses_samples)
        self._aggression = aggression
        self._tol = tol

    def _pass(self, order: Counts, learning: Flags, arrays: Arrays, tally: Floats) -> int:
        problem, drift = self.problem, arrays.beside
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
                arrays.visits,
                tally,
            )
        )

    def _found_nothing(self, tally: Floats) -> Flags:
        return np.asarray(tally[:, 1] <= self._tol)

    @property
    def _averages(self) -> bool:
        return self.arrays.beside is not None

    @property
    def deciding(self) -> Floats:
        """The weights that decide."""
        weights, drift, visits, _ = self.arrays
        return weights if drift is None else Average(drift).deciding(weights, visits)


@dataclass(frozen=True)
class Exponents:
    """What Winnow's weights are powers of, and how they grow; the weights themselves decide."""

    exponents: Floats
    growth: Growth

    def deciding(self, weights: Floats, _visits: Counts) -> Floats:
        """Return the weights."""
        return weights

    def chosen(self, rows: Counts) -> "Exponents":
        """Return the exponents of the halfspaces in the given order."""
        return Exponents(self.exponents[rows], self.growth)

    def opened(self, origin: Floats, *, n_classes: int) -> "Exponents":
        """Return the exponents of a stream that was closed, made ready for new classes."""
        assert n_classes != 2  # products cannot be turned round
        return Exponents(np.vstack([self.exponents, np.zeros_like(origin)]), self.growth)

    def rescaled(self, _factor: float) -> "Exponents":
        """Return the same: these weights have no unit."""
        return self

    def check(self, weights: Floats) -> None:
        """Raise ValueError unless the weights are what the exponents stand for."""
        exponents = self.exponents
        if exponents.shape != weights.shape or exponents.dtype != np.float64:
            raise ValueError("the exponents do not fit the weights")
        base, kind, threshold = self.growth
        if not (isinstance(base, float) and base > 1.0 and isinstance(threshold, float)):
            raise ValueError("the rule is none of Winnow's")
        with np.errstate(over="ignore", invalid="ignore"):
            powers = base**exponents
            if kind == BALANCED:
                powers -= base**-exponents
        powers[:, -1] = (powers[:, -1] if kind == BALANCED else 0.0) - threshold
        if not np.allclose(powers, weights, rtol=1e-9, atol=1e-290):
            raise ValueError("the weights are not what their exponents stand for")


class WinnowRule(OnlineRule):
    """Winnow's updates; beside the weights are their exponents."""

    def __init__(
        self, problem: Problem, arrays: Arrays, growth: Growth, *, misses_samples: bool = False
    ) -> None:
        super().__init__(problem, arrays, misses_samples=misses_samples)
        self._growth = growth

    def _pass(self, order: Counts, learning: Flags, arrays: Arrays, tally: Floats) -> int:
        problem, exponents = self.problem, arrays.beside
        assert exponents is not None
        samples = problem.rows, problem.signs, problem.steps
        parts = arrays.weights, exponents, arrays.visits
        return int(winnow_pass(*samples, order, learning, self._growth, *parts, tally))
