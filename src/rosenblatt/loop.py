"""When to stop and what to record: the one loop around the pass kernel.

Convention: learning stops after an epoch without a mistake, and only then, or when the budget of
epochs is used up, or when the watcher asks. An order with repetition ("random") may miss samples, so
there a clean epoch is followed by a look at every sample, and learning goes on if one is mistaken.

The average of the weights over all visits costs one more addition for each mistake, not for each visit:
an update made after t of T visits is missing from the first t of the averaged weights, so the average
is w - drift/T, where the drift is the sum of all updates, each times its t (H. Daumé, 2006).
"""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from rosenblatt.errors import not_finite, too_long
from rosenblatt.history import Epoch, History
from rosenblatt.kernels import combine, count_mistakes, learn_epoch
from rosenblatt.outcomes import Outcome
from rosenblatt.rows import Rows, n_rows
from rosenblatt.typing import Counts, Floats, Signs

ORDERS = ("cyclic", "shuffle", "random")


class Watcher(Protocol):
    """Sees every epoch begin and end, and may stop the run."""

    def epoch_begins(self) -> None:
        """Hear that an epoch begins."""

    def epoch_ends(self, epoch: Epoch) -> bool:
        """See the epoch's record; answer whether to stop."""


@dataclass
class Halfspace:
    """One weight vector, what it is to learn and what it has learned so far, changed in place.

    ``signs`` and ``steps`` say which side each sample belongs to and how far a mistake on it moves
    the weights. ``energy`` is the sum of the squared lengths of all updates: ‖w‖² ≤ ‖w0‖² + energy.
    ``drift``, unless None, is what the weights have ahead of their average, times the ``visits``.
    ``hopeless`` says that no weights can be right about all its samples: it is not visited any more.
    """

    weights: Floats
    signs: Signs
    steps: Floats
    counts: Counts
    sequence: list[Counts] | None = None
    energy: float = 0.0
    clean: bool = False
    drift: Floats | None = None
    visits: int = 0
    hopeless: bool = False


@dataclass
class Problem:
    """The samples, and the sign that a score of exactly 0 stands for (0: it is a mistake).

    ``norms`` has the samples' lengths, -1 for each one not visited yet.
    """

    rows: Rows
    tie: int
    norms: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.norms = np.full(n_rows(self.rows), -1.0)


@dataclass
class Run:
    """What a run reports beside the weights."""

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


def visit(problem: Problem, halfspace: Halfspace, order: Counts, buffer: Counts) -> tuple[int, int]:
    """Learn from the samples in order; return the number of mistakes and of exact sums."""
    n_mistakes, energy, n_exact, stuck_at = learn_epoch(
        problem.rows,
        problem.norms,
        halfspace.signs,
        halfspace.steps,
        order,
        problem.tie,
        halfspace.weights,
        halfspace.counts,
        buffer,
    )
    if stuck_at >= 0:
        raise not_finite(stuck_at)
    if not math.isfinite(energy):
        raise too_long()
    halfspace.energy += energy
    if halfspace.sequence is not None:
        halfspace.sequence.append(order[buffer[:n_mistakes]])
    if halfspace.drift is not None:
        _average(problem, halfspace, order, buffer[:n_mistakes])
    return n_mistakes, n_exact


def _average(problem: Problem, halfspace: Halfspace, order: Counts, mistakes: Counts) -> None:
    """Let the drift know which visits were mistakes; only samples that are seen count as visits."""
    seen = halfspace.signs[order] != 0
    before = halfspace.visits + np.cumsum(seen)[mistakes] - 1
    mistaken = order[mistakes]
    assert halfspace.drift is not None
    combine(
        problem.rows,
        halfspace.signs,
        mistaken,
        halfspace.steps[mistaken] * before,
        halfspace.drift,
    )
    halfspace.visits += int(seen.sum())


def learn(
    problem: Problem,
    halfspaces: list[Halfspace],
    epochs: Iterator[Counts],
    max_epochs: int,
    *,
    misses_samples: bool = False,
    unit: float = 1.0,
    watch: Watcher | None = None,
    run: Run | None = None,
) -> Run:
    """Run epochs until every halfspace has had one without a mistake, or the budget is used up.

    ``unit`` is the length that the weights are measured in, for the history's norm;
    ``misses_samples`` says that an order may leave samples out; ``run`` is one to be continued.
    """
    run = Run() if run is None else run
    buffer = np.empty(len(halfspaces[0].steps), dtype=np.int64)
    while len(run.history) < max_epochs and not _is_finished(halfspaces):
        if watch is not None:
            watch.epoch_begins()
        started = time.perf_counter()
        order = next(epochs)
        mistakes = 0
        training_mistakes: int | None = None if any(h.hopeless for h in halfspaces) else 0
        for halfspace in halfspaces:
            if halfspace.clean or halfspace.hopeless:
                continue
            n_mistakes, n_exact = visit(problem, halfspace, order, buffer)
            mistakes += n_mistakes
            run.n_exact += n_exact
            if n_mistakes:
                training_mistakes = None
                continue
            left = count_training_mistakes(problem, halfspace) if misses_samples else 0
            halfspace.clean = left == 0
            if training_mistakes is not None:
                training_mistakes += left
        epoch = Epoch(
            mistakes, training_mistakes, unit * _norm(halfspaces), time.perf_counter() - started
        )
        run.history.append(epoch)
        stop = watch is not None and watch.epoch_ends(epoch)
        if stop and not _is_finished(halfspaces):
            run.outcome = Outcome.STOPPED
            return run
    if any(halfspace.hopeless for halfspace in halfspaces):
        run.outcome = Outcome.INSEPARABLE
    elif _is_finished(halfspaces):
        run.outcome = Outcome.SEPARATED
    return run


def _is_finished(halfspaces: list[Halfspace]) -> bool:
    return all(halfspace.clean or halfspace.hopeless for halfspace in halfspaces)


def count_training_mistakes(problem: Problem, halfspace: Halfspace) -> int:
    """Return on how many of its samples the halfspace is mistaken now."""
    return int(count_mistakes(problem.rows, halfspace.signs, problem.tie, halfspace.weights))


def _norm(halfspaces: list[Halfspace]) -> float:
    total = 0.0
    for halfspace in halfspaces:
        total += halfspace.weights.dot(halfspace.weights)
    return math.sqrt(total)
