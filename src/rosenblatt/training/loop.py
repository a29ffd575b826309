"""When to stop and what to record: the one loop around the pass kernels.

Convention: learning stops after an epoch without a mistake, and only then, or when the budget of
epochs is used up, or when the watcher asks. An order with repetition ("random") may miss samples, so
there a clean epoch is followed by a look at every sample, and learning goes on if one is mistaken.
Halfspaces of one panel do not wait for each other: one that had a clean epoch is not visited any more.
"""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from rosenblatt.core.types import Counts, Flags, Floats, Signs
from rosenblatt.kernels.epochs.joint import count_mistaken
from rosenblatt.kernels.scoring import count_mistakes
from rosenblatt.training.history import Epoch, History
from rosenblatt.training.outcomes import Outcome
from rosenblatt.training.panel import Panel, Problem

ORDERS = ("cyclic", "shuffle", "random")

# So many numbers are read before Python has a look again: some hundredths of a second.
_NUMBERS_AT_ONCE = 30_000_000


class Watcher(Protocol):
    """Sees epochs begin and end, and may stop the run; a patient one may be shown several at once."""

    patient: bool

    def epoch_begins(self) -> None:
        """Hear that an epoch begins."""

    def epoch_ends(self, epoch: Epoch, n_epochs: int) -> bool:
        """See the last epoch's record, with the mistakes of all n epochs; answer whether to stop."""


class Teacher(Protocol):
    """Takes a panel through its epochs: all its halfspaces in one pass, or several shards."""

    def visit(self, order: Counts, most: int = 1, /) -> int:
        """Let the halfspaces that are still learning visit the samples in order; return how often."""

    def settle(self) -> None:
        """Write what was learned back to the panel."""


@dataclass
class Run:
    """What a run reports beside the weights: that of some halfspaces of a panel, or of all."""

    columns: slice = field(default_factory=lambda: slice(None))
    outcome: Outcome = Outcome.BUDGET
    history: History = field(default_factory=History)
    n_exact: int = 0


def orders(kind: str, n_samples: int, rng: np.random.RandomState) -> Iterator[Counts]:
    """Yield the order of visits of one epoch after another, for ever.

    >>> next(orders("cyclic", 3, np.random.RandomState(0)))
    array([0, 1, 2])
    """
    natural = np.arange(n_samples)
    while True:
        if kind == "cyclic":
            yield natural
        elif kind == "shuffle":
            yield rng.permutation(n_samples)
        else:
            yield rng.randint(n_samples, size=n_samples)


def learn(
    problem: Problem,
    panel: Panel,
    teacher: Teacher,
    epochs: Iterator[Counts],
    max_epochs: int,
    *,
    runs: list[Run],
    misses_samples: bool = False,
    steady: bool = False,
    unit: float = 1.0,
    watch: Watcher | None = None,
) -> None:
    """Run epochs until every halfspace has had one without a mistake, or the budget is used up.

    Each of the ``runs`` records its own halfspaces, as if they were learned alone, and goes on from
    where it is. ``unit`` is the length that the weights are measured in, for the history's norm;
    ``misses_samples`` says that an order may leave samples out, ``steady`` that all epochs have the same
    one; a watcher is for a single run.
    """
    at_once = 1
    if steady and len(runs) == 1 and (watch is None or watch.patient):
        at_once = max(1, _NUMBERS_AT_ONCE // (panel.steps.size + problem.rows.values.size))
    open_runs = runs
    stopped = False
    while not stopped:
        finished = panel.finished
        open_runs = [r for r in open_runs if _goes_on(finished, r, max_epochs)]
        if not open_runs:
            break
        if watch is not None:
            watch.epoch_begins()
        started = time.perf_counter()
        n_epochs = teacher.visit(next(epochs), _most(at_once, runs[0], max_epochs))
        if misses_samples:
            teacher.settle()
        news = _news(problem, panel, (~finished).tolist(), misses_samples=misses_samples)
        seconds = (time.perf_counter() - started) / (len(open_runs) * n_epochs)
        passed = _record_laps(panel, runs[0], n_epochs - 1, unit, seconds)
        for run in open_runs:
            epoch = _record(panel, run, news, unit, seconds)
        if watch is not None:
            teacher.settle()
            all_mistakes = epoch.mistakes + passed
            stopped = watch.epoch_ends(epoch._replace(mistakes=all_mistakes), n_epochs)
    teacher.settle()
    for run in runs:
        run.outcome = _outcome(panel, run, stopped=stopped)


def _most(at_once: int, run: Run, max_epochs: int) -> int:
    return min(at_once, max_epochs - len(run.history))


def _record_laps(panel: Panel, run: Run, n_laps: int, unit: float, seconds: float) -> int:
    """Add the epochs before the last one to a run's history; return their mistakes."""
    if n_laps == 0:
        return 0
    mistakes = panel.laps.mistakes[:n_laps].sum(axis=1)
    norms = unit * np.sqrt(panel.laps.squares[:n_laps].sum(axis=1))
    run.history.extend(mistakes, norms, seconds)
    run.n_exact += int(panel.laps.exact[:n_laps].sum())
    return int(mistakes.sum())


def _goes_on(finished: Flags, run: Run, max_epochs: int) -> bool:
    return len(run.history) < max_epochs and not bool(finished[run.columns].all())


class _News(NamedTuple):
    """What the last epoch did, for each halfspace; plain numbers, for short epochs are many.

    Its mistakes and exact sums, and on how many samples it is mistaken at the end, None if not known.
    """

    mistakes: list[int]
    exact: list[int]
    left: list[int | None]


def _news(problem: Problem, panel: Panel, learning: list[bool], *, misses_samples: bool) -> _News:
    """Return what the last epoch did; a halfspace that did not learn has done nothing."""
    tally = panel.tally
    mistakes = [n if busy else 0 for n, busy in zip(tally.mistakes.tolist(), learning, strict=True)]
    exact = [n if busy else 0 for n, busy in zip(tally.exact.tolist(), learning, strict=True)]
    left: list[int | None] = [0 if clean else None for clean in panel.clean.tolist()]
    if panel.own is not None:
        if not tally.mistakes.any():
            missed = count_joint_mistakes(problem, panel) if misses_samples else 0
            left = [missed if k == 0 else 0 for k in range(len(panel))]
            panel.clean[:] = missed == 0
        return _News(mistakes, exact, left)
    for k, busy in enumerate(learning):
        if busy and mistakes[k] == 0:
            left[k] = count_training_mistakes(problem, panel, k) if misses_samples else 0
            panel.clean[k] = left[k] == 0
    return _News(mistakes, exact, left)


def _record(panel: Panel, run: Run, news: _News, unit: float, seconds: float) -> Epoch:
    """Add what the last epoch did to a run's history."""
    left = [n for n in news.left[run.columns] if n is not None]
    known = len(left) == len(news.left[run.columns])
    run.n_exact += sum(news.exact[run.columns])
    epoch = Epoch(
        mistakes=sum(news.mistakes[run.columns]),
        training_mistakes=sum(left) if known else None,
        norm=unit * math.sqrt(float(panel.tally.squares[run.columns].sum())),
        seconds=seconds,
    )
    run.history.append(epoch)
    return epoch


def _outcome(panel: Panel, run: Run, *, stopped: bool) -> Outcome:
    finished = bool(panel.finished[run.columns].all())
    if stopped and not finished:
        return Outcome.STOPPED
    if panel.hopeless[run.columns].any():
        return Outcome.INSEPARABLE
    return Outcome.SEPARATED if finished else Outcome.BUDGET


def count_training_mistakes(problem: Problem, panel: Panel, k: int) -> int:
    """Return on how many of its samples halfspace k is mistaken now."""
    halfspace = panel.halfspace(k)
    return count_errors(problem, halfspace.signs, halfspace.weights)


def count_errors(problem: Problem, signs: Signs, weights: Floats) -> int:
    """Return on how many of the samples that have a sign these weights are mistaken."""
    return int(count_mistakes(problem.rows, np.ascontiguousarray(signs), problem.tie, weights))


def count_joint_mistakes(problem: Problem, panel: Panel) -> int:
    """Return on how many samples the classes that learn jointly are mistaken now."""
    assert panel.own is not None
    return int(count_mistaken(problem.rows, panel.own, panel.weights))
