"""A traced run in the plane."""

import numpy as np
import pytest

from rosenblatt import InputError, trace
from rosenblatt.lectures.pictures import TraceDisplay
from rosenblatt.lectures.trace import worked_example

X = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0], [0.0, 2.0]])
y = np.array(["right", "right", "left", "left"])
XOR = [[0, 0], [0, 1], [1, 0], [1, 1]]


def _texts(display: TraceDisplay) -> list[str]:
    return [text.get_text() for text in display.legend_.get_texts()]


def test_a_trace_shows_its_samples_and_lines() -> None:
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
    for line, own in zip(lines, [w for w in weights if any(w[1:])], strict=True):
        np.testing.assert_allclose(line.get_xydata() @ own[1:] + own[0], 0.0, atol=1e-12)


def test_a_trace_that_is_cut_off_says_so() -> None:
    display = TraceDisplay.from_trace(worked_example(max_iter=1))
    assert display.ax_.get_title() == "2 updates in 1 epoch: mistakes in the last one"


def test_a_trace_without_updates_or_through_the_origin_is_drawn() -> None:
    still = trace(X, y, coef_init=[1, 1], intercept_init=-4)
    assert TraceDisplay.from_trace(still).earlier_ == []
    through = TraceDisplay.from_trace(worked_example(fit_intercept=False))
    assert _texts(through)[:2] == ["-1", "1"]
    np.testing.assert_array_equal(through.view.points[3], [-1, -1])  # as it is, not negated
    assert through.margin > 0.0
    one_label = TraceDisplay.from_trace(trace(X, ["only"] * len(X), fit_intercept=False))
    assert _texts(one_label)[0] == "only"


def test_weights_of_zero_decide_nothing() -> None:
    run = trace(XOR, [0, 1, 1, 0], max_iter=10)
    assert not any(run.weights)
    display = TraceDisplay.from_trace(run)
    assert display.regions_ == []
    assert display.separator_ is None
    assert display.mistakes.tolist() == [0, 1, 2, 3]


def test_a_separator_beside_the_samples_is_in_the_picture() -> None:
    display = TraceDisplay.from_trace(trace([[1, 1], [1, 2]], ["a", "a"], fit_intercept=False))
    assert display.separator_ is not None
    assert display.ax_.get_ylim()[0] < display.separator_.get_ydata().max() < 2.5


def test_only_traces_are_drawn() -> None:
    with pytest.raises(InputError, match=r"what rosenblatt\.trace returned"):
        TraceDisplay.from_trace([])
