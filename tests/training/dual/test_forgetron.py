"""The budget: never exceeded, the same run as the slow twin, and the guarantee holds."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_kernel
from rosenblatt import KernelPerceptron
from rosenblatt.training.dual import forgetron as forgetron_module
from rosenblatt.training.dual.forgetron import shrinking

ignore_budget = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def _noisy(seed: int, n: int = 120) -> tuple[Any, Any]:
    """Return samples on both sides of a line, and labels of which one in five is wrong."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, size=(n, 3)).astype(float)
    X[(X == 0).all(axis=1)] = 1.0
    y = np.where(X @ [1.0, -2.0, 0.5] >= 0, 1, -1)
    return X, np.where(rng.random(n) < 0.2, -y, y)


@pytest.mark.parametrize("budget", [1, 2, 10, 500])
@pytest.mark.parametrize("block", [1, 5, 128])
@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix])
def test_the_run_is_that_of_the_twin(
    budget: int, block: int, store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetron_module, "BLOCK", block)
    X, y = _noisy(budget)
    p = KernelPerceptron(kernel="rbf", gamma=0.1, budget=budget)
    p.partial_fit(store(X), y, classes=[-1, 1])
    twin = naive_kernel.Forgetful(naive_kernel.rbf(0.1), budget)
    rows = [i for i in range(len(X)) if twin.visit(X[i].tolist(), int(y[i]))]
    assert p.n_mistakes_ == twin.mistakes == len(rows)
    assert p.support_.tolist() == rows[-budget:]
    assert p.shrinkage_[0] == pytest.approx(twin.shrinkage)
    assert p.removal_[0] == pytest.approx(twin.removal)
    np.testing.assert_allclose(p.dual_coef_[0], [sign * w for _, sign, w in twin.terms], rtol=1e-9)
    coefficients = p.dual_coef_[0]
    square = coefficients @ np.array(
        [[naive_kernel.rbf(0.1)(a, b) for b in X[p.support_]] for a in X[p.support_]]
    )
    assert p.history_[-1].norm ** 2 == pytest.approx(float(square @ coefficients))


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    budget=st.integers(1, 12),
    degree=st.sampled_from([1, 2]),
    scale=st.sampled_from([0.2, 1.0, 5.0]),
)
def test_the_guarantee_holds_for_any_rival(
    seed: int, budget: int, degree: int, scale: float
) -> None:
    X, y = _noisy(seed, n=60)
    p = KernelPerceptron(degree=degree, gamma=1, coef0=1, budget=budget)
    mistaken = []
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        before = getattr(p, "_hypothesis", None) and p.n_mistakes_
        p.learn_one(x, int(label))
        if p.n_mistakes_ != before:
            mistaken.append(i)
        assert len(p.support_) <= budget
    # the rival g = w·(features of degree 1), as an expansion over all samples
    rng = np.random.default_rng(seed)
    alphas = scale * rng.standard_normal(len(X)) * 0.01 + scale * y / len(X)
    K = (X @ X.T + 1.0) ** degree
    lengths = np.sqrt(np.diag(K))
    K = K / np.outer(lengths, lengths)
    square = float(alphas @ K @ alphas)
    losses = np.maximum(0.0, 1.0 - y * (K @ alphas))[mistaken]
    first = square * (1.0 + p.shrinkage_[0]) + 2.0 * losses.sum()
    assert p.n_mistakes_ <= first + p.removal_[0] + 1e-9
    assert p.n_mistakes_ <= 32 / 17 * first + 1e-9
    assert p.removal_[0] <= 15 / 32 * p.n_mistakes_ + 1e-9


@given(st.floats(0.01, 1.0), st.floats(-3.0, 3.0), st.floats(0.01, 3.0))
def test_the_factor_is_the_largest_that_is_allowed(
    weight: float, margin: float, slack: float
) -> None:
    def cost(factor: float) -> float:
        w, m = factor * weight, factor * margin
        return w * w + 2 * w - 2 * w * m

    factor = shrinking(weight, margin, slack)
    assert 0 < factor <= 1
    assert cost(factor) <= slack * (1 + 1e-9) + 1e-12
    if factor < 1:
        assert all(cost(factor + (1 - factor) * t) > slack - 1e-9 for t in (0.001, 0.1, 0.5, 1.0))


@ignore_budget
def test_each_of_many_classes_has_the_budget() -> None:
    X, _ = _noisy(1)
    y = np.resize(list("abc"), len(X))
    p = KernelPerceptron(degree=2, budget=5, max_iter=3).fit(X, y)
    assert ((p.dual_coef_ != 0).sum(axis=1) <= 5).all()
    assert len(p.support_) <= 15
    assert p.n_kernel_terms_ > 0


def test_samples_without_length_are_mistakes_that_add_nothing() -> None:
    X, y = np.array([[0.0], [1.0], [0.0]]), [1, -1, 1]
    p = KernelPerceptron(kernel="linear", budget=2).partial_fit(X, y)
    assert p.n_mistakes_ == 3
    assert p.support_.tolist() == [1]


def test_without_a_budget_nothing_is_forgotten() -> None:
    p = KernelPerceptron(kernel="linear").fit([[1.0], [-1.0]], [0, 1])
    assert not hasattr(p, "shrinkage_")
    assert not hasattr(p, "removal_")
    with pytest.warns(match="or allow a larger budget"):
        p = KernelPerceptron(budget=1).fit([[1.0], [-1.0]], [0, 1])
    assert not hasattr(p, "sequences_")
