"""The perceptron criterion and its gradient: what is true of them, and their slow twin."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from naive import exact_dot, extended, sign
from rosenblatt import InputError, perceptron_criterion
from rosenblatt.kernels.rows import as_rows
from rosenblatt.training.problem import Problem
from rosenblatt.training.rules.criterion_rule import Descent, rate_at
from strategies import INTEGERS, TENTHS, matrices, samples

TIES = {"mistake": 0, "positive": 1, "negative": -1}
STORES = [
    np.asarray,
    sp.csr_matrix,
    sp.csr_array,
    lambda X: X.astype(np.float32),
    lambda X: sp.csr_array(X.astype(np.float32)),
]


def naive_criterion(
    w: Any, X: Any, y: Any, tie: int, weight: Any
) -> tuple[Fraction, list[Fraction], int]:
    """Return the criterion, its gradient and the mistakes, in rational arithmetic."""
    total, gradient, n_mistakes = Fraction(0), [Fraction(0)] * X.shape[1], 0
    for x, label, s in zip(X, y, weight, strict=True):
        score = exact_dot(x, w)
        if s > 0 and (sign(score) or tie) != label:
            total -= Fraction(float(s)) * int(label) * score
            for j, value in enumerate(x):
                gradient[j] -= Fraction(float(s)) * int(label) * Fraction(float(value))
            n_mistakes += 1
    return total, gradient, n_mistakes


@st.composite
def problems(draw: st.DrawFn, pool: list[float] = INTEGERS) -> tuple[Any, Any, Any]:
    """Weights (with an intercept), samples and labels, whose numbers are all small integers."""
    X = draw(matrices(pool, st.integers(1, 8), st.integers(1, 4)))
    y = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=len(X), max_size=len(X))))
    shape = X.shape[1] + 1
    w = draw(hnp.arrays(np.float64, shape, elements=st.sampled_from([0.0, *INTEGERS])))
    return w, X, y


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("ties", list(TIES))
@given(problem=problems(), data=st.data())
@settings(max_examples=25)
def test_it_equals_the_slow_twin_on_integers(
    store: Any, ties: str, problem: Any, data: st.DataObject
) -> None:
    w, X, y = problem
    weight = data.draw(st.lists(st.sampled_from([0, 1, 2, 3]), min_size=len(y), max_size=len(y)))
    for weights, rows in [(w, extended(X, 1.0)), (w[:-1], X)]:
        value, gradient, n_mistakes = naive_criterion(weights, rows, y, TIES[ties], weight)
        found = perceptron_criterion(weights, store(X), y, ties=ties, sample_weight=weight)
        assert found.value == value
        assert found.gradient.tolist() == gradient
        assert found.n_mistakes == n_mistakes


@given(X=samples(), data=st.data())
def test_mistakes_are_exact_and_the_gradient_has_the_same_bits_in_every_storage(
    X: Any, data: st.DataObject
) -> None:
    y = np.array(data.draw(st.lists(st.sampled_from([-1, 1]), min_size=len(X), max_size=len(X))))
    w = data.draw(hnp.arrays(np.float64, X.shape[1], elements=st.sampled_from([0.0, *TENTHS])))
    dense, sparse = perceptron_criterion(w, X, y), perceptron_criterion(w, sp.csr_array(X), y)
    assert dense.n_mistakes == naive_criterion(w, X, y, 0, np.ones(len(y)))[2]
    assert sparse.n_mistakes == dense.n_mistakes
    assert sparse.gradient.tobytes() == dense.gradient.tobytes()
    rounding = 1e-12 * float((np.abs(X) @ np.abs(w)).sum())  # the scores may be nothing else
    assert sparse.value == pytest.approx(dense.value, rel=1e-9, abs=rounding)


@given(problem=problems(TENTHS))
def test_finite_differences_away_from_kinks(problem: Any) -> None:
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
    for ties in TIES:  # also at kinks, where they differ
        here = perceptron_criterion(w, X, y, ties=ties)
        there = perceptron_criterion(v, X, y, ties=ties)
        between = perceptron_criterion(share * w + (1 - share) * v, X, y, ties=ties)
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


@given(problem=problems())
def test_a_gradient_of_zero_with_mistakes_left_means_ties_only(problem: Any) -> None:
    w, X, y = problem
    found = perceptron_criterion(w, X, y)
    if not found.gradient.any():
        assert found.value == 0.0
        assert perceptron_criterion(w, X, y, ties="positive").value == 0.0


def test_a_tie_adds_nothing_to_the_criterion_but_its_sample_to_the_gradient() -> None:
    X, y = [[1.0, 2.0], [3.0, 4.0]], [1, -1]
    at_zero = {ties: perceptron_criterion([0, 0], X, y, ties=ties) for ties in TIES}
    assert {found.value for found in at_zero.values()} == {0.0}
    assert at_zero["mistake"].gradient.tolist() == [2.0, 2.0]
    assert at_zero["positive"].gradient.tolist() == [3.0, 4.0]
    assert at_zero["negative"].gradient.tolist() == [-1.0, -2.0]
    assert [found.n_mistakes for found in at_zero.values()] == [2, 1, 1]


def test_any_two_labels_will_do() -> None:
    X = [[1.0], [2.0], [-1.0]]
    by_sign = perceptron_criterion([1.0], X, [-1, 1, 1])
    assert by_sign == perceptron_criterion([1.0], X, ["no", "yes", "yes"])
    assert by_sign == perceptron_criterion([1.0], X, [False, True, True])
    assert perceptron_criterion([1.0], X, [1, 1, 1]).n_mistakes == 1


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"weights": [1.0]}, r"weights has shape \(1,\): give 2 finite numbers, one for each"),
        ({"weights": [[1.0, 2.0]]}, r"weights has shape \(1, 2\)"),
        ({"weights": [1.0, np.nan]}, "finite numbers"),
        ({"y": [0, 1, 2]}, r"y has the labels \[0, 1, 2\]"),
        ({"y": ["a", "a", "a"]}, r"y has the labels \['a'\]"),
        ({"ties": "none"}, "ties='none' is not accepted"),
        ({"sample_weight": [1.0]}, r"sample_weight has shape \(1,\)"),
        ({"X": np.full((3, 2), 1e300), "weights": [1e300, 1e300]}, "score of row 0 of X"),
    ],
)
def test_bad_input(change: dict[str, Any], complaint: str) -> None:
    given = {"weights": [1.0, 2.0], "X": np.eye(3, 2), "y": [-1, 1, 1]} | change
    with pytest.raises(InputError, match=complaint):
        perceptron_criterion(**given)


def test_the_rates() -> None:
    assert [rate_at("fixed", t) for t in (1, 2, 9)] == [1.0, 1.0, 1.0]
    assert [rate_at("decaying", t) for t in (1, 4, 9)] == [1.0, 0.5, 1 / 3]


def test_weights_that_grow_beyond_float64_are_an_error() -> None:
    signs, steps = np.ones((2, 1), dtype=np.int8), np.full(2, 10.0)
    problem = Problem(as_rows([[1e149], [1e149]], 0.0), signs, steps, steps, np.ones((1, 2)))
    descent = Descent(problem, np.zeros((1, 2)), np.zeros(1, dtype=np.int64), 1.0)
    with pytest.raises(InputError, match="so long that its square"):
        descent.visit()
