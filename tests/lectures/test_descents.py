"""Descents of one variable, objectives along a line, and samples of exponentially small margin."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import InputError, Perceptron, perceptron_criterion, separate
from rosenblatt.lectures import (
    DescentOutcome,
    gradient_descent,
    objectives_along,
    odd_max_bit,
    worked_example,
)
from rosenblatt.lectures.one_variable import Descent
from strategies import INTEGERS, labels, matrices


def _parabola(start: float, step: float, **options: float) -> Descent:
    """(x - 3)²: the step 1/2 is right at once, below 1 it converges, from 1 on it does not."""
    return gradient_descent(lambda x: (x - 3) ** 2, lambda x: 2 * (x - 3), start, step, **options)


@given(st.floats(-100, 100), st.floats(0.01, 0.99))
def test_a_parabola_is_descended(start: float, step: float) -> None:
    descent = _parabola(start, step, max_steps=5000)
    assert descent.outcome is DescentOutcome.STATIONARY
    assert abs(descent.points[-1] - 3) <= 1e-6
    # Each step multiplies the distance from the minimum by 1 - 2h, so no value is above the one before.
    assert (np.diff(descent.values) <= 1e-12 * descent.values[0]).all()
    assert np.allclose(descent.points[1:], descent.points[:-1] - step * descent.slopes[:-1])
    assert (np.abs(descent.slopes[:-1]) > 1e-6).all()


@pytest.mark.parametrize(
    ("step", "outcome"),
    [
        (0.5, DescentOutcome.STATIONARY),
        (1e-4, DescentOutcome.BUDGET),
        (1.0, DescentOutcome.BUDGET),  # to and fro
        (1.001, DescentOutcome.DIVERGED),  # slowly
        (1.5, DescentOutcome.DIVERGED),
        (1e300, DescentOutcome.DIVERGED),
    ],
)
def test_steps_too_small_and_too_large(step: float, outcome: DescentOutcome) -> None:
    descent = _parabola(0.0, step)
    assert descent.outcome is outcome
    assert descent.n_steps <= 1000
    assert outcome.sentence in descent.sentence == str(descent)


def test_a_value_beyond_float64_has_diverged() -> None:
    descent = gradient_descent(
        lambda x: math.exp(x * x), lambda x: 2 * x * math.exp(x * x), 2.0, 0.5
    )
    assert descent.outcome is DescentOutcome.DIVERGED
    assert math.isnan(descent.values[-1])


def test_a_function_that_falls_without_end_is_not_blamed_on_the_step() -> None:
    descent = gradient_descent(lambda x: -x * x, lambda x: -2 * x, 1.0, 0.1)
    assert descent.outcome is DescentOutcome.DIVERGED
    assert "falls without end" in descent.sentence


@pytest.mark.parametrize(
    ("f", "derivative"),
    [
        (math.sqrt, lambda x: 0.5 / math.sqrt(x)),
        (lambda x: x**0.5, lambda x: 0.5 * x**-0.5),
        (lambda x: math.log(1 + x), lambda x: 1 / (x + 1)),
        (lambda x: 1 / (x + 1), lambda x: 1 / (x + 1) if x == 1 else -1 / (x + 1)),
    ],
)
def test_a_step_out_of_the_domain_has_diverged(f: object, derivative: object) -> None:
    descent = gradient_descent(f, derivative, 1.0, 4.0)
    assert (descent.n_steps, descent.outcome) == (1, DescentOutcome.DIVERGED)
    assert math.isnan(descent.values[-1])


def test_where_the_slope_is_zero_nothing_moves() -> None:
    """On top of a hill as well."""
    descent = gradient_descent(math.cos, lambda x: -math.sin(x), 0.0, 0.1)
    assert (descent.n_steps, descent.outcome) == (0, DescentOutcome.STATIONARY)
    descent = gradient_descent(math.cos, lambda x: -math.sin(x), 0.1, 0.5)
    assert descent.points[-1] == pytest.approx(math.pi, abs=1e-6)


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ((math.nan, 0.1), "start=nan"),
        ((0.0, 0.0), "step=0.0 is not accepted: use a finite number above 0"),
        ((0.0, -1.0), "step=-1.0"),
    ],
)
def test_other_numbers_are_refused(given_: tuple[float, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        _parabola(*given_)


@given(st.data(), st.booleans())
def test_mistakes_are_piecewise_constant_and_the_criterion_is_convex(
    data: st.DataObject, fit_intercept: bool
) -> None:
    X = data.draw(matrices(INTEGERS, st.integers(2, 8), st.integers(1, 3)))
    y = data.draw(labels(len(X), [-1, 1]))
    width = X.shape[1] + fit_intercept
    weights = st.lists(st.integers(-3, 3), min_size=width, max_size=width)
    start, end = data.draw(weights), data.draw(weights)
    line = objectives_along(X, y, start, end, 9, fit_intercept)
    # Each score changes its sign at most once, so the number jumps at most once for each sample, and
    # once more where a score is 0 at one place only.
    assert np.count_nonzero(np.diff(line.mistakes)) <= 2 * len(X)
    assert (np.diff(line.criterion, 2) >= -1e-9).all()
    assert (line.criterion[line.mistakes == 0] == 0.0).all()
    extended = np.column_stack([np.ones(len(X)), X]) if fit_intercept else X
    for t, mistakes, criterion in zip(*line, strict=True):
        scores = y * (extended @ (np.array(start) * (1 - t) + np.array(end) * t))  # exact: eighths
        assert mistakes == np.count_nonzero(scores <= 0)
        assert criterion == pytest.approx(-scores[scores <= 0].sum())


def test_the_ends_are_those_of_the_worked_example() -> None:
    run = worked_example()
    X, y = [[1, 1], [1, -1], [0, -1], [-1, -1], [-1, 1], [0, 1]], [1, 1, 1, -1, -1, -1]
    line = objectives_along(X, y, run.visits[0].weights_before, run.weights)
    assert line.positions[[0, -1]].tolist() == [0.0, 1.0]
    assert (line.mistakes[0], line.mistakes[-1]) == (3, 0)
    assert line.criterion[0] == perceptron_criterion([0, 0, 1], X, y).value
    for wrong, message in (
        ((1, 0), "start has shape"),
        ((1, 0, np.nan), "not finite"),
        (("a", 0, 1), "not a number"),
    ):
        with pytest.raises(InputError, match=message):
            objectives_along(X, y, wrong, run.weights)


@pytest.mark.parametrize(
    ("n", "margin", "mistakes"), [(3, 0.2, 23), (5, 0.079, 137), (7, 0.030, 849)]
)
def test_the_margin_of_odd_max_bit_is_exponentially_small(
    n: int, margin: float, mistakes: int
) -> None:
    X, y = odd_max_bit(n)
    found = separate(X, y)
    assert round(found.margin.lower, 3) == round(found.margin.upper, 3) == margin
    p = Perceptron(order="cyclic").fit(X, y)
    assert p.n_mistakes_ == mistakes <= found.mistake_bound


@pytest.mark.parametrize("n", range(1, 9))
def test_odd_max_bit_is_its_definition(n: int) -> None:
    X, y = odd_max_bit(n)
    for number, (row, label) in enumerate(zip(X.tolist(), y.tolist(), strict=True)):
        assert sum(digit << place for place, digit in enumerate(row)) == number
        assert label == (1 if number.bit_length() % 2 == 1 else -1)
    # Weights that alternate and double, less a little for 0.
    weights = [-((-2) ** (place + 1)) for place in range(n)]
    assert (np.sign(X @ weights - 1) == y).all()
