"""Gradient descent on functions of one variable, and of several."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import InputError
from rosenblatt.lectures.gradient_descent import Descent, DescentOutcome, gradient_descent


def _parabola(start: float, step: float, **options: float) -> Descent:
    """Descend (x - 3)²: step 1/2 finds the minimum at once, steps below 1 converge, others do not."""
    return gradient_descent(lambda x: (x - 3) ** 2, lambda x: 2 * (x - 3), start, step, **options)


@given(st.floats(-100, 100), st.floats(0.01, 0.99))
def test_steps_below_1_converge_on_a_parabola(start: float, step: float) -> None:
    descent = _parabola(start, step, max_steps=5000)
    assert descent.outcome is DescentOutcome.STATIONARY
    assert abs(descent.points[-1] - 3) <= 1e-6
    # Each step multiplies the distance from the minimum by 1 - 2h, so values never increase.
    assert (np.diff(descent.values) <= 1e-12 * descent.values[0]).all()
    assert np.allclose(descent.points[1:], descent.points[:-1] - step * descent.gradients[:-1])
    assert (np.abs(descent.gradients[:-1]) > 1e-6).all()


@pytest.mark.parametrize(
    ("step", "outcome"),
    [
        (0.5, DescentOutcome.STATIONARY),
        (1e-4, DescentOutcome.BUDGET),
        (1.0, DescentOutcome.BUDGET),  # jumps back and forth
        (1.001, DescentOutcome.DIVERGED),  # slowly
        (1.5, DescentOutcome.DIVERGED),
        (1e300, DescentOutcome.DIVERGED),
    ],
)
def test_outcomes_of_small_and_large_steps(step: float, outcome: DescentOutcome) -> None:
    descent = _parabola(0.0, step)
    assert descent.outcome is outcome
    assert descent.n_steps <= 1000
    assert outcome.sentence in descent.sentence == str(descent)


def test_overflow_counts_as_divergence() -> None:
    descent = gradient_descent(
        lambda x: math.exp(x * x), lambda x: 2 * x * math.exp(x * x), 2.0, 0.5
    )
    assert descent.outcome is DescentOutcome.DIVERGED
    assert math.isnan(descent.values[-1])


def test_the_message_mentions_functions_without_a_lower_limit() -> None:
    descent = gradient_descent(lambda x: -x * x, lambda x: -2 * x, 1.0, 0.1)
    assert descent.outcome is DescentOutcome.DIVERGED
    assert "no lower limit" in descent.sentence


@pytest.mark.parametrize(
    ("f", "derivative"),
    [
        (math.sqrt, lambda x: 0.5 / math.sqrt(x)),
        (lambda x: x**0.5, lambda x: 0.5 * x**-0.5),
        (lambda x: math.log(1 + x), lambda x: 1 / (x + 1)),
        (lambda x: 1 / (x + 1), lambda x: 1 / (x + 1) if x == 1 else -1 / (x + 1)),
    ],
)
def test_a_step_out_of_the_domain_counts_as_divergence(f: object, derivative: object) -> None:
    descent = gradient_descent(f, derivative, 1.0, 4.0)
    assert (descent.n_steps, descent.outcome) == (1, DescentOutcome.DIVERGED)
    assert math.isnan(descent.values[-1])


def test_descent_does_not_leave_the_top_of_a_hill() -> None:
    descent = gradient_descent(math.cos, lambda x: -math.sin(x), 0.0, 0.1)
    assert (descent.n_steps, descent.outcome) == (0, DescentOutcome.STATIONARY)
    descent = gradient_descent(math.cos, lambda x: -math.sin(x), 0.1, 0.5)
    assert descent.points[-1] == pytest.approx(math.pi, abs=1e-6)


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ((math.nan, 0.1), "start=nan is not accepted"),
        ((0.0, 0.0), "step=0.0 is not accepted: use a finite number above 0"),
        ((0.0, -1.0), "step=-1.0"),
    ],
)
def test_invalid_numbers_are_refused(given_: tuple[float, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        _parabola(*given_)


def test_descent_in_two_variables() -> None:
    """Each step multiplies the distance along an axis by 1 minus the step times the curvature."""
    curvatures = np.array([1.0, 3.0])
    descent = gradient_descent(
        lambda x: float(curvatures @ x**2) / 2, lambda x: curvatures * x, [8.0, -1.0], 0.25
    )
    assert descent.outcome is DescentOutcome.STATIONARY
    powers = np.arange(descent.n_steps + 1)[:, None]
    assert np.allclose(descent.points, [8.0, -1.0] * (1 - 0.25 * curvatures) ** powers)
    assert descent.sentence.startswith(f"{descent.n_steps} steps to (")
    assert np.linalg.norm(descent.gradients[-1]) <= 1e-6
