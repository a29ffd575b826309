"""Several threads and one estimator: everything is learned, and predictions see consistent states.

Samples have their own features, without an intercept, so every score of a new one is 0, which is a
mistake: the learned state does not depend on the order of the threads.
"""

import copy
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from rosenblatt import (
    KernelPerceptron,
    MaxMargin,
    PassiveAggressive,
    Perceptron,
    Winnow,
    load,
    save,
)

N_THREADS = 4
ESTIMATORS = [
    KernelPerceptron(),
    MaxMargin(),
    PassiveAggressive(),
    Perceptron(),
    Winnow(),
]


@pytest.fixture(autouse=True)
def switch_threads_often() -> Iterator[None]:
    """Make Python switch threads as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def run_at_once(*works: Callable[[], Any]) -> list[Any]:
    """Run functions in threads that start together; return their results, or raise an error of one."""
    start = threading.Barrier(len(works), timeout=60)

    def begin(work: Callable[[], Any]) -> Any:
        start.wait()
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        return [future.result(60) for future in [pool.submit(begin, work) for work in works]]


def shares(n: int) -> list[range]:
    return [range(k, n, N_THREADS) for k in range(N_THREADS)]


@pytest.mark.parametrize("keep", ["last", "average"])
def test_threads_learn_all_dicts(keep: str) -> None:
    n = 2000
    model = Perceptron(fit_intercept=False, keep=keep)
    model.learn_one({}, 0).learn_one({}, 1)

    def learn(share: range) -> None:
        for i in share:
            model.learn_one({f"x{i}": 1.0, f"z{i}": 2.0}, i % 2)

    run_at_once(*(lambda share=share: learn(share) for share in shares(n)))
    assert model.n_features_in_ == 2 * n
    assert model.n_mistakes_ == n + 2
    if keep == "last":
        found = dict(zip(model.feature_names_in_, model.coef_[0].tolist(), strict=True))
        side = {i: 1.0 if i % 2 else -1.0 for i in range(n)}
        assert found == {f"{x}{i}": w * side[i] for i in range(n) for x, w in (("x", 1), ("z", 2))}


@pytest.mark.parametrize(
    "model",
    [
        Perceptron(fit_intercept=False),
        PassiveAggressive(fit_intercept=False),
        KernelPerceptron(kernel="linear"),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_threads_learn_all_rows(model: Any, kind: Any) -> None:
    n = 120
    rows = [kind(row[None]) for row in np.eye(n)]
    model = clone(model).partial_fit(kind(np.zeros((2, n))), [0, 1], classes=[0, 1])
    before = model.n_mistakes_

    def learn(share: range) -> None:
        for i in share:
            if i % 3:
                model.learn_one(rows[i], i % 2)
            else:
                model.partial_fit(rows[i], [i % 2])

    run_at_once(*(lambda share=share: learn(share) for share in shares(n)))
    assert model.n_mistakes_ == before + n
    assert len(model.history_) == model.n_iter_ == 1 + n // 3
    assert model.predict(kind(np.eye(n))).tolist() == [i % 2 for i in range(n)]


@pytest.mark.parametrize("keep", ["last", "average", "vote"])
def test_predictions_while_rows_are_learned(keep: str) -> None:
    n = 150
    model = Perceptron(keep=keep)
    model.learn_one(np.zeros(n), 0)

    def learn() -> None:
        for i, row in enumerate(np.eye(n)):
            model.learn_one(row, i % 7)

    def decide() -> None:
        for _ in range(60):
            labels = model.predict(np.eye(n)[:5])
            assert set(labels.tolist()) <= set(range(7))
            assert model.decision_function(np.eye(n)[:5]).shape[0] == 5
            assert model.predict_one(np.eye(n)[3]) in range(7)

    run_at_once(learn, decide, decide)
    assert model.classes_.tolist() == list(range(7))


def test_predictions_while_names_and_classes_are_added(tmp_path: Path) -> None:
    model = Perceptron()
    model.learn_one({"start": 1.0}, 0)

    def learn() -> None:
        for i in range(400):
            model.learn_one({f"x{i}": 1.0, "start": 1.0}, i % 5)

    def decide() -> None:
        for i in range(300):
            assert model.predict_one({f"x{i}": 1.0, "start": 1.0}) in range(5)
            coef, names = model.coef_, model.feature_names_in_
            assert coef.shape[1] <= len(names)

    def take_copies() -> None:
        for k in range(20):
            for other in (copy.copy(model), pickle.loads(pickle.dumps(model))):
                assert other.predict_one({"start": 1.0}) in range(5)
            save(model, tmp_path / f"{k}")
            load(tmp_path / f"{k}")

    run_at_once(learn, decide, take_copies)
    assert model.n_features_in_ == 401


@pytest.mark.parametrize("model", ESTIMATORS, ids=lambda model: type(model).__name__)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_concurrent_fits_run_one_at_a_time(model: Any) -> None:
    narrow, wide = np.eye(6)[:, :4], np.eye(6)
    tables = {4: (narrow, [0, 1, 0, 1, 0, 1]), 6: (wide, [0, 1, 2, 0, 1, 2])}
    tables[4][0][4:] = [[0.5, 0, 0, 0], [0, 0.5, 0, 0]]
    params = {"random_state": 0} if "random_state" in model.get_params() else {}
    model = clone(model).set_params(**params)
    alone = {width: clone(model).fit(X, y) for width, (X, y) in tables.items()}
    model.fit(*tables[4])

    def fit(width: int) -> None:
        for _ in range(5):
            model.fit(*tables[width])

    def decide() -> None:
        for _ in range(10):
            for width, (X, _) in tables.items():
                with suppress(ValueError):  # of the other width
                    found = model.predict(X)
                    assert (found != alone[width].predict(X)).sum() == 0

    run_at_once(lambda: fit(4), lambda: fit(6), decide)
    width = model.n_features_in_
    assert (model.predict(tables[width][0]) != alone[width].predict(tables[width][0])).sum() == 0


@pytest.mark.parametrize("model", ESTIMATORS, ids=lambda model: type(model).__name__)
def test_copy_has_its_own_lock(model: Any) -> None:
    model.fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    copies = [
        clone(model),
        copy.copy(model),
        copy.deepcopy(model),
        pickle.loads(pickle.dumps(model)),
        model._snapshot(),
    ]
    locks = {id(one._lock) for one in (model, *copies)}
    assert len(locks) == len(copies) + 1
    assert "_lock" not in model.__getstate__()
    assert "_lock" not in model.get_params()


def test_every_pickle_protocol_creates_a_lock() -> None:
    model = Perceptron().fit([[0.0, 0.0], [1.0, 1.0]], [0, 1])
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        copied = pickle.loads(pickle.dumps(model, protocol))
        assert copied.learn_one([2.0, 2.0], 1).predict_one([2.0, 2.0]) == 1
