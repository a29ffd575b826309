"""Gradient descent drawn on a function of one variable."""

import numpy as np
import pytest

from rosenblatt import InputError
from rosenblatt.lectures.gradient_descent import gradient_descent
from rosenblatt.lectures.pictures import DescentDisplay


def _square(x: float) -> float:
    return x * x


def test_the_points_of_a_descent_are_on_its_curve() -> None:
    descent = gradient_descent(_square, lambda x: 2 * x, 2.0, 0.9, max_steps=20)
    display = DescentDisplay.from_descent(descent, _square)
    curve, path, start, end = display.ax_.get_lines()
    assert np.allclose(curve.get_ydata(), np.square(curve.get_xdata()))
    assert path.get_xdata().tolist() == descent.points.tolist()
    assert start.get_xdata()[0] == 2.0
    assert end.get_xdata()[0] == descent.points[-1]
    assert display.ax_.get_title() == "Gradient descent: 20 steps"


def test_only_the_first_points_of_a_diverging_descent_are_drawn() -> None:
    descent = gradient_descent(_square, lambda x: 2 * x, 1.0, 2.0)
    display = DescentDisplay.from_descent(descent, _square)
    assert len(display.points) == 12
    assert display.ax_.get_title() == f"Gradient descent: 11 steps of {descent.n_steps}"
    assert display.ax_.get_lines()[-1].get_label() == "continues from here"


def test_invalid_arguments_are_refused() -> None:
    with pytest.raises(InputError, match="descent is a int"):
        DescentDisplay.from_descent(7, _square)
    plane = gradient_descent(lambda w: w @ w, lambda w: 2 * w, [1.0, 2.0], 0.25)
    with pytest.raises(InputError, match="the descent has several variables"):
        DescentDisplay.from_descent(plane, _square)
