"""Gradient descent as the lectures introduce it, for functions of one or several variables.

Guess a point x. Move against the gradient: the next point is x - h·g(x), with a step size h > 0. Stop
when the gradient is about 0. If h is small, this takes many steps; if it is large, they jump too far. A
gradient of 0 does not imply a minimum: descent does not leave the top of a hill either.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from rosenblatt.core.checks import positive, whole_number
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats

# A descent whose point or gradient grows by this factor does not come back.
_FAR = 1e9


class DescentOutcome(Enum):
    """Why a descent stopped.

    >>> print(DescentOutcome.STATIONARY)
    STATIONARY: the gradient is about 0
    """

    STATIONARY = "the gradient is about 0"
    DIVERGED = (
        "the gradient grows instead of shrinking to 0, or is not a number: the step is too large, or "
        "the function has no lower limit"
    )
    BUDGET = (
        "the step limit was reached before the gradient was about 0: the step is too small, or so large "
        "that it jumps back and forth, or the function has no lower limit"
    )

    @property
    def sentence(self) -> str:
        """The sentence that explains this outcome."""
        return str(self.value)

    def __str__(self) -> str:
        return f"{self.name}: {self.value}"


@dataclass(frozen=True, eq=False)
class Descent:
    """The points of a descent, with the function and its gradient at each, and why it stopped.

    ``points`` and ``gradients`` have one entry per point: a number (one variable) or a row (several).
    """

    points: Floats
    values: Floats
    gradients: Floats
    step: float
    outcome: DescentOutcome

    @property
    def n_steps(self) -> int:
        """The number of steps taken."""
        return len(self.points) - 1

    @property
    def sentence(self) -> str:
        """How the descent ended, as a sentence."""
        point = ", ".join(f"{number:.6g}" for number in np.atleast_1d(self.points[-1]))
        end = point if self.points.ndim == 1 else f"({point})"
        length = _length(self.gradients[-1])
        steps = "1 step" if self.n_steps == 1 else f"{self.n_steps:,} steps"
        return f"{steps} to {end}, with a gradient of {length:.6g}: {self.outcome.sentence}"

    def __str__(self) -> str:
        return self.sentence


def gradient_descent(
    f: Callable[[Any], Any],
    gradient: Callable[[Any], Any],
    start: Any,
    step: float,
    *,
    tolerance: float = 1e-6,
    max_steps: int = 1000,
) -> Descent:
    """Minimize f by moving ``step`` times the gradient, until it is about 0.

    Parameters
    ----------
    f, gradient : functions of a float, or of an array
        The function, and its derivative or gradient.
    start : float or array
        The first guess.
    step : float
        The learning rate h, above 0.
    tolerance : float, default=1e-6
        The descent stops when the gradient is no longer than this.
    max_steps : int, default=1000
        The descent also stops after this many steps, or when it has clearly diverged: the point or
        gradient is a billion times as large as at the start, or not a number.

    Examples
    --------
    >>> print(gradient_descent(lambda x: x**2, lambda x: 2 * x, start=1.0, step=0.25))
    21 steps to 4.76837e-07, with a gradient of 9.53674e-07: the gradient is about 0
    >>> print(gradient_descent(lambda x: x**2, lambda x: 2 * x, start=1.0, step=1e-4).outcome.name)
    BUDGET
    """
    x = np.array(start, dtype=np.float64)
    if x.ndim > 1 or not np.isfinite(x).all():
        raise InputError(
            f"start={start!r} is not accepted: use a finite number, or a sequence of them"
        )
    rate, small = positive("step", step), positive("tolerance", tolerance)
    budget = whole_number("max_steps", max_steps, 0)
    points, values, gradients = [x], [_value_at(f, x)], [_value_at(gradient, x)]
    far = _FAR * max(1.0, _length(x), _length(gradients[0]))
    outcome = DescentOutcome.BUDGET
    while True:
        length = _length(gradients[-1])
        if length <= small:
            outcome = DescentOutcome.STATIONARY
            break
        # Comparisons with NaN are false.
        if not (_length(x) < far and length < far and abs(values[-1]) < math.inf):
            outcome = DescentOutcome.DIVERGED
            break
        if len(points) > budget:
            has_grown = length > _length(gradients[0]) and values[-1] > values[0]
            outcome = DescentOutcome.DIVERGED if has_grown else outcome
            break
        x = x - rate * gradients[-1]
        points.append(x)
        values.append(_value_at(f, x))
        gradients.append(_value_at(gradient, x))
    return Descent(np.array(points), np.array(values), np.array(gradients), rate, outcome)


def _value_at(function: Callable[[Any], Any], x: Floats) -> Floats:
    """Return the function's value at x; NaN if it overflows or x is outside its domain."""
    try:
        value = function(x.item() if x.ndim == 0 else x.copy())
        return np.asarray(math.nan if isinstance(value, complex) else value, dtype=np.float64)
    except (ArithmeticError, ValueError):
        return np.asarray(math.nan)


def _length(vector: Floats) -> float:
    return math.hypot(*np.atleast_1d(vector).tolist())  # hypot does not overflow early
