"""What an engine is: it gives the same work to all shards, and brings back their answers in order.

The answer of a shard is a function of the shard and the work alone: work that is done again, after a
worker was lost, has the same answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats


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
    """What came of a shard's work.

    The ``weights`` have the shape of those of the work, and differ from them in few places; so does the
    ``drift`` from zero. Only what differs travels, where that is less.
    """

    weights: Floats | None = None
    drift: Floats | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


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


class Engine(Protocol):
    """Runs the work of shards."""

    @property
    def name(self) -> str:
        """What it is called: threads, processes, ray or dask."""

    @property
    def seconds(self) -> Sequence[float]:
        """How long each shard worked in the last round, as it was measured where it worked."""

    @property
    def n_restarts(self) -> int:
        """How many workers were lost and came back, as far as that is known."""

    def start(self, shards: Sequence[Shard]) -> None:
        """Give the shards to the workers; again, with others, whenever there are others."""

    def round(self, work: Work, watch: RoundWatcher | None = None) -> list[Answer]:
        """Return the answers of all shards, in their order."""

    def close(self) -> None:
        """Let the workers go."""
