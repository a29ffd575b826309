"""Thinned curves keep the ends and the extremes of full ones."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.plots.counting_axes import thinned_indices, use_integer_ticks
from rosenblatt.plots.style import figure_and_axes


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=400), st.booleans())
def test_thinned_curves_keep_their_ends_and_extremes(numbers: list[int], log: bool) -> None:
    values = np.array(numbers)
    indices = thinned_indices(values, log=log, bins=8)
    assert (np.diff(indices) > 0).all()
    assert len(indices) <= max(32, 4 * 8)
    assert indices[0] == 0
    assert indices[-1] == len(values) - 1
    assert values[indices].min() == values.min()
    assert values[indices].max() == values.max()


@given(st.integers(1, 500), st.integers(0, 499))
def test_no_peak_is_lost(n: int, peak: int) -> None:
    values = np.zeros(n)
    values[peak % n] = 1.0
    assert peak % n in thinned_indices(values, bins=5)


@pytest.mark.parametrize("largest", [1, 8, 900, 40_000, 790_000, 16_000_000])
def test_labels_of_ticks_do_not_touch(largest: int) -> None:
    figure, ax = figure_and_axes(None, size=(4.5, 3))
    ax.set_xlim(0, largest)
    use_integer_ticks(ax, "x")
    figure.canvas.draw()
    labels = [tick.label1 for tick in ax.xaxis.get_major_ticks() if tick.label1.get_text()]
    boxes = [label.get_window_extent() for label in labels]
    assert len(boxes) >= 2
    assert all(one.x1 + 2 < other.x0 for one, other in pairwise(boxes))
