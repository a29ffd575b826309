"""Passive-aggressive learning: against a plain twin, scikit-learn, and the paper's bounds."""

import contextlib
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

from expected_failures import WEIGHTED_IS_REPEATED
from rosenblatt import InputError, Outcome, PassiveAggressive, bounds
from strategies import INTEGERS, labels, matrices, samples

ignore_budget = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

VARIANTS = ["PA", "PA-I", "PA-II"]


@ignore_budget
@parametrize_with_checks(
    [
        PassiveAggressive(),
        PassiveAggressive(max_iter=100, keep="last"),
        PassiveAggressive(
            variant="PA-II", keep="average", order="shuffle", random_state=0, max_iter=50
        ),
        PassiveAggressive(
            variant="PA",
            length="extended",
            order="random",
            random_state=0,
            max_iter=50,
            keep="last",
        ),
    ],
    expected_failed_checks=lambda _: WEIGHTED_IS_REPEATED,
)
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def tau(variant: str, C: float, loss: float, square: float) -> float:
    if variant == "PA-II":
        return loss / (square + 1 / (2 * C))
    if square == 0.0:
        return 0.0
    return min(C, loss / square) if variant == "PA-I" else loss / square


def naive(
    X: np.ndarray,
    signs: np.ndarray,
    epochs: int,
    variant: str,
    C: float,
    rate: float,
    extended: bool,
) -> tuple[np.ndarray, np.ndarray, list[float]]:
    """Run the paper's algorithm in plain NumPy; return weights, average, and the loss of each visit."""
    w, b, losses, past = np.zeros(X.shape[1]), 0.0, [], []
    for _ in range(epochs):
        for x, sign in zip(X, signs, strict=True):
            losses.append(max(0.0, 1.0 - sign * (x @ w + b)))
            step = sign * tau(variant, C, losses[-1], x @ x + (rate if extended else 0.0))
            w, b = w + step * x, b + step * rate
            past.append(np.append(w, b))
    return np.append(w, b), np.mean(past, axis=0), losses


@ignore_budget
@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=25)
@given(
    data=st.data(),
    epochs=st.integers(1, 3),
    C=st.sampled_from([0.1, 1.0, 3.0]),
    rate=st.sampled_from([0.0, 0.01, 1.0]),
    extended=st.booleans(),
)
def test_equals_the_plain_algorithm(
    variant: str, data: st.DataObject, epochs: int, C: float, rate: float, extended: bool
) -> None:
    X = data.draw(matrices(INTEGERS, st.integers(2, 8), st.integers(1, 5)))
    y = data.draw(labels(len(X), [-1, 1]))
    last, average, losses = naive(X, y, epochs, variant, C, rate, extended)
    options = {"variant": variant, "C": C, "max_iter": epochs, "tol": 0, "fit_intercept": rate > 0}
    options |= {"intercept_rate": rate or 1.0, "length": "extended" if extended else "features"}
    one = PassiveAggressive(order="cyclic", **options, keep="last").fit(X, y)
    if one.n_iter_ == epochs:
        np.testing.assert_allclose(np.append(one.coef_, one.intercept_), last, rtol=1e-9, atol=1e-9)
        two = PassiveAggressive(order="cyclic", **options, keep="average").fit(sp.csr_matrix(X), y)
        kept = np.append(two.coef_, two.intercept_)
        np.testing.assert_allclose(kept, average, rtol=1e-9, atol=1e-9)
        if (np.abs(X).sum(axis=1) > 0).all():
            assert one.n_mistakes_ >= sum(loss > 1e-9 for loss in losses)


def scikit_learns(variant: str, **options: Any) -> Any:
    """Return scikit-learn's own learner, which is deprecated."""
    kind = getattr(sklearn.linear_model, "PassiveAggressiveClassifier", None)
    if kind is None:
        pytest.skip("this scikit-learn has no PassiveAggressiveClassifier any more")
    loss = {"PA-I": "hinge", "PA-II": "squared_hinge"}[variant]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return kind(loss=loss, shuffle=False, tol=None, **options)


@ignore_budget
@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("variant", ["PA-I", "PA-II"])
@pytest.mark.parametrize(("store", "rate"), [(np.asarray, 1.0), (sp.csr_matrix, 0.01)])
@pytest.mark.parametrize("fit_intercept", [True, False])
@settings(max_examples=15)
@given(data=st.data(), epochs=st.integers(1, 4), C=st.sampled_from([0.1, 1.0, 3.0]))
def test_weights_equal_those_of_scikit_learn(
    variant: str,
    store: Any,
    rate: float,
    fit_intercept: bool,
    data: st.DataObject,
    epochs: int,
    C: float,
) -> None:
    X = store(data.draw(matrices(INTEGERS, st.integers(3, 9), st.integers(1, 5))))
    y = data.draw(labels(X.shape[0], data.draw(st.sampled_from([["a", "b"], ["a", "b", "c"]]))))
    their = scikit_learns(variant, C=C, max_iter=epochs, fit_intercept=fit_intercept)
    their.fit(X, y)
    options = {"variant": variant, "C": C, "max_iter": epochs, "fit_intercept": fit_intercept}
    ours = PassiveAggressive(
        order="cyclic", **options, intercept_rate=rate, tol=0, keep="last"
    ).fit(X, y)
    np.testing.assert_allclose(ours.coef_, their.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.intercept_, their.intercept_, rtol=1e-9, atol=1e-12)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_weights_equal_those_of_scikit_learn_on_gaussians() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 7))
    y = np.argmax(X[:, :3] + 0.3 * rng.standard_normal((300, 3)), axis=1)
    for variant in ("PA-I", "PA-II"):
        for store, rate in ((np.asarray, 1.0), (sp.csr_matrix, 0.01)):
            their = scikit_learns(variant, C=0.2, max_iter=5).fit(store(X), y)
            ours = PassiveAggressive(
                order="cyclic",
                variant=variant,
                C=0.2,
                intercept_rate=rate,
                max_iter=5,
                tol=0,
                keep="last",
            )
            with pytest.warns(match="epochs were not enough"):
                ours.fit(store(X), y)
            np.testing.assert_allclose(ours.coef_, their.coef_, rtol=1e-9)
            np.testing.assert_allclose(ours.intercept_, their.intercept_, rtol=1e-9)


@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    C=st.sampled_from([0.05, 0.5, 5.0]),
    noise=st.sampled_from([0.0, 0.0, 0.2]),
)
def test_the_bounds_of_the_paper_hold(variant: str, seed: int, C: float, noise: float) -> None:
    """On a stream that u separates without loss, and on one with wrong labels."""
    rng = np.random.default_rng(seed)
    d, n = int(rng.integers(1, 8)), int(rng.integers(5, 60))
    u = rng.standard_normal(d) * 3
    X = rng.standard_normal((n, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    if noise == 0.0:
        X *= rng.uniform(
            0.5, 2.0, (n, 1)
        )  # with wrong labels, the bound of PA requires equal lengths
    y = np.where(X @ u > 0, 1, -1)
    y[rng.random(n) < noise] *= -1
    if noise == 0.0:
        kept = np.abs(X @ u) > 0.2
        X, y = X[kept], y[kept]
        u = u / 0.2
    if len(y) == 0:
        return
    own = np.maximum(0.0, 1.0 - y * (X @ u))
    assert noise > 0 or not own.any()
    radius = float(np.linalg.norm(X, axis=1).max()) * (1 + 1e-12)
    bound = bounds.passive_aggressive_bound(
        variant, radius, float(np.linalg.norm(u)), losses=own if own.any() else None, C=C
    )
    _, _, losses = naive(X, y, 1, variant, C, 0.0, False)
    assert sum(loss >= 1.0 for loss in losses) <= bound
    if variant != "PA-I":
        assert sum(loss * loss for loss in losses) <= bound
    stream = PassiveAggressive(variant=variant, C=C, fit_intercept=False, keep="last")
    stream.partial_fit(X, y, classes=[-1, 1])
    assert stream.n_mistakes_ == sum(loss > 0 for loss in losses)


def test_bound_with_an_intercept_uses_extended_samples() -> None:
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (200, 3)) * 0.2
    y = np.where(X @ [1, 1, 1] > 0.1, 1, -1)
    kept = np.abs(X @ [1, 1, 1] - 0.1) > 0.02
    X, y = X[kept], y[kept]
    u = np.array([1, 1, 1, -0.1]) / 0.02
    radius = bounds.radius(X)
    bound = bounds.passive_aggressive_bound("PA", radius, float(np.linalg.norm(u)))
    _, _, losses = naive(X, y, 50, "PA", 1.0, 1.0, True)
    assert sum(loss * loss for loss in losses) <= bound
    _, _, losses = naive(X, y, 1, "PA", 1.0, 1.0, False)
    assert max(losses) > 1e9 * bound  # on short samples the rule without the constant overshoots


def test_fit_stops_within_the_tolerance() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3))
    y = np.where(X @ [1, 2, 3] > 0, "yes", "no")
    kept = np.abs(X @ [1, 2, 3]) > 0.5
    X, y = X[kept], y[kept]
    for variant in VARIANTS:
        one = PassiveAggressive(variant=variant, tol=0.01, max_iter=5000, keep="last").fit(X, y)
        assert one.outcome_ is Outcome.SEPARATED
        assert (one.predict(X) == y).all()
        assert one.history_[-1].training_mistakes == 0
        more = PassiveAggressive(variant=variant, tol=1e-6, max_iter=5000, keep="last").fit(X, y)
        assert more.n_mistakes_ >= one.n_mistakes_
        margins = np.where(y == "yes", 1, -1) * more.decision_function(X)
        assert margins.min() > 1 - 1e-4


def test_sample_of_length_zero() -> None:
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 1]
    with pytest.warns(match=r"stopped at epoch \d+ because no update is left.*length='extended'"):
        # only PA-II, or the constant, can move for it
        one = PassiveAggressive(keep="last").fit(X, y)
    assert one.n_iter_ < 1000
    assert PassiveAggressive(variant="PA-II", keep="last").fit(X, y).predict(X).tolist() == y
    extended = PassiveAggressive(length="extended", keep="last", max_iter=1000)
    assert extended.fit(X, y).predict(X).tolist() == y


@pytest.mark.parametrize("max_iter", [1, 1000])
@pytest.mark.parametrize("size", [0.0, 1e-170])
def test_rows_whose_square_is_zero_are_skipped(size: float, max_iter: int) -> None:
    X, y = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]) * size, [1, 1, 0]
    with pytest.warns(match="stopped at epoch 1 because no update is left to make"):
        one = PassiveAggressive(max_iter=max_iter, keep="last").fit(X, y)
    assert (one.n_mistakes_, one.n_iter_, one.outcome_) == (0, 1, Outcome.BUDGET)


def test_max_iter_in_random_order_is_budget() -> None:
    """The last epoch may miss the samples that still need updates, and then makes none."""
    X, y = np.array([[1.0], [-1.0], [0.5]]), [1, 0, 0]
    for seed in range(20):
        learner = PassiveAggressive(order="random", max_iter=1, random_state=seed, keep="last")
        with pytest.warns(match="1 epochs were not enough.*raise max_iter=1"):
            learner.fit(X, y)


def test_weight_whose_step_underflows() -> None:
    for variant in ("PA-I", "PA-II"):
        one = PassiveAggressive(variant=variant, C=1e-100, keep="last")
        one.partial_fit([[1.0], [-1.0]], [1, 0], sample_weight=[1e-300, 1e-300])
        assert one.n_mistakes_ == 0


@ignore_budget
@given(X=samples())
def test_extreme_numbers_are_learned_or_rejected(X: np.ndarray) -> None:
    y = np.resize([0, 1], len(X))
    for variant in VARIANTS:
        one = PassiveAggressive(variant=variant, max_iter=3, keep="last")
        with contextlib.suppress(InputError):
            one.fit(X, y)
        if hasattr(one, "classes_"):
            assert np.isfinite(one.coef_).all()
            assert one.n_iter_ > 0
        else:
            with pytest.raises(InputError, match="too large to square in float64"):
                one.fit(X, y)


def test_averages_cover_all_visits() -> None:
    X, y = [[1.0], [-1.0]], [1, 0]
    one = PassiveAggressive(keep="average").partial_fit(X, y)
    with pytest.raises(InputError, match="keep='last' differs from the start of the stream"):
        one.set_params(keep="last").partial_fit(X, y)


@pytest.mark.parametrize("variant", ["PA-I", "PA-II"])
def test_sample_weight_multiplies_aggressiveness(variant: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 3)), rng.integers(0, 2, 40)
    heavy = PassiveAggressive(variant=variant, C=0.2, keep="last")
    heavy.partial_fit(X, y, sample_weight=np.full(40, 3.0), classes=[0, 1])
    other = PassiveAggressive(variant=variant, C=0.2 * 3.0, keep="last").partial_fit(
        X, y, classes=[0, 1]
    )
    assert heavy.coef_.tobytes() == other.coef_.tobytes()
    trusting = PassiveAggressive(variant="PA", keep="last").partial_fit(
        X, y, sample_weight=np.full(40, 3.0)
    )
    assert (
        trusting.coef_.tobytes()
        == PassiveAggressive(variant="PA", keep="last").partial_fit(X, y).coef_.tobytes()
    )
