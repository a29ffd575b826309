"""What learning in shards does alike on every engine: a class of tests that each engine inherits.

Whoever inherits gives a fixture ``engine`` with two workers.
"""

import os
import random
import signal
from collections.abc import Sequence
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import dump_svmlight_file

from rosenblatt import Perceptron, read
from rosenblatt.cluster.engines.engine import Engine
from rosenblatt.cluster.files.reading_options import files_asked
from rosenblatt.cluster.files.survey_round import survey
from rosenblatt.cluster.learning.sharded_learning import ShardedLearning
from rosenblatt.cluster.run_progress import Progress
from rosenblatt.training.history import Epoch


class Killer(Progress):
    """Kills a worker after each of some epochs, between rounds or, with a delay, within the next."""

    def __init__(self, epochs: Sequence[int], seed: int = 0) -> None:
        self.epochs, self.n_kills = list(epochs), 0
        self.learning: ShardedLearning | None = None
        self._draw = random.Random(seed)

    def epoch_ends(self, epoch: Epoch, n_epochs: int, seconds: Sequence[float]) -> bool:
        assert epoch.mistakes >= 0
        assert len(seconds) > 1
        if n_epochs in self.epochs:
            assert self.learning is not None
            # A worker that has answered for one shard may have been lost with its next one.
            pids = [int(worker.rpartition(" ")[2]) for worker in self.learning.workers]
            self._draw.shuffle(pids)
            self.n_kills += 1
            if self.n_kills % 2:
                assert any(map(_kill, pids))
            else:
                Timer(self._draw.uniform(0.0, 0.05), _kill, pids[:1]).start()
        return False


def _kill(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:  # it has been replaced already
        return False
    return True


def sample_file(folder: Path, n_samples: int = 700, n_classes: int = 2) -> Path:
    """Write samples of some classes, sorted by class, that nearly can be separated."""
    draw = np.random.default_rng(n_samples)
    X = sp.random_array((n_samples, 40), density=0.2, rng=draw, format="csr")
    y = (X @ draw.normal(size=(40, n_classes))).argmax(axis=1)
    order = np.argsort(y, kind="stable")
    path = folder / f"{n_samples}-{n_classes}.svm"
    dump_svmlight_file(X[order], y[order], str(path), zero_based=False)
    return path


def learned(engine: Engine, path: Path, learner: Perceptron, progress: Any = None) -> Perceptron:
    """Return what is learned from a file in as many shards as the learner says."""
    plan = survey(engine, [path], files_asked(learner.shards))
    learning = ShardedLearning(plan, learner, engine, progress or Progress())
    if isinstance(progress, Killer):
        progress.learning = learning
    learning.run()
    model = learning.model()
    assert isinstance(model, Perceptron)
    return model


def fitted(path: Path, learner: Perceptron) -> Perceptron:
    """Return what is learned from a file in memory."""
    X, y, _ = read(path)
    return clone(learner).fit_watched(X, y, None)  # which warns of nothing


def bits_of(learner: Perceptron) -> tuple[bytes, bytes, list[int], list[float]]:
    """Return every bit of what was learned, and how."""
    history = learner.history_
    return (
        learner.coef_.tobytes(),
        learner.intercept_.tobytes(),
        [epoch.mistakes for epoch in history],
        [epoch.norm for epoch in history],
    )


class LearningContract:
    @pytest.mark.parametrize(
        "options",
        [
            {"keep": "average", "shards": 3},
            {"multiclass": "joint", "shards": 2, "order": "cyclic"},
        ],
        ids=["average", "joint"],
    )
    def test_the_same_bits_as_in_memory(
        self, engine: Engine, tmp_path: Path, options: dict[str, Any]
    ) -> None:
        path = sample_file(tmp_path, n_classes=3)
        learner = Perceptron(max_iter=4, **options)
        here = fitted(path, learner)
        assert bits_of(learned(engine, path, learner)) == bits_of(here)


class LearningWithFaultsContract:
    """What learning does alike on engines whose workers can be lost."""

    def test_the_same_bits_with_kills(self, engine: Engine, tmp_path: Path) -> None:
        path, learner = sample_file(tmp_path), Perceptron(max_iter=5, shards=2)
        killer, n_restarts = Killer([1, 3]), engine.n_restarts
        found = learned(engine, path, learner, killer)
        assert killer.n_kills == 2
        assert engine.n_restarts > n_restarts
        assert bits_of(found) == bits_of(fitted(path, learner))

    @pytest.mark.slow
    def test_the_same_bits_with_twenty_kills(self, engine: Engine, tmp_path: Path) -> None:
        path = sample_file(tmp_path, 20_000)
        learner = Perceptron(max_iter=40, shards=4, keep="average")
        killer = Killer(range(1, 40, 2))
        found = learned(engine, path, learner, killer)
        assert killer.n_kills == 20
        assert bits_of(found) == bits_of(fitted(path, learner))
