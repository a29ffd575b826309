"""Workers that are threads of this process: compiled code lets them run at the same time."""

from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import NamedTuple

from rosenblatt.cluster.engines.engine import Report, Shard, Work
from rosenblatt.cluster.engines.open_shards import OpenShards
from rosenblatt.io.streams.read_ahead import share_processors


class _Task(NamedTuple):
    round: int
    shard: int
    description: Shard
    work: Work
    open_shards: OpenShards


class ThreadWorkers:
    """Threads, of which whichever is free takes the next shard.

    A thread cannot be stopped. One whose report nobody waits for any more works on to its end, and does
    not keep the process from ending.
    """

    name = "threads"
    n_restarts = 0

    def __init__(self, n_workers: int) -> None:
        self._n_workers = n_workers
        self._n_threads = 0
        self._open = OpenShards()
        self._shards: Sequence[Shard] = ()
        self._work = Work("")
        self._round = 0
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._reports: SimpleQueue[tuple[int, int, Report]] = SimpleQueue()

    @property
    def n_slots(self) -> int:
        """All shards are handed out at once."""
        return len(self._shards)

    def start(self, shards: Sequence[Shard]) -> None:
        """Take these shards in place of those before."""
        self._open.close()
        self._open = OpenShards()
        self._shards = tuple(shards)
        while self._n_threads < min(self._n_workers, len(shards)):
            self._n_threads += 1
            Thread(target=self._serve, name="rosenblatt-shard", daemon=True).start()

    def begin(self, work: Work) -> None:
        """Keep the work: all threads see it."""
        self._round += 1
        self._work = work

    def send(self, shard: int) -> None:
        """Put a shard in the queue."""
        self._tasks.put(_Task(self._round, shard, self._shards[shard], self._work, self._open))

    def receive(self, seconds: float) -> Sequence[tuple[int, Report]]:
        """Return a report of this round, if one has come."""
        try:
            number, shard, report = self._reports.get(timeout=seconds)
        except Empty:
            return []
        return [(shard, report)] if number == self._round else []

    def abandon(self) -> None:
        """Do not begin what has not begun."""
        self._round += 1
        with suppress(Empty):
            while True:
                self._tasks.get_nowait()

    def close(self) -> None:
        """End the threads, each when it is free."""
        self.abandon()
        for _ in range(self._n_threads):
            self._tasks.put(None)
        self._open.close()

    def _serve(self) -> None:
        share_processors(self._n_workers)
        while (task := self._tasks.get()) is not None:
            report = task.open_shards.report(task.description, task.work, len(self._shards))
            self._reports.put((task.round, task.shard, report))
