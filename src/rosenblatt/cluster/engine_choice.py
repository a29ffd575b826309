"""Which engine works on shards, where, and with how many workers."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from rosenblatt.cluster.engines.engine import Engine
from rosenblatt.cluster.engines.open_engine import open_engine
from rosenblatt.core.checks import whole


@dataclass(frozen=True)
class EngineChoice:
    """An engine by its name, and its workers: see `open_engine`.

    By default there is one worker for each shard, but on this machine not more than it has processors.
    """

    name: str = "threads"
    address: str | None = None
    workers: int | None = None
    allow_open: bool = False

    @contextmanager
    def opened(self, n_shards: int) -> Iterator[Engine]:
        """Give the engine, which is closed when the block of code ends."""
        workers = self.workers
        if workers is None:
            workers = n_shards if self.address is not None else os.cpu_count() or 1
        engine = open_engine(
            self.name,
            address=self.address,
            n_workers=min(whole("workers", workers, 1), n_shards),
            allow_open=self.allow_open,
        )
        with closing(engine):
            yield engine
