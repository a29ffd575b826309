"""A fixed margin: exact decisions, the mistake bound, and unsupported combinations."""

import math
from collections.abc import Callable

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

TIES = {"mistake": 0, "positive": 1, "negative": -1}


@given(
    st.data(),
    st.sampled_from(list(TIES)),
    st.sampled_from([2, 3]),
    st.sampled_from([0.1, 1.0, 4.0]),
    st.sampled_from([1.0, 0.3]),
)
def test_run_equals_the_slow_twin(
    data: st.DataObject, ties: str, n_classes: int, margin: float, eta0: float
) -> None:
    X = np.clip(data.draw(samples(max_rows=6, max_columns=3)), -1e17, 1e17)
    y = data.draw(labels(len(X), ["b", "a", "c"][:n_classes]))
    p = Perceptron(
        order="cyclic", ties=ties, margin=margin, eta0=eta0, max_iter=8, record=True
    ).fit(sp.csr_matrix(X) if data.draw(st.booleans()) else X, y)
    classes = sorted(set(y.tolist()))
    for k, positive in enumerate(classes[1:] if len(classes) == 2 else classes):
        signs = np.where(y == positive, 1, -1)
        weights, epochs = naive.learn_cyclic(X, signs, 8, tie=TIES[ties], required=margin / eta0)
        found = np.append(p.coef_[k], p.intercept_[k])
        assert found.tobytes() == (eta0 * weights).tobytes()
        assert p.ledger_.sequences[k].tolist() == [i for epoch in epochs for i in epoch]


@given(separable(), st.sampled_from([0.0, 0.5, 3.0]), st.sampled_from([1.0, 0.25]), st.booleans())
def test_the_mistakes_are_within_the_bound_and_the_margin_is_reached(
    draw: Separable, margin: float, eta0: float, is_started: bool
) -> None:
    start = [[2.0] + [-1.0] * (draw.X.shape[1] - 1)] if is_started else None
    p = Perceptron(fit_intercept=False, margin=margin, eta0=eta0, max_iter=10**6)
    p.fit(draw.signs[:, None] * draw.X, np.ones(len(draw.X)), coef_init=start)
    assert p.outcome_ is Outcome.SEPARATED
    bound = bounds.mistake_bound(
        math.sqrt(draw.radius_squared) * (1 + 1e-12),
        draw.margin / math.sqrt(draw.truth_squared) * (1 - 1e-12),
        start_norm=0.0 if start is None else float(np.linalg.norm(start)),
        eta0=eta0,
        required=margin,
    )
    assert p.n_mistakes_ <= bound
    scores = [naive.exact_dot(row, p.coef_[0]) for row in draw.signs[:, None] * draw.X]
    assert min(scores) > margin


def test_the_bound_is_reached() -> None:
    # By hand: with one sample of length 1, each update adds 1, so 4 are needed to exceed 3.
    p = Perceptron(fit_intercept=False, margin=3).fit([[1.0]], [1])
    assert (p.n_mistakes_, p.coef_.tolist()) == (4, [[4.0]])
    assert bounds.mistake_bound(1.0, 1.0, required=3) == pytest.approx(7.0)
    assert bounds.mistake_bound(1.0, 1.0, required=3, eta0=0.5) == pytest.approx(13.0)


@pytest.mark.parametrize(
    ("ties", "weight"), [("mistake", 3.0), ("positive", 2.0), ("negative", 3.0)]
)
def test_ties_decide_at_the_margin(ties: str, weight: float) -> None:
    p = Perceptron(fit_intercept=False, margin=2, ties=ties).fit([[1.0]], [1])
    assert p.coef_.tolist() == [[weight]]


def test_a_margin_within_a_rounding_of_the_score_is_decided_exactly() -> None:
    # The exact score 0.1 · 0.1 is slightly below the nearest float64, and above the previous one.
    product = 0.1 * 0.1
    for margin, mistakes in ((product, 1), (np.nextafter(product, 0.0), 0)):
        is_above = naive.exact_dot([0.1], [0.1]) > naive.exact_dot([margin], [1.0])
        p = Perceptron(fit_intercept=False, margin=margin, max_iter=1)
        p.fit([[0.1]], [1], coef_init=[[0.1]])
        assert p.n_mistakes_ == mistakes == (not is_above)
        assert p.n_exact_ >= 1


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "random"])
@pytest.mark.parametrize("keep", ["last", "average", "pocket", "vote"])
def test_every_order_reaches_the_margin(order: str, keep: str) -> None:
    X, y = np.array([[3, 3], [4, 3], [1, 1]]), np.array([1, 1, -1])
    p = Perceptron(order=order, keep=keep, margin=1.5, certify=True).fit(X, y)
    assert p.outcome_ in (Outcome.SEPARATED, Outcome.AVERAGED, Outcome.VOTED)
    assert p.certificate_.verify(X, y)
    last = p._state.weights[0]
    assert (y * (X @ last[:-1] + last[-1])).min() > 1.5
    if keep == "last":
        run = trace(X, y, order=order, margin=1.5, random_state=0)
        assert [*run.weights[1:], run.weights[0]] == last.tolist()
        assert "A visit is a mistake if w·x ≤ 1.5." in str(run)


def test_guarantee_includes_the_margin() -> None:
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 0, 0, 1])
    learner = Perceptron(margin=1.0)
    found = guarantee(learner, X, y)
    # R² = 3 and γ² = 1/17: 51 mistakes without a margin, and 2·17 more with 1.
    assert (guarantee(Perceptron(), X, y).mistake_bound, found.mistake_bound) == (51, 85)
    assert learner.fit(X, y).n_mistakes_ <= 85


def test_folds_learn_like_separate_fits() -> None:
    X = np.array([[k % 7, k % 5] for k in range(35)], dtype=float)
    y = X[:, 0] < X[:, 1]
    learner = Perceptron(order="cyclic", margin=2.0, max_iter=50)
    folds = [(np.arange(5, 35), np.arange(5)), (np.arange(25), np.arange(25, 35))]
    found = cross_validate(learner, X, y, cv=folds, return_estimator=True)["estimator"]
    for (part, _), model in zip(folds, found, strict=True):
        alone = Perceptron(order="cyclic", margin=2.0, max_iter=50).fit(X[part], y[part])
        assert model.coef_.tobytes() == alone.coef_.tobytes()
        assert model.n_mistakes_ == alone.n_mistakes_


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"margin": -1}, "margin=-1 is not accepted: use a finite number of at least 0"),
        ({"margin": math.nan}, "margin=nan is not accepted"),
        (
            {"margin": 1, "multiclass": "joint"},
            "margin=1 does not go together with multiclass='joint'",
        ),
        ({"margin": 1, "shards": 2}, "margin=1 does not go together with shards=2"),
        ({"margin": 1e100, "eta0": 1e-60}, "the margin must be below 1e\\+150 times eta0"),
    ],
)
def test_unsupported_combinations_are_rejected(parameters: dict, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        Perceptron(**parameters).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    "learn",
    [
        lambda p: p.partial_fit([[0.0], [1.0]], [0, 1]),
        lambda p: p.learn_one([1.0], 1),
        lambda p: p.learn_one({"a": 1.0}, 1),
        lambda p: p.fit_stream([([[0.0], [1.0]], [0, 1])]),
    ],
)
def test_streams_reject_a_margin(learn: Callable[[Perceptron], object]) -> None:
    p = Perceptron(margin=0.5)
    with pytest.raises(
        InputError, match=r"margin=0\.5 is only for fit: streams learn only from mistakes"
    ):
        learn(p)
    learn(p.set_params(margin=0))
    with pytest.raises(InputError, match=r"margin=0\.5 is only for fit"):
        learn(p.set_params(margin=0.5))
