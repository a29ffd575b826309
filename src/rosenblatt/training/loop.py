"""When to stop and what to record: the one loop around all rules of learning.

Convention: learning stops when every halfspace has had an epoch that found nothing to do, and only then,
or when the budget of epochs is used up, or when the watcher asks. Halfspaces do not wait for each other:
one that had such an epoch is not visited any more. An order with repetition ("random") may miss samples,
so there a rule looks at every sample after such an epoch, and goes on if there is something to do.
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
    """Sees epochs begin and end, and may stop the run; a patient one may be shown several at once."""

    patient: bool

    def epoch_begins(self) -> None:
        """Hear that an epoch begins."""

    def epoch_ends(self, epoch: Epoch, n_epochs: int) -> bool:
        """See the last epoch's record, with the mistakes of all n epochs; answer whether to stop."""


@dataclass
class Log:
    """What is recorded of some halfspaces, or of all, while they learn."""

    columns: slice = field(default_factory=lambda: slice(None))
    history: Any = field(default_factory=History)  # or a list, where a rule has records of its own
    n_exact: int = 0
    outcome: Outcome = Outcome.BUDGET


class Rule(Protocol):
    """Halfspaces and how they learn: perceptron, joint, passive-aggressive, Winnow, dual."""

    epochs_at_once: int
    """How many epochs in the same order may pass before the loop looks again."""

    @property
    def learning(self) -> Flags:
        """Which halfspaces still have something to do."""

    def visit(self, order: Counts, most: int = 1, /) -> int:
        """Let the halfspaces that are learning visit the samples in order; return how often."""

    def record(self, log: Log, n_epochs: int, seconds: float, /) -> None:
        """Add what the last epochs did to the log of some halfspaces; each took these seconds."""

    def write_back(self) -> None:
        """Write what was learned to where the caller reads it."""

    def outcome(self, columns: slice, /) -> Outcome:
        """Return why the learning of some halfspaces stopped, nobody having asked for it."""


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

    Each of the ``logs`` records its own halfspaces, as if they learned alone, and goes on from where it
    is. ``steady`` says that all epochs have the same order; a watcher is for a single log.
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
            epoch = last[-1]._replace(mistakes=sum(one.mistakes for one in last))
            stopped = watch.epoch_ends(epoch, n_epochs)
    rule.write_back()
    still_learning = rule.learning
    for log in logs:
        is_stopped = stopped and bool(still_learning[log.columns].any())
        log.outcome = Outcome.STOPPED if is_stopped else rule.outcome(log.columns)
