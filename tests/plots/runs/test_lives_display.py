"""Lives of hypotheses, as a picture."""

import numpy as np
import pytest

from bundled import sonar_arrays
from rosenblatt import InputError, Perceptron
from rosenblatt.plots import LivesDisplay

X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"]


def test_the_bars_are_the_lives_and_sum_to_all_visits() -> None:
    p = Perceptron(keep="vote").fit(X, y)
    display = LivesDisplay.from_estimator(p)
    assert len(display.lifetimes) == p.n_mistakes_ + 1
    assert display.lifetimes.sum() == len(X) * p.n_iter_
    assert [bar.get_height() for bar in display.ax_.patches] == display.lifetimes.tolist()
    # The last hypothesis survives the last epoch, which makes no mistake.
    assert display.lifetimes[-1] >= len(X)


def test_many_lives_are_one_curve_whose_longest_is_named() -> None:
    p = Perceptron(keep="vote", max_iter=10).fit(*sonar_arrays())
    display = LivesDisplay.from_estimator(p)
    curve, _ = display.ax_.get_lines()
    longest = display.lifetimes.max()
    assert curve.get_ydata().max() == longest
    assert f"{longest} visits" in display.ax_.get_legend().get_texts()[0].get_text()


def test_one_of_several_classes_is_named() -> None:
    p = Perceptron(keep="vote").fit([[0, 0], [0, 5], [5, 0]], ["a", "b", "c"])
    lives = [LivesDisplay.from_estimator(p, label=label).lifetimes for label in "abc"]
    assert sum(len(one) - 1 for one in lives) == p.n_mistakes_
    with pytest.raises(
        InputError, match=r"label=None is not accepted: give one of \['a', 'b', 'c'\]"
    ):
        LivesDisplay.from_estimator(p)


def test_a_stream_has_lives_too() -> None:
    p = Perceptron(keep="vote")
    for _ in range(3):
        p.partial_fit(X, y, classes=["no", "yes"])
    assert LivesDisplay.from_estimator(p).lifetimes.sum() == 3 * len(X)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: LivesDisplay.from_estimator(Perceptron().fit(X, y)), "keep='vote'"),
        (lambda: LivesDisplay.from_estimator(Perceptron(keep="vote")), "no record of a vote"),
        (lambda: LivesDisplay(lifetimes=np.zeros((2, 2))), r"shape \(2, 2\)"),
    ],
)
def test_what_has_no_lives_is_refused(call: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
