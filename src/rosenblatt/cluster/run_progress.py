"""What a run in shards tells whoever watches it; by itself it shows nothing."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from rosenblatt.cluster.engines.engine import Waiting
from rosenblatt.training.history import Epoch


class Progress:
    """Hears of stages, rounds and epochs."""

    def stage(self, text: str) -> AbstractContextManager[None]:
        """Return a context in which a stage goes on."""
        del text
        return nullcontext()

    def waits(self, waiting: Waiting) -> None:
        """Hear, now and then, that answers are waited for."""

    def epoch_ends(self, epoch: Epoch, n_epochs: int, seconds: Sequence[float]) -> bool:
        """Hear of an epoch, the n-th, and how long each shard took; answer whether to stop."""
        del epoch, n_epochs, seconds
        return False
