"""An engine gives the same work to all shards, and returns their answers in order.

The answer of a shard is a function of the shard and the work alone: work that is done again, after a
worker was lost, has the same answer.
"""

import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats

TICK = 0.5
"""Seconds between two times that a watcher hears of a round."""


class LostWorkersError(InputError):
    """Workers were lost again and again, or never came; the message says what can be done."""


@dataclass(frozen=True)
class Work:
    """What all shards are to do in a round.

    The ``weights``, if any, travel once a round, whatever the number of shards; the ``details`` are
    small.
    """

    task: str
    weights: Floats | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """The result of a shard's work; ``weights`` and ``drift`` have the shape of the work's weights."""

    weights: Floats | None = None
    drift: Floats | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """The result of a shard's work, and how many seconds it took: an answer, or else an error."""

    seconds: float
    answer: Answer | None = None
    error: Exception | None = None


class OpenShard(Protocol):
    """A shard that a worker has opened."""

    def answer(self, work: Work) -> Answer:
        """Return what comes of the work: a function of the shard and the work."""

    def close(self) -> None:
        """Leave what it has opened."""


class Shard(Protocol):
    """Where a shard's samples are, and how they are read: small, and without a sample."""

    @property
    def key(self) -> str:
        """What tells this shard from every other: a worker opens one only once."""

    def open(self) -> OpenShard:
        """Open the shard where it is worked on."""


@dataclass(frozen=True)
class Waiting:
    """How far a round is: which shards have answered, and for how many seconds it has been going on."""

    answered: Sequence[bool]
    seconds: float


class RoundWatcher(Protocol):
    """Sees a round go on."""

    def waits(self, waiting: Waiting) -> None:
        """Hear, now and then, that answers are waited for."""


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


class Engine:
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
