"""Gradient descent of a function of one variable, as lectures introduce it.

Guess a point; the direction is minus the slope there, the step a number h > 0; the next point is x -
h·f'(x); stop where the slope is about 0. Small steps are many, large ones jump too far: both can be seen
in what is returned. That the slope is 0 says nothing about which kind of point it is: from the top of a
hill nothing moves either.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from rosenblatt.core.checks import number, positive, whole
from rosenblatt.core.types import Floats

# A slope or a point this many times as large as the first ones will not come back.
_FAR = 1e9


class DescentOutcome(Enum):
    """Why a descent stopped.

    >>> print(DescentOutcome.STATIONARY)
    STATIONARY: the slope is about 0
    """

    STATIONARY = "the slope is about 0"
    DIVERGED = (
        "the slope grows instead of falling to 0, or is no number any more: the step is too large, or "
        "the function falls without end"
    )
    BUDGET = (
        "the steps allowed ended before the slope was about 0: the step is too small, or so large that "
        "it jumps to and fro, or the function falls without end"
    )

    @property
    def sentence(self) -> str:
        """The sentence that explains this outcome."""
        return str(self.value)

    def __str__(self) -> str:
        return f"{self.name}: {self.value}"


@dataclass(frozen=True, eq=False)
class Descent:
    """The points of a descent, first to last, the function and its slope there, and why it stopped.

    >>> descent = gradient_descent(lambda x: x**2, lambda x: 2 * x, start=1.0, step=0.25)
    >>> descent.points[:4], descent.outcome.name
    (array([1.   , 0.5  , 0.25 , 0.125]), 'STATIONARY')
    """

    points: Floats
    values: Floats
    slopes: Floats
    step: float
    outcome: DescentOutcome

    @property
    def n_steps(self) -> int:
        """How many steps were made."""
        return len(self.points) - 1

    @property
    def sentence(self) -> str:
        """How it ended, in words."""
        return (
            f"{self.n_steps} steps to x = {self.points[-1]:.6g}, where the slope is "
            f"{self.slopes[-1]:.6g}: {self.outcome.sentence}"
        )

    def __str__(self) -> str:
        return self.sentence


def gradient_descent(
    f: Callable[[float], float],
    derivative: Callable[[float], float],
    start: float,
    step: float,
    *,
    tolerance: float = 1e-6,
    max_steps: int = 1000,
) -> Descent:
    """Follow the slope of f downhill from a start, with steps of ``step`` times the slope.

    Stops where the slope is at most the ``tolerance``, where point or slope have grown a thousand
    million times or are no numbers any more, or after ``max_steps``; a descent that ends with a larger
    slope than it began with, at a higher value, has diverged too.

    Parameters
    ----------
    f, derivative : functions of a float
        The function and its derivative.
    start : float
        The first guess.
    step : float
        The step h above 0, the learning rate.
    tolerance : float, default=1e-6
        The slope, without its sign, that is about 0.
    max_steps : int, default=1000
        The most steps.

    Returns
    -------
    Descent

    Examples
    --------
    >>> from rosenblatt.lectures import gradient_descent
    >>> print(gradient_descent(lambda x: x**2, lambda x: 2 * x, start=1.0, step=0.25))
    21 steps to x = 4.76837e-07, where the slope is 9.53674e-07: the slope is about 0
    >>> print(gradient_descent(lambda x: x**2, lambda x: 2 * x, start=1.0, step=1e-4).outcome.name)
    BUDGET
    """
    x = number("start", start, "a finite number")
    rate, small = positive("step", step), positive("tolerance", tolerance)
    budget = whole("max_steps", max_steps, 0)
    points, values, slopes = [x], [_called(f, x)], [_called(derivative, x)]
    far = _FAR * max(1.0, abs(x), abs(slopes[0]))
    outcome = DescentOutcome.BUDGET
    while True:
        if abs(slopes[-1]) <= small:
            outcome = DescentOutcome.STATIONARY
            break
        # NaN is not below anything.
        if not (abs(x) < far and abs(slopes[-1]) < far and abs(values[-1]) < math.inf):
            outcome = DescentOutcome.DIVERGED
            break
        if len(points) > budget:
            grows = abs(slopes[-1]) > abs(slopes[0]) and values[-1] > values[0]
            outcome = DescentOutcome.DIVERGED if grows else outcome
            break
        x -= rate * slopes[-1]
        points.append(x)
        values.append(_called(f, x))
        slopes.append(_called(derivative, x))
    return Descent(np.array(points), np.array(values), np.array(slopes), rate, outcome)


def _called(function: Callable[[float], float], x: float) -> float:
    """Return a function's value, NaN where it has none: beyond float64, or outside its domain."""
    try:
        value = function(x)
        return math.nan if isinstance(value, complex) else float(value)
    except (ArithmeticError, ValueError):
        return math.nan
