"""Tests that every engine inherits; each module has a fixture ``engine`` with two workers."""

from pathlib import Path

import numpy as np
import pytest

from rosenblatt.cluster.engines.engine import Engine, Waiting, Work
from rosenblatt.core.errors import InputError
from toy_shards import bits, expected, toy_shards


class Watcher:
    def __init__(self) -> None:
        self.reports: list[Waiting] = []

    def waits(self, waiting: Waiting) -> None:
        self.reports.append(waiting)


class EngineContract:
    def test_answers_are_in_the_order_of_the_shards(self, engine: Engine, tmp_path: Path) -> None:
        n_restarts = engine.n_restarts
        engine.start(toy_shards(5, tmp_path))
        weights = np.linspace(-1.0, 1.0, 40).reshape(2, 20)
        kept = weights.copy()
        for task in ("first", "second"):
            work = Work(task, weights, {"n_changes": 4})
            answers = engine.round(work)
            assert bits(answers) == bits(expected(work, 5))
            assert [answer.facts["shard"] for answer in answers] == [0, 1, 2, 3, 4]
            assert {answer.facts["task"] for answer in answers} == {task}
            assert len(engine.seconds) == 5
            assert np.array_equal(weights, kept)
            weights = answers[3].weights
            assert weights is not None
            kept = weights.copy()
        assert len(list(tmp_path.iterdir())) == 5, "each is opened once"
        assert engine.n_restarts == n_restarts

    def test_answers_that_change_all_weights_or_none(self, engine: Engine) -> None:
        engine.start(toy_shards(3))
        weights = np.linspace(-1.0, 1.0, 1000)
        for n_changes in (0, 1000):
            work = Work("epoch", weights, {"n_changes": n_changes})
            assert bits(engine.round(work)) == bits(expected(work, 3))
        (answer, *_) = engine.round(Work("count"))
        assert answer.weights is None
        assert answer.drift is None

    def test_an_answer_outlives_the_next_rounds(self, engine: Engine) -> None:
        engine.start(toy_shards(2))
        for n_weights in (50, 1000):  # an engine may send few weights in a different way
            details = {"n_changes": n_weights}
            work = Work("epoch", np.linspace(0.0, 1.0, n_weights), details)
            answers = engine.round(work)
            engine.round(Work("count"))
            engine.round(Work("epoch", np.linspace(5.0, 6.0, n_weights), details))
            assert bits(answers) == bits(expected(work, 2))

    def test_start_replaces_the_shards(self, engine: Engine) -> None:
        engine.start(toy_shards(1))
        assert len(engine.round(Work("count"))) == 1
        engine.start(toy_shards(4)[2:])
        assert [answer.facts["shard"] for answer in engine.round(Work("count"))] == [2, 3]

    def test_a_shards_error_is_raised_and_the_engine_stays_usable(self, engine: Engine) -> None:
        engine.start(toy_shards(3))
        work = Work("epoch", np.linspace(0.0, 1.0, 1000), {"n_changes": 1000})
        right = bits(expected(work, 3))
        assert bits(engine.round(work)) == right
        with pytest.raises(InputError, match=r"^shard 1 has a bad line$"):
            engine.round(Work("count", details={"refused": 1}))
        with pytest.raises((KeyError, RuntimeError), match="no such thing in shard 2"):
            engine.round(Work("count", details={"broken": 2}))
        assert bits(engine.round(work)) == right

    def test_a_watcher_is_called_during_a_round(self, engine: Engine) -> None:
        engine.start(toy_shards(3))
        watcher = Watcher()
        engine.round(Work("count", details={"seconds": 0.4}), watcher)
        assert watcher.reports
        (first, *_) = watcher.reports
        assert len(first.answered) == 3
        assert not all(first.answered)
        assert 0.4 < first.seconds < 5.0
        assert all(0.3 < seconds < 5.0 for seconds in engine.seconds)

    def test_an_empty_list_of_shards_is_refused(self, engine: Engine) -> None:
        with pytest.raises(InputError, match="give at least one"):
            engine.start([])
