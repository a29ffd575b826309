"""Tests of learning in shards that every engine inherits."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import dump_svmlight_file

from rosenblatt import Perceptron, read
from rosenblatt.cluster.engines.engine import Engine
from rosenblatt.cluster.files.reading_options import file_survey_options
from rosenblatt.cluster.files.survey_round import survey
from rosenblatt.cluster.learning.sharded_learning import ShardedLearning


def sample_file(folder: Path, n_samples: int = 700, n_classes: int = 2) -> Path:
    """Write nearly separable samples, sorted by class."""
    draw = np.random.default_rng(n_samples)
    X = sp.random_array((n_samples, 40), density=0.2, rng=draw, format="csr")
    y = (X @ draw.normal(size=(40, n_classes))).argmax(axis=1)
    order = np.argsort(y, kind="stable")
    path = folder / f"{n_samples}-{n_classes}.svm"
    dump_svmlight_file(X[order], y[order], str(path), zero_based=False)
    return path


def new_learning(engine: Engine, path: Path, learner: Perceptron) -> ShardedLearning:
    """Return a run over a file in ``learner.shards`` shards, before its first epoch."""
    plan = survey(engine, [path], file_survey_options(learner.shards))
    return ShardedLearning(plan, learner, engine)


def fitted(path: Path, learner: Perceptron) -> Perceptron:
    """Return a learner that was fitted in memory."""
    X, y = read(path)
    return clone(learner).fit_watched(X, y, None)  # unlike fit, never warns


def bits_of(learner: Perceptron) -> tuple[bytes, bytes, list[int], list[float]]:
    """Return all bits of the weights and the history."""
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
        learning = new_learning(engine, path, learner)
        learning.run()
        assert bits_of(learning.model()) == bits_of(fitted(path, learner))
