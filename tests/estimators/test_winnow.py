"""Winnow: against a plain twin, the range of values, and extreme weights."""

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

from expected_failures import WEIGHTED_IS_REPEATED
from model_files import saved_with
from rosenblatt import InputError, Outcome, Winnow, load
from strategies import labels, matrices

ignore_budget = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


class AnyValues(Winnow):
    """Winnow without its range check, because the estimator checks use Gaussian values."""

    __init__ = Winnow.__init__  # the first releases of Python 3.11 look for parameters only here

    def _check_values(self, rows: Any) -> None:
        if self.variant != "balanced" and (rows.values < 0).any():
            super()._check_values(rows)


OUT_OF_RANGE = "values beyond 1 are out of the range that Winnow learns from, so it learns badly"


@ignore_budget
@parametrize_with_checks(
    [
        AnyValues(promotion=1.05, threshold=10.0, max_iter=50),
        AnyValues(variant="balanced", promotion=1.01, max_iter=50),
    ],
    expected_failed_checks=lambda learner: {
        **WEIGHTED_IS_REPEATED,
        **({} if learner.variant == "balanced" else {"check_classifiers_train": OUT_OF_RANGE}),
    },
)
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def naive(X: np.ndarray, positive: np.ndarray, epochs: int = 1) -> tuple[list[Fraction], int]:
    """Run the lecture's algorithm literally, in fractions; return the weights and the mistakes."""
    n = X.shape[1]
    w, mistakes = [Fraction(1)] * n, 0
    for _ in range(epochs):
        for x, truth in zip(X, positive, strict=True):
            says = sum(w[j] for j in range(n) if x[j] == 1) >= n
            if says != truth:
                factor = 2 if truth else Fraction(1, 2)
                w = [w[j] * factor if x[j] == 1 else w[j] for j in range(n)]
                mistakes += 1
    return w, mistakes


@ignore_budget
@given(data=st.data(), epochs=st.integers(1, 3))
def test_equals_the_lectures_algorithm(data: st.DataObject, epochs: int) -> None:
    X = data.draw(matrices([1.0], st.integers(2, 12), st.integers(1, 6)))
    y = data.draw(labels(len(X), [0, 1]))
    w, mistakes = naive(X, y == 1, epochs)
    for store in (np.asarray, sp.csr_matrix):
        one = Winnow(order="cyclic", max_iter=epochs).fit(store(X), y)
        assert one.n_mistakes_ == mistakes
        assert one.coef_[0].tolist() == [float(weight) for weight in w]
        assert one.intercept_.tolist() == [-X.shape[1]]


@settings(max_examples=30)
@given(
    data=st.data(),
    variant=st.sampled_from(["halving", "elimination", "balanced"]),
    promotion=st.sampled_from([1.25, 2.0]),
    threshold=st.sampled_from([1.0, 2.5]),
)
def test_fractional_values_in_the_exponent(
    data: st.DataObject, variant: str, promotion: float, threshold: float
) -> None:
    """Plain float scores suffice: on this data none is close to the threshold."""
    X = data.draw(matrices([0.25, 0.5, 1.0], st.integers(2, 12), st.integers(1, 6)))
    y = data.draw(labels(len(X), [0, 1]))
    Z = np.column_stack([X, np.ones(len(X))]) if variant == "balanced" else X
    u, v, mistakes = np.ones(Z.shape[1]), np.ones(Z.shape[1]), 0
    for z, label in zip(Z, y, strict=True):
        score = z @ (u - v if variant == "balanced" else u) - threshold
        if abs(score) < 1e-9:
            return
        if (score >= 0) == (label == 1):
            continue
        mistakes += 1
        if variant == "elimination" and label == 0:
            u[z > 0] = 0.0
        else:
            u, v = u * promotion ** ((2 * label - 1) * z), v * promotion ** ((1 - 2 * label) * z)
    one = Winnow(variant=variant, promotion=promotion, threshold=threshold).partial_fit(X, y)
    assert one.n_mistakes_ == mistakes
    if variant == "balanced":
        np.testing.assert_allclose(one.coef_[0], (u - v)[:-1], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(one.intercept_[0], (u - v)[-1] - threshold, rtol=1e-9, atol=1e-9)
    else:
        np.testing.assert_allclose(one.coef_[0], u, rtol=1e-9)
        assert one.intercept_[0] == -threshold


def test_score_at_the_threshold_is_positive() -> None:
    one = Winnow(threshold=1.0).partial_fit([[1.0], [0.0]], ["yes", "no"], classes=["no", "yes"])
    assert one.n_mistakes_ == 0
    assert one.predict([[1.0], [0.99]]).tolist() == ["yes", "no"]
    balanced = Winnow(variant="balanced").partial_fit([[0.5]], [1], classes=[0, 1])
    assert balanced.n_mistakes_ == 0
    assert balanced.partial_fit([[0.5]], [0]).n_mistakes_ == 1


@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix, lambda X: X.astype(np.float32)])
@pytest.mark.parametrize(("value", "shown"), [(-0.5, "-0.5"), (1.5, "1.5")])
def test_values_out_of_range(store: Any, value: float, shown: str) -> None:
    X = np.zeros((4, 5))
    X[:, 0] = 1.0
    X[2, 3] = value
    y = [0, 1, 0, 1]
    message = f"X has {shown} in row 2, column 3, but variant='halving' needs values from 0 to 1"
    for call in (Winnow().fit, Winnow().partial_fit):
        with pytest.raises(InputError, match=message):
            call(store(X), y)
    with pytest.raises(InputError, match=f"{shown} in row 0, column 3"):
        Winnow().learn_one(store(X)[2], 1)
    balanced = Winnow(variant="balanced")
    if value < 0:
        balanced.partial_fit(store(X), y)
    else:
        with pytest.raises(InputError, match="values from -1 to 1"):
            balanced.partial_fit(store(X), y)


def test_promotion_and_demotion_cancel_exactly() -> None:
    one = Winnow(promotion=1.1, threshold=1.05)
    for _ in range(50):
        one.partial_fit([[1.0]], [1], classes=[0, 1]).partial_fit([[1.0]], [0])
    assert one.n_mistakes_ == 100
    assert one.coef_.tolist() == [[1.0]]


def test_weight_too_small_for_floats_recovers() -> None:
    """The first feature is in every false positive; only the second raises the score again."""
    one = Winnow(threshold=2.0)
    both, second = [1.0, 1.0], [0.0, 1.0]
    for _ in range(1200):
        one.learn_one(second, 1).learn_one(both, 0)
    assert one.coef_[0, 0] == 0.0
    for _ in range(2500):
        one.learn_one([1.0, 0.0], 1)
    assert one.coef_[0, 0] == 2.0  # it stops at the threshold
    assert one.predict_one([1.0, 0.0]) == 1


def test_weights_of_boolean_features_stay_below_promotion_times_threshold() -> None:
    rng = np.random.default_rng(0)
    X, y = (rng.random((2000, 20)) < 0.3).astype(float), rng.integers(0, 2, 2000)
    for promotion in (1.5, 2.0, 7.0):
        one = Winnow(promotion=promotion).partial_fit(X, y)
        assert one.coef_.max() < promotion * 20


def test_weights_never_exceed_their_start_with_a_small_threshold() -> None:
    rng = np.random.default_rng(0)
    X, y = (rng.random((500, 10)) < 0.3).astype(float), rng.integers(0, 2, 500)
    one = Winnow(threshold=0.3).partial_fit(X, y)
    assert one.coef_.max() <= 1.0
    assert Winnow(threshold=0.3).partial_fit([[1.0]], [1], classes=[0, 1]).coef_.tolist() == [[1.0]]


@pytest.mark.parametrize("variant", ["halving", "elimination"])
def test_samples_that_nonnegative_weights_cannot_separate(variant: str) -> None:
    X, y = [[0, 0], [1, 1]], [1, 0]
    with pytest.warns(match="only weights of at least 0, which may never.*variant='balanced'"):
        Winnow(variant=variant, max_iter=20).fit(X, y)
    assert Winnow(variant="balanced").fit(X, y).outcome_ is Outcome.SEPARATED


@ignore_budget
@pytest.mark.parametrize("value", [3e-18, -3e-18, 1e-16, 1e-300])
def test_weights_that_differ_by_a_rounding_are_learned(value: float) -> None:
    for y in (["a", "b"], ["b", "a"]):
        one = Winnow(variant="balanced", max_iter=30).fit([[value], [0.0]], y)
        assert np.abs(one.coef_).max() < 1e-14


def test_weights_that_grow_too_large() -> None:
    one = Winnow(promotion=1e10, threshold=3.0).partial_fit([[1.0]], [0], classes=[0, 1])
    before = one.coef_.tobytes()
    with pytest.raises(InputError, match="too large to square in float64"):
        one.partial_fit([[1.0]], [1], sample_weight=[20.0])
    with pytest.raises(InputError, match="too large to square in float64"):
        one.learn_one([1.0], 1, sample_weight=20.0)
    assert one.coef_.tobytes() == before
    one.learn_one([1.0], 1)
    assert one.coef_.tolist() == [[1e10]]


def test_parameters_cannot_change_in_mid_stream() -> None:
    one = Winnow().partial_fit([[1.0, 0.0], [0.0, 1.0]], [0, 1])
    for changed in ({"promotion": 3.0}, {"threshold": 5.0}, {"variant": "elimination"}):
        two = Winnow().partial_fit([[1.0, 0.0], [0.0, 1.0]], [0, 1]).set_params(**changed)
        with pytest.raises(InputError, match="differ from the start of the stream"):
            two.learn_one([1.0, 0.0], 1)
    one.set_params(max_iter=7).learn_one([1.0, 0.0], 1)


def test_inconsistent_file_is_rejected(tmp_path: Path) -> None:
    def heavier(_document: dict, tensors: dict) -> None:
        tensors["learned.weights"] *= 2.0

    def shrinking(document: dict, _tensors: dict) -> None:
        kept = document["learned"]["learned"]["kept"]["exponents"]
        kept["growth"]["growth"][0] = {"float": "0x1p0"}

    for change, message in (
        (heavier, "do not follow from their exponents"),
        (shrinking, "the parameters of Winnow's rule are invalid"),
    ):
        one = Winnow().partial_fit([[1.0, 0.0], [0.0, 1.0]], [0, 1])
        saved_with(one, tmp_path / "model", change)
        with pytest.raises(InputError, match=message):
            load(tmp_path / "model")


def test_many_classes() -> None:
    X = np.eye(6)
    y = np.array(list("abcabc"))
    one = Winnow(order="cyclic").fit(X, y)
    assert one.outcome_ is Outcome.SEPARATED
    assert one.coef_.shape == (3, 6)
    assert (one.predict(X) == y).all()


def test_visit_writes_only_the_columns_of_its_row() -> None:
    """Other columns are not written, and the arrays stay the same objects."""
    n = 100_000
    one = Winnow().learn_one(sp.csr_matrix(([1.0], ([0], [5])), shape=(1, n)), 1)
    weights = one._cache.arrays.weights
    one.learn_one(sp.csr_matrix(([1.0], ([0], [7])), shape=(1, n)), 1)
    assert one._cache.arrays.weights is weights
    assert np.flatnonzero(one.coef_[0] != 1.0).tolist() == [5, 7]
    assert math.isclose(one.intercept_[0], -n)
