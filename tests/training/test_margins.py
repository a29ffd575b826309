"""The interval that a run proves contains the true maximum margin (compared as exact squares)."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from margin import max_margin_squared
from rosenblatt import Outcome, Perceptron
from rosenblatt.training.margins import Interval
from strategies import INTEGERS, TENTHS, matrices

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def _contains(interval: Interval, squared: Fraction) -> bool:
    upper = interval.upper
    return Fraction(interval.lower) ** 2 <= squared and (
        upper == np.inf or squared <= Fraction(upper) ** 2
    )


def _signed(X: np.ndarray, y: np.ndarray) -> list[list[Fraction]]:
    return [[int(s) * Fraction(float(value)) for value in row] for row, s in zip(X, y, strict=True)]


@st.composite
def separable(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """A few samples, labeled by a hyperplane through the origin; both labels occur."""
    pool = draw(st.sampled_from([INTEGERS, TENTHS]))
    X = draw(matrices(pool, st.integers(2, 5), st.integers(1, 3)))
    truth = np.array(draw(st.lists(st.integers(-4, 4), min_size=X.shape[1], max_size=X.shape[1])))
    X = X[np.abs(X @ truth) > 1e-9]
    assume(len(X))
    y = np.sign(X @ truth).astype(int)
    return np.vstack([X, -X[:1]]), np.append(y, -y[0])


runs = st.fixed_dictionaries(
    {
        "max_iter": st.sampled_from([1, 2, 5, 3000]),
        "eta0": st.sampled_from([1.0, 0.1]),
        "order": st.sampled_from(["cyclic", "shuffle", "random"]),
        "ties": st.sampled_from(["mistake", "positive", "negative"]),
        "random_state": st.integers(0, 9),
    }
)


@given(separable(), runs, st.data())
def test_the_interval_contains_the_maximum_margin(
    problem: tuple[np.ndarray, np.ndarray], options: dict, data: st.DataObject
) -> None:
    X, y = problem
    weight = data.draw(st.lists(st.sampled_from([1.0, 0.3]), min_size=len(X), max_size=len(X)))
    start = data.draw(
        st.none() | st.lists(st.sampled_from([-1.5, 0.3]), min_size=X.shape[1], max_size=X.shape[1])
    )
    p = Perceptron(fit_intercept=False, **options)
    p.fit(X, y, coef_init=start, sample_weight=weight)
    assert _contains(p.margin_, max_margin_squared(_signed(X, y)))
    if p.outcome_ is not Outcome.SEPARATED:
        assert p.margin_.lower == 0.0
    elif options["ties"] == "mistake":
        assert p.margin_.lower > 0.0


@given(separable(), runs)
def test_intercept_counts_as_a_feature_of_the_samples(
    problem: tuple[np.ndarray, np.ndarray], options: dict
) -> None:
    X, y = problem
    p = Perceptron(**options).fit(X, y)
    extended = np.column_stack([X, np.ones(len(X))])
    assert _contains(p.margin_, max_margin_squared(_signed(extended, y)))


def test_more_classes_have_one_interval_each() -> None:
    X = np.array([[3, 0], [0, 3], [-3, -3], [4, 1]], dtype=float)
    y = np.array(["a", "b", "c", "a"])
    p = Perceptron(fit_intercept=False).fit(X, y)
    assert len(p.margin_) == 3
    for interval, name in zip(p.margin_, "abc", strict=True):
        signs = np.where(y == name, 1, -1)
        assert interval.lower > 0.0
        assert _contains(interval, max_margin_squared(_signed(X, signs)))


def test_upper_bound_without_mistakes_is_infinite() -> None:
    p = Perceptron(fit_intercept=False).fit([[1.0], [-1.0]], [1, 0], coef_init=[[2.0]])
    assert p.n_mistakes_ == 0
    assert p.margin_.upper == np.inf
    assert 0.999 < p.margin_.lower <= 1.0


def test_interval_of_a_run_from_initial_weights() -> None:
    X, y = np.array([[1.0, 0.0], [0.0, -1.0]]), [1, -1]
    p = Perceptron(fit_intercept=False, eta0=0.5).fit(X, y, coef_init=[[-7.0, -3.0]])
    assert p.outcome_ is Outcome.SEPARATED
    assert _contains(p.margin_, Fraction(1, 2))


def test_updates_that_underflow_do_not_lower_the_upper_bound() -> None:
    X, y = np.array([[5e-324], [-5e-324]]), [1, -1]
    p = Perceptron(fit_intercept=False, max_iter=3).fit(X, y, sample_weight=[0.5, 0.5])
    assert p.margin_.upper >= 5e-324


def test_print() -> None:
    assert str(Interval(0.25, 1 / 3)) == "[0.25, 0.333334]"
