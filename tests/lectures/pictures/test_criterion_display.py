"""The surface of the criterion, and a path down it."""

import numpy as np
import pytest

from rosenblatt import InputError, Perceptron, trace
from rosenblatt.lectures.criterion import perceptron_criterion
from rosenblatt.lectures.gradient_descent import Descent, gradient_descent
from rosenblatt.lectures.pictures import CriterionDisplay

X = [[1, 1], [1, -1], [0, -1], [-1, -1], [-1, 1], [0, 1]]
y = [1, 1, 1, -1, -1, -1]
START = [-3.5, 2.0]


def descent_of(X: object, y: object, start: list[float], step: float) -> Descent:
    return gradient_descent(
        lambda w: perceptron_criterion(w, X, y).value,
        lambda w: perceptron_criterion(w, X, y).gradient,
        start,
        step,
    )


@pytest.mark.parametrize("step", [1.0, 0.3])
def test_the_path_of_a_descent(step: float) -> None:
    descent = descent_of(X, y, START, step)
    display = CriterionDisplay.from_descent(descent, X, y)
    assert np.allclose(display.criteria, descent.values)
    line = display.ax_.get_lines()[0]
    assert np.array_equal(np.column_stack(line.get_data()), descent.points)


def test_the_second_weight_may_be_the_intercept() -> None:
    A, b = [[0.0], [1.0], [2.0], [4.0]], [0, 0, 1, 1]
    descent = descent_of(A, b, [0.0, 0.0], 1.0)
    display = CriterionDisplay.from_descent(descent, A, b)
    assert display.ax_.get_ylabel() == "b"
    assert np.allclose(display.criteria, descent.values)


def test_the_path_of_a_trace() -> None:
    p = Perceptron(fit_intercept=False, order="cyclic").fit(X, y, coef_init=START)
    display = CriterionDisplay.from_trace(trace(X, y, fit_intercept=False, coef_init=START))
    assert len(display.path) == p.n_mistakes_ + 1
    assert display.path[0].tolist() == START
    assert display.path[-1].tolist() == p.coef_[0].tolist()
    assert display.criteria[-1] == 0.0
    with_intercept = CriterionDisplay.from_trace(trace([[0.0], [1.0]], [0, 1]))
    assert with_intercept.samples.tolist() == [[0.0, -1.0], [1.0, 1.0]]


def test_two_features_and_an_intercept() -> None:
    A, b = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    run = trace(A, b)
    display = CriterionDisplay.from_trace(run)
    assert display.path[-1].tolist() == [*run.weights[1:], run.weights[0]]
    # At its last weights the run misclassifies nothing, with its intercept only.
    assert display.criteria[-1] == 0.0
    assert perceptron_criterion(display.path[-1], A, b).n_mistakes == 0
    assert perceptron_criterion(display.path[-1, :2], A, b).n_mistakes > 0
    for weights, value in zip(display.path, display.criteria, strict=True):
        assert value == pytest.approx(perceptron_criterion(weights, A, b).value)
    title = display.ax_.get_title()
    assert title.endswith(f"at the path's last intercept, b = {run.weights[0]:.4g}")
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("w1", "w2")
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert "no sample is misclassified: E(w) = 0" in texts
    down = descent_of(A, b, [1.0, 0.0, 0.0], 1.0)
    assert np.allclose(CriterionDisplay.from_descent(down, A, b).criteria, down.values)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: CriterionDisplay.from_descent(None, X, y), "descent is a NoneType"),
        (lambda: CriterionDisplay.from_trace(None), "trace is a NoneType"),
        (lambda: CriterionDisplay.from_trace(trace(np.eye(3), [0, 1, 1])), "over two weights"),
        (
            lambda: CriterionDisplay.from_trace(trace([[1], [2]], [1, 1], fit_intercept=False)),
            "over two weights",
        ),
    ],
)
def test_invalid_arguments_are_refused(call: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
