"""Descent of one variable, objectives along a line, and the cards of 1958."""

import numpy as np
import pytest

from rosenblatt import InputError
from rosenblatt.lectures import Mark1, draw_cards, gradient_descent, objectives_along
from rosenblatt.plots import CardsDisplay, DescentDisplay, ObjectivesDisplay

X, y = [[1, 1], [1, -1], [0, -1], [-1, -1], [-1, 1], [0, 1]], [1, 1, 1, -1, -1, -1]


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


def test_a_descent_that_flies_away_is_drawn_as_long_as_it_can_be_seen() -> None:
    descent = gradient_descent(_square, lambda x: 2 * x, 1.0, 2.0)
    display = DescentDisplay.from_descent(descent, _square)
    assert len(display.points) == 12
    assert display.n_more == len(descent.points) - 12
    assert display.ax_.get_title() == f"Gradient descent: 11 steps of {descent.n_steps}"
    assert display.ax_.get_lines()[-1].get_label() == "goes on from here"


def test_objectives_are_a_stair_and_slopes() -> None:
    line = objectives_along(X, y, (1, 0, 0), (0, 2, -1), n_points=11)
    display = ObjectivesDisplay.from_objectives(line)
    stair, slopes = (ax.get_lines()[0] for ax in display.axes_)
    assert stair.get_ydata().tolist() == line.mistakes.tolist()
    assert stair.get_drawstyle() == "steps-mid"
    assert slopes.get_ydata().tolist() == line.criterion.tolist()


def test_cards_are_drawn_with_what_the_machine_said() -> None:
    machine, cards = Mark1(seed=1), draw_cards(np.random.default_rng(1))
    trials = [machine.show(next(cards)) for _ in range(6)]
    display = CardsDisplay.from_cards(trials)
    for ax, trial in zip(display.axes_, trials, strict=True):
        (image,) = ax.get_images()
        assert np.array_equal(image.get_array().ravel(), trial.card.cells)
        assert ax.get_title().endswith(trial.card.side)
        assert ax.get_xlabel().startswith("✓" if trial.is_right else "✗")
    assert display.axes_[0].get_xlabel() == "✗ said nothing"
    assert CardsDisplay.from_cards(trials[4:]).ax_.get_title().startswith("5: ")


def test_the_first_of_endless_cards_are_drawn() -> None:
    display = CardsDisplay.from_cards(draw_cards(np.random.default_rng(0)), most=3)
    assert len(display.axes_) == 3
    assert display.ax_.get_xlabel() == ""


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: DescentDisplay.from_descent(7, _square), "descent is a int"),
        (lambda: DescentDisplay(f=7, points=[1.0], values=[1.0]), "f=7"),
        (lambda: DescentDisplay(f=_square, points=[1.0], values=[]), "a value for each point"),
        (
            lambda: DescentDisplay(f=_square, points=[1.0], values=[np.nan]).plot(),
            "nothing to draw",
        ),
        (lambda: ObjectivesDisplay.from_objectives(7), "objectives is a int"),
        (lambda: ObjectivesDisplay(positions=[0], mistakes=[], criterion=[]), "one of each"),
        (lambda: CardsDisplay.from_cards([]), "at least one"),
        (lambda: CardsDisplay.from_cards([7]), "at least one"),
    ],
)
def test_other_input_is_refused(call: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
