"""Rules that visit one sample after the other and keep nothing but weights and numbers beside them.

An epoch is over when each halfspace has found nothing to do. After the last epoch the samples that what
decides is mistaken on are counted, for the weights may have moved after a sample was visited.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Flags, Floats
from rosenblatt.training.history import Epoch
from rosenblatt.training.loop import Log
from rosenblatt.training.outcomes import Outcome
from rosenblatt.training.problem import Problem
from rosenblatt.training.rules.perceptron_rule import count_errors


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
        self.scores: Floats = np.zeros((0, 0))  # or room for those of each visit
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
