"""Shards with known answers, which can be made to fail, wait or kill their worker."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rosenblatt.cluster.engines.engine import Answer, Work
from rosenblatt.core.errors import InputError


@dataclass(frozen=True)
class ToyShard:
    """A shard with a number; it creates a file in ``folder`` when it is opened."""

    number: int
    folder: str | None = None

    @property
    def key(self) -> str:
        return f"toy {self.number} {self.folder}"

    def open(self) -> "OpenToyShard":
        if self.folder is not None:
            Path(self.folder, f"{self.number}-{os.getpid()}-{time.time_ns()}").touch()
        return OpenToyShard(self)


@dataclass(frozen=True)
class OpenToyShard:
    shard: ToyShard

    def close(self) -> None:
        pass

    def answer(self, work: Work) -> Answer:
        number, details = self.shard.number, work.details
        if number != details.get("quick"):
            time.sleep(details.get("seconds", 0.0))
        if number == details.get("suicidal"):
            os.kill(os.getpid(), signal.SIGKILL)
        if number == details.get("refused"):
            raise InputError(f"shard {number} has a bad line")
        if number == details.get("broken"):
            raise KeyError(f"no such thing in shard {number}")
        facts = {"shard": number, "task": work.task, "pid": os.getpid()}
        if work.weights is None:
            return Answer(facts=facts)
        n_changes = details.get("n_changes", 3)
        weights, drift = work.weights.copy(), np.zeros_like(work.weights)
        places = (np.arange(n_changes) * 7 + number) % weights.size
        weights.flat[places] += 0.1 * (number + 1) + weights.flat[places - 1]
        drift.flat[places] = weights.flat[places] / 3.0
        return Answer(weights, drift, facts)


def toy_shards(n_shards: int, folder: Path | None = None) -> list[ToyShard]:
    return [ToyShard(n, None if folder is None else str(folder)) for n in range(n_shards)]


def expected(work: Work, n_shards: int) -> list[Answer]:
    """Return the shards' answers, computed one after another in this process."""
    return [shard.open().answer(work) for shard in toy_shards(n_shards)]


def bits(answers: list[Answer]) -> list[bytes]:
    """Return all bits of each answer's weights and drift."""
    found = []
    for answer in answers:
        assert answer.weights is not None
        assert answer.drift is not None
        found.append(answer.weights.tobytes() + answer.drift.tobytes())
    return found
