"""Progress reports of a run in shards; the base class displays nothing."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from rosenblatt.cluster.engines.engine import Waiting
from rosenblatt.training.history import Epoch


class Progress:
    """Receives stages, rounds and epochs."""

    def stage(self, text: str) -> AbstractContextManager[None]:
        """Return a context manager for the duration of a stage."""
        del text
        return nullcontext()

    def waits(self, waiting: Waiting) -> None:
        """Receive, at intervals, how far a round is."""

    def epoch_ends(self, epoch: Epoch, n_epochs: int, seconds: Sequence[float]) -> bool:
        """Receive the n-th epoch and the seconds of each shard; return whether to stop."""
        del epoch, n_epochs, seconds
        return False
