"""The dual perceptron's rule: when its halfspaces stop, and what is recorded.

A halfspace that had an epoch without a mistake is no longer visited; if an order may miss samples, such
an epoch is followed by a check of every sample. When all halfspaces have had one, the samples are
decided as `predict` decides them, and a halfspace that then misclassifies one continues to learn: so
``SEPARATED`` is true of the predictions.
"""

import math
from typing import Protocol

import numpy as np

from rosenblatt.core.types import Counts, Flags, Floats
from rosenblatt.training.history import Epoch
from rosenblatt.training.loop import Log
from rosenblatt.training.outcomes import Outcome


class Pass(Protocol):
    """Passes of halfspaces over samples."""

    def visit(self, order: Counts, learning: Flags, /) -> Counts:
        """Visit the samples in order; return the mistakes of each halfspace that is learning."""

    def count_mistaken(self) -> Counts:
        """Return how many samples the last hypothesis of each halfspace misclassifies."""

    def recount(self) -> Counts:
        """Return how many samples each halfspace misclassifies according to `sums_of`.

        The pass continues with the scores from `sums_of`.
        """

    @property
    def squares(self) -> Floats:
        """The squared length of each hypothesis."""


class DualRule:
    """Hypotheses in dual form that learn from their mistakes."""

    epochs_at_once = 1

    def __init__(self, passes: Pass, *, misses_samples: bool) -> None:
        self._pass = passes
        self._misses_samples = misses_samples
        self._mistakes: Counts = np.zeros(len(passes.squares), dtype=np.int64)
        self.learning: Flags = np.ones(len(passes.squares), dtype=np.bool_)

    def visit(self, order: Counts, _max_epochs: int = 1) -> int:
        """Run one epoch in this order of visits."""
        self._mistakes = self._pass.visit(order, self.learning)
        clean = self.learning & (self._mistakes == 0)
        if self._misses_samples and clean.any():
            clean &= self._pass.count_mistaken() == 0
        self.learning = self.learning & ~clean
        if not self.learning.any():
            self.learning = self._pass.recount() > 0
        return 1

    def record(self, log: Log, _n_epochs: int, seconds: float) -> None:
        """Add the last epoch to the log."""
        norm = math.sqrt(max(float(self._pass.squares.sum()), 0.0))
        left = None if self.learning.any() else 0
        mistakes = int(self._mistakes.sum())
        log.history.append(Epoch(mistakes, mistakes, left, norm, seconds))

    def write_back(self) -> None:
        """Do nothing: the hypotheses are up to date."""

    def outcome(self, _columns: slice) -> Outcome:
        """Return why learning stopped."""
        return Outcome.BUDGET if self.learning.any() else Outcome.SEPARATED
