"""Mistakes per epoch, as a picture."""

import time

import numpy as np
import pytest

from rosenblatt import CriterionDescent, InputError, MaxMargin, Perceptron
from rosenblatt.plots import MistakesDisplay

X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"]


def test_the_curve_is_the_history() -> None:
    p = Perceptron().fit(X, y)
    display = MistakesDisplay.from_estimator(p)
    (line,) = display.ax_.get_lines()
    assert np.array_equal(line.get_ydata(), p.history_.mistakes)
    assert np.array_equal(line.get_xdata(), np.arange(1, p.n_iter_ + 1))
    assert display.figure_ is display.ax_.figure
    assert display.ax_.get_legend() is None


def test_beside_a_bound_mistakes_are_summed() -> None:
    p = Perceptron().fit(X, y)
    display = MistakesDisplay.from_history(p.history_, bound=36)
    _, so_far, bound = display.ax_.get_lines()
    assert so_far.get_ydata()[-1] == p.n_mistakes_
    assert set(bound.get_ydata()) == {36}
    assert bound.get_label() == "bound: at most 36 in all"
    assert len(display.ax_.get_legend().get_texts()) == 3


def test_two_million_epochs_are_drawn_at_once_and_no_peak_is_lost() -> None:
    mistakes = np.ones(2_000_000, dtype=np.int64)
    mistakes[1_234_567] = 900
    begun = time.perf_counter()
    display = MistakesDisplay(mistakes=mistakes).plot()
    display.figure_.canvas.draw()
    assert time.perf_counter() - begun < 5
    (line,) = display.ax_.get_lines()
    assert len(line.get_xdata()) <= 4000
    assert max(line.get_ydata()) == 900
    assert display.ax_.get_xscale() == "log"


def test_steps_of_a_descent_are_drawn_on_given_axes_in_a_given_colour() -> None:
    d = CriterionDescent().fit(X, y)
    ax = MistakesDisplay.from_estimator(Perceptron().fit(X, y)).ax_
    display = MistakesDisplay.from_estimator(d, ax=ax, color="red")
    assert display.ax_ is ax
    assert len(ax.get_lines()) == 2
    assert ax.get_lines()[1].get_color() == "red"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: MistakesDisplay.from_estimator(Perceptron()), "has no history"),
        (lambda: MistakesDisplay.from_estimator(MaxMargin().fit(X, y)), "no counts of mistakes"),
        (lambda: MistakesDisplay.from_history(7), "no counts of mistakes"),
        (lambda: MistakesDisplay(mistakes=[]), "at least one"),
        (lambda: MistakesDisplay(mistakes=[1], bound=-1), "bound=-1"),
    ],
)
def test_what_has_no_mistakes_is_refused(call: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_there_is_room_above_counts_that_are_nearly_alike() -> None:
    ax = MistakesDisplay(mistakes=[11_600, 11_700, 11_650]).plot().ax_
    assert ax.get_ylim()[1] >= 1.03 * 11_700
