"""Axes that count: few points that draw the same curve as many, and ticks at integers.

A curve of millions of points covers the same pixels as a few of them: the first, last, lowest and
highest point in each narrow bin of the horizontal axis (U. Jugel and others, M4: a
visualization-oriented time series data aggregation, 2014). So no peak is lost.
"""

from typing import TYPE_CHECKING, Literal

import numpy as np

from rosenblatt.core.types import Counts, Numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BINS = 1000
"""About the width of a figure in pixels; a curve with more than four times as many points is thinned."""


def kept_points(values: Numbers, *, log: bool = False, bins: int = MOST_BINS) -> Counts:
    """Return the places of the points to draw, in order; all if there are few.

    With ``log`` the horizontal axis, on which the points are at 1, 2, 3, …, is logarithmic.

    >>> heights = np.zeros(1_000_000)
    >>> heights[123_456] = 7.0
    >>> places = kept_points(heights)
    >>> len(places) <= 4 * MOST_BINS, 123_456 in places, places[-1].item()
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


def count_on(ax: "Axes", axis: Literal["x", "y"]) -> None:
    """Label an axis with a few integers."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    own = ax.xaxis if axis == "x" else ax.yaxis
    own.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 5, 10], integer=True))
    own.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
