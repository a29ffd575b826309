"""Engines by name: where they run, and with how many workers."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from rosenblatt.cluster.engines.engine import Engine
from rosenblatt.cluster.engines.ray_workers import RayWorkers
from rosenblatt.cluster.engines.thread_workers import ThreadWorkers
from rosenblatt.core.checks import check_choice, whole_number
from rosenblatt.core.errors import InputError


def open_engine(
    name: str, *, address: str | None = None, n_workers: int, allow_open: bool = False
) -> Engine:
    """Return an engine with this many workers; the caller must close it.

    Without an ``address``, Ray starts on this machine; with one, the workers run on that cluster. A
    cluster that does not require a token is refused unless ``allow_open`` is true.

    >>> with closing(open_engine("threads", n_workers=2)) as engine:
    ...     engine.name
    'threads'
    """
    check_choice("engine", name, ("threads", "ray"))
    if address is not None and name == "threads":
        raise InputError(
            f"the address {address!r} does not go together with the engine 'threads', which runs on "
            "this machine: use 'ray', or no address"
        )
    n_workers = whole_number("n_workers", n_workers, 1)
    if name == "threads":
        return Engine(ThreadWorkers(n_workers))
    return Engine(RayWorkers(n_workers, address, allow_open))


@dataclass(frozen=True)
class EngineChoice:
    """An engine by name, and its workers: see `open_engine`.

    By default there is one worker per shard, but on this machine at most one per processor.
    """

    name: str = "threads"
    address: str | None = None
    workers: int | None = None
    allow_open: bool = False

    @contextmanager
    def opened(self, n_shards: int) -> Iterator[Engine]:
        """Open the engine, and close it at the end of the ``with`` block."""
        workers = self.workers
        if workers is None:
            workers = n_shards if self.address is not None else os.cpu_count() or 1
        engine = open_engine(
            self.name,
            address=self.address,
            n_workers=min(whole_number("workers", workers, 1), n_shards),
            allow_open=self.allow_open,
        )
        with closing(engine):
            yield engine
