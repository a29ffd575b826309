"""Pictures of traced runs."""

import numpy as np
import pytest

from rosenblatt import InputError, trace
from rosenblatt.lectures.pictures import TraceDisplay
from rosenblatt.lectures.trace import worked_example

X = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0], [0.0, 2.0]])
y = np.array(["right", "right", "left", "left"])
XOR = [[0, 0], [0, 1], [1, 0], [1, 1]]


def _legend_texts(display: TraceDisplay) -> list[str]:
    return [text.get_text() for text in display.legend_.get_texts()]


def test_samples_and_separators_of_a_trace() -> None:
    run = worked_example()
    display = TraceDisplay.from_trace(run)
    np.testing.assert_array_equal(
        display.view.points, [[1, 1], [1, -1], [0, -1], [-1, -1], [-1, 1], [0, 1]]
    )
    assert display.codes.tolist() == [1, 1, 1, 0, 0, 0]
    np.testing.assert_array_equal(display.view.coef, [run.weights[1:]])
    weights = [visit.weights_before for visit in run if visit.update]
    lines = [line for line in display.earlier_ if line is not None]
    assert len(lines) == sum(any(w[1:]) for w in weights)
    for line, w in zip(lines, [w for w in weights if any(w[1:])], strict=True):
        np.testing.assert_allclose(line.get_xydata() @ w[1:] + w[0], 0.0, atol=1e-12)


def test_the_title_states_that_a_run_was_stopped() -> None:
    display = TraceDisplay.from_trace(worked_example(max_iter=1))
    assert display.ax_.get_title() == "2 updates in 1 epoch: mistakes in the last one"


def test_traces_without_updates_or_without_intercept() -> None:
    no_updates = trace(X, y, coef_init=[1, 1], intercept_init=-4)
    assert TraceDisplay.from_trace(no_updates).earlier_ == []
    through = TraceDisplay.from_trace(worked_example(fit_intercept=False))
    assert _legend_texts(through)[:2] == ["-1", "1"]
    np.testing.assert_array_equal(through.view.points[3], [-1, -1])  # not negated
    assert through.margin > 0.0
    one_label = TraceDisplay.from_trace(trace(X, ["only"] * len(X), fit_intercept=False))
    assert _legend_texts(one_label)[0] == "only"


def test_weights_of_zero_have_no_regions() -> None:
    run = trace(XOR, [0, 1, 1, 0], max_iter=10)
    assert not any(run.weights)
    display = TraceDisplay.from_trace(run)
    assert display.regions_ == []
    assert display.separator_ is None
    assert display.mistakes.tolist() == [0, 1, 2, 3]


def test_the_picture_contains_a_separator_near_the_samples() -> None:
    display = TraceDisplay.from_trace(trace([[1, 1], [1, 2]], ["a", "a"], fit_intercept=False))
    assert display.separator_ is not None
    assert display.ax_.get_ylim()[0] < display.separator_.get_ydata().max() < 2.5


def test_other_objects_are_refused() -> None:
    with pytest.raises(InputError, match=r"give the result of rosenblatt\.trace"):
        TraceDisplay.from_trace([])


def test_weights_of_zero_with_an_intercept_have_one_color_and_get_some_samples_right() -> None:
    run = trace([[1, 1], [1, 1], [0, 0]], [0, 1, 1], max_iter=1)
    assert run.weights == (1.0, 0.0, 0.0)
    display = TraceDisplay.from_trace(run)
    filled = [region for region in display.regions_ if region is not None]
    assert len(filled) == 1
    low, high = filled[0].get_xy().min(axis=0), filled[0].get_xy().max(axis=0)
    assert (low.tolist(), high.tolist()) == (
        [display.ax_.get_xlim()[0], display.ax_.get_ylim()[0]],
        [display.ax_.get_xlim()[1], display.ax_.get_ylim()[1]],
    )
    assert display.mistakes.tolist() == [0]
