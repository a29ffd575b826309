"""An engine over workers of any kind: who works on which shard, and how long all of it takes."""

import time
from collections import deque
from collections.abc import Sequence
from typing import Protocol

from rosenblatt.cluster.engines.engine import Answer, RoundWatcher, Shard, Waiting, Work
from rosenblatt.cluster.engines.open_shards import Report
from rosenblatt.core.errors import InputError

TICK = 0.5
"""Seconds between two times that a watcher hears of a round."""


class Workers(Protocol):
    """What an engine asks of its workers. Shards go by their numbers."""

    @property
    def name(self) -> str:
        """What the engine is called."""

    @property
    def n_slots(self) -> int:
        """How many shards are handed out at the same time: shard s waits for slot s modulo these."""

    @property
    def n_restarts(self) -> int:
        """How many workers were lost and came back."""

    def start(self, shards: Sequence[Shard]) -> None:
        """Take these shards in place of those before."""

    def begin(self, work: Work) -> None:
        """Bring the work of a round to where the workers find it."""

    def send(self, shard: int) -> None:
        """Let the round's work be done for a shard."""

    def receive(self, seconds: float) -> Sequence[tuple[int, Report]]:
        """Return the reports of shards that have come, or none if none comes for some seconds."""

    def abandon(self) -> None:
        """Forget the reports that have not come: nobody waits for them any more."""

    def close(self) -> None:
        """Let the workers go."""


class WorkerEngine:
    """Runs the work of shards on workers."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._n_shards = 0
        self._is_closed = False
        self._seconds: list[float] = []

    @property
    def name(self) -> str:
        """What it is called."""
        return self._workers.name

    @property
    def seconds(self) -> Sequence[float]:
        """How long each shard worked in the last round, as it was measured where it worked."""
        return self._seconds

    @property
    def n_restarts(self) -> int:
        """How many workers were lost and came back, as far as that is known."""
        return self._workers.n_restarts

    def start(self, shards: Sequence[Shard]) -> None:
        """Give the shards to the workers, in place of those before."""
        if not shards:
            raise InputError("an engine was given no shards: give at least one")
        self._check_open()
        self._workers.start(shards)
        self._n_shards = len(shards)

    def round(self, work: Work, watch: RoundWatcher | None = None) -> list[Answer]:
        """Return the answers of all shards, in their order; the first error of a shard is raised."""
        self._check_open()
        if not self._n_shards:
            raise InputError("an engine was given work before it had shards: start it with some")
        try:
            self._workers.begin(work)
            reports = self._reports(watch)
        except BaseException:
            self._workers.abandon()
            raise
        self._seconds = [reports[shard].seconds for shard in range(self._n_shards)]
        answers = [reports[shard].answer for shard in range(self._n_shards)]
        return [answer for answer in answers if answer is not None]

    def close(self) -> None:
        """Let the workers go; once is enough."""
        if not self._is_closed:
            self._is_closed = True
            self._workers.close()

    def _check_open(self) -> None:
        # Workers of some kinds would start again, which nobody ends.
        if self._is_closed:
            raise InputError(f"the engine {self.name!r} was closed before: open another one")

    def _reports(self, watch: RoundWatcher | None) -> dict[int, Report]:
        n_slots = min(self._workers.n_slots, self._n_shards)
        queues = [deque(range(slot, self._n_shards, n_slots)) for slot in range(n_slots)]
        reports: dict[int, Report] = {}
        for queue in queues:
            self._workers.send(queue.popleft())
        start = time.perf_counter()
        tick = start + TICK
        while len(reports) < self._n_shards:
            for shard, report in self._workers.receive(max(0.0, tick - time.perf_counter())):
                if report.error is not None:
                    raise report.error
                reports[shard] = report
                if queue := queues[shard % n_slots]:
                    self._workers.send(queue.popleft())
            if (now := time.perf_counter()) >= tick:
                tick = now + TICK
                if watch is not None:
                    answered = [shard in reports for shard in range(self._n_shards)]
                    watch.waits(Waiting(answered, now - start))
        return reports
