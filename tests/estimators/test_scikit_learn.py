"""scikit-learn's contract, and the same weights as its own Perceptron on integers."""

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import Perceptron as TheirPerceptron
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from expected_failures import WEIGHTED_IS_REPEATED
from rosenblatt import Outcome, Perceptron
from strategies import INTEGERS, labels, matrices

ignore_budget = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@ignore_budget
@parametrize_with_checks(
    [
        Perceptron(),
        Perceptron(order="cyclic", ties="negative"),
        Perceptron(order="random"),
        Perceptron(multiclass="joint"),
        Perceptron(record=True, eta0=0.1, ties="positive"),
    ],
    expected_failed_checks=lambda _: WEIGHTED_IS_REPEATED,
)
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@ignore_budget
@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix, lambda X: X.astype(np.float32)])
@given(data=st.data(), epochs=st.integers(1, 6), n_classes=st.sampled_from([2, 3, 4]))
def test_weights_equal_scikit_learns_on_integers(
    store: Any, data: st.DataObject, epochs: int, n_classes: int
) -> None:
    X = store(data.draw(matrices(INTEGERS, st.integers(2, 10), st.integers(1, 6))))
    y = data.draw(labels(X.shape[0], list("abcd")[:n_classes]))
    ours = Perceptron(keep="last", order="cyclic", fit_intercept=False, max_iter=epochs).fit(X, y)
    cycles = getattr(ours, "cycle_", None)
    for k, cycle in enumerate(cycles if isinstance(cycles, list) else [cycles] * len(ours.coef_)):
        n_epochs = (
            epochs if cycle is None else cycle.again
        )  # because scikit-learn does not detect cycles
        theirs = TheirPerceptron(fit_intercept=False, shuffle=False, tol=None, max_iter=n_epochs)
        found = theirs.fit(X, y).coef_[k].astype(np.float64)
        assert ours.coef_[k].tobytes() == found.tobytes()


@ignore_budget
@given(data=st.data(), epochs=st.integers(1, 6))
def test_class_and_sample_weights_equal_scikit_learns(data: st.DataObject, epochs: int) -> None:
    X = data.draw(matrices(INTEGERS, st.integers(4, 10), st.integers(1, 4)))
    n_classes = data.draw(st.sampled_from([2, 3]))
    y = data.draw(labels(len(X), list("abc")[:n_classes]))
    class_weight = {label: data.draw(st.integers(0, 3)) for label in np.unique(y).tolist()}
    column = st.lists(st.integers(0, 3), min_size=len(X), max_size=len(X))
    weight = np.array(data.draw(column.filter(any)), dtype=float)
    assume(any(w * class_weight[label] for w, label in zip(weight, y.tolist(), strict=True)))
    options = {"fit_intercept": False, "max_iter": epochs, "class_weight": class_weight}
    ours = Perceptron(keep="last", order="cyclic", **options).fit(X, y, sample_weight=weight)
    assume(ours.outcome_ is not Outcome.CYCLING)  # we stop, but scikit-learn cycles
    theirs = TheirPerceptron(shuffle=False, tol=None, **options).fit(X, y, sample_weight=weight)
    assert ours.coef_.tolist() == theirs.coef_.tolist()


@ignore_budget
def test_balanced_weights_equal_scikit_learns() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(-9, 10, size=(40, 4)).astype(float), np.array([0] * 8 + [1] * 32)
    options = {"fit_intercept": False, "max_iter": 3, "class_weight": "balanced"}
    ours = Perceptron(keep="last", order="cyclic", **options).fit(
        X, y
    )  # 40 / (2 · 8) = 2.5 and 40 / (2 · 32) = 0.625
    theirs = TheirPerceptron(shuffle=False, tol=None, **options).fit(X, y)
    assert ours.coef_.tolist() == theirs.coef_.tolist()
    by_hand = Perceptron(
        keep="last", order="cyclic", **{**options, "class_weight": {0: 2.5, 1: 0.625}}
    ).fit(X, y)
    assert ours.coef_.tobytes() == by_hand.coef_.tobytes()


def _blobs() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.repeat(["left", "right"], 30)
    return rng.standard_normal((60, 3)) + np.where(y == "left", -9.0, 9.0)[:, None], y


@pytest.mark.parametrize("record", [False, True])
def test_pickle_keeps_everything(record: bool) -> None:
    X, y = _blobs()
    p = Perceptron(record=record, eta0=0.3).fit(X, y)
    q = pickle.loads(pickle.dumps(p))
    assert q.coef_.tobytes() == p.coef_.tobytes()
    assert q.predict(X).tolist() == y.tolist()
    assert (q.outcome_, q.margin_, q.n_mistakes_) == (p.outcome_, p.margin_, p.n_mistakes_)
    assert list(q.history_) == list(p.history_)
    assert q.ledger_.mistake_counts.tolist() == p.ledger_.mistake_counts.tolist()
    p.partial_fit(-X, y)
    assert q.partial_fit(-X, y).coef_.tobytes() == p.coef_.tobytes()


def test_clone_keeps_only_parameters() -> None:
    X, y = _blobs()
    p = Perceptron(order="shuffle", ties="negative", eta0=0.3, random_state=4).fit(X, y)
    q = clone(p)
    assert q.get_params() == p.get_params()
    assert not hasattr(q, "classes_")
    assert q.fit(X, y).coef_.tobytes() == p.coef_.tobytes()


def test_in_a_pipeline_and_a_grid_search() -> None:
    X, y = _blobs()
    model = make_pipeline(StandardScaler(), Perceptron())
    assert cross_val_score(model, X, y).tolist() == [1.0] * 5
    search = GridSearchCV(model, {"perceptron__order": ["cyclic", "shuffle"]}, cv=3).fit(X, y)
    assert search.best_score_ == 1.0
    assert search.best_estimator_[-1].outcome_ is Outcome.SEPARATED


def test_data_frame_sets_feature_names() -> None:
    pd = pytest.importorskip("pandas")
    X, y = _blobs()
    frame = pd.DataFrame(X, columns=["height", "width", "depth"])
    p = Perceptron().fit(frame, pd.Series(y))
    assert p.feature_names_in_.tolist() == ["height", "width", "depth"]
    assert p.coef_.tobytes() == Perceptron().fit(X, y).coef_.tobytes()
    assert p.predict(frame).tolist() == y.tolist()
    with pytest.raises(ValueError, match="feature names should match"):
        p.predict(frame[["width", "height", "depth"]])


@ignore_budget
@pytest.mark.parametrize("n_classes", [2, 3])
def test_data_frame_as_a_stream(n_classes: int) -> None:
    pd = pytest.importorskip("pandas")
    X, _ = _blobs()
    frame = pd.DataFrame(X, columns=["height", "width", "depth"])
    y = pd.Series(np.resize(["b", "a", "c"][:n_classes], 60))
    p = Perceptron()
    for start in range(0, 60, 7):
        p.partial_fit(frame[start : start + 7], y[start : start + 7])
    assert p.coef_.tobytes() == Perceptron(order="cyclic", max_iter=1).fit(frame, y).coef_.tobytes()
