"""Outcomes: why learning stopped, and that separated samples are predicted correctly."""

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from rosenblatt import (
    InputError,
    KernelPerceptron,
    MaxMargin,
    Outcome,
    PassiveAggressive,
    Perceptron,
    Winnow,
)
from strategies import labels, samples

SEPARATING = (Outcome.SEPARATED, Outcome.MAXIMUM)

LEARNERS = [
    *(
        Perceptron(keep=keep, ties=ties)
        for keep in ("last", "average", "pocket", "vote")
        for ties in ("mistake", "positive", "negative")
    ),
    Perceptron(order="random", eta0=0.1),
    Perceptron(multiclass="joint"),
    Perceptron(multiclass="joint", keep="average"),
    Perceptron(shards=2),
    Perceptron(shards=2, keep="average"),
    Perceptron(shards=2, multiclass="joint"),
    PassiveAggressive(),
    PassiveAggressive(variant="PA-II", keep="average", order="shuffle"),
    Winnow(variant="balanced"),
    MaxMargin(margin="augmented"),
    *(
        KernelPerceptron(kernel=kernel, keep=keep)
        for kernel in ("linear", "poly", "rbf")
        for keep in ("last", "average", "vote")
    ),
    KernelPerceptron(kernel="linear", budget=4),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@given(data=st.data(), learner=st.sampled_from(LEARNERS), n_classes=st.sampled_from([2, 2, 3]))
def test_separated_samples_are_predicted(data: st.DataObject, learner: Any, n_classes: int) -> None:
    _check(data, learner, n_classes, np.float64, np.asarray)


@pytest.mark.slow  # mostly loads the compiled code for each kind of samples
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("number", [np.float64, np.float32])
@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix])
@settings(max_examples=400)
@given(data=st.data(), learner=st.sampled_from(LEARNERS), n_classes=st.sampled_from([2, 2, 3]))
def test_separated_samples_are_predicted_in_any_storage(
    data: st.DataObject, learner: Any, n_classes: int, number: Any, store: Any
) -> None:
    _check(data, learner, n_classes, number, store)


def _check(data: st.DataObject, learner: Any, n_classes: int, number: Any, store: Any) -> None:
    X = np.clip(data.draw(samples()), -9.0, 9.0).astype(number)
    y = data.draw(labels(len(X), list("abc")[:n_classes]))
    model = clone(learner)
    if "max_iter" in model.get_params():
        model.set_params(max_iter=30)
    try:
        model.fit(store(X), y)
    except InputError:  # there is no margin to maximize, or Winnow's weights overflow
        return
    if model.outcome_ not in SEPARATING:
        return
    alone = [model.predict(X[i : i + 1]).item() for i in range(len(X))]
    for predicted in (
        model.predict(store(X)),
        model.predict(X),
        model.predict(np.vstack([X] * 5))[: len(X)],
        np.array(alone),
    ):
        assert predicted.tolist() == y.tolist()
    assert model.score(X, y) == 1.0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@given(data=st.data(), keep=st.sampled_from(["last", "average", "vote"]))
def test_separated_label_matrices_are_predicted(data: st.DataObject, keep: str) -> None:
    X = np.clip(data.draw(samples()), -9.0, 9.0)
    Y = np.column_stack([data.draw(labels(len(X), [0, 1])) for _ in range(2)])
    model = Perceptron(keep=keep, max_iter=30).fit(X, Y)
    if model.outcome_ is Outcome.SEPARATED:
        assert model.predict(X).tolist() == Y.tolist()
        assert [model.predict(x[None])[0].tolist() for x in X] == Y.tolist()


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_has_a_sentence(outcome: Outcome) -> None:
    assert str(outcome) == f"{outcome.name}: {outcome.sentence}"
    assert len(outcome.sentence.split()) > 5
    assert pickle.loads(pickle.dumps(outcome)) is outcome


def test_the_outcomes() -> None:
    assert [o.name for o in Outcome] == [
        "SEPARATED",
        "AVERAGED",
        "VOTED",
        "BUDGET",
        "MIXED",
        "INSEPARABLE",
        "CYCLING",
        "MAXIMUM",
        "STOPPED",
        "STREAM",
    ]
    assert len({o.sentence for o in Outcome}) == 10
