"""Online rules: they keep only the weights and one more array of the same shape.

Learning is over when each halfspace has found nothing to do in an epoch; classes that learn jointly
finish together. Then the training errors of the
deciding weights are counted, because the weights may have moved after a sample was visited.
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
    """The state, changed in place, one row per halfspace; ``extra`` is the drift or the exponents."""

    weights: Floats
    extra: Floats | None
    visits: Counts
    mistakes: Counts

    def copied(self) -> "Arrays":
        """Return a deep copy."""
        extra = None if self.extra is None else self.extra.copy()
        return Arrays(self.weights.copy(), extra, self.visits.copy(), self.mistakes.copy())


class OnlineRule(ABC):
    """Base class: halfspaces that learn from one sample at a time."""

    epochs_at_once = 1

    def __init__(self, problem: Problem, arrays: Arrays, *, misses_samples: bool = False) -> None:
        self.problem = problem
        self.arrays = arrays
        self.learning: Flags = np.ones(len(arrays.weights), dtype=np.bool_)
        self.tally: Floats = np.zeros((len(arrays.weights), 2))
        self.scores: Floats = np.zeros((0, 0))  # or an array to fill, one row per visit
        self._misses_samples = misses_samples
        self._n_wrong = -1

    @abstractmethod
    def _pass(self, order: Counts, learning: Flags, arrays: Arrays, tally: Floats) -> int:
        """Visit samples in order, changing the arrays and the tally in place: see ``online_rules``.

        Return the sample at which a number was not finite or too large, or -1.
        """

    def _found_nothing(self, tally: Floats) -> Flags:
        """Return which halfspaces found nothing to do in an epoch with this tally."""
        return np.asarray(tally[:, 0] == 0.0)

    @property
    def deciding(self) -> Floats:
        """The weights that make the predictions."""
        return self.arrays.weights

    def visit(self, order: Counts, _max_epochs: int = 1) -> int:
        """Run one epoch in this order of visits."""
        self.tally = np.zeros_like(self.tally)
        stuck_at = self._pass(order, self.learning, self.arrays, self.tally)
        if stuck_at >= 0:
            raise InputError(
                f"row {stuck_at} of X would make a score or a weight too large to square in float64: "
                "scale X or the sample weights to a moderate size, or use smaller steps"
            )
        self.arrays.mistakes[:] += self.tally[:, 0].astype(np.int64)
        for some in self._groups(self.learning & self._found_nothing(self.tally)):
            self.learning[some] = self._has_work_left(some)
        if not self.learning.any():
            self._n_wrong = self._count_wrong()
        return 1

    def _groups(self, marked: Flags) -> list[slice]:
        """Return the marked halfspaces one by one, or all together if they learn jointly."""
        if self.problem.own is not None:
            return [slice(0, len(marked))] if marked.all() else []
        return [slice(k, k + 1) for k in np.flatnonzero(marked).tolist()]

    def _errors(self, panel: Floats, some: slice) -> int:
        """Return how many samples these halfspaces, which finish together, misclassify."""
        if self.problem.own is not None:
            return count_errors(self.problem, panel)
        return count_errors(self.problem, panel[some.start], some.start)

    def _count_wrong(self) -> int:
        """Return the training errors of the deciding weights, in all halfspaces."""
        panel = self.deciding
        everything = np.ones(len(panel), dtype=np.bool_)
        return sum(self._errors(panel, some) for some in self._groups(everything))

    def _has_work_left(self, some: slice) -> bool:
        """Return whether these halfspaces, after an epoch with nothing to do, are not done."""
        if self._misses_samples:
            only, tally = np.zeros(len(self.tally), dtype=np.bool_), np.zeros_like(self.tally)
            only[some] = True
            self._pass(np.arange(len(self.problem)), only, self.arrays.copied(), tally)
            if not self._found_nothing(tally)[some].all():
                return True
        return bool(self.tally[some, 0].any()) and self._errors(self.arrays.weights, some) > 0

    def record(self, log: Log, _n_epochs: int, seconds: float) -> None:
        """Add the last epoch to the log."""
        updates = int(self.tally[log.columns, 0].sum())
        norm = float(np.linalg.norm(self.arrays.weights[log.columns]))
        known = self._n_wrong if self._n_wrong >= 0 else None
        log.history.append(Epoch(updates, updates, known, norm, seconds))

    def write_back(self) -> None:
        """Do nothing: the arrays are up to date."""
        return

    def outcome(self, _columns: slice) -> Outcome:
        """Return why learning stopped."""
        if (
            self._averages and self._n_wrong < 0
        ):  # the epoch limit is the ordinary end of an average
            self._n_wrong = self._count_wrong()
        if self._n_wrong == 0:
            return Outcome.SEPARATED
        return Outcome.AVERAGED if self._averages else Outcome.BUDGET

    @property
    def _averages(self) -> bool:
        """Whether the average makes the predictions."""
        return False
