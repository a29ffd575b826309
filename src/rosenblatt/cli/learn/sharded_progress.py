"""Progress of `rosenblatt learn --shards` on a terminal: the epochs, and the shards still running."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Self

import numpy as np
from rich.console import Console

from rosenblatt.cluster.engines.engine import Waiting
from rosenblatt.cluster.learning.sharded_learning import Progress
from rosenblatt.training.history import Epoch

SLOW = 2.0
"""A shard is slow if it takes at least this many times the median."""
_MOST_NAMED = 5


class ShownRounds(Progress):
    """A status line on a terminal."""

    def __init__(self) -> None:
        self._status = Console(stderr=True).status("") if sys.stderr.isatty() else None
        self._epoch = "the first epoch"
        self._typical = 0.0
        self._stage = ""

    def __enter__(self) -> Self:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._status is not None:
            self._status.stop()

    @contextmanager
    def stage(self, text: str) -> Iterator[None]:
        """Show a stage during it."""
        self._stage = text
        self._show(text)
        yield
        self._stage = ""

    def waits(self, waiting: Waiting) -> None:
        """Show the shards still running."""
        self._show(f"{self._stage or self._epoch}: {waiting_text(waiting, self._typical)}")

    def epoch_ends(self, epoch: Epoch, n_epochs: int, seconds: Sequence[float]) -> bool:
        """Show the mistakes of an epoch."""
        self._typical = float(np.median(seconds))
        self._epoch = f"epoch {n_epochs + 1:,} (the last one made {epoch.mistakes:,} mistakes)"
        self._show(self._epoch)
        return False

    def _show(self, text: str) -> None:
        if self._status is not None:
            self._status.update(text)


def waiting_text(waiting: Waiting, typical: float) -> str:
    """Return the status of a round; ``typical`` is the median of the last round in seconds.

    >>> waiting_text(Waiting([True, False, True], 9.0), 2.0)
    '2 of 3 shards, 9 s; waiting for shard 2, 4.5 times the usual time'
    """
    answered, seconds = waiting.answered, waiting.seconds
    text = f"{sum(answered)} of {len(answered)} shards, {seconds:.0f} s"
    left = [str(number) for number, done in enumerate(answered, start=1) if not done]
    if not left or typical <= 0.0 or seconds < SLOW * typical:
        return text
    named = ", ".join(left[:_MOST_NAMED]) + (", …" if len(left) > _MOST_NAMED else "")
    noun = "shards" if len(left) > 1 else "shard"
    return f"{text}; waiting for {noun} {named}, {seconds / typical:.1f} times the usual time"
