"""A learning rate that falls from epoch to epoch: the steps of its twin, and a bound of its own."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import naive
from rosenblatt import InputError, Outcome, Perceptron, bounds, cross_validate, trace
from rosenblatt.estimators.evaluation.guarantee import guarantee
from strategies import Separable, labels, samples, separable

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@given(
    st.data(),
    st.sampled_from([0.5, 1.0]),
    st.sampled_from([0.0, 0.7]),
    st.sampled_from(["last", "pocket"]),
)
def test_the_run_is_that_of_the_slow_twin(
    data: st.DataObject, decay: float, margin: float, keep: str
) -> None:
    X = np.clip(data.draw(samples(max_rows=6, max_columns=3)), -1e17, 1e17)
    y = data.draw(labels(len(X), [0, 1]))
    weight = np.array(
        data.draw(st.lists(st.sampled_from([0.5, 1, 3]), min_size=len(X), max_size=len(X)))
    )
    start = np.array([1.0, -2.0, 0.5, 3.0])[-X.shape[1] - 1 :]
    p = Perceptron(order="cyclic", decay=decay, margin=margin, keep=keep, max_iter=5)
    p.fit(
        sp.csr_matrix(X) if data.draw(st.booleans()) else X,
        y,
        coef_init=start[:-1],
        intercept_init=start[-1],
        sample_weight=weight,
    )
    weights, mistakes = start, []
    for epoch in range(1, p.n_iter_ + 1):
        steps = weight * float(epoch) ** -decay
        weights, found = naive.learn(
            X, 2 * y - 1, range(len(X)), start=weights, steps=steps, required=margin
        )
        mistakes.append(len(found))
    assert p._state.weights[0].tobytes() == weights.tobytes()
    assert p.history_.mistakes.tolist() == mistakes
    assert (p.outcome_ is Outcome.SEPARATED) == (mistakes[-1] == 0)
    assert not hasattr(p, "ledger_")
    if keep == "last" and len(set(weight.tolist())) == 1 == weight[0]:
        run = trace(
            X,
            y,
            decay=decay,
            margin=margin,
            coef_init=start[:-1],
            intercept_init=start[-1],
            max_iter=5,
        )
        assert [*run.weights[1:], run.weights[0]] == weights.tolist()


@given(separable(), st.sampled_from([0.5, 1.0]), st.booleans())
def test_the_mistakes_times_their_rates_are_within_the_bound(
    draw: Separable, decay: float, is_started: bool
) -> None:
    start = [[2.0] + [-1.0] * (draw.X.shape[1] - 1)] if is_started else None
    p = Perceptron(fit_intercept=False, decay=decay, max_iter=200)
    p.fit(draw.signs[:, None] * draw.X, np.ones(len(draw.X)), coef_init=start)
    bound = bounds.mistake_bound(
        math.sqrt(draw.radius_squared) * (1 + 1e-12),
        draw.margin / math.sqrt(draw.truth_squared) * (1 - 1e-12),
        start_norm=0.0 if start is None else float(np.linalg.norm(start)),
    )
    rates = np.arange(1, p.n_iter_ + 1) ** -decay
    assert p.history_.mistakes @ rates <= bound
    truth = draw.margin / math.sqrt(draw.truth_squared)
    assert p.margin_.upper >= truth * (1 - 1e-12)


def test_from_a_start_it_is_another_run() -> None:
    X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    runs = [trace(X, y, decay=decay, intercept_init=5, max_iter=200) for decay in (0, 0.5)]
    assert runs[0].weights != runs[1].weights
    assert all(run.outcome is Outcome.SEPARATED for run in runs)
    assert "An update raises w·x by its step times ‖x‖²." in str(runs[1])


def test_a_vote_and_an_average_have_the_weights_of_the_run() -> None:
    X, y = np.array([[0.0, 1], [2, 1], [1, 0], [2, 2], [1, 1]]), np.array([0, 1, 1, 0, 1])
    run = trace(X, y, decay=0.5, max_iter=4)
    lives = np.array([visit.weights_after for visit in run])
    new = np.array([[1.0, 5, 2], [1, -1, 3], [1, 0.5, 0.25]])
    scores = new @ lives.T
    vote = Perceptron(decay=0.5, max_iter=4, keep="vote", order="cyclic").fit(X, y)
    assert vote.decision_function(new[:, 1:]) == pytest.approx(np.sign(scores).mean(axis=1))
    average = Perceptron(decay=0.5, max_iter=4, keep="average", order="cyclic").fit(X, y)
    assert average.decision_function(new[:, 1:]) == pytest.approx(scores.mean(axis=1))


def test_cycles_are_not_looked_for() -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    p = Perceptron(order="cyclic", decay=0.5, max_iter=9).fit(X, y)
    assert (p.n_iter_, p.outcome_) == (9, Outcome.BUDGET)


def test_folds_fall_as_they_would_alone() -> None:
    X = np.array([[k % 7, k % 5] for k in range(35)], dtype=float)
    y = X[:, 0] < X[:, 1]
    learner = Perceptron(order="cyclic", decay=0.5, start="random", max_iter=50)
    folds = [(np.arange(5, 35), np.arange(5))]
    (model,) = cross_validate(learner, X, y, cv=folds, return_estimator=True)["estimator"]
    alone = learner.fit(X[5:], y[5:])
    assert model.coef_.tobytes() == alone.coef_.tobytes()
    assert guarantee(learner, X, y.astype(int)).mistake_bound is None


def test_a_record_of_steps_is_refused() -> None:
    with pytest.raises(InputError, match=r"decay=0\.5 and record=True do not go together"):
        Perceptron(decay=0.5, record=True).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(InputError, match="decay=-1 is not accepted"):
        Perceptron(decay=-1).fit([[0.0], [1.0]], [0, 1])
