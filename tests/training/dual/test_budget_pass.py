"""The budget is never exceeded, the run equals the naive twin's, and the bound holds on average."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import naive_kernel
from rosenblatt import InputError, KernelPerceptron, load, save
from rosenblatt.training.dual import budget_pass

ignore_budget = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def _noisy(seed: int, n: int = 120) -> tuple[Any, Any]:
    """Return samples on both sides of a hyperplane, and labels, one fifth of them wrong."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, size=(n, 3)).astype(float)
    y = np.where(X @ [1.0, -2.0, 0.5] >= 0, 1, -1)
    return X, np.where(rng.random(n) < 0.2, -y, y)


def _seed(random_state: int) -> int:
    return int(np.random.RandomState(random_state).randint(2**32, dtype=np.int64))


def _check_twin(p: KernelPerceptron, twin: naive_kernel.Budgeted) -> None:
    expansion: dict[int, float] = {}
    for row, sign in twin.terms:
        expansion[row] = expansion.get(row, 0.0) + sign
    found = zip(p.support_.tolist(), p.dual_coef_[0].tolist(), strict=True)
    assert dict(found) == expansion
    assert p.n_mistakes_ == twin.mistakes
    square = sum(a * twin.score(twin.X[row]) for row, a in expansion.items())
    assert p.history_[-1].norm ** 2 == pytest.approx(square)


@pytest.mark.parametrize("budget", [1, 2, 10, 500])
@pytest.mark.parametrize("block", [1, 5, 256])
@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix])
def test_stream_equals_the_naive_twin(
    budget: int, block: int, store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget_pass, "BLOCK", block)
    X, y = _noisy(budget)
    p = KernelPerceptron(kernel="rbf", gamma=0.1, budget=budget, random_state=3)
    p.partial_fit(store(X), y, classes=[-1, 1])
    twin = naive_kernel.Budgeted(naive_kernel.rbf(0.1), X.tolist(), budget, _seed(3))
    twin.visit(range(len(X)), y.tolist())
    _check_twin(p, twin)


@ignore_budget
@pytest.mark.parametrize("kernel", ["linear", "precomputed"])
def test_epochs_equal_the_naive_twin(kernel: str) -> None:
    X, y = _noisy(1, n=40)
    p = KernelPerceptron(kernel=kernel, budget=6, order="cyclic", max_iter=4)
    p.fit(X @ X.T if kernel == "precomputed" else X, y)
    twin = naive_kernel.Budgeted(naive_kernel.dot, X.tolist(), 6, _seed(0))
    counts = [twin.visit(range(40), y.tolist()) for _ in range(4)]
    assert p.history_.mistakes.tolist() == counts
    _check_twin(p, twin)


def test_forgotten_mistakes_depend_on_the_random_state() -> None:
    X, y = _noisy(2)
    kept = {}
    for seed in range(4):
        p = KernelPerceptron(kernel="rbf", gamma=0.1, budget=5, random_state=seed)
        again = KernelPerceptron(
            kernel="rbf", gamma=0.1, budget=5, random_state=np.random.RandomState(seed)
        )
        kept[seed] = p.partial_fit(X, y).support_.tolist()
        assert again.partial_fit(X, y).support_.tolist() == kept[seed]
    assert len(set(map(tuple, kept.values()))) == 4


@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix])
def test_model_saved_mid_stream_continues_with_the_same_bits(store: Any, tmp_path: Path) -> None:
    X, _ = _noisy(3, n=200)
    X, y = X + 0.1, np.resize(list("abc"), 200)
    whole = KernelPerceptron(kernel="rbf", gamma=0.1, budget=4, random_state=None)
    whole.partial_fit(store(X[:90]), y[:90])
    save(whole, tmp_path / "model")
    other = load(tmp_path / "model")
    whole.partial_fit(store(X[90:]), y[90:])
    for start in range(90, 200, 7):
        save(other.partial_fit(store(X[start : start + 7]), y[start : start + 7]), tmp_path / "m")
        other = load(tmp_path / "m")
    assert other.support_.tolist() == whole.support_.tolist()
    assert other.dual_coef_.tobytes() == whole.dual_coef_.tobytes()
    assert other.decision_function(X).tobytes() == whole.decision_function(X).tobytes()
    assert other.n_mistakes_ == whole.n_mistakes_ > len(whole.support_)


@ignore_budget
@pytest.mark.parametrize("n_classes", [2, 3])
def test_support_never_exceeds_the_budget(n_classes: int) -> None:
    X, _ = _noisy(1)
    y = np.resize(list("abc")[:n_classes], len(X))
    options = {"degree": 2, "gamma": 1, "budget": 5}
    p, used = KernelPerceptron(**options), 0
    for x, label in zip(X, y.tolist(), strict=True):
        learned = p.learn_one(x, label)._learned
        assert learned is not None
        assert len(learned.hypothesis.support) <= 5 * learned.classes.n_halfspaces
        assert ((p.dual_coef_ != 0).sum(axis=1) <= 5).all()
        used = max(used, len(p.support_))
    assert used >= 5
    p = KernelPerceptron(max_iter=3, **options).fit(X, y)
    assert ((p.dual_coef_ != 0).sum(axis=1) <= 5).all()
    assert p.n_kernel_terms_ > 0


@pytest.mark.parametrize("budget", [16, 36])
def test_mistakes_are_within_the_bound_on_average(budget: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 20))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    length, root = 0.7 * np.sqrt(budget), np.sqrt(budget)
    X = X[np.abs(X[:, 0]) * length > 0.9]
    y = np.where(X[:, 0] * rng.choice([1, -1], p=[0.95, 0.05], size=len(X)) > 0, 1, -1)
    loss = np.maximum(0.0, 1.0 - y * X[:, 0] * length).sum()
    runs = [
        KernelPerceptron(kernel="linear", budget=budget, random_state=k).partial_fit(X, y)
        for k in range(10)
    ]
    mistakes = np.mean([p.n_mistakes_ for p in runs])
    bound = (loss + 1.25 * length * root) / (1 - length / root)
    assert budget < mistakes <= bound < len(X)


def test_budget_disables_views_that_need_every_mistake() -> None:
    p = KernelPerceptron(kernel="linear").fit([[1.0], [-1.0]], [0, 1])
    assert hasattr(p, "sequences_")
    with pytest.warns(match="or allow a larger budget"):
        p = KernelPerceptron(budget=1).fit([[1.0], [-1.0]], [0, 1])
    assert not hasattr(p, "sequences_")
    with pytest.raises(InputError, match="use keep='last'"):
        p.set_params(keep="average").partial_fit([[1.0]], [0])
