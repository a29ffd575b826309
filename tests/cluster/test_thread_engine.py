"""Opening engines by name, and the thread engine."""

import sys
import time
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest

from engine_contract import EngineContract
from learning_contract import LearningContract
from rosenblatt.cluster.engine_choice import open_engine
from rosenblatt.cluster.engines.engine import Engine, Work
from rosenblatt.core.errors import InputError
from toy_shards import toy_shards


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with closing(open_engine("threads", n_workers=2)) as opened:
        yield opened


class TestThreads(EngineContract, LearningContract):
    pass


def test_shards_cannot_change_shared_weights() -> None:
    class WritingShard:
        key = "rude"

        def open(self) -> "WritingShard":
            return self

        def close(self) -> None:
            pass

        def answer(self, work: Work) -> None:
            assert work.weights is not None
            work.weights[0] = 1.0

    with closing(open_engine("threads", n_workers=1)) as engine:
        engine.start([WritingShard()])
        with pytest.raises(ValueError, match="read-only"):
            engine.round(Work("epoch", np.zeros(2)))


def test_error_is_raised_without_waiting_for_other_shards() -> None:
    start = time.monotonic()
    with closing(open_engine("threads", n_workers=2)) as engine:
        engine.start(toy_shards(2))
        with pytest.raises(InputError, match="shard 1"):
            engine.round(Work("count", details={"seconds": 60.0, "quick": 1, "refused": 1}))
    assert time.monotonic() < start + 30


def test_missing_ray_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(
        InputError, match=r"which is not installed: pip install 'rosenblatt\[ray\]'"
    ):
        open_engine("ray", n_workers=1)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("mpi", {"n_workers": 2}, "engine='mpi' is not accepted: use 'threads' or 'ray'"),
        (
            "threads",
            {"n_workers": 0},
            "n_workers=0 is not accepted: use a whole number of at least",
        ),
        (
            "threads",
            {"n_workers": 1, "address": "auto"},
            "'auto' does not go together with the engine 'threads'",
        ),
    ],
)
def test_engines_that_cannot_be_opened(
    name: str, arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        open_engine(name, **arguments)


def test_closed_engine_raises() -> None:
    with closing(open_engine("threads", n_workers=1)) as engine:
        with pytest.raises(InputError, match="the engine has no shards"):
            engine.round(Work("count"))
        engine.close()  # closed again at the end of the block
        with pytest.raises(InputError, match="engine 'threads' is closed"):
            engine.start(toy_shards(1))
        with pytest.raises(InputError, match="engine 'threads' is closed"):
            engine.round(Work("count"))
