"""Cover's transition: how many labelings of samples a hyperplane gives."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.core.checks import number, whole
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats
from rosenblatt.lectures.counting import separable_fraction
from rosenblatt.plots.style import faint, figure_and_axes, ink, legend, line_style, set_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# About as many points draw a curve that is smooth.
_MOST_POINTS = 240

# Up to this many points each has a dot.
_MOST_DOTS = 30


class CapacityDisplay:
    """The share of all labelings of P samples in N dimensions that hyperplanes through the origin give.

    It is C(P, N)/2^P, for samples in general position (Cover's theorem): 1 up to P = N, exactly one half
    at P = 2N for every N, and the fall from 1 to 0 is the steeper, the larger N is.

    Parameters
    ----------
    dimensions : list of int
        The numbers N.
    ratios, shares : lists of arrays, one for each N
        The numbers P/N, and the share for each.

    Attributes
    ----------
    ax_, figure_
        Matplotlib's axes and figure, once it is drawn.

    Examples
    --------
    >>> from rosenblatt.plots import CapacityDisplay
    >>> display = CapacityDisplay.from_dimensions([5, 20])
    >>> [share[ratio == 2.0].item() for ratio, share in zip(display.ratios, display.shares)]
    [0.5, 0.5]
    >>> display.ax_.get_legend().get_texts()[0].get_text()
    'N = 5'
    """

    ax_: "Axes"
    figure_: "Figure | SubFigure"

    def __init__(
        self, *, dimensions: list[int], ratios: list[Floats], shares: list[Floats]
    ) -> None:
        if not len(dimensions) == len(ratios) == len(shares) > 0:
            raise InputError(
                f"dimensions has {len(dimensions)} numbers, ratios {len(ratios)} arrays and shares "
                f"{len(shares)}: give one of each for each curve, at least one"
            )
        self.dimensions, self.ratios, self.shares = dimensions, ratios, shares

    @classmethod
    def from_dimensions(
        cls,
        dimensions: Iterable[int],
        *,
        most: float = 4.0,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> Self:
        """Count the labelings exactly, and draw a curve for each number of dimensions.

        Parameters
        ----------
        dimensions : row of int
            The numbers N of dimensions; an intercept counts as one.
        most : float, default=4.0
            The largest P/N.
        ax : Matplotlib axes, or None, default=None
            Where to draw; None is a new figure.
        **kwargs
            For Matplotlib's `plot`, which draws the curves.
        """
        number("most", most, "a number from 2 to 100", least=2.0, most=100.0)
        try:
            listed = list(dimensions)
        except TypeError as error:
            raise InputError(
                f"dimensions={dimensions!r} is not accepted: give whole numbers in a row"
            ) from error
        each = [whole("dimensions", one, 1, 10_000) for one in listed]
        ratios, shares = [], []
        for n in each:
            points = _points(n, int(most * n))
            ratios.append(points / n)
            shares.append(np.array([float(separable_fraction(p, n)) for p in points.tolist()]))
        return cls(dimensions=each, ratios=ratios, shares=shares).plot(ax, **kwargs)

    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        self.figure_, self.ax_ = figure_and_axes(ax)
        ax = self.ax_
        for k, n in enumerate(self.dimensions):
            style = line_style(ax, k)
            own: dict[str, Any] = {
                "color": style.color,
                "linestyle": style.dashes,
                "linewidth": 1.8,
            }
            if len(self.ratios[k]) <= _MOST_DOTS:
                own |= {"marker": "o", "markersize": 3.5}
            ax.plot(self.ratios[k], self.shares[k], label=f"N = {n:,}", **{**own, **kwargs})
        grey = faint(ax)
        ax.axvline(2.0, color=grey, linewidth=1, zorder=0)
        ax.axhline(0.5, color=grey, linewidth=1, zorder=0)
        ax.plot([2.0], [0.5], marker="o", markersize=7, color=ink(ax), linestyle="none", zorder=5)
        ax.annotate(
            "P = 2N: exactly half",
            (2.0, 0.5),
            xytext=(10, 8),
            textcoords="offset points",
            color=ink(ax),
        )
        ax.set_ylim(-0.03, 1.05)
        ax.set_xlim(left=0.0)
        title = "How many labelings a hyperplane gives"
        set_labels(ax, "samples per dimension, P/N", "share of all labelings, C(P, N)/2^P", title)
        legend(ax, loc="upper right")
        return self


def _points(n: int, most: int) -> Any:
    """Return the numbers of points to count for; 2n is among them."""
    step = max(1, most // _MOST_POINTS)
    return np.union1d(np.arange(1, most + 1, step), [n, 2 * n, most])
