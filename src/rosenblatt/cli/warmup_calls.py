"""Public calls that together compile everything, for every way to store samples.

Which code a call compiles depends on how samples are stored, on its options, on the number of features,
and, for perceptrons, on whether there are more than a million numbers. Public calls stay correct when
kernels change; a list of kernels would not.
"""

import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt import bounds
from rosenblatt.cluster.learning.learn_files import learn
from rosenblatt.core.types import Labels, MatrixLike
from rosenblatt.estimators.evaluation.cross_validation import cross_validate
from rosenblatt.estimators.evaluation.decide_and_learn import decide_and_learn
from rosenblatt.estimators.kernel_perceptron import KernelPerceptron
from rosenblatt.estimators.max_margin import MaxMargin
from rosenblatt.estimators.passive_aggressive import PassiveAggressive
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.estimators.winnow import Winnow
from rosenblatt.io.models.model_file import load, save
from rosenblatt.io.reading import read, stream
from rosenblatt.separability.feature_space import separate_in_feature_space
from rosenblatt.separability.separate import separate
from rosenblatt.tables.encoder import TableEncoder

# Three corners of three samples each: separable, of two classes and of three.
_POINTS = np.array([[9, 0], [8, 1], [9, 1], [0, 9], [1, 8], [1, 9], [-9, -9], [-8, -9], [-9, -8]])
_TWO = np.array(["one"] * 3 + ["other"] * 6)
_THREE = np.array(["east"] * 3 + ["north"] * 3 + ["south"] * 3)
_MIXED = np.array(["one", "other", "one"] * 3)
_BITS = np.array([[1, 0], [1, 1], [1, 0], [0, 1], [0, 0], [0, 1], [0, 0], [0, 1], [0, 0]])
_COPIES = 500  # of the features, to make them many
_REPEATS = 120  # of the samples

Store = Callable[[Any], MatrixLike]


def _dense(values: Any, numbers: type) -> MatrixLike:
    return np.array(values, dtype=numbers)


def _sparse(values: Any, numbers: type, indices: type) -> MatrixLike:
    X: Any = sp.csr_matrix(np.asarray(values, dtype=numbers))
    X.indices, X.indptr = X.indices.astype(indices), X.indptr.astype(indices)
    matrix: MatrixLike = X
    return matrix


def _wide(store: Store, values: Any) -> MatrixLike:
    return store(np.tile(values, (1, _COPIES)))


_STORES: list[Store] = [
    partial(_dense, numbers=np.float64),
    partial(_dense, numbers=np.float32),
    *(
        partial(_sparse, numbers=numbers, indices=indices)
        for numbers in (np.float64, np.float32)
        for indices in (np.int32, np.int64)
    ),
]


def warmup_calls() -> list[Callable[[], None]]:
    """Return all calls."""
    of_samples = [_perceptrons, _joint, _streams, _folds, _separation, _relatives, _kernels]
    calls: list[Callable[[], None]] = []
    for store in _STORES:
        for call in of_samples:
            calls += [partial(call, store), partial(call, partial(_wide, store))]
        calls.append(partial(_many, store))
    return [*calls, _text_files, _dicts, _model_files, _feature_spaces, _tables]


def _perceptrons(store: Store) -> None:
    X = store(_POINTS)
    for y in (_TWO, _THREE, np.column_stack([_TWO == "one", _THREE == "east"])):
        for learner in (
            Perceptron(record=True),
            Perceptron(order="shuffle", random_state=0),
            Perceptron(order="random", random_state=0, n_jobs=2),
            Perceptron(keep="average", fit_intercept=False),
            Perceptron(margin=0.5),
            Perceptron(margin=0.5, order="random"),
        ):
            _use(learner.fit(X, y), X)
    for y in (_TWO, _THREE):
        for learner in (
            Perceptron(keep="pocket"),
            Perceptron(keep="vote"),
            Perceptron(certify=True),
        ):
            _use(learner.fit(X, y), X)
        recorded = Perceptron(record=True).fit(X, y)
        recorded.ledger_.replay(X, y)
    recorded = Perceptron(record=True).fit(X, _TWO)
    bounds.Hyperplane.of(recorded).margins(X, _TWO)
    for keep in ("last", "average"):
        _use(Perceptron(shards=2, n_jobs=2, keep=keep).fit(X, _TWO), X)
    Perceptron(max_iter=5).fit(X, _MIXED)
    Perceptron(certify=True).fit(X, _MIXED)
    run = Perceptron(record=True, max_iter=1, order="cyclic").fit(X, _TWO)
    bounds.select_hypothesis(run, X, _TWO, 0.05)


def _many(store: Store) -> None:
    """Learn from more than a million numbers, which all classes then read together."""
    X = store(np.tile(_POINTS, (_REPEATS, _COPIES)))
    for y in (np.tile(_TWO, _REPEATS), np.tile(_THREE, _REPEATS)):
        for learner in (
            Perceptron(max_iter=2),
            Perceptron(max_iter=2, keep="average", record=True, n_jobs=2),
            Perceptron(max_iter=2, keep="pocket"),
            Perceptron(max_iter=2, multiclass="joint", keep="average"),
        ):
            _use(learner.fit(X, y), X)
        _use(Perceptron().partial_fit(X, y, np.unique(y)), X)


def _joint(store: Store) -> None:
    X = store(_POINTS)
    for keep in ("last", "average"):
        _use(Perceptron(multiclass="joint", keep=keep, shards=2).fit(X, _THREE), X)
        _use(Perceptron(multiclass="joint", keep=keep).fit(X, _THREE), X)
    recorded = Perceptron(multiclass="joint", record=True, order="random", random_state=0)
    recorded.fit(X, _THREE).ledger_.replay(X, _THREE)
    for learner in (Perceptron(multiclass="joint"), PassiveAggressive(multiclass="joint")):
        _use(learner.partial_fit(X, _THREE, np.unique(_THREE)), X)
    _use(PassiveAggressive(multiclass="joint", keep="average", C="auto").fit(X, _THREE), X)


def _streams(store: Store) -> None:
    X, classes = store(_POINTS), np.unique(_THREE)
    for y in (_TWO, _THREE):
        for keep in ("last", "average", "pocket"):
            stream = Perceptron(keep=keep)
            for chunk in (slice(0, 9), slice(0, 1), slice(1, 2)):
                stream.partial_fit(X[chunk], y[chunk], np.unique(y))
            _use(stream, X)
    for multiclass in ("one-vs-rest", "joint"):
        stream = Perceptron(multiclass=multiclass)
        for i in range(9):
            stream.partial_fit(X[i : i + 1], _THREE[i : i + 1], classes)
            stream.predict(X[i : i + 1])
    for y in (_TWO, _THREE):
        for learner in (
            Perceptron(),
            Perceptron(keep="average"),
            PassiveAggressive(),
        ):
            _learn_one_by_one(learner, _single(X), y)
    _learn_one_by_one(Winnow(), _single(store(_BITS)), _TWO)


def _single(X: MatrixLike) -> list[Any]:
    """Return samples one by one: vectors, or sparse rows."""
    return [X[i] if isinstance(X, np.ndarray) else X[i : i + 1] for i in range(len(_POINTS))]


def _relatives(store: Store) -> None:
    X, bits = store(_POINTS), store(_BITS)
    for y in (_TWO, _THREE):
        for learner in (
            PassiveAggressive(max_iter=5),
            PassiveAggressive(variant="PA", max_iter=5, keep="average"),
        ):
            _use(learner.fit(X, y), X)
        stream = PassiveAggressive()
        for chunk in (slice(0, 9), slice(0, 1)):
            stream.partial_fit(X[chunk], y[chunk], np.unique(y))
        _use(stream, X)
        for margin in ("affine", "augmented"):
            _use(MaxMargin(margin=margin).fit(X, y), X)
    for variant in ("halving", "elimination", "balanced"):
        for y in (_TWO, _THREE) if variant == "balanced" else (_TWO,):
            _use(Winnow(variant=variant, max_iter=5).fit(bits, y), bits)
            _use(Winnow(variant=variant).partial_fit(bits, y, np.unique(y)), bits)


def _kernels(store: Store) -> None:
    X = store(_POINTS)
    for y in (_TWO, _THREE, _MIXED):
        for learner in (
            KernelPerceptron(max_iter=5),
            KernelPerceptron(kernel="rbf", keep="average", max_iter=5),
            KernelPerceptron(kernel="linear", keep="vote", max_iter=5),
            KernelPerceptron(budget=50, max_iter=2),
        ):
            _use(learner.fit(X, y), X)
        _use(KernelPerceptron().partial_fit(X, y, np.unique(y)), X)


def _separation(store: Store) -> None:
    X = store(_POINTS)
    for y in (_TWO, _THREE, _MIXED):
        for options in (
            {},
            {"exact": True},
            {"margin": "affine"},
            {"fit_intercept": False},
        ):
            separate(X, y, **options)
    bounds.radius(X)
    for y in (_TWO, _MIXED, _THREE):
        decide_and_learn(X, y)
        decide_and_learn(X, y, Perceptron(), max_epochs=5)


def _folds(store: Store) -> None:
    X = store(_POINTS)
    for y in (_TWO, _THREE):
        for learner in (
            Perceptron(max_iter=5, order="cyclic"),
            Perceptron(max_iter=5, order="cyclic", keep="average"),
            Perceptron(max_iter=5),
        ):
            cross_validate(learner, X, y, cv=3)
    cross_validate(Perceptron(max_iter=5, multiclass="joint"), X, _THREE, cv=3)


def _dicts() -> None:
    named = [{"x1": float(a), "x2": float(b)} for a, b in _POINTS.tolist()]
    for labels in (_TWO, _THREE):
        for keep in ("last", "average"):
            _learn_one_by_one(Perceptron(keep=keep), named, labels)


def _learn_one_by_one(learner: Any, samples: Sequence[Any], labels: Labels) -> None:
    for x, label in zip(samples, labels.tolist(), strict=True):
        learner.predict_one(x)
        learner.learn_one(x, label)
    learner.predict_one(samples[0])


def _model_files() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for y in (_TWO, _THREE):
            for keep in ("last", "average"):
                path = Path(folder, "model")
                save(Perceptron(keep=keep).fit(_POINTS.astype(np.float64), y), path)
                for store in _STORES:
                    _use(load(path), store(_POINTS))


def _feature_spaces() -> None:
    for store in _STORES:
        separate_in_feature_space(store(_POINTS), _TWO, degree=2)


def _tables() -> None:
    TableEncoder().fit(_POINTS)


def _text_files() -> None:
    """Read libsvm lines, and learn from them as a stream and in shards."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "libsvm")
        path.write_text("".join(f"{k % 3} 1:0.5 {k + 2}:1e-3\n" for k in range(9)))
        X, y = read(path)
        Perceptron().fit_stream(stream(path), passes=2)
        Perceptron(keep="average").fit_stream([(X, y)])
        learn(path, Perceptron(multiclass="joint", max_iter=100), shards=2)


def _use(learner: Any, X: MatrixLike) -> None:
    """Call all methods that predict."""
    learner.predict(X)
    learner.predict(X[:1])
    if hasattr(learner, "decision_function"):
        learner.decision_function(X)
