"""The works of `learning.py`: what both sides do, and the peer of each.

Both sides make whole public calls, on the same data, for the same epochs. The peer visits the samples in
the given order, as we do, which is also its fastest way; its default, a new order per epoch, is measured
as well. On dense data both sides then learn the same weights; on sparse data scikit-learn moves its
intercept by a hundredth of the step and makes other mistakes.
"""

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import NamedTuple

import numpy as np
from bench_data import Dataset, MissingError, Source, stream
from joblib import parallel_config
from sklearn.linear_model import Perceptron as PeerPerceptron
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import cross_val_score

from rosenblatt.core.types import Data
from rosenblatt.estimators.evaluation.cross_validation import cross_validate
from rosenblatt.estimators.perceptron import Perceptron

THREADS = 2
"""The number of threads for each side."""

Run = Callable[[], object]
"""A call that is timed as a whole."""

# scikit-learn's perceptron, and SGD as its averaged perceptron, without stopping rules
perceptron = partial(PeerPerceptron, tol=None)
averaged = partial(
    SGDClassifier,
    loss="perceptron",
    penalty=None,
    learning_rate="constant",
    eta0=1.0,
    average=True,
    tol=None,
)

_threaded = partial(Perceptron, keep="last", n_jobs=THREADS)
_mixed = partial(Perceptron, keep="last", n_jobs=THREADS, shards=THREADS)
_ROWS = 1000


class Contest(NamedTuple):
    """Our run, and the peer's runs by configuration; the best one counts."""

    data: Dataset
    ours: Run
    peers: dict[str, Run]
    shuffled: dict[str, Run] | None = None
    epochs: int = 1
    units: int = 1
    reads: bool = False

    def arrays(self) -> list[Data]:
        """Return the arrays that every epoch must read."""
        X = self.data.X
        return [X] if isinstance(X, np.ndarray) else [X.data, X.indices]


def fitting(
    data: Dataset,
    ours: Callable[..., Perceptron],
    peer: Callable[..., SGDClassifier],
    *,
    epochs: int = 1,
    jobs: Sequence[int] = (THREADS, 1),
) -> Contest:
    """Learn from all samples: `fit`."""

    def fit(n_jobs: int, shuffle: bool) -> SGDClassifier:
        model = peer(max_iter=epochs, shuffle=shuffle, n_jobs=n_jobs)
        return model.fit(data.X, data.y)

    def runs(*, shuffle: bool) -> dict[str, Run]:
        return {f"n_jobs={n}": partial(fit, n, shuffle) for n in jobs}

    return Contest(
        data,
        lambda: ours(max_iter=epochs, order="cyclic").fit(data.X, data.y),
        runs(shuffle=False),
        runs(shuffle=True),
        epochs=epochs,
        reads=True,
    )


def cross_validating(data: Dataset, *, folds: int, epochs: int) -> Contest:
    """Cross-validate: `cross_validate` against `cross_val_score`."""

    def scores(n_jobs: int, backend: str, shuffle: bool) -> object:
        model = perceptron(max_iter=epochs, shuffle=shuffle)
        with parallel_config(backend):
            return cross_val_score(model, data.X, data.y, cv=folds, n_jobs=n_jobs)

    def runs(*, shuffle: bool) -> dict[str, Run]:
        return {
            f"n_jobs={THREADS}, processes": partial(scores, THREADS, "loky", shuffle),
            f"n_jobs={THREADS}, threads": partial(scores, THREADS, "threading", shuffle),
            "n_jobs=1": partial(scores, 1, "sequential", shuffle),
        }

    def ours() -> object:
        model = Perceptron(keep="last", max_iter=epochs, order="cyclic")
        return cross_validate(model, data.X, data.y, cv=folds, n_jobs=THREADS)

    return Contest(data, ours, runs(shuffle=False), runs(shuffle=True), epochs=epochs, reads=True)


def predicting(data: Dataset) -> Contest:
    """Predict the labels of all samples, after one epoch that is not measured."""
    ours = _threaded(max_iter=1, order="cyclic").fit(data.X, data.y)
    theirs = perceptron(max_iter=1, shuffle=False, n_jobs=THREADS).fit(data.X, data.y)
    return Contest(
        data, lambda: ours.predict(data.X), {"": lambda: theirs.predict(data.X)}, reads=True
    )


def one_by_one(n_features: int, source: Source) -> Contest:
    """Learn from each dict of a stream, then predict it."""
    try:
        peer = import_module("river.linear_model").Perceptron
    except ModuleNotFoundError as error:
        raise MissingError("river is not installed: pip install river") from error
    samples = stream(5000 // source.divisor, n_features)

    def learn_and_predict(learner: Callable[[], Perceptron]) -> None:
        model = learner()
        for x, y in samples:
            model.learn_one(x, y)
            model.predict_one(x)

    data = Dataset(f"dicts of {n_features} features", samples, np.array([y for _, y in samples]))
    ours, theirs = (
        partial(learn_and_predict, partial(Perceptron, keep="last")),
        partial(learn_and_predict, peer),
    )
    return Contest(data, ours, {"": theirs}, units=len(samples))


def row_by_row(data: Dataset, source: Source) -> Contest:
    """Learn from one row per call: `partial_fit`."""
    classes = np.unique(data.y)
    n_rows = _ROWS // source.divisor
    rows = [(data.X[i : i + 1], data.y[i : i + 1]) for i in range(n_rows)]

    def learn(learner: Callable[[], Perceptron | SGDClassifier]) -> None:
        model = learner()
        for X, y in rows:
            model.partial_fit(X, y, classes)

    ours, theirs = partial(learn, Perceptron), partial(learn, PeerPerceptron)
    return Contest(data, ours, {"": theirs}, units=n_rows)


def _gaussian(source: Source) -> Dataset:
    X = np.random.default_rng(0).standard_normal((_ROWS // source.divisor, 20))
    return Dataset("20 dense features", X, np.where(X[:, 0] > 0, 1, -1))


_CONTESTS: dict[str, Callable[[Source], Contest]] = {
    "dense-binary": lambda data: fitting(data.shirts(), Perceptron, perceptron, jobs=[1]),
    "dense-binary-mixed": lambda data: fitting(data.shirts(), _mixed, perceptron, jobs=[1]),
    "dense-classes": lambda data: fitting(data.images(), _threaded, perceptron),
    "dense-averaged": lambda data: fitting(
        data.images(), partial(_threaded, keep="average"), averaged, epochs=10
    ),
    "sparse-binary": lambda data: fitting(data.documents(2), Perceptron, perceptron, jobs=[1]),
    "sparse-binary-mixed": lambda data: fitting(data.documents(2), _mixed, perceptron, jobs=[1]),
    "sparse-averaged": lambda data: fitting(
        data.documents(2), partial(Perceptron, keep="average"), averaged, epochs=5, jobs=[1]
    ),
    "sparse-averaged-mixed": lambda data: fitting(
        data.documents(2), partial(_mixed, keep="average"), averaged, epochs=5, jobs=[1]
    ),
    "sparse-16-classes": lambda data: fitting(data.documents(16), _threaded, perceptron),
    "news20": lambda data: fitting(data.newsgroups(), _threaded, perceptron),
    "cross-validation": lambda data: cross_validating(data.documents(2), folds=10, epochs=5),
    "dict-9": lambda data: one_by_one(9, data),
    "dict-75": lambda data: one_by_one(75, data),
    "row-20": lambda data: row_by_row(_gaussian(data), data),
    "row-784": lambda data: row_by_row(data.shirts(), data),
    "row-sparse": lambda data: row_by_row(data.documents(2), data),
    "predict-dense": lambda data: predicting(data.images()),
    "predict-sparse": lambda data: predicting(data.documents(10)),
}


class Work(NamedTuple):
    """A piece of work and its peer."""

    name: str
    title: str
    peer: str

    def contest(self, source: Source) -> Contest:
        """Return the runs of both sides on data from a source."""
        return _CONTESTS[self.name](source)


_PERCEPTRON, _SGD, _RIVER = "Perceptron", "SGDClassifier", "River"
_SHARDS = "the same, on two shards that are mixed (shards=2)"

WORKS = (
    Work("dense-binary", "dense, 2 classes, 1 epoch", _PERCEPTRON),
    Work("dense-binary-mixed", _SHARDS, _PERCEPTRON),
    Work("dense-classes", "dense, 10 classes, 1 epoch", _PERCEPTRON),
    Work("dense-averaged", "dense, 10 classes, averaged, 10 epochs", _SGD),
    Work("sparse-binary", "sparse, 2 classes, 1 epoch", _PERCEPTRON),
    Work("sparse-binary-mixed", _SHARDS, _PERCEPTRON),
    Work("sparse-averaged", "sparse, 2 classes, averaged, 5 epochs", _SGD),
    Work("sparse-averaged-mixed", _SHARDS, _SGD),
    Work("sparse-16-classes", "sparse, 16 classes, 1 epoch", _PERCEPTRON),
    Work("news20", "sparse, 20 classes, 1 epoch", _PERCEPTRON),
    Work("cross-validation", "sparse, 2 classes, 10 folds of 5 epochs", "cross_val_score"),
    Work("dict-9", "one by one, learn and predict", _RIVER),
    Work("dict-75", "one by one, learn and predict", _RIVER),
    Work("row-20", "partial_fit with one row", _PERCEPTRON),
    Work("row-784", "partial_fit with one row", _PERCEPTRON),
    Work("row-sparse", "partial_fit with one sparse row", _PERCEPTRON),
    Work("predict-dense", "dense, 10 classes, predict", _PERCEPTRON),
    Work("predict-sparse", "sparse, 10 classes, predict", _PERCEPTRON),
)
