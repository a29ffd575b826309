"""Matrices of labels: each column is a halfspace, learned independently."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import model_selection as peer
from sklearn.exceptions import DataConversionWarning
from sklearn.metrics import accuracy_score

import naive
from model_files import saved_with
from rosenblatt import InputError, Outcome, Perceptron, cross_validate, load, save
from strategies import samples

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

STORAGE = [np.asarray, sp.csr_array, np.float32, lambda X: sp.csr_array(np.float32(X))]


@st.composite
def tables(draw: st.DrawFn, n: int) -> np.ndarray:
    """Draw two or more labels for n samples; columns may be all 0 or all 1."""
    n_labels = draw(st.integers(2, 5))
    cells = draw(st.lists(st.integers(0, 1), min_size=n * n_labels, max_size=n * n_labels))
    return np.array(cells).reshape(n, n_labels)


def _data(n: int = 60, n_labels: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.integers(-5, 6, (n, 3)).astype(float)
    return X, (X @ rng.integers(-3, 4, (3, n_labels)) + rng.integers(-2, 3, n_labels) > 0).astype(
        int
    )


@settings(max_examples=60)
@given(samples(), st.sampled_from(STORAGE), st.sampled_from([-1, 0, 1]), st.data())
def test_every_label_equals_exact_arithmetic(
    X: np.ndarray, store: Any, tie: int, data: st.DataObject
) -> None:
    Y = data.draw(tables(len(X)))
    stored = store(np.clip(X, -1e30, 1e30))
    X = (stored.toarray() if sp.issparse(stored) else stored).astype(np.float64)
    weight = np.array(
        data.draw(st.lists(st.sampled_from([1.0, 0.3]), min_size=len(X), max_size=len(X)))
    )
    by_label = {0: 0.7, 1: 2.0}
    form = data.draw(st.sampled_from([np.asarray, sp.csr_matrix, np.ndarray.tolist, np.bool_]))
    ties = {-1: "negative", 0: "mistake", 1: "positive"}[tie]
    options = {"max_iter": 3, "ties": ties, "class_weight": by_label}
    p = Perceptron(keep="last", order="cyclic", record=True, **options).fit(
        stored, form(Y), sample_weight=weight
    )
    assert p.multilabel_
    assert p.classes_.tolist() == list(range(Y.shape[1]))
    for k, column in enumerate(Y.T):
        signs = np.where(column, 1, -1)
        steps = weight * np.where(column, by_label.get(k, 1.0), 1.0)
        twin, epochs = naive.learn_cyclic(X, signs, 3, tie=tie, steps=steps)
        assert np.append(p.coef_[k], p.intercept_[k]).tobytes() == twin.tobytes()
        assert p.ledger_.sequences[k].tolist() == [i for epoch in epochs for i in epoch]
    coef, intercept = p.ledger_.replay(stored, form(Y))
    assert coef.tobytes() == p.coef_.tobytes()
    assert intercept.tobytes() == p.intercept_.tobytes()
    found = [
        [(naive.sign(naive.exact_dot(row, [*w, b])) or (-1 if tie < 0 else 1)) > 0 for w, b in both]
        for both in [list(zip(p.coef_, p.intercept_, strict=True))]
        for row in naive.extended(X, 1.0)
    ]
    predicted = p.predict(stored)
    assert predicted.dtype == np.int64
    assert predicted.tolist() == np.array(found).astype(int).tolist()
    assert p.decision_function(stored).shape == Y.shape


def test_same_halfspaces_as_one_perceptron_per_label() -> None:
    X, Y = _data()
    p = Perceptron(certify=True, order="shuffle", random_state=3).fit(X, Y)
    assert len(p.margin_) == len(p.certificate_) == 4
    for k, column in enumerate(Y.T):
        alone = Perceptron(certify=True, order="shuffle", random_state=3).fit(X, column)
        assert p.coef_[k].tobytes() == alone.coef_[0].tobytes()
        assert p.margin_[k] == alone.margin_
        assert p.certificate_[k] == alone.certificate_
        assert p.certificate_[k].verify(X, column)
    assert p.outcome_ is Outcome.SEPARATED
    assert p.score(X, Y) == p.score(X, sp.csr_matrix(Y)) == 1.0
    wrong = Y.copy()
    wrong[:6, 0] = 1 - wrong[:6, 0]
    assert p.score(X, wrong) == accuracy_score(wrong, Y) == 0.9


def test_two_labels_are_two_halfspaces() -> None:
    X = np.array([[0.0], [1.0], [2.0]])
    Y = np.array([[1, 0], [1, 1], [0, 1]])
    p = Perceptron(keep="average").fit(X, Y)
    assert p.coef_.shape == (2, 1)
    assert p.decision_function(X).shape == (3, 2)
    assert p.predict_one([1.0]).tolist() == p.predict(X[1:2])[0].tolist()


def test_labels_of_all_or_no_samples() -> None:
    X, Y = _data(n_labels=3)
    Y[:, 0], Y[:, 1] = 0, 1
    p = Perceptron(certify=True, max_iter=5).fit(X, Y)
    assert p.predict(X)[:, :2].tolist() == Y[:, :2].tolist()
    assert p.certificate_[:2] == [None, None]


def test_inseparable_label_is_certified() -> None:
    X, Y = np.array([[0.0], [1.0], [1.0]]), np.array([[0, 0], [1, 0], [1, 1]])
    p = Perceptron(certify=True).fit(X, Y)
    assert p.outcome_ is Outcome.INSEPARABLE
    assert p.certificate_[0].verify(X, Y[:, 0])
    assert p.certificate_[1].verify(X, Y[:, 1])
    assert p.conflicts_ == ["rows 1 and 2 are equal but have the labels 0 and 1"]


@pytest.mark.parametrize("keep", ["last", "average"])
@pytest.mark.parametrize("store", [np.asarray, sp.csr_array])
def test_chunks_and_single_samples_equal_an_epoch(keep: str, store: Any) -> None:
    X, Y = _data(40)
    options = {"keep": keep, "eta0": 0.3, "class_weight": {1: 2.0}}
    batch = Perceptron(order="cyclic", max_iter=1, **options).fit(X, Y)
    chunks, single = Perceptron(**options), Perceptron(**options)
    for start in range(0, 40, 7):
        chunks.partial_fit(store(X[start : start + 7]), Y[start : start + 7])
    for i in range(40):
        x = X[i] if store is np.asarray else store(X[i : i + 1])
        y = Y[i] if i % 2 else sp.csr_matrix(Y[i : i + 1])
        single.learn_one(x, y)
        assert single.predict_one(x).tolist() == single.predict(store(X[i : i + 1]))[0].tolist()
    for learner in (chunks, single):
        assert learner.coef_.tobytes() == batch.coef_.tobytes()
        assert learner.n_mistakes_ == batch.n_mistakes_
        assert learner.multilabel_
    assert batch.partial_fit(X, Y).coef_.tobytes() == single.partial_fit(X, Y).coef_.tobytes()


def test_threads_change_nothing() -> None:
    X, Y = _data(200, 7)
    runs = [Perceptron(n_jobs=n, max_iter=4).fit(X, Y) for n in (None, 2, 3, -1)]
    assert len({run.coef_.tobytes() for run in runs}) == 1
    assert len({run.predict(X).tobytes() for run in runs}) == 1


def test_stream_keeps_its_labels() -> None:
    X, Y = _data()
    p = Perceptron().partial_fit(X, Y)
    before = p.coef_.tobytes()
    for other in (Y[:, :3], np.hstack([Y, Y]), Y[:, 0]):
        with pytest.raises(InputError, match="the labels so far had 4 columns"):
            p.partial_fit(X, other)
    for label in ([1, 0], 1, [1, 0, 1, 0, 1], None):
        with pytest.raises(InputError, match="give a vector of 0 and 1 for the 4 labels"):
            p.learn_one(X[0], label)
    with pytest.raises(InputError, match="2 in row 0, column 3"):
        p.learn_one(X[0], [0, 0, 1, 2])
    with pytest.raises(InputError, match="is a dict"):
        p.learn_one({"x": 1.0}, Y[0])
    assert p.coef_.tobytes() == before
    q = Perceptron().partial_fit(X, Y[:, 0])
    with pytest.raises(InputError, match="exclude each other"):
        q.partial_fit(X, Y)
    with pytest.raises(InputError, match="give one number or one string"):
        q.learn_one(X[0], Y[0])
    with pytest.raises(InputError, match=r"classes=\[1, 2\] is not accepted"):
        Perceptron().partial_fit(X, Y, classes=[1, 2])


@pytest.mark.parametrize(
    ("Y", "options", "message"),
    [
        (2 * _data()[1], {}, "2 in row"),
        (_data()[1] - 0.5, {}, "0.5 in row 0, column 0"),
        (_data()[1].astype(str), {}, "a matrix of labels must contain only 0 and 1"),
        (_data()[1], {"class_weight": "balanced"}, "give a dict of columns"),
        (_data()[1], {"multiclass": "joint"}, "multiclass='joint' needs one class per sample"),
    ],
)
def test_bad_input(Y: np.ndarray, options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Perceptron(**options).fit(_data()[0], Y)


def test_one_column_is_one_label_per_sample() -> None:
    X, Y = _data()
    with pytest.warns(DataConversionWarning):
        p = Perceptron(max_iter=2).fit(X, Y[:, :1])
    assert not p.multilabel_
    assert p.predict(X).shape == (60,)


def test_refit_changes_the_kind_of_labels() -> None:
    X, Y = _data()
    p = Perceptron().fit(X, Y)
    assert p.fit(X, Y[:, 0]).predict(X).shape == (60,)
    assert p.predict_one(X[0]) == Y[0, 0]
    assert p.fit(X, Y).predict_one(X[0]).tolist() == Y[0].tolist()


def test_feature_names() -> None:
    pd = pytest.importorskip("pandas")
    X, Y = _data()
    p = Perceptron().fit(pd.DataFrame(X, columns=list("abc")), pd.DataFrame(Y))
    sample = {**dict(zip("abc", X[3], strict=True)), "d": 7.0}
    assert p.predict_one(sample).tolist() == p.predict_one(X[3]).tolist() == Y[3].tolist()


def test_saved_and_loaded(tmp_path: Path) -> None:
    X, Y = _data(n_labels=2)
    p = Perceptron(record=True, certify=True).fit(X, Y)
    save(p, tmp_path / "model")
    q = load(tmp_path / "model")
    assert q.multilabel_
    assert (q.margin_, q.certificate_) == (p.margin_, p.certificate_)
    assert q.predict(X).tolist() == Y.tolist()
    assert q.ledger_.replay(X, Y)[0].tobytes() == p.coef_.tobytes()
    assert q.partial_fit(-X, Y).coef_.tobytes() == p.partial_fit(-X, Y).coef_.tobytes()
    for multilabel in (1, False):

        def change(document: dict, _tensors: dict, multilabel: Any = multilabel) -> None:
            document["learned"]["learned"]["classes"]["classes"]["multilabel"] = multilabel

        saved_with(p, tmp_path / "forged", change)
        with pytest.raises(InputError, match=r"multilabel must be a bool|weights of shape"):
            load(tmp_path / "forged")


def test_ledger_of_a_matrix_of_labels() -> None:
    X, Y = _data()
    ledger = Perceptron(record=True).fit(X, Y).ledger_
    with pytest.raises(InputError, match="the recorded run had 4 labels"):
        ledger.replay(X, Y[:, :3])
    with pytest.raises(InputError, match=r"y has shape \(60,\)"):
        ledger.replay(X, 5 * Y[:, 0])


def test_cross_validation_equals_scikit_learns() -> None:
    X, Y = _data()
    ours = cross_validate(Perceptron(max_iter=5), X, Y, cv=3, return_estimator=True)
    theirs = peer.cross_validate(Perceptron(max_iter=5), X, Y, cv=3)
    assert ours["test_score"].tolist() == theirs["test_score"].tolist()
    assert ours["estimator"][0].multilabel_
