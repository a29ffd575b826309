"""Epochs of the dual perceptron: when to stop, and what to record.

As in ``loop``: learning stops after an epoch without a mistake, and only then, or when the epochs
allowed are used up. A halfspace that had a clean epoch is not visited any more; where an order may
miss samples, a clean epoch is followed by a look at every sample. When all have had one, the samples
are decided as `predict` decides them, and a halfspace that is then mistaken on one learns on: so
``SEPARATED`` is said of the decisions that are made afterwards.
"""

import math
import time
from collections.abc import Iterator
from typing import Protocol

import numpy as np

from rosenblatt.core.types import Counts, Flags, Floats
from rosenblatt.training.history import Epoch, History
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


def learn_dual(
    teacher: Pass, epochs: Iterator[Counts], max_epochs: int, *, misses_samples: bool
) -> tuple[Outcome, History]:
    """Run epochs until every halfspace has had one without a mistake, or no more are allowed."""
    history = History()
    learning: Flags = np.ones(len(teacher.squares), dtype=np.bool_)
    while len(history) < max_epochs and learning.any():
        started = time.perf_counter()
        mistakes = teacher.visit(next(epochs), learning)
        clean = learning & (mistakes == 0)
        if misses_samples and clean.any():
            clean &= teacher.count_mistaken() == 0
        learning = learning & ~clean
        if not learning.any():
            learning = teacher.recount() > 0
        norm = math.sqrt(max(float(teacher.squares.sum()), 0.0))
        left = None if learning.any() else 0
        seconds = time.perf_counter() - started
        history.append(Epoch(int(mistakes.sum()), left, norm, seconds))
    return Outcome.BUDGET if learning.any() else Outcome.SEPARATED, history
