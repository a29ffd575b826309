"""Plots of counts: thinning of long curves, and integer ticks.

A curve of millions of points covers the same pixels as the first, last, lowest and highest point in each
narrow bin of the horizontal axis (U. Jugel and others, M4: a visualization-oriented time series data
aggregation, 2014). No peak is lost.
"""

from typing import TYPE_CHECKING, Literal

import numpy as np

from rosenblatt.core.types import Counts, Numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_BINS = 1000
"""About the width of a figure in pixels; a curve with more than four times as many points is thinned."""

_LONG = 10_000
"""Ticks of longer numbers would touch each other."""


def thinned_indices(values: Numbers, *, log: bool = False, bins: int = MAX_BINS) -> Counts:
    """Return the indices of the points to draw, ascending; all of them if there are few.

    Set ``log`` if the horizontal axis is logarithmic; its values are 1, 2, 3, …

    >>> heights = np.zeros(1_000_000)
    >>> heights[123_456] = 7.0
    >>> indices = thinned_indices(heights)
    >>> len(indices) <= 4 * MAX_BINS, 123_456 in indices, indices[-1].item()
    (True, True, 999999)
    """
    n = len(values)
    if n <= 4 * bins:
        return np.arange(n)
    edges = np.geomspace(1, n + 1, bins + 1) - 1 if log else np.linspace(0, n, bins + 1)
    starts = np.unique(edges[:-1].astype(np.int64))
    ends = np.append(starts[1:], n)
    kept: list[int] = []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        part = values[start:end]
        kept += [start, start + int(part.argmin()), start + int(part.argmax()), end - 1]
    return np.unique(np.array(kept, dtype=np.int64))


def use_integer_ticks(ax: "Axes", axis: Literal["x", "y"]) -> None:
    """Put a few integer ticks on an axis; set its limits first: long numbers need more space."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    target = ax.xaxis if axis == "x" else ax.yaxis
    limits = ax.get_xlim() if axis == "x" else ax.get_ylim()
    n_ticks = 8 if max(map(abs, limits)) < _LONG else 5
    # Without min_n_ticks, an axis with a single integer would have ticks at fractions.
    locator = MaxNLocator(nbins=n_ticks, steps=[1, 2, 5, 10], integer=True, min_n_ticks=1)
    target.set_major_locator(locator)
    target.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
