"""The perceptron rule for a panel: halfspaces learn independently, or all classes jointly."""

import math
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from rosenblatt.core.types import Counts, Flags, Floats
from rosenblatt.kernels.epochs.joint import count_mistaken
from rosenblatt.kernels.epochs.panel_types import EXACT, MISTAKES, SQUARES, UPDATES
from rosenblatt.kernels.scoring import count_mistakes, count_short
from rosenblatt.training.cycle import MOST_WEIGHTS
from rosenblatt.training.history import Epoch
from rosenblatt.training.loop import Log
from rosenblatt.training.outcomes import Outcome
from rosenblatt.training.panel import Panel
from rosenblatt.training.problem import Problem

# Numbers to read before the kernel returns to Python: some hundredths of a second.
_NUMBERS_AT_ONCE = 30_000_000
_EPOCHS_AT_ONCE = 100_000


class Passes(Protocol):
    """Passes of a panel over the samples: all its halfspaces in one pass, or several shards."""

    def visit(self, order: Counts, max_epochs: int = 1, /) -> int:
        """Run up to ``max_epochs`` epochs in this order of visits; return how many were run."""

    def write_back(self) -> None:
        """Copy all weights back to the panel."""


class _Report(NamedTuple):
    """The last epoch of each halfspace, in plain Python numbers, because short epochs are many.

    Its updates and the mistakes among them, its exact sums, and how many samples it misclassifies at the
    end, None if unknown.
    """

    updates: list[int]
    mistakes: list[int]
    exact: list[int]
    left: list[int | None]


class PerceptronRule:
    """A panel that learns from its mistakes or, with a required margin, from too small margins.

    ``misses_samples`` says that an order may leave out samples; ``rate`` is the unit of the weights, for
    the norms in the history. If all epochs have the same order, ``mark`` saves the current weights of
    the passes, to detect a cycle (see ``cycle``).
    """

    def __init__(
        self,
        panel: Panel,
        passes: Passes,
        *,
        rate: float = 1.0,
        misses_samples: bool = False,
        mark: Callable[[], None] | None = None,
    ) -> None:
        self._panel = panel
        self._passes = passes
        self._rate = rate
        self._misses_samples = misses_samples
        self._mark = mark if panel.weights.size <= MOST_WEIGHTS else None
        self._n_epochs = 0
        self._marked_at = 0
        self._report = _Report([], [], [], [])
        size = panel.problem.steps.size + panel.problem.rows.values.size
        n_epochs = _NUMBERS_AT_ONCE // max(1, size * len(panel))  # with shards, size may be 0
        self.epochs_at_once = min(max(1, n_epochs), _EPOCHS_AT_ONCE)

    @property
    def learning(self) -> Flags:
        """Which halfspaces are not finished: no clean epoch yet, not inseparable, not cycling."""
        return ~self._panel.finished

    def visit(self, order: Counts, max_epochs: int = 1) -> int:
        """Run up to ``max_epochs`` epochs in this order of visits; return how many were run."""
        learning = self.learning.tolist()
        n_epochs = self._passes.visit(order, self._until_mark(max_epochs))
        if self._misses_samples:
            self._passes.write_back()
        if self._mark is not None:
            self._note_cycles(learning)
        self._n_epochs += n_epochs
        self._report = self._new_report(learning)
        return n_epochs

    def write_back(self) -> None:
        """Copy all weights back to the panel."""
        self._passes.write_back()

    def outcome(self, columns: slice) -> Outcome:
        """Return why these halfspaces stopped learning."""
        if self._panel.inseparable[columns].any():
            return Outcome.INSEPARABLE
        if self._panel.cycling[columns].any():
            return Outcome.CYCLING
        return Outcome.SEPARATED if self._panel.finished[columns].all() else Outcome.BUDGET

    def record(self, log: Log, n_epochs: int, seconds: float) -> None:
        """Add the last epochs to the log of some halfspaces."""
        panel, report, columns = self._panel, self._report, log.columns
        if n_epochs > 1:
            before = panel.tallies[:-1]
            norms = self._rate * np.sqrt(before[:, SQUARES].sum(axis=1))
            mistakes, updates = (before[:, n].sum(axis=1) for n in (MISTAKES, UPDATES))
            log.history.extend(mistakes, updates, norms, seconds)
            log.n_exact += int(before[:, EXACT].sum())
        left = [n for n in report.left[columns] if n is not None]
        known = len(left) == len(report.left[columns])
        log.n_exact += sum(report.exact[columns])
        log.history.append(
            Epoch(
                mistakes=sum(report.mistakes[columns]),
                updates=sum(report.updates[columns]),
                training_mistakes=sum(left) if known else None,
                norm=self._rate * math.sqrt(float(panel.tally[SQUARES, columns].sum())),
                seconds=seconds,
            )
        )

    def _until_mark(self, max_epochs: int) -> int:
        """Take the mark if it is due; return how many epochs may be run before the next one is due."""
        if self._mark is None:
            return max_epochs
        if self._n_epochs & (self._n_epochs - 1) == 0:  # 0, 1, 2, 4, 8, …
            self._mark()
            self._marked_at = self._n_epochs
        return min(max_epochs, max(1, 2 * self._marked_at) - self._n_epochs)

    def _note_cycles(self, learning: list[bool]) -> None:
        """Record a cycle for halfspaces that left their mark and are back at it."""
        panel = self._panel
        for k in np.flatnonzero(panel.back_after).tolist():
            after = int(panel.back_after[k])
            columns = slice(None) if panel.problem.own is not None else k
            if learning[k] and panel.tallies[after - 1, UPDATES, columns].any():
                panel.turns[k] = self._marked_at, self._n_epochs + after

    def _new_report(self, learning: list[bool]) -> _Report:
        """Return the report on the last epoch, with 0 for halfspaces that were not learning."""
        panel, tally = self._panel, self._panel.tally
        rows = (tally[n].tolist() for n in (UPDATES, MISTAKES, EXACT))
        updates, mistakes, exact = (
            [int(n) if learns else 0 for n, learns in zip(row, learning, strict=True)]
            for row in rows
        )
        left: list[int | None] = [0 if clean else None for clean in panel.clean.tolist()]
        if panel.problem.own is not None:
            if not tally[UPDATES].any():
                missed = self._count_left(0)
                left = [missed if k == 0 else 0 for k in range(len(panel))]
                panel.clean[:] = missed == 0
            return _Report(updates, mistakes, exact, left)
        for k, learns in enumerate(learning):
            if learns and updates[k] == 0 and not panel.cycling[k]:
                left[k] = self._count_left(k)
                panel.clean[k] = left[k] == 0
        return _Report(updates, mistakes, exact, left)

    def _count_left(self, k: int) -> int:
        """Return for how many samples there is something to learn: mistakes, or too small margins."""
        if not self._misses_samples:
            return 0
        weights, problem = self._panel.weights, self._panel.problem
        if problem.own is not None:
            return int(count_mistaken(problem.rows, problem.own, weights, problem.required))
        signs = np.ascontiguousarray(problem.signs[:, k])
        return int(count_short(problem.rows, signs, problem.tie, weights[k], problem.required))


def errs(problem: Problem, weights: Floats) -> bool:
    """Return whether weights, one row per halfspace, misclassify some sample that is seen."""
    if problem.own is not None:
        return count_errors(problem, weights) > 0
    return any(count_errors(problem, own, k) for k, own in enumerate(weights))


def count_errors(problem: Problem, weights: Floats, k: int = 0) -> int:
    """Return how many samples weights misclassify as halfspace k, or as all classes jointly."""
    if problem.own is not None:
        return int(count_mistaken(problem.rows, problem.own, weights, 0.0))
    signs = np.ascontiguousarray(problem.signs[:, k])
    return int(count_mistakes(problem.rows, signs, problem.tie, weights))
