"""What a round costs beside the work of its shards, for `cluster.py`.

Workers import this module: what they are given to do is here.
"""

import os
import signal
import statistics
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt import Perceptron
from rosenblatt.cluster.engines.engine import Answer, Engine, Work
from rosenblatt.cluster.engines.open_engine import open_engine
from rosenblatt.core.classes import Classes
from rosenblatt.estimators.common.learned import Features
from rosenblatt.training.shards.mixing import ShardEpoch, Shards

WEIGHTS = (47_000, 1_000_000, 10_000_000)
SHARDS = (1, 2, 4, 8)
SHARES = (1.0, 0.01)
Facts = dict[str, Any]
_PATIENCE = 120.0


@dataclass(frozen=True)
class IdleShard:
    """A shard without samples: it changes weights, or waits, and says which process did it."""

    number: int

    @property
    def key(self) -> str:
        return f"idle {self.number}"

    def open(self) -> "IdleShard":
        return self

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def answer(self, work: Work) -> Answer:
        if work.weights is None:
            time.sleep(work.details["seconds"])
            return Answer(facts={"process": os.getpid()})
        weights = work.weights.copy()
        weights[:, :: work.details["every"]] += 1.0
        return Answer(weights)


def rounds(engines: Sequence[str], sizes: Sequence[int], repeats: int) -> Iterator[Facts]:
    """Yield the seconds of a round of each engine, which has the machine for itself."""
    for name in engines:
        with closing(open_engine(name, n_workers=2)) as engine:
            for weights in sizes:
                for n_shards in SHARDS:
                    engine.start([IdleShard(number) for number in range(n_shards)])
                    for share in SHARES:
                        yield {
                            "engine": name,
                            "weights": weights,
                            "shards": n_shards,
                            "changed": share,
                            "seconds": _round_seconds(engine, weights, n_shards, share, repeats),
                        }


def _round_seconds(
    engine: Engine, n_weights: int, n_shards: int, share: float, repeats: int
) -> float:
    seconds = []
    for turn in range(2 + repeats):  # the first two make connections and room
        weights = np.full((1, n_weights), float(turn))
        work = Work("change", weights, {"every": round(1 / share)})
        began = time.perf_counter()
        answers = engine.round(work)
        seconds.append(time.perf_counter() - began)
        assert len(answers) == n_shards
        assert answers[-1].weights is not None
        assert answers[-1].weights[0, 0] == turn + 1.0
        del answers  # as in learning, where they are mixed before the next round
    return statistics.median(seconds[2:])


def mixing(sizes: Sequence[int], repeats: int) -> Iterator[Facts]:
    """Yield the seconds in which the driver mixes the weights of shards."""
    for weights in sizes:
        for n_shards in SHARDS[1:]:
            panel = (
                Perceptron().shard_problem(Classes(np.array([0, 1])), Features(weights - 1)).panel
            )
            found = [
                ShardEpoch(
                    np.full((1, weights), float(number)),
                    None,
                    np.ones(1, dtype=np.int64),
                    np.ones_like(panel.tally),
                )
                for number in range(n_shards)
            ]
            shards = Shards(panel, lambda *_, found=found: found)
            seconds = []
            for _ in range(1 + repeats):
                began = time.perf_counter()
                shards.visit(np.zeros(0, dtype=np.int64))
                seconds.append(time.perf_counter() - began)
            yield {
                "weights": weights,
                "shards": n_shards,
                "seconds": statistics.median(seconds[1:]),
            }


def restarts(engines: Sequence[str], work_seconds: float, repeats: int) -> Facts:
    """Return how many seconds a round loses with a worker, beside the work that was lost."""
    found: Facts = {}
    for name in engines:
        if name == "threads":
            continue  # they end with the process
        with closing(open_engine(name, n_workers=2)) as engine:
            engine.start([IdleShard(number) for number in range(2)])
            work = Work("wait", None, {"seconds": work_seconds})
            times = [_killed(engine, work, work_seconds / 2) for _ in range(repeats)]
            found[name] = statistics.median(times) - 1.5 * work_seconds
    return found


def _killed(engine: Engine, work: Work, after: float) -> float:
    """Return the seconds of a round in which one of two workers is killed."""
    timer = threading.Timer(after, os.kill, (_one_of_two(engine, work), signal.SIGKILL))
    began = time.perf_counter()
    timer.start()
    answers = engine.round(work)
    seconds = time.perf_counter() - began
    timer.join()
    assert len(answers) == 2
    return seconds


def _one_of_two(engine: Engine, work: Work) -> int:
    """Return the process of a worker, as soon as there are two of them: the last one lost is back."""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        processes = {answer.facts["process"] for answer in engine.round(work)} - {os.getpid()}
        if len(processes) == 2:
            return min(processes)
    raise RuntimeError(f"{engine.name}: a lost worker was not back after {_PATIENCE} seconds")
