"""A picture of Cover's theorem: the share of labelings that hyperplanes can produce."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from rosenblatt.core.checks import whole_number
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats
from rosenblatt.lectures.counting import separable_fraction
from rosenblatt.plots.style import faint, figure_and_axes, ink, legend, line_style, set_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_CURVE_POINTS = 240
"""About how many points a smooth curve needs."""


@dataclass(kw_only=True, eq=False, repr=False)
class CapacityDisplay:
    """The share of all labelings of P points in N dimensions that hyperplanes through 0 can produce.

    For points in general position it is C(P, N)/2^P (Cover's theorem): 1 up to P = N and exactly one
    half at P = 2N. The larger N is, the steeper the drop from 1 to 0.

    Parameters
    ----------
    dimensions : list of int
        The values of N, one curve each.
    ratios, shares : lists of arrays, one for each N
        The values of P/N, up to 4, and the share at each.

    Attributes
    ----------
    ax_, figure_
        Matplotlib's axes and figure.

    Examples
    --------
    >>> from rosenblatt.lectures.pictures import CapacityDisplay
    >>> display = CapacityDisplay.from_dimensions([5, 20])
    >>> [share[ratio == 2.0].item() for ratio, share in zip(display.ratios, display.shares)]
    [0.5, 0.5]
    """

    dimensions: list[int]
    ratios: list[Floats]
    shares: list[Floats]

    @classmethod
    def from_dimensions(cls, dimensions: Iterable[int], *, ax: "Axes | None" = None) -> Self:
        """Count the labelings exactly, and draw one curve per number of dimensions."""
        checked = [whole_number("dimensions", n, 1, 10_000) for n in dimensions]
        if not checked:
            raise InputError("dimensions is empty: give at least one number")
        ratios, shares = [], []
        for n in checked:
            step = max(1, 4 * n // _CURVE_POINTS)
            points = np.union1d(np.arange(1, 4 * n + 1, step), [n, 2 * n, 4 * n])
            ratios.append(points / n)
            shares.append(np.array([float(separable_fraction(p, n)) for p in points.tolist()]))
        return cls(dimensions=checked, ratios=ratios, shares=shares).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        self.figure_: Figure | SubFigure
        self.figure_, self.ax_ = figure_and_axes(ax)
        ax = self.ax_
        for k, n in enumerate(self.dimensions):
            color, dashes = line_style(ax, k)
            ax.plot(
                self.ratios[k], self.shares[k], color=color, linestyle=dashes, label=f"N = {n:,}"
            )
        ax.axvline(2.0, color=faint(ax), linewidth=1, zorder=0)
        ax.axhline(0.5, color=faint(ax), linewidth=1, zorder=0)
        ax.plot([2.0], [0.5], marker="o", markersize=7, color=ink(ax), linestyle="none", zorder=5)
        ax.text(2.06, 0.53, "P = 2N: exactly half", color=ink(ax))
        ax.set(xlim=(0.0, 4.05), ylim=(-0.03, 1.05))
        title = "How many labelings hyperplanes can produce"
        set_labels(ax, "points per dimension, P/N", "share of all labelings, C(P, N)/2^P", title)
        legend(ax, loc="upper right")
        return self
