"""An engine runs the same work on all shards and returns their answers in order.

A shard's answer depends only on the shard and the work, so work that is repeated after a worker was lost
gives the same answer.
"""

import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats

TICK = 0.5
"""Seconds between progress reports of a round."""


class LostWorkersError(InputError):
    """Workers were lost repeatedly, or never started."""


@dataclass(frozen=True)
class Work:
    """The work of all shards in a round.

    The ``weights``, if any, travel once per round, whatever the number of shards; the ``details`` are
    small.
    """

    task: str
    weights: Floats | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """A shard's result; ``weights`` and ``drift`` have the shape of the work's weights."""

    weights: Floats | None = None
    drift: Floats | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """A shard's answer or error, and the seconds that it took."""

    seconds: float
    answer: Answer | None = None
    error: Exception | None = None


class OpenShard(Protocol):
    """A shard that a worker has opened."""

    def answer(self, work: Work) -> Answer:
        """Do the work; the answer depends only on the shard and the work."""

    def close(self) -> None:
        """Close the shard's files."""


class Shard(Protocol):
    """Where a shard's samples are and how to read them: small, and without samples."""

    @property
    def key(self) -> str:
        """A unique key: a worker opens each shard only once."""

    def open(self) -> OpenShard:
        """Open the shard on the worker."""


@dataclass(frozen=True)
class Waiting:
    """The progress of a round: which shards have answered, and the seconds so far."""

    answered: Sequence[bool]
    seconds: float


class RoundWatcher(Protocol):
    """Receives the progress of a round."""

    def waits(self, waiting: Waiting) -> None:
        """Receive, at intervals, how far the round is."""


class Workers(Protocol):
    """The interface of an engine's workers. Shards are identified by number."""

    @property
    def name(self) -> str:
        """The engine's name."""

    @property
    def n_slots(self) -> int:
        """The number of shards sent out at the same time; shard s uses slot s modulo this number."""

    @property
    def n_restarts(self) -> int:
        """The number of workers that were lost and restarted."""

    def start(self, shards: Sequence[Shard]) -> None:
        """Replace the shards."""

    def begin(self, work: Work) -> None:
        """Make the work of a round available to the workers."""

    def send(self, shard: int) -> None:
        """Start the round's work on a shard."""

    def receive(self, seconds: float) -> Sequence[tuple[int, Report]]:
        """Return the reports that have arrived, waiting at most this many seconds."""

    def abandon(self) -> None:
        """Discard the reports that have not arrived yet."""

    def close(self) -> None:
        """Stop the workers."""


class Engine:
    """Runs the work of shards on workers."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._n_shards = 0
        self._is_closed = False
        self._seconds: list[float] = []

    @property
    def name(self) -> str:
        """The engine's name."""
        return self._workers.name

    @property
    def seconds(self) -> Sequence[float]:
        """The seconds of each shard in the last round, as measured by its worker."""
        return self._seconds

    @property
    def n_restarts(self) -> int:
        """The number of workers known to have been lost and restarted."""
        return self._workers.n_restarts

    def start(self, shards: Sequence[Shard]) -> None:
        """Give the shards to the workers, replacing earlier ones."""
        if not shards:
            raise InputError("the engine got no shards: give at least one")
        self._check_open()
        self._workers.start(shards)
        self._n_shards = len(shards)

    def round(self, work: Work, watch: RoundWatcher | None = None) -> list[Answer]:
        """Return the answers of all shards in order; raise the first error of a shard."""
        self._check_open()
        if not self._n_shards:
            raise InputError("the engine has no shards: call start with some first")
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
        """Stop the workers; further calls do nothing."""
        if not self._is_closed:
            self._is_closed = True
            self._workers.close()

    def _check_open(self) -> None:
        # Some kinds of workers would restart, and nothing would stop them.
        if self._is_closed:
            raise InputError(f"the engine {self.name!r} is closed: open another one")

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
