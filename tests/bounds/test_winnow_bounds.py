"""Winnow's bounds hold on every stream, including adversarial ones."""

import math
from collections.abc import Callable
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import InputError, Winnow, bounds


def mistakes(learner: Winnow, X: np.ndarray, positive: np.ndarray) -> int:
    return learner.partial_fit(X, positive.astype(int), classes=[0, 1]).n_mistakes_


def hard_stream(
    learner: Winnow, X: np.ndarray, positive: np.ndarray, length: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return those of the samples that the learner predicts wrongly when it visits them."""
    order: list[int] = []
    for _ in range(length):
        wrong = range(len(X))
        if order:
            wrong = np.flatnonzero((learner.predict(X) == 1) != positive).tolist()
        if len(wrong) == 0:
            break
        order.append(wrong[len(order) % len(wrong)])
        learner.partial_fit(X[order[-1:]], positive[order[-1:]].astype(int), classes=[0, 1])
    return X[order], positive[order]


@st.composite
def streams(draw: st.DrawFn) -> tuple[np.ndarray, np.random.Generator]:
    """Rows of 0 and 1, dense or sparse, and the generator for the target."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, rows = draw(st.integers(1, 40)), draw(st.integers(1, 120))
    share = draw(st.sampled_from([0.05, 0.2, 0.5, 0.9]))
    return (rng.random((rows, n)) < share).astype(float), rng


@given(stream=streams(), r=st.integers(1, 5), hard=st.booleans())
def test_disjunctions(stream: Callable[..., tuple], r: int, hard: bool) -> None:
    X, rng = stream
    n = X.shape[1]
    r = min(r, n)
    positive = X[:, rng.choice(n, r, replace=False)].any(axis=1)
    for learner, bound in (
        (Winnow(), bounds.winnow_mistake_bound(n, r)),
        (Winnow(), bounds.winnow_entropy_bound(n, np.ones(r), 1.0)),
        (Winnow(variant="elimination"), bounds.winnow1_mistake_bound(n, r)),
        (
            Winnow(variant="elimination", promotion=3.0, threshold=max(n / 2, 1)),
            bounds.winnow1_mistake_bound(n, r, promotion=3.0, threshold=max(n / 2, 1)),
        ),
        (
            Winnow(promotion=1.5),
            bounds.winnow2_mistake_bound(n, r, 1.0),
        ),
    ):
        Z, truth = X, positive
        if hard:
            Z, truth = hard_stream(Winnow(**learner.get_params()), X, positive, 25)
        assert mistakes(learner, Z, truth) <= bound


@given(stream=streams(), k=st.integers(1, 7), r=st.integers(1, 4))
def test_r_of_k(stream: Callable[..., tuple], k: int, r: int) -> None:
    X, rng = stream
    n = X.shape[1]
    k = min(k, n)
    r = min(r, k)
    positive = X[:, rng.choice(n, k, replace=False)].sum(axis=1) >= r
    separation = 1.0 / r
    promotion = 1.0 + separation / 2.0
    learner = Winnow(promotion=promotion)
    made = mistakes(learner, np.tile(X, (3, 1)), np.tile(positive, 3))
    assert made <= bounds.winnow2_mistake_bound(n, k / r, separation)
    target = np.full(k, 1.0 / r)
    assert made <= bounds.winnow_entropy_bound(n, target, separation, promotion=promotion)


@given(
    seed=st.integers(0, 10**6),
    promotion=st.sampled_from([1.1, 1.25, 2.0]),
    scale=st.sampled_from([0.5, 1.0, 3.0]),
)
def test_values_between_zero_and_one(seed: int, promotion: float, scale: float) -> None:
    """Targets of any nonnegative weights; samples too near the threshold are omitted."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 25))
    X = rng.random((150, n)) ** rng.choice([0.2, 1.0, 5.0])
    X[rng.random(X.shape) < rng.choice([0.0, 0.7])] = 0.0
    target = rng.random(n) * (rng.random(n) < 0.4) * rng.choice([1.0, 4.0])
    if not target.any():
        return
    separation = min(1.0, 1.05 * (1.0 - 1.0 / promotion) + 0.05)
    score = X @ target
    kept = (score >= 1.0) | (score <= 1.0 - separation)
    X, positive = X[kept], score[kept] >= 1.0
    if len(X) == 0:
        return
    threshold = scale * n
    bound = bounds.winnow_entropy_bound(
        n, target, separation, promotion=promotion, threshold=threshold
    )
    learner = Winnow(promotion=promotion, threshold=threshold)
    made = mistakes(learner, np.tile(X, (4, 1)), np.tile(positive, 4))
    assert made <= bound


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), step=st.sampled_from([0.5, 1.0, 1.7]))
def test_balanced(seed: int, step: float) -> None:
    """Targets of any signs, with the constant as an extra feature."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    X = rng.uniform(-1, 1, (150, n)) if seed % 2 else np.sign(rng.standard_normal((150, n)))
    u = rng.standard_normal(n + 1) * (rng.random(n + 1) < 0.5)
    if not u.any():
        return
    u /= np.abs(u).sum()
    score = X @ u[:-1] + u[-1]
    kept = np.abs(score) > 0.15
    X, score = X[kept], score[kept]
    if len(X) == 0:
        return
    margin = float(np.abs(score).min()) * (1 - 1e-9)
    promotion = math.exp(step * margin)
    bound = bounds.balanced_winnow_mistake_bound(n + 1, margin, promotion=promotion)
    learner = Winnow(variant="balanced", promotion=promotion)
    made = mistakes(learner, np.tile(X, (5, 1)), np.tile(score > 0, 5))
    assert made <= bound
    best = bounds.balanced_winnow_mistake_bound(n + 1, margin, promotion=math.exp(margin))
    assert best <= bound * (1 + 1e-9)
    assert best == pytest.approx(2 * math.log(2 * (n + 1)) / margin**2)


def least_value(f: Callable[[Decimal], Decimal], low: Decimal, high: Decimal) -> Decimal:
    """Return the minimum of a function that decreases and then increases."""
    for _ in range(120):
        third = (high - low) / 3
        if f(low + third) < f(high - third):
            high -= third
        else:
            low += third
    return f(low)


@pytest.mark.parametrize("separation", [1.0, 0.5, 1e-2, 1e-4, 1e-8, 1e-11])
def test_the_entropy_bound_is_rounded_up(separation: float) -> None:
    """Compare with the proof's bound in fifty digits, minimized over c; near separation 0 it cancels."""
    n, mu, promotion = 100, [0.5] * 3 + [0.25], 1.0 + separation / 2.0
    bound = Decimal(bounds.winnow_entropy_bound(n, mu, separation, promotion=promotion))
    with localcontext(prec=50):
        alpha, delta, theta = Decimal(promotion), Decimal(separation), Decimal(n)

        def value(c: Decimal) -> Decimal:
            by_promotion = c * alpha.ln() - (alpha - 1) * theta
            by_demotion = (1 - 1 / alpha) * theta - c * (1 - delta) * alpha.ln()
            parts = [c * Decimal(m) for m in mu]
            return (sum(p * (p.ln() - 1) for p in parts) + n) / min(by_promotion, by_demotion)

        least = (alpha - 1) * theta / alpha.ln()
        even = theta * (alpha - 1 / alpha) / ((2 - delta) * alpha.ln())
        true = least_value(value, least + (even - least) / 10**6, even)
        assert true <= bound <= true * (1 + Decimal("0.01"))


@pytest.mark.parametrize("gap", [1e-3, 1e-9, 1e-13])
def test_the_balanced_bound_is_rounded_up(gap: float) -> None:
    margin, promotion = 0.1, math.exp(0.2 * (1.0 - gap))
    bound = Decimal(bounds.balanced_winnow_mistake_bound(10, margin, promotion=promotion))
    with localcontext(prec=50):
        eta = Decimal(promotion).ln()
        true = Decimal(20).ln() / (eta * Decimal(margin) - eta * eta / 2)
        assert true <= bound <= true * Decimal("1.5")


def test_blums_bound_is_within_a_factor_of_four() -> None:
    n, r = 64, 3
    others = np.repeat([[0.0, 1.0]], [r, n - r], axis=1)
    X = np.vstack([np.eye(n)[:r], np.eye(n)[:r] + others, others])
    positive = X[:, :r].any(axis=1)
    Z, truth = hard_stream(Winnow(), X, positive, 200)
    assert len(Z) == mistakes(Winnow(), Z, truth) > bounds.winnow_mistake_bound(n, r) / 4


def test_one_bound_in_numbers() -> None:
    assert math.floor(bounds.winnow_mistake_bound(1024, 3)) == 2 + 9 * 11
    assert math.floor(bounds.winnow1_mistake_bound(1024, 3)) == 6 * 11 + 1
    assert math.floor(bounds.winnow1_mistake_bound(1024, 3, threshold=512)) == 6 * 10 + 2
    r, k, n = 2, 5, 100
    expected = 8 * r**2 + 5 * k + 14 * k * r * math.log(n)
    assert bounds.winnow2_mistake_bound(n, k / r, 1 / r) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: bounds.winnow_mistake_bound(0, 0), "n_features=0"),
        (lambda: bounds.winnow_mistake_bound(3, 4), "n_relevant=4"),
        (lambda: bounds.winnow1_mistake_bound(3, 1, promotion=1.0), "promotion=1.0"),
        (lambda: bounds.winnow_mistake_bound(10**400, 10**390), "n_features"),
        (lambda: bounds.winnow_entropy_bound(10**400, [1.0], 1.0), "n_features"),
        (lambda: bounds.balanced_winnow_mistake_bound(10**400, 1, promotion=1.5), "n_features"),
        (lambda: bounds.winnow1_mistake_bound(3, 1, threshold=0.1), "threshold=0.1"),
        (lambda: bounds.winnow2_mistake_bound(3, 1.0, 1.5), "separation=1.5"),
        (lambda: bounds.winnow2_mistake_bound(3, 1.0, 1.0, threshold=0.5), "threshold=0.5"),
        (lambda: bounds.winnow_entropy_bound(3, [1.0], 0.5, promotion=2.0), "promotion=2.0"),
        (lambda: bounds.winnow_entropy_bound(3, [-1.0], 0.5), "target must be"),
        (
            lambda: bounds.winnow_entropy_bound(100, [0.5], 1e-15, promotion=1 + 0.5e-15),
            "separation=1e-15",
        ),
        (lambda: bounds.winnow2_mistake_bound(10, 1e-300, 1e-200), "separation=1e-200"),
        (
            lambda: bounds.balanced_winnow_mistake_bound(10, 1.0, promotion=2, largest=1e200),
            "margin=1.0 is not accepted for largest=1e\\+200",
        ),
        (lambda: bounds.balanced_winnow_mistake_bound(10, 1e-200, promotion=2), "margin=1e-200"),
        (lambda: bounds.balanced_winnow_mistake_bound(3, 0.1, promotion=2.0), "promotion=2.0"),
        (lambda: bounds.passive_aggressive_bound("PA-3", 1.0, 1.0), "variant='PA-3'"),
        (lambda: bounds.passive_aggressive_bound("PA-I", 1.0, 1.0, C=0), "C=0"),
    ],
)
def test_wrong_arguments_are_named(call: Callable[[], object], name: str) -> None:
    with pytest.raises(InputError, match=name):
        call()
