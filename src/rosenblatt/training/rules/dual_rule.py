"""The dual perceptron's rule: when its halfspaces stop, and what is recorded.

A halfspace that had an epoch without a mistake is not visited any more; where an order may miss samples,
such an epoch is followed by a look at every sample. When all have had one, the samples are decided as
`predict` decides them, and a halfspace that is then mistaken on one learns on: so ``SEPARATED`` is said
of the decisions that are made afterwards.
"""

import math
from typing import Protocol

import numpy as np

from rosenblatt.core.types import Counts, Flags, Floats
from rosenblatt.training.history import Epoch
from rosenblatt.training.loop import Log
from rosenblatt.training.outcomes import Outcome


class Pass(Protocol):
    """Takes halfspaces over samples."""

    def visit(self, order: Counts, learning: Flags, /) -> Counts:
        """Visit the samples in order; return the mistakes of each halfspace that is learning."""

    def count_mistaken(self) -> Counts:
        """Return on how many samples the last hypothesis of each halfspace is mistaken."""

    def recount(self) -> Counts:
        """Return on how many samples each halfspace is mistaken, as `sums_of` decides.

        Where that differs from what the pass found, it goes on from what `sums_of` finds.
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

    def visit(self, order: Counts, _most: int = 1) -> int:
        """Let the halfspaces that are learning visit the samples in order, once."""
        self._mistakes = self._pass.visit(order, self.learning)
        clean = self.learning & (self._mistakes == 0)
        if self._misses_samples and clean.any():
            clean &= self._pass.count_mistaken() == 0
        self.learning = self.learning & ~clean
        if not self.learning.any():
            self.learning = self._pass.recount() > 0
        return 1

    def record(self, log: Log, _n_epochs: int, seconds: float) -> None:
        """Add what the last epoch did to the log."""
        norm = math.sqrt(max(float(self._pass.squares.sum()), 0.0))
        left = None if self.learning.any() else 0
        log.history.append(Epoch(int(self._mistakes.sum()), left, norm, seconds))

    def write_back(self) -> None:
        """Do nothing: the hypotheses are up to date."""

    def outcome(self, _columns: slice) -> Outcome:
        """Return why learning stopped."""
        return Outcome.BUDGET if self.learning.any() else Outcome.SEPARATED
