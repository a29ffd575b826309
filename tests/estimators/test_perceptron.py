"""The Perceptron: when it stops, its outcomes and warnings, and its predictions."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import naive
from rosenblatt import InputError, Outcome, Perceptron
from strategies import labels, samples

XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
LI_HANG = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), np.array([1, 1, -1])
STATE = (
    "classes_",
    "coef_",
    "outcome_",
    "history_",
    "ledger_",
    "margin_",
    "n_mistakes_",
    "n_iter_",
)


@given(st.data(), st.sampled_from(["mistake", "positive", "negative"]), st.sampled_from([2, 3]))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_run_equals_the_slow_twin(data: st.DataObject, ties: str, n_classes: int) -> None:
    X = np.clip(data.draw(samples()), -1e17, 1e17)
    y = data.draw(labels(len(X), ["b", "a", "c"][:n_classes]))
    p = Perceptron(keep="last", order="cyclic", ties=ties, max_iter=8, record=True).fit(X, y)
    tie = {"mistake": 0, "positive": 1, "negative": -1}[ties]
    classes = sorted(set(y.tolist()))
    assert p.classes_.tolist() == classes
    longest = 0
    for k, positive in enumerate(classes[1:] if len(classes) == 2 else classes):
        signs = np.where(y == positive, 1, -1)
        weights, epochs = naive.learn_cyclic(X, signs, 8, tie=tie)
        assert np.append(p.coef_[k], p.intercept_[k]).tobytes() == weights.tobytes()
        assert p.ledger_.sequences[k].tolist() == [i for epoch in epochs for i in epoch]
        longest = max(longest, len(epochs))
    assert p.n_iter_ == len(p.history_) == longest
    if p.outcome_ is not Outcome.CYCLING:
        assert (p.outcome_ is Outcome.SEPARATED) == (p.history_[-1].mistakes == 0)
    assert p.n_mistakes_ == p.ledger_.n_mistakes == p.history_.mistakes.sum()


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "random"])
@given(data=st.data())
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_separated_means_no_training_errors(order: str, data: st.DataObject) -> None:
    X = np.clip(data.draw(samples(max_rows=6, max_columns=3)), -1e17, 1e17)
    y = data.draw(labels(len(X), ["b", "a", "c"]))
    seed = data.draw(st.integers(0, 99))
    p = Perceptron(order=order, random_state=seed, max_iter=6).fit(X, y)
    epoch = p.history_[-1]
    assert (p.outcome_ is Outcome.SEPARATED) == (epoch.training_mistakes == 0)
    assert p.outcome_ in (Outcome.SEPARATED, Outcome.BUDGET, Outcome.CYCLING)
    if p.outcome_ is Outcome.SEPARATED:
        assert p.predict(X).tolist() == y.tolist()
        assert epoch.mistakes == 0
        assert [e for e in p.history_[:-1] if e.training_mistakes == 0] == []
    elif p.outcome_ is Outcome.BUDGET:
        assert p.n_iter_ == 6


def test_xor_warns_at_the_caller_after_max_iter() -> None:
    X, y = XOR
    with pytest.warns(
        ConvergenceWarning, match=r"max_iter=7 .* mistakes: raise max_iter"
    ) as caught:
        p = Perceptron(keep="last", max_iter=7).fit(X, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert p.outcome_ is Outcome.BUDGET
    assert p.n_iter_ == 7
    assert p.margin_.lower == 0.0


def test_warning_after_a_random_epoch_without_mistakes() -> None:
    X, y = np.eye(2), [1, 0]
    for seed in range(100):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            p = Perceptron(
                keep="last", order="random", random_state=seed, max_iter=1, fit_intercept=False
            )
            p.fit(X, y, coef_init=[[1.0, 1.0]])
        if p.n_mistakes_ == 0:
            break
    assert p.outcome_ is Outcome.BUDGET
    assert p.history_[-1].training_mistakes == 1
    assert "made 0 mistakes" not in str(caught[0].message)


def test_separated_run_does_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        p = Perceptron(order="cyclic", max_iter=6).fit(*LI_HANG)
    assert p.outcome_ is Outcome.SEPARATED


def test_max_iter_one_epoch_too_small() -> None:
    with pytest.warns(ConvergenceWarning):
        p = Perceptron(keep="last", order="cyclic", max_iter=5).fit(*LI_HANG)
    assert (p.outcome_, p.n_iter_, p.n_mistakes_) == (Outcome.BUDGET, 5, 7)


@pytest.mark.parametrize(("ties", "predicted"), [("mistake", 1), ("positive", 1), ("negative", 0)])
def test_prediction_at_zero(ties: str, predicted: int) -> None:
    p = Perceptron(ties=ties, fit_intercept=False).fit([[1.0, 0.0], [-1.0, 0.0]], [1, 0])
    assert p.decision_function([[0.0, 5.0]]) == [0.0]
    assert p.predict([[0.0, 5.0]]) == [predicted]
    assert p.predict_one([0.0, 5.0]) == predicted


def test_predictions_are_exact_where_float_scores_are_not() -> None:
    # The score is 1e17 + 1 - 1e17, which float64 rounds to 0, or 1e-17 or -1e-17.
    p = Perceptron(max_iter=1).fit(
        [[1e17, 1.0, -1e17], [-1e17, -1.0, 1e17]], [1, 0], coef_init=[[1e17, 1.0, -1e17]]
    )
    assert p.n_mistakes_ == 0
    X = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1e-30, 1.0], [1.0, -1e-30, 1.0]])
    assert p.predict(X).tolist() == [1, 0, 1, 0]
    assert p.predict(sp.csr_array(X)).tolist() == [1, 0, 1, 0]
    assert [p.predict_one(x) for x in X] == [1, 0, 1, 0]


def test_scores() -> None:
    p = Perceptron().fit([[2, 0], [0, 2], [-2, -2]], ["a", "b", "c"])
    X = np.array([[1.0, 2.0], [3.0, -1.0]])
    expected = X @ p.coef_.T + p.intercept_
    assert p.decision_function(X).tolist() == expected.tolist()
    assert p.decision_function(sp.csr_array(X)).tolist() == expected.tolist()
    assert p.predict(X).tolist() == p.classes_[expected.argmax(axis=1)].tolist()


def test_exact_sums_are_rare() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 20))
    y = X @ rng.standard_normal(20) > 0
    p = Perceptron().fit(X, y)
    assert p.outcome_ is Outcome.SEPARATED
    assert 1 <= p.n_exact_ < 0.001 * p.n_iter_ * len(X)


def test_samples_of_weight_zero_are_skipped() -> None:
    X, y = LI_HANG
    noise = np.array([[1.0, 1.0], [0.0, 0.0]])
    p = Perceptron(order="cyclic", record=True).fit(
        np.vstack([noise[:1], X, noise[1:]]), [1, *y, -1], sample_weight=[0, 1, 1, 1, 0]
    )
    assert p.ledger_.sequences[0].tolist() == [1, 3, 3, 3, 1, 3, 3]
    assert (p.coef_.tolist(), p.intercept_.tolist()) == ([[1.0, 1.0]], [-3.0])
    assert p.outcome_ is Outcome.SEPARATED


def test_sample_weight_multiplies_steps() -> None:
    X, y = LI_HANG
    weight = [0.5, 3.0, 2.0]
    p = Perceptron(order="cyclic").fit(X, y, sample_weight=weight)
    weights, epochs = naive.learn_cyclic(X, y, steps=weight)
    assert np.append(p.coef_, p.intercept_).tolist() == weights.tolist()
    assert p.n_iter_ == len(epochs)


def test_learning_starts_from_the_given_weights() -> None:
    # S11, the worked example: three mistakes, epoch 3 changes nothing, the line 2·x1 - x2 = 0.
    X = [[1, 1], [1, -1], [0, -1], [-1, -1], [-1, 1], [0, 1]]
    p = Perceptron(order="cyclic", record=True).fit(X, [1, 1, 1, -1, -1, -1], intercept_init=[1.0])
    assert p.ledger_.sequences[0].tolist() == [3, 4, 2]
    assert (p.coef_.tolist(), p.intercept_.tolist()) == ([[2.0, -1.0]], [0.0])
    assert p.history_.mistakes.tolist() == [2, 1, 0]


def test_start_weights_are_in_the_units_of_coef() -> None:
    X, y = LI_HANG
    coef, intercept = [[8.0, -4.0]], [2.0]
    p = Perceptron(order="cyclic", eta0=0.5, record=True).fit(
        X, y, coef_init=coef, intercept_init=intercept
    )
    weights, epochs = naive.learn_cyclic(X, y, start=[16.0, -8.0, 4.0])
    assert p.ledger_.sequences[0].tolist() == [i for epoch in epochs for i in epoch]
    assert np.append(p.coef_, p.intercept_).tolist() == (0.5 * weights).tolist()


def test_refit_starts_from_scratch() -> None:
    X, y = LI_HANG
    p = Perceptron().fit([[1.0], [2.0], [4.0]], ["a", "b", "a"], sample_weight=[1, 1, 0])
    p.fit(X, y)
    fresh = Perceptron().fit(X, y)
    assert p.coef_.tobytes() == fresh.coef_.tobytes()
    assert p.history_.mistakes.tolist() == fresh.history_.mistakes.tolist()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e200])
@pytest.mark.parametrize("store", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("order", ["cyclic", "random"])
def test_failing_fit_leaves_no_state(bad: float, store: type, order: str) -> None:
    X = np.array([[1.0, 2.0], [bad, 3.0], [2.0, bad]])
    p = Perceptron(order=order, random_state=0)
    with pytest.raises(ValueError, match=r"overflows|NaN|infinity"):
        p.fit(store(X), [1, 0, 1])
    assert [name for name in STATE if hasattr(p, name)] == []


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_failing_fit_keeps_the_previous_state(bad: float) -> None:
    X, y = LI_HANG
    p = Perceptron(order="cyclic").fit(X, y)
    with pytest.raises(ValueError, match=r"overflows|NaN|infinity"):
        p.fit([[1.0, 2.0, 3.0], [bad, 3.0, 3.0], [bad, 3.0, 3.0]], ["a", "b", "c"])
    assert p.coef_.tolist() == [[1.0, 1.0]]
    assert p.predict(X).tolist() == y.tolist()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e308])
@pytest.mark.parametrize("store", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_prediction_rejects_samples_without_a_finite_score(
    bad: float, store: type, n_classes: int
) -> None:
    p = Perceptron().fit(np.eye(3) * 20, [0, 1, 2 % n_classes])
    X = np.array([[1.0, 2.0, 3.0], [bad, bad, bad]])
    with pytest.raises(InputError, match=r"X contains .* in row 1, column 0|row 1 of X overflows"):
        p.predict(store(X))
    with pytest.raises(InputError, match=r"sample contains .* in column 0|overflows float64"):
        p.predict_one(store(X)[[1]])


@pytest.mark.parametrize("exponent", [-960, -600, -300, 300, 480])
def test_scaled_data_scales_the_weights(exponent: int) -> None:
    X, y = np.array([[1.5, 1.0], [-1.0, 0.25], [-1.5, -1.0]]), [1, 1, -1]
    scale = 2.0**exponent
    p = Perceptron(fit_intercept=False, record=True).fit(X, y)
    q = Perceptron(fit_intercept=False, record=True).fit(scale * X, y)
    assert p.outcome_ is q.outcome_ is Outcome.SEPARATED
    assert q.ledger_.sequences[0].tolist() == p.ledger_.sequences[0].tolist()
    assert q.coef_.tolist() == (scale * p.coef_).tolist()
    assert q.predict(scale * X).tolist() == y
    # If squares underflow the interval may be wider, but it always contains the margin.
    assert q.margin_.upper / scale >= p.margin_.upper * (1 - 1e-12)
    assert q.margin_.lower / scale <= p.margin_.lower * (1 + 1e-12)
