"""Worker processes that are killed, that end themselves, and whose driver goes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from engine_contract import EngineContract, FaultContract
from learning_contract import LearningContract, LearningWithFaultsContract
from rosenblatt.cluster.engines.engine import Engine, LostWorkersError, Work
from rosenblatt.cluster.engines.open_engine import open_engine
from rosenblatt.cluster.engines.processes import process_workers
from toy_shards import toy_shards

DRIVER = """
from contextlib import closing
from rosenblatt.cluster.engines.engine import Work
from rosenblatt.cluster.engines.open_engine import open_engine
from rosenblatt.cluster.engines.processes import process_workers
from toy_shards import toy_shards
with closing(open_engine("processes", n_workers=2)) as engine:
    engine.start(toy_shards(2))
    print(*[answer.facts["pid"] for answer in engine.round(Work("count"))], flush=True)
    engine.round(Work("count", details={"seconds": 60.0}))
"""


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with closing(open_engine("processes", n_workers=2)) as opened:
        yield opened


class TestProcesses(EngineContract, FaultContract, LearningContract, LearningWithFaultsContract):
    pass


def test_a_worker_that_is_lost_again_and_again_is_given_up(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_workers, "MOST_LOSSES", 1)
    engine.start(toy_shards(3))
    with pytest.raises(LostWorkersError, match=r"2 .* in a row .* shard 1.* SIGKILL"):
        engine.round(Work("count", details={"suicidal": 1}))
    assert len(engine.round(Work("count"))) == 3


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_their_driver(end: signal.Signals) -> None:
    path = os.pathsep.join(sys.path)
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert driver.stdout is not None
    workers = [int(pid) for pid in driver.stdout.readline().split()]
    assert len(workers) == 2
    assert all(lives(pid) for pid in workers)
    driver.send_signal(end)
    _, said = driver.communicate(timeout=20)
    deadline = time.monotonic() + 10
    while any(lives(pid) for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(lives(pid) for pid in workers)
    last = "KeyboardInterrupt" if end == signal.SIGINT else ""
    assert said.rstrip().rpartition("\n")[2] == last
    assert said.count("Traceback") == (end == signal.SIGINT), "no worker says anything"
