"""Thinned curves draw what the whole ones do."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.plots.counting_axes import kept_points


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=400), st.booleans())
def test_each_stretch_keeps_its_ends_and_its_extremes(numbers: list[int], log: bool) -> None:
    values = np.array(numbers)
    places = kept_points(values, log=log, bins=8)
    assert (np.diff(places) > 0).all()
    assert len(places) <= max(32, 4 * 8)
    assert places[0] == 0
    assert places[-1] == len(values) - 1
    assert values[places].min() == values.min()
    assert values[places].max() == values.max()


@given(st.integers(1, 500), st.integers(0, 499))
def test_no_peak_is_lost(n: int, place: int) -> None:
    values = np.zeros(n)
    values[place % n] = 1.0
    assert place % n in kept_points(values, bins=5)
