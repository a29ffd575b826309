"""The perceptron criterion and its gradient: mathematical properties and a slow reference."""

import runpy
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from naive import exact_dot, extended
from rosenblatt import InputError, Perceptron
from rosenblatt.lectures.criterion import perceptron_criterion
from rosenblatt.lectures.gradient_descent import Descent, DescentOutcome, gradient_descent
from strategies import INTEGERS, TENTHS, matrices

PAGE = Path(__file__).parents[2] / "docs" / "topics" / "criterion.md"
BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "criterion.py"


def naive_criterion(w: Any, X: Any, y: Any) -> tuple[Fraction, list[Fraction], int]:
    """Return the criterion, its gradient and the number of mistakes, in rational arithmetic."""
    total, gradient, n_mistakes = Fraction(0), [Fraction(0)] * X.shape[1], 0
    for x, label in zip(X, y, strict=True):
        score = exact_dot(x, w)
        if int(label) * score <= 0:
            total -= int(label) * score
            for j, value in enumerate(x):
                gradient[j] -= int(label) * Fraction(float(value))
            n_mistakes += 1
    return total, gradient, n_mistakes


@st.composite
def problems(draw: st.DrawFn, pool: list[float] = INTEGERS) -> tuple[Any, Any, Any]:
    """Draw weights (with an intercept), samples and labels, all of them small numbers."""
    X = draw(matrices(pool, st.integers(1, 8), st.integers(1, 4)))
    y = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=len(X), max_size=len(X))))
    shape = X.shape[1] + 1
    w = draw(hnp.arrays(np.float64, shape, elements=st.sampled_from([0.0, *INTEGERS])))
    return w, X, y


@pytest.mark.parametrize("store", [np.asarray, sp.csr_array])
@given(problem=problems())
def test_it_equals_the_slow_reference_on_integers(store: Any, problem: Any) -> None:
    w, X, y = problem
    for weights, rows in [(w, extended(X, 1.0)), (w[:-1], X)]:
        value, gradient, n_mistakes = naive_criterion(weights, rows, y)
        found = perceptron_criterion(weights, store(X), y)
        assert found.value == value
        assert found.gradient.tolist() == gradient
        assert found.n_mistakes == n_mistakes


@given(problem=problems(TENTHS))
def test_the_gradient_matches_finite_differences_away_from_kinks(problem: Any) -> None:
    w, X, y = problem
    step = 1e-6
    # No score may change its sign within the step.
    assume((np.abs(extended(X, 1.0) @ w) > 100 * step).all())
    found = perceptron_criterion(w, X, y).gradient
    for j, direction in enumerate(np.eye(len(w))):
        ahead = perceptron_criterion(w + step * direction, X, y).value
        behind = perceptron_criterion(w - step * direction, X, y).value
        assert (ahead - behind) / (2 * step) == pytest.approx(found[j], abs=1e-6)


@given(problem=problems(), data=st.data(), share=st.sampled_from([0.25, 0.5, 0.75]))
def test_it_is_convex_and_every_gradient_is_a_subgradient(
    problem: Any, data: st.DataObject, share: float
) -> None:
    w, X, y = problem
    v = data.draw(hnp.arrays(np.float64, len(w), elements=st.sampled_from([0.0, *INTEGERS])))
    here, there = perceptron_criterion(w, X, y), perceptron_criterion(v, X, y)
    between = perceptron_criterion(share * w + (1 - share) * v, X, y)
    assert between.value <= share * here.value + (1 - share) * there.value
    assert there.value >= here.value + here.gradient @ (v - w)


@given(problem=problems(), factor=st.sampled_from([0.125, 0.5, 2.0, 1024.0]))
def test_it_is_positively_homogeneous(problem: Any, factor: float) -> None:
    w, X, y = problem
    found, scaled = perceptron_criterion(w, X, y), perceptron_criterion(factor * w, X, y)
    assert scaled.value == factor * found.value
    assert scaled.gradient.tolist() == found.gradient.tolist()
    assert found.gradient @ w == found.value  # Euler's identity
    assert found.value >= 0.0


def test_any_two_labels_are_allowed() -> None:
    X = [[1.0], [2.0], [-1.0]]
    by_sign = perceptron_criterion([1.0], X, [-1, 1, 1])
    assert by_sign == perceptron_criterion([1.0], X, ["no", "yes", "yes"])
    assert by_sign == perceptron_criterion([1.0], X, [False, True, True])
    assert perceptron_criterion([1.0], X, [1, 1, 1]).n_mistakes == 1


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"weights": [1.0]}, r"weights has shape \(1,\): give one finite number for each feature"),
        ({"weights": [[1.0, 2.0]]}, r"weights has shape \(1, 2\)"),
        ({"weights": [1.0, np.nan]}, "finite number"),
        ({"y": [0, 1, 2]}, r"y has the labels \[0, 1, 2\]"),
        ({"y": ["a", "a", "a"]}, r"y has the labels \['a'\]"),
        ({"y": [1, -1]}, r"X has shape \(3, 2\) and y \(2,\)"),
        ({"X": np.full((3, 2), np.nan)}, "finite numbers"),
    ],
)
def test_invalid_arguments_are_refused(change: dict[str, Any], complaint: str) -> None:
    given = {"weights": [1.0, 2.0], "X": np.eye(3, 2), "y": [-1, 1, 1]} | change
    with pytest.raises(InputError, match=complaint):
        perceptron_criterion(**given)


SIX = np.array([[1, 1], [1, -1], [0, -1], [-1, -1], [-1, 1], [0, 1]], dtype=float)
SIDES = np.array([1, 1, 1, -1, -1, -1])


def descend(X: Any, y: Any, start: Any, step: float, **options: Any) -> Descent:
    return gradient_descent(
        lambda w: perceptron_criterion(w, X, y).value,
        lambda w: perceptron_criterion(w, X, y).gradient,
        start,
        step,
        **options,
    )


@given(data=st.data())
def test_separable_samples_are_separated_within_the_bound(data: st.DataObject) -> None:
    X = data.draw(matrices(INTEGERS, st.integers(2, 7), st.integers(1, 3)))
    w = data.draw(st.lists(st.sampled_from(INTEGERS), min_size=X.shape[1], max_size=X.shape[1]))
    scores = X @ w + 0.5
    y = np.sign(scores).astype(int)
    margin = np.abs(scores).min() / np.linalg.norm([*w, 0.5])
    bound = len(X) * (np.linalg.norm(extended(X, 1.0), axis=1).max() / margin) ** 2
    down = descend(X, y, np.zeros(X.shape[1] + 1), 1.0, max_steps=10**6)
    assert down.outcome is DescentOutcome.STATIONARY
    assert perceptron_criterion(down.points[-1], X, y).n_mistakes == 0
    assert down.n_steps <= bound


def test_small_medium_and_large_rates() -> None:
    slow, right, fast = (descend(SIX, SIDES, [0, 0, 1], rate) for rate in (0.001, 0.5, 100.0))
    assert (slow.n_steps, right.n_steps, fast.n_steps) == (333, 3, 2)
    assert (np.diff(slow.values) <= 0.0).all()  # always down, in small steps
    assert right.values.max() == 3.0
    assert fast.values[1] == pytest.approx(398.0)  # jumps across the valley and far up
    for down in (slow, right, fast):
        assert down.values[-1] == 0.0


def test_from_zero_the_rate_only_scales_the_weights() -> None:
    full, quarter = (descend(SIX, SIDES, [0, 0, 0], rate) for rate in (1.0, 0.25))
    assert (0.25 * full.points).tolist() == quarter.points.tolist()


def test_a_gradient_of_zero_with_mistakes_proves_inseparability() -> None:
    X, y = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]]), np.array([1, 1, -1, -1])
    found = perceptron_criterion([0, 0, 0], X, y)
    assert (found.value, found.gradient.tolist(), found.n_mistakes) == (0.0, [0, 0, 0], 4)
    assert (extended(X, 1.0) * y[:, None]).sum(axis=0).tolist() == [0, 0, 0]


@given(problem=problems(), rate=st.sampled_from([0.25, 1.0, 8.0]))
def test_descent_on_single_samples_is_the_perceptron(problem: Any, rate: float) -> None:
    _, X, y = problem
    w, p = np.zeros(X.shape[1] + 1), Perceptron(keep="last", eta0=rate)
    for x, label in zip(X, y.tolist(), strict=True):
        w = w - rate * perceptron_criterion(w, [x], [label]).gradient
        p.partial_fit([x], [label], [-1, 1])
    assert [*p.coef_[0], p.intercept_[0]] == w.tolist()


def test_the_page_shows_what_the_benchmark_prints(capsys: pytest.CaptureFixture[str]) -> None:
    benchmark = runpy.run_path(str(BENCHMARK))
    for name in ("print_separable", "print_overlapping"):
        benchmark[name]()
        assert f"```text\n{capsys.readouterr().out}```" in PAGE.read_text()
