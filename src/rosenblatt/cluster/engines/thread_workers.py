"""Workers as threads of this process: compiled code releases the GIL, so they run in parallel."""

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
    """Threads; the next free one takes the next shard.

    A thread cannot be stopped: an abandoned one finishes its work, but does not keep the process alive.
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
        """The number of shards: all are sent out at once."""
        return len(self._shards)

    def start(self, shards: Sequence[Shard]) -> None:
        """Replace the shards."""
        self._open.close()
        self._open = OpenShards()
        self._shards = tuple(shards)
        while self._n_threads < min(self._n_workers, len(shards)):
            self._n_threads += 1
            Thread(target=self._serve, name="rosenblatt-shard", daemon=True).start()

    def begin(self, work: Work) -> None:
        """Store the work, which all threads share."""
        self._round += 1
        self._work = work

    def send(self, shard: int) -> None:
        """Put a shard in the queue."""
        self._tasks.put(_Task(self._round, shard, self._shards[shard], self._work, self._open))

    def receive(self, seconds: float) -> Sequence[tuple[int, Report]]:
        """Return a report of this round, if one has arrived."""
        try:
            number, shard, report = self._reports.get(timeout=seconds)
        except Empty:
            return []
        return [(shard, report)] if number == self._round else []

    def abandon(self) -> None:
        """Discard the tasks that have not started and the reports that have not arrived."""
        self._round += 1
        with suppress(Empty):
            while True:
                self._tasks.get_nowait()

    def close(self) -> None:
        """Stop each thread when it is free."""
        self.abandon()
        for _ in range(self._n_threads):
            self._tasks.put(None)
        self._open.close()

    def _serve(self) -> None:
        share_processors(self._n_workers)
        while (task := self._tasks.get()) is not None:
            report = task.open_shards.report(task.description, task.work, len(self._shards))
            self._reports.put((task.round, task.shard, report))
