"""The epoch loop, shared by all learning rules: when to stop and what to record.

Learning stops when every halfspace has had an epoch that found nothing to do, when the epoch budget is
used up, or when the watcher asks for it. Halfspaces do not wait for each other: one that had such an
epoch is no longer visited. An order with repetition ("random") may miss samples, so after such an epoch
a rule checks every sample, and continues if there is something to do.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from rosenblatt.core.compiling import Stopwatch
from rosenblatt.core.types import Counts, Flags
from rosenblatt.training.history import Epoch, History
from rosenblatt.training.outcomes import Outcome

ORDERS = ("cyclic", "shuffle", "random")


class Watcher(Protocol):
    """Sees epochs begin and end, and may stop the run; a patient one may see several as one."""

    patient: bool

    def epoch_begins(self) -> None:
        """Note that an epoch begins."""

    def epoch_ends(self, epoch: Epoch, n_epochs: int) -> bool:
        """Return whether to stop; ``epoch`` is the last one, with the counts of all n."""


@dataclass
class Log:
    """The record of some or all halfspaces while they learn."""

    columns: slice = field(default_factory=lambda: slice(None))
    history: Any = field(default_factory=History)  # or a list, for rules with other records
    n_exact: int = 0
    outcome: Outcome = Outcome.BUDGET


class Rule(Protocol):
    """Halfspaces and how they learn: perceptron, joint, passive-aggressive, Winnow, dual."""

    epochs_at_once: int
    """How many epochs in the same order may be run in one call of `visit`."""

    @property
    def learning(self) -> Flags:
        """Which halfspaces still have something to do."""

    def visit(self, order: Counts, max_epochs: int = 1, /) -> int:
        """Run up to ``max_epochs`` epochs in this order of visits; return how many were run."""

    def record(self, log: Log, n_epochs: int, seconds: float, /) -> None:
        """Add the last epochs, each of which took ``seconds``, to a log."""

    def write_back(self) -> None:
        """Write the learned weights to where the caller reads them."""

    def outcome(self, columns: slice, /) -> Outcome:
        """Return why these halfspaces stopped learning, unless they were interrupted."""


def orders(kind: str, n_samples: int, rng: np.random.RandomState) -> Iterator[Counts]:
    """Yield the order of visits of each epoch, without end.

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


def train(
    rule: Rule,
    epochs: Iterator[Counts],
    max_epochs: int,
    logs: list[Log],
    *,
    steady: bool = False,
    watch: Watcher | None = None,
) -> None:
    """Run epochs until no halfspace has anything left to do, or the budget is used up.

    Each of the ``logs`` records its own halfspaces as if they learned alone; it may already have epochs.
    ``steady`` says that all epochs have the same order. A watcher requires a single log.
    """
    may_run_ahead = steady and len(logs) == 1 and (watch is None or watch.patient)
    at_once = rule.epochs_at_once if may_run_ahead else 1
    going, stopped = logs, False
    while not stopped:
        learning = rule.learning
        going = [
            log
            for log in going
            if len(log.history) < max_epochs and bool(learning[log.columns].any())
        ]
        if not going:
            break
        if watch is not None:
            watch.epoch_begins()
        stopwatch = Stopwatch()
        n_epochs = rule.visit(next(epochs), min(at_once, max_epochs - len(logs[0].history)))
        seconds = stopwatch.seconds() / (len(going) * n_epochs)
        for log in going:
            rule.record(log, n_epochs, seconds)
        if watch is not None:
            rule.write_back()
            last = logs[0].history[-n_epochs:]
            mistakes, updates = sum(e.mistakes for e in last), sum(e.updates for e in last)
            epoch = last[-1]._replace(mistakes=mistakes, updates=updates)
            stopped = watch.epoch_ends(epoch, n_epochs)
    rule.write_back()
    still_learning = rule.learning
    for log in logs:
        is_stopped = stopped and bool(still_learning[log.columns].any())
        log.outcome = Outcome.STOPPED if is_stopped else rule.outcome(log.columns)
