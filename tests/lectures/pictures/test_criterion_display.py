"""The criterion's surface and the path down it."""

import numpy as np
import pytest

from rosenblatt import (
    CriterionDescent,
    InputError,
    MaxMargin,
    Perceptron,
    perceptron_criterion,
    trace,
)
from rosenblatt.plots import CriterionDisplay

X = [[1, 1], [1, -1], [0, -1], [-1, -1], [-1, 1], [0, 1]]
y = [1, 1, 1, -1, -1, -1]
START = [-3.5, 2.0]


@pytest.mark.parametrize(
    "parameters",
    [{}, {"eta0": 0.3}, {"schedule": "decaying"}, {"start": "random", "random_state": 1}],
)
def test_the_path_of_a_descent_has_the_criteria_of_its_history(
    parameters: dict[str, object],
) -> None:
    given = {} if "start" in parameters else {"coef_init": START}
    d = CriterionDescent(fit_intercept=False, **parameters).fit(X, y, **given)
    display = CriterionDisplay.from_estimator(d, X, y, **given)
    assert np.allclose(display.criteria, [step.criterion for step in d.history_])
    assert display.path[-1].tolist() == d.coef_[0].tolist()
    line = display.ax_.get_lines()[0]
    assert np.array_equal(np.column_stack(line.get_data()), display.path)


def test_a_feature_and_an_intercept_are_two_weights() -> None:
    A, b = [[0.0], [1.0], [2.0], [4.0]], [0, 0, 1, 1]
    d = CriterionDescent().fit(A, b)
    display = CriterionDisplay.from_estimator(d, A, b)
    assert display.ax_.get_ylabel() == "b"
    for weights, value in zip(display.path, display.criteria, strict=True):
        assert value == pytest.approx(perceptron_criterion(weights, A, b).value)


@pytest.mark.parametrize(
    "parameters", [{}, {"unit_length": True}, {"eta0": 0.5, "order": "cyclic"}]
)
def test_the_perceptron_goes_by_single_samples(parameters: dict[str, object]) -> None:
    p = Perceptron(fit_intercept=False, record=True, **parameters).fit(X, y, coef_init=START)
    display = CriterionDisplay.from_estimator(p, X, y)
    assert len(display.path) == p.n_mistakes_ + 1
    assert np.allclose(display.path[0], START)
    assert np.allclose(display.path[-1], p.coef_[0])
    assert display.criteria[-1] == 0.0


def test_a_trace_has_the_same_path_as_its_run() -> None:
    p = Perceptron(fit_intercept=False, record=True, order="cyclic").fit(X, y, coef_init=START)
    run = trace(X, y, fit_intercept=False, coef_init=START)
    assert np.array_equal(
        CriterionDisplay.from_trace(run).path, CriterionDisplay.from_estimator(p, X, y).path
    )
    with_bias = CriterionDisplay.from_trace(trace([[0.0], [1.0]], [0, 1]))
    assert with_bias.samples.tolist() == [[0.0, -1.0], [1.0, 1.0]]


def _fitted(**parameters: object) -> Perceptron:
    return Perceptron(fit_intercept=False, **parameters).fit(X, y)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: CriterionDisplay.from_estimator(CriterionDescent(), X, y), "is not fitted"),
        (
            lambda: CriterionDisplay.from_estimator(CriterionDescent().fit(X, y), X, y),
            "over two weights: use two features and fit_intercept=False",
        ),
        (lambda: CriterionDisplay.from_estimator(_fitted(), X, y), "record=True"),
        (
            lambda: CriterionDisplay.from_estimator(_fitted(record=True), X[::-1], y),
            "ends elsewhere",
        ),
        (
            lambda: CriterionDisplay.from_estimator(
                CriterionDescent(fit_intercept=False).fit(X, y, coef_init=START), X, y
            ),
            "the descent ends elsewhere",
        ),
        (
            lambda: CriterionDisplay.from_estimator(MaxMargin(fit_intercept=False).fit(X, y), X, y),
            "does not go down",
        ),
        (lambda: CriterionDisplay.from_estimator(None, X, y), "a NoneType does not go down"),
        (lambda: CriterionDisplay.from_trace(None), "trace is a NoneType"),
        (
            lambda: CriterionDisplay.from_estimator(_fitted(record=True), [[1, 2, 3]], y),
            r"X has shape \(1, 3\), but 2 features were learned",
        ),
        (
            lambda: CriterionDisplay.from_estimator(
                Perceptron(keep="average").fit([[0], [1], [2]], [0, 1, 2]),
                [[0], [1], [2]],
                [0, 1, 2],
            ),
            "there are 3 classes",
        ),
    ],
)
def test_what_has_no_path_is_refused(call: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
