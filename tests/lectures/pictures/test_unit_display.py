"""Diagrams of threshold units."""

from fractions import Fraction

import numpy as np
import pytest

from rosenblatt import InputError, Perceptron
from rosenblatt.lectures.pictures import UnitDisplay
from rosenblatt.lectures.units import ThresholdUnit

X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"]


def _texts(display: UnitDisplay) -> list[str]:
    return [text.get_text() for text in display.ax_.texts]


def test_lines_show_the_sign_and_size_of_weights() -> None:
    display = UnitDisplay.from_unit(ThresholdUnit([3, Fraction(1, 2), -2, 0], 1))
    widths = [line.get_linewidth() for line in display.ax_.get_lines()]
    colors = [line.get_color() for line in display.ax_.get_lines()]
    dashes = [line.get_linestyle() for line in display.ax_.get_lines()]
    assert widths[0] > widths[2] > widths[1] > widths[3] - 1e-9
    assert colors[0] == colors[1] != colors[2]
    assert dashes[0] == dashes[1] == "-"
    assert dashes[2] == dashes[3] == "--"
    texts = _texts(display)
    assert {"x1", "x4", "3", "1/2", "−2", "0", "Σ"} <= set(texts)
    assert "1 if sum ≥ 1\n0 otherwise" in texts


def test_the_text_names_the_outputs_of_the_unit() -> None:
    display = UnitDisplay.from_unit(ThresholdUnit([0.3, -0.1], 0, outputs=(-1, 1)))
    assert "1 if sum ≥ 0\n−1 otherwise" in _texts(display)
    assert "0.3" in _texts(display)


def test_the_intercept_is_drawn_as_the_weight_of_1() -> None:
    p = Perceptron().fit(X, y)
    display = UnitDisplay.from_estimator(p, names=["left", "right"])
    assert display.names == ["left", "right", "1"]
    assert display.weights.tolist() == [*p.coef_[0], p.intercept_[0]]
    assert "yes if sum ≥ 0\nno otherwise" in _texts(display)
    p = Perceptron(fit_intercept=False, ties="negative").fit([[1, 2], [-1, 0]], ["yes", "no"])
    display = UnitDisplay.from_estimator(p)
    assert display.names == ["x1", "x2"]
    assert display.condition == "sum > 0"


def test_only_the_largest_of_many_weights_are_drawn() -> None:
    weights = np.arange(1, 31) * np.where(np.arange(30) % 2, 1, -1)
    display = UnitDisplay.from_unit(ThresholdUnit(weights.tolist(), 0))
    assert display.names == [f"x{k}" for k in range(19, 31)]
    assert "… 18 more with smaller weights" in _texts(display)


def test_one_of_several_classes_is_selected_by_label() -> None:
    p = Perceptron().fit([[0, 0], [0, 5], [5, 0]], ["a", "b", "c"])
    display = UnitDisplay.from_estimator(p, label="b")
    assert display.weights[:-1].tolist() == p.coef_[1].tolist()
    assert "b if sum ≥ 0\nnot b otherwise" in _texts(display)
    with pytest.raises(InputError, match=r"use one of \['a', 'b', 'c'\]"):
        UnitDisplay.from_estimator(p)


def test_a_learner_with_a_single_label() -> None:
    p = Perceptron(fit_intercept=False).fit([[1, 2], [2, -1]], [1, 1])
    assert UnitDisplay.from_estimator(p).outputs == ("not 1", "1")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: UnitDisplay.from_unit(7), "unit is a int"),
        (lambda: UnitDisplay.from_estimator(Perceptron()), "has not learned anything yet"),
        (lambda: UnitDisplay.from_estimator(Perceptron(keep="vote").fit(X, y)), "keep='vote'"),
        (lambda: UnitDisplay.from_unit(ThresholdUnit([1], 1), names=["a", "b"]), "names has 2"),
        (lambda: UnitDisplay.from_estimator(Perceptron().fit(X, y), label="yes"), "label='yes'"),
    ],
)
def test_invalid_arguments_are_refused(call: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
