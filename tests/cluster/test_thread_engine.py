"""Opening an engine by its name, and the engine of threads."""

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


def test_shards_cannot_change_the_weights_of_others() -> None:
    class Rude:
        key = "rude"

        def open(self) -> "Rude":
            return self

        def close(self) -> None:
            pass

        def answer(self, work: Work) -> None:
            assert work.weights is not None
            work.weights[0] = 1.0

    with closing(open_engine("threads", n_workers=1)) as engine:
        engine.start([Rude()])
        with pytest.raises(ValueError, match="read-only"):
            engine.round(Work("epoch", np.zeros(2)))


def test_an_error_does_not_wait_for_the_others() -> None:
    start = time.monotonic()
    with closing(open_engine("threads", n_workers=2)) as engine:
        engine.start(toy_shards(2))
        with pytest.raises(InputError, match="shard 1"):
            engine.round(Work("count", details={"seconds": 60.0, "quick": 1, "refused": 1}))
    assert time.monotonic() < start + 30


def test_a_missing_ray_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
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
            "'auto' does not go with the engine 'threads'",
        ),
    ],
)
def test_what_cannot_be_opened(name: str, arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        open_engine(name, **arguments)


def test_an_engine_that_is_closed_does_nothing_more() -> None:
    with closing(open_engine("threads", n_workers=1)) as engine:
        with pytest.raises(InputError, match="before it had shards"):
            engine.round(Work("count"))
        engine.close()  # and is closed once more at the end
        with pytest.raises(InputError, match="engine 'threads' was closed"):
            engine.start(toy_shards(1))
        with pytest.raises(InputError, match="engine 'threads' was closed"):
            engine.round(Work("count"))
