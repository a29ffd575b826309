"""The same work, done by both sides: whole public calls, on the same data, for the same epochs.

The peer visits the samples as they are given, as we do; that is also the fastest it can do. Its default
is another order in each epoch, which is measured beside it. On dense data both sides then learn the same
weights; on sparse data scikit-learn moves its intercept by a hundredth of the step, and errs elsewhere.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import parallel_config
from sklearn.linear_model import Perceptron as PeerPerceptron
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import cross_val_score

import rosenblatt
from rosenblatt.cli.bench.bench_data import Dataset, Source, stream
from rosenblatt.cli.bench.missing import peer_module
from rosenblatt.cli.bench.timing import Run
from rosenblatt.estimators.perceptron import Perceptron

THREADS = 2
"""How many threads each side may use."""

Configured = dict[str, Run]
"""One run for each configuration of a peer, by what is set."""


class Contest(NamedTuple):
    """Our run, and the peer's in each configuration that may be its best."""

    data: Dataset
    ours: Run
    peers: Configured
    shuffled: Configured | None = None
    epochs: int = 1
    units: int = 1
    reads: bool = False

    def arrays(self) -> list[Any]:
        """Return what an epoch cannot help reading."""
        X = self.data.X
        return [X] if isinstance(X, np.ndarray) else [X.data, X.indices]


def perceptron(**parameters: Any) -> PeerPerceptron:
    """Return scikit-learn's perceptron, without its stopping rule."""
    return PeerPerceptron(tol=None, **parameters)


def averaged(**parameters: Any) -> SGDClassifier:
    """Return scikit-learn's averaged perceptron: the SGD that is one, without its stopping rule."""
    return SGDClassifier(
        loss="perceptron",
        penalty=None,
        learning_rate="constant",
        eta0=1.0,
        average=True,
        tol=None,
        **parameters,
    )


def fitting(
    data: Dataset,
    peer: Callable[..., SGDClassifier],
    *,
    epochs: int = 1,
    jobs: Sequence[int] = (THREADS, 1),
    **ours: Any,
) -> Contest:
    """Learn from all samples: `fit`."""

    def run(n_jobs: int, *, shuffle: bool) -> Run:
        settings = {"max_iter": epochs, "shuffle": shuffle, "n_jobs": n_jobs}
        return lambda: peer(**settings).fit(data.X, data.y)

    return Contest(
        data,
        lambda: Perceptron(max_iter=epochs, **ours).fit(data.X, data.y),
        {f"n_jobs={n}": run(n, shuffle=False) for n in jobs},
        {f"n_jobs={n}": run(n, shuffle=True) for n in jobs},
        epochs=epochs,
        reads=True,
    )


def cross_validating(data: Dataset, *, folds: int, epochs: int) -> Contest:
    """Learn on all folds but one, for each of them, and score on that one."""

    def run(n_jobs: int, backend: str, *, shuffle: bool) -> Run:
        def scores() -> object:
            model = perceptron(max_iter=epochs, shuffle=shuffle)
            with parallel_config(backend):
                return cross_val_score(model, data.X, data.y, cv=folds, n_jobs=n_jobs)

        return scores

    def configured(*, shuffle: bool) -> Configured:
        return {
            f"n_jobs={THREADS}, processes": run(THREADS, "loky", shuffle=shuffle),
            f"n_jobs={THREADS}, threads": run(THREADS, "threading", shuffle=shuffle),
            "n_jobs=1": run(1, "sequential", shuffle=shuffle),
        }

    def ours() -> object:
        model = Perceptron(max_iter=epochs)
        return rosenblatt.cross_validate(model, data.X, data.y, cv=folds, n_jobs=THREADS)

    return Contest(
        data,
        ours,
        configured(shuffle=False),
        configured(shuffle=True),
        epochs=epochs,
        reads=True,
    )


def predicting(data: Dataset) -> Contest:
    """Predict the labels of all samples, after one epoch that is not measured."""
    ours = Perceptron(max_iter=1, n_jobs=THREADS).fit(data.X, data.y)
    theirs = perceptron(max_iter=1, shuffle=False, n_jobs=THREADS).fit(data.X, data.y)
    return Contest(
        data, lambda: ours.predict(data.X), {"": lambda: theirs.predict(data.X)}, reads=True
    )


def one_by_one(n_features: int, source: Source) -> Contest:
    """Learn from each dict of a stream, then predict it."""
    River = peer_module("river.linear_model").Perceptron  # before the stream: it may be missing
    samples = stream(5000 // source.divisor, n_features)

    def run(learner: Callable[[], Any]) -> Run:
        def learn_and_predict() -> None:
            model = learner()
            for x, y in samples:
                model.learn_one(x, y)
                model.predict_one(x)

        return learn_and_predict

    data = Dataset(f"dicts of {n_features} features", samples, np.array([y for _, y in samples]))
    return Contest(data, run(Perceptron), {"": run(River)}, units=len(samples))


def row_by_row(data: Dataset, n_rows: int) -> Contest:
    """Learn from one row a call: `partial_fit`."""
    classes = np.unique(data.y)
    rows = [(data.X[i : i + 1], data.y[i : i + 1]) for i in range(n_rows)]

    def run(learner: Callable[[], Any]) -> Run:
        def learn() -> None:
            model = learner()
            for X, y in rows:
                model.partial_fit(X, y, classes)

        return learn

    return Contest(data, run(Perceptron), {"": run(PeerPerceptron)}, units=n_rows)
