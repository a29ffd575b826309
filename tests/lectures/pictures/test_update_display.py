"""`UpdateDisplay` draws the vectors of an update in a trace."""

import numpy as np
import pytest

from rosenblatt import InputError, trace
from rosenblatt.lectures.pictures import UpdateDisplay
from rosenblatt.lectures.trace import worked_example


def test_arrows_show_the_weights_and_the_sample() -> None:
    run = worked_example()
    visit = [visit for visit in run if visit.update][1]
    display = UpdateDisplay.from_trace(run, update=2)
    arrows = display.vectors_
    assert arrows["before"].xy == visit.weights_before[1:]
    assert arrows["after"].xy == visit.weights_after[1:]
    assert arrows["added"].get_position() == visit.weights_before[1:]
    assert arrows["added"].xy == visit.weights_after[1:]
    assert display.added.tolist() == list(visit.sample[1:])
    lines = {line.get_label(): line.get_xydata() for line in display.ax_.get_lines()}
    for name, weights in (("before", visit.weights_before), ("after", visit.weights_after)):
        line = lines[f"separator {name}"]
        np.testing.assert_allclose(line @ weights[1:] + weights[0], 0.0, atol=1e-12)
    (ring,) = (one for one in display.ax_.collections if one.get_label() == "the sample x")
    np.testing.assert_array_equal(
        ring.get_offsets()[0], np.divide(visit.sample[1:], visit.sample[0])
    )
    assert (
        display.ax_.get_legend().get_title().get_text()
        == "intercept 0 → -1\n(not part of the vectors)"
    )
    assert display.ax_.get_aspect() == 1.0


def test_weights_of_zero_have_no_arrow_and_no_separator() -> None:
    display = UpdateDisplay.from_trace(worked_example(fit_intercept=False), update=1)
    assert sorted(display.vectors_) == ["added", "after"]
    labels = [line.get_label() for line in display.ax_.get_lines()]
    assert "separator after" in labels
    assert "separator before" not in labels


def test_the_legend_shows_the_rate() -> None:
    display = UpdateDisplay.from_trace(trace([[3, 3], [1, 1]], [1, -1], eta0=0.5), update=1)
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert "0.5·y·x = (1.5, 1.5)" in texts


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]),  # the first update adds (0, 0)
        ([[3, 3], [4, 3], [1, 1]], [1, 1, -1]),
        ([[0.01, 0.0], [1.0, 3.0], [5.0, 1.0], [2.0, 4.0], [4.0, 2.0]], [1, 1, -1, 1, -1]),
    ],
)
def test_the_default_update_has_three_visible_arrows(X: list[list[float]], y: list[int]) -> None:
    display = UpdateDisplay.from_trace(trace(X, y, max_iter=1000))
    assert sorted(display.vectors_) == ["added", "after", "before"]
    size = max(np.ptp(display.ax_.get_xlim()), np.ptp(display.ax_.get_ylim()))
    for vector in (display.before[0], display.added, display.after[0]):
        assert np.hypot(*vector) >= 0.015 * size


def test_without_three_visible_arrows_the_default_is_the_best_update() -> None:
    display = UpdateDisplay.from_trace(trace([[3, 3], [1, 1]], [1, 1], fit_intercept=False))
    assert display.ax_.get_title().startswith("update 1 of 1")


def test_invalid_arguments_are_refused() -> None:
    run = worked_example()
    with pytest.raises(
        InputError, match="update=4 is not accepted: use a whole number from 1 to 3"
    ):
        UpdateDisplay.from_trace(run, update=4)
    with pytest.raises(InputError, match="has 3 features: an update can be drawn for two features"):
        UpdateDisplay.from_trace(trace(np.eye(3), [0, 1, 1]))
    with pytest.raises(InputError, match="the trace has no updates"):
        UpdateDisplay.from_trace(trace([[1, 1], [-1, 0]], [1, -1], coef_init=[1, 1]))
