"""What is measured, as data: each work, its peer, and how much faster we ought to be."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rosenblatt.cli.bench.bench_data import Dataset, Source
from rosenblatt.cli.bench.contests import (
    THREADS,
    Contest,
    averaged,
    cross_validating,
    fitting,
    one_by_one,
    perceptron,
    predicting,
    row_by_row,
)

_ROWS = 1000

MIXED = {"n_jobs": THREADS, "shards": THREADS}


class Work(NamedTuple):
    """A piece of work; ``asked`` is peer time over ours, ``asked_limit`` ours over reading once."""

    name: str
    title: str
    peer: str
    asked: float
    contest: Callable[[Source], Contest]
    asked_limit: float | None = None


def _gaussian(source: Source) -> Dataset:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((_ROWS // source.divisor, 20))
    return Dataset("20 dense features", X, np.where(X[:, 0] > 0, 1, -1))


def _rows(source: Source) -> int:
    return _ROWS // source.divisor


_PERCEPTRON, _SGD, _RIVER = "Perceptron", "SGDClassifier", "River"

WORKS = (
    Work(
        "dense-binary",
        "dense, 2 classes, 1 epoch",
        _PERCEPTRON,
        6.0,
        lambda source: fitting(source.shirts(), perceptron, jobs=[1]),
        asked_limit=1.5,
    ),
    Work(
        "dense-binary-mixed",
        "the same, on two shards that are mixed (shards=2)",
        _PERCEPTRON,
        6.0,
        lambda source: fitting(source.shirts(), perceptron, jobs=[1], **MIXED),
        asked_limit=1.5,
    ),
    Work(
        "dense-classes",
        "dense, 10 classes, 1 epoch",
        _PERCEPTRON,
        12.0,
        lambda source: fitting(source.images(), perceptron, n_jobs=THREADS),
    ),
    Work(
        "dense-averaged",
        "dense, 10 classes, averaged, 10 epochs",
        _SGD,
        25.0,
        lambda source: fitting(
            source.images(), averaged, epochs=10, keep="average", n_jobs=THREADS
        ),
    ),
    Work(
        "sparse-binary",
        "sparse, 2 classes, 1 epoch",
        _PERCEPTRON,
        1.8,
        lambda source: fitting(source.documents(2), perceptron, jobs=[1]),
        asked_limit=1.4,
    ),
    Work(
        "sparse-binary-mixed",
        "the same, on two shards that are mixed (shards=2)",
        _PERCEPTRON,
        1.8,
        lambda source: fitting(source.documents(2), perceptron, jobs=[1], **MIXED),
        asked_limit=1.4,
    ),
    Work(
        "sparse-averaged",
        "sparse, 2 classes, averaged, 5 epochs",
        _SGD,
        3.0,
        lambda source: fitting(source.documents(2), averaged, epochs=5, jobs=[1], keep="average"),
    ),
    Work(
        "sparse-averaged-mixed",
        "the same, on two shards that are mixed (shards=2)",
        _SGD,
        3.0,
        lambda source: fitting(
            source.documents(2),
            averaged,
            epochs=5,
            jobs=[1],
            keep="average",
            n_jobs=THREADS,
            shards=THREADS,
        ),
    ),
    Work(
        "sparse-16-classes",
        "sparse, 16 classes, 1 epoch",
        _PERCEPTRON,
        5.0,
        lambda source: fitting(source.documents(16), perceptron, n_jobs=THREADS),
    ),
    Work(
        "news20",
        "sparse, 20 classes, 1 epoch",
        _PERCEPTRON,
        5.0,
        lambda source: fitting(source.newsgroups(), perceptron, n_jobs=THREADS),
    ),
    Work(
        "cross-validation",
        "sparse, 2 classes, 10 folds of 5 epochs",
        "cross_val_score",
        10.0,
        lambda source: cross_validating(source.documents(2), folds=10, epochs=5),
    ),
    Work(
        "dict-9",
        "one by one, learn and predict",
        _RIVER,
        2.0,
        lambda source: one_by_one(9, source),
    ),
    Work(
        "dict-75",
        "one by one, learn and predict",
        _RIVER,
        2.0,
        lambda source: one_by_one(75, source),
    ),
    Work(
        "row-20",
        "partial_fit with one row",
        _PERCEPTRON,
        20.0,
        lambda source: row_by_row(_gaussian(source), _rows(source)),
    ),
    Work(
        "row-784",
        "partial_fit with one row",
        _PERCEPTRON,
        20.0,
        lambda source: row_by_row(source.shirts(), _rows(source)),
    ),
    Work(
        "row-sparse",
        "partial_fit with one sparse row",
        _PERCEPTRON,
        20.0,
        lambda source: row_by_row(source.documents(2), _rows(source)),
    ),
    Work(
        "predict-dense",
        "dense, 10 classes, predict",
        _PERCEPTRON,
        1.0,
        lambda source: predicting(source.images()),
    ),
    Work(
        "predict-sparse",
        "sparse, 10 classes, predict",
        _PERCEPTRON,
        1.5,
        lambda source: predicting(source.documents(10)),
    ),
)
