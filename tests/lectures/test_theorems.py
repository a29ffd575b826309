"""The theorems, on generated data with a known separator: any order, any start, any tie.

Samples, starts and weights are whole numbers, so every comparison is exact.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import normalize

from rosenblatt import Outcome, Perceptron, bounds
from strategies import Separable, labels, samples, separable

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


runs = st.fixed_dictionaries(
    {
        "order": st.sampled_from(["cyclic", "shuffle", "random"]),
        "ties": st.sampled_from(["mistake", "positive", "negative"]),
        "random_state": st.integers(0, 99),
    }
)
starts = st.lists(st.integers(-20, 20), min_size=5, max_size=5)


def _within_bound(n_mistakes: int, data: Separable, start_squared: Fraction) -> bool:
    """Return whether M ≤ R²/γ² + 2‖w0‖/(ηγ), where γ = margin/‖w*‖ and start_squared = ‖w0‖²/η²."""
    from_zero = Fraction(data.radius_squared * data.truth_squared, data.margin**2)
    start_term_squared = 4 * start_squared * data.truth_squared / data.margin**2
    beyond = n_mistakes - from_zero
    return beyond <= 0 or beyond**2 <= start_term_squared


def _check_bound(data: Separable, options: dict, start: list[int], eta0: float) -> None:
    d = data.X.shape[1]
    p = Perceptron(fit_intercept=False, max_iter=100_000, eta0=eta0, record=True, **options)
    p.fit(data.X, data.signs, coef_init=[start[:d]])
    start_squared = sum(Fraction(w) ** 2 for w in start[:d]) / Fraction(eta0) ** 2
    assert p.outcome_ is Outcome.SEPARATED
    assert _within_bound(p.n_mistakes_, data, start_squared)

    # Both inequalities at each mistake, in units of η: w·w* grows by ≥ γ, and ‖w‖² by ≤ R².
    weights = [Fraction(w) / Fraction(eta0) for w in start[:d]]
    for i in p.ledger_.sequences[0]:
        z = [int(data.signs[i]) * int(value) for value in data.X[i]]
        assert sum(w * v for w, v in zip(weights, z, strict=True)) <= 0
        moved = [w + v for w, v in zip(weights, z, strict=True)]
        along = sum((b - a) * int(t) for a, b, t in zip(weights, moved, data.truth, strict=True))
        assert along >= data.margin
        assert sum(b * b for b in moved) - sum(a * a for a in weights) <= data.radius_squared
        weights = moved
    assert [Fraction(w) for w in p.coef_[0]] == [Fraction(eta0) * w for w in weights]


@given(separable(), runs, starts | st.just([0] * 5), st.sampled_from([1.0, 0.5, 4.0]))
def test_the_mistake_bound_and_both_inequalities(
    data: Separable, options: dict, start: list[int], eta0: float
) -> None:
    _check_bound(data, options, start, eta0)


@pytest.mark.slow
@settings(max_examples=1000)
@given(separable(), runs, starts | st.just([0] * 5), st.sampled_from([1.0, 0.5, 4.0]))
def test_the_mistake_bound_and_both_inequalities_on_many_samples(
    data: Separable, options: dict, start: list[int], eta0: float
) -> None:
    _check_bound(data, options, start, eta0)


@given(separable(constant=True), runs)
def test_the_bound_holds_for_the_extended_samples(data: Separable, options: dict) -> None:
    assume(data.X.shape[1] > 1)
    p = Perceptron(max_iter=100_000, **options).fit(data.X[:, :-1], data.signs)
    assert p.outcome_ is Outcome.SEPARATED
    assert _within_bound(p.n_mistakes_, data, Fraction(0))


@given(separable(), runs, st.sampled_from([1.0, 0.25]), st.integers(0, 99))
def test_the_bound_holds_for_a_random_start(
    data: Separable, options: dict, eta0: float, seed: int
) -> None:
    drawn = np.random.default_rng(seed).standard_normal((1, data.X.shape[1]))
    p = Perceptron(fit_intercept=False, eta0=eta0, max_iter=100_000, **options)
    p.fit(data.X, data.signs, coef_init=drawn)
    assert p.outcome_ is Outcome.SEPARATED
    start_squared = sum(Fraction(w) ** 2 for w in drawn[0].tolist()) / Fraction(eta0) ** 2
    assert _within_bound(p.n_mistakes_, data, start_squared * Fraction(1_000_001, 1_000_000))


@given(separable(), st.integers(1, 4))
def test_the_bound_does_not_depend_on_the_length_of_a_stream(data: Separable, rounds: int) -> None:
    # ‖x‖ ≤ 1 and margin γ: at most 1/γ² mistakes. Dividing by a power of two is exact.
    scale = 1
    while scale**2 < data.radius_squared:
        scale *= 2
    p = Perceptron(fit_intercept=False)
    for _ in range(rounds):
        for x, sign in zip(data.X / scale, data.signs, strict=True):
            p.learn_one(x, sign)
    assert p.n_mistakes_ <= Fraction(scale**2 * data.truth_squared, data.margin**2)


@given(st.data(), st.floats(1e-6, 1e6), st.sampled_from([2, 3]))
def test_from_zero_the_learning_rate_only_scales_the_weights(
    data: st.DataObject, eta0: float, n_classes: int
) -> None:
    X = np.clip(data.draw(samples()), -1e17, 1e17)
    y = data.draw(labels(len(X), list("abc")[:n_classes]))
    options = {"record": True, "max_iter": 5}
    one = Perceptron(**options).fit(X, y)
    other = Perceptron(eta0=eta0, **options).fit(X, y)
    for a, b in zip(one.ledger_.sequences, other.ledger_.sequences, strict=True):
        assert a.tolist() == b.tolist()
    assert other.coef_.tobytes() == (eta0 * one.coef_).tobytes()
    assert other.intercept_.tobytes() == (eta0 * one.intercept_).tobytes()


@st.composite
def two_classes(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    X = np.clip(draw(samples()), -1e17, 1e17)
    return X, draw(labels(len(X), [0, 1]))


def _sequence(p: Perceptron) -> list[int]:
    return p.ledger_.sequences[0].tolist()


@given(two_classes(), st.randoms(use_true_random=False))
def test_features_may_be_permuted_and_negated(
    problem: tuple[np.ndarray, np.ndarray], random: object
) -> None:
    X, y = problem
    permutation = random.sample(range(X.shape[1]), X.shape[1])
    signs = np.array(random.choices([-1.0, 1.0], k=X.shape[1]))
    p = Perceptron(record=True, max_iter=5).fit(X, y)
    q = Perceptron(record=True, max_iter=5).fit((X * signs)[:, permutation], y)
    assert _sequence(p) == _sequence(q)
    assert q.coef_.tolist() == (p.coef_ * signs)[:, permutation].tolist()
    assert q.intercept_.tolist() == p.intercept_.tolist()


@given(two_classes(), st.lists(st.booleans(), min_size=8, max_size=8))
def test_negating_a_sample_and_its_label_changes_nothing(
    problem: tuple[np.ndarray, np.ndarray], is_negated: list[bool]
) -> None:
    X, y = problem
    negate = np.array(is_negated[: len(X)])
    y_negated = np.where(negate, 1 - y, y)
    assume(len(set(y_negated.tolist())) == 2)
    options = {"fit_intercept": False, "record": True, "max_iter": 5}
    p = Perceptron(**options).fit(X, y)
    q = Perceptron(**options).fit(np.where(negate[:, None], -X, X), y_negated)
    assert _sequence(p) == _sequence(q)
    assert p.coef_.tolist() == q.coef_.tolist()


@given(two_classes(), st.sampled_from(["first", "last"]))
def test_an_intercept_equals_a_constant_feature(
    problem: tuple[np.ndarray, np.ndarray], place: str
) -> None:
    X, y = problem
    columns = [X, np.ones((len(X), 1))]
    extended = np.hstack(columns if place == "last" else columns[::-1])
    p = Perceptron(record=True, max_iter=5).fit(X, y)
    q = Perceptron(fit_intercept=False, record=True, max_iter=5).fit(extended, y)
    weights = [p.coef_, p.intercept_[:, None]]
    assert _sequence(p) == _sequence(q)
    assert q.coef_.tobytes() == np.hstack(weights if place == "last" else weights[::-1]).tobytes()
    assert q.predict(extended).tolist() == p.predict(X).tolist()


@given(separable(constant=True))
def test_the_threshold_form_predicts_the_same(data: Separable) -> None:
    assume(data.X.shape[1] > 1)
    X = data.X[:, :-1]
    p = Perceptron(ties="negative", max_iter=100_000).fit(X, data.signs)
    weights, threshold = p.coef_[0].astype(int), -int(p.intercept_[0])
    grid = np.random.default_rng(0).integers(-9, 10, size=(50, X.shape[1]))
    expected = np.where(grid @ weights > threshold, 1, -1)
    assert p.predict(grid).tolist() == expected.tolist()


@given(separable(), runs, st.lists(st.integers(-40, 40), min_size=12, max_size=12))
def test_the_bound_for_unit_rows_is_one_over_the_squared_cosine(
    data: Separable, options: dict, exponents: list[int]
) -> None:
    X, y = data.X.astype(float), data.signs
    Z = normalize(X)
    scaled = X * 2.0 ** np.array(exponents[: len(X)])[:, None]
    assert normalize(scaled).tobytes() == Z.tobytes()  # the cosine does not depend on lengths
    p = Perceptron(fit_intercept=False, max_iter=100_000, **options).fit(Z, y)
    assert p.outcome_ is Outcome.SEPARATED
    stream = Perceptron(fit_intercept=False, ties=options["ties"])
    for _ in range(3):
        stream.partial_fit(Z, y)
    cosines = [Fraction(int(x @ data.truth) ** 2, int(x @ x) * data.truth_squared) for x in data.X]
    # The actual radius: after rounding it may exceed 1.
    radius = bounds.radius(Z, fit_intercept=False)
    measured = bounds.geometric_margin(Z, y, data.truth, fit_intercept=False)
    assert radius == pytest.approx(1.0, rel=1e-15 * 50)
    assert measured**2 == pytest.approx(float(min(cosines)))
    for n_mistakes in (p.n_mistakes_, stream.n_mistakes_):
        assert n_mistakes <= bounds.mistake_bound(radius, measured)
        assert n_mistakes <= 1 / min(cosines) * Fraction(1_000_001, 1_000_000)
