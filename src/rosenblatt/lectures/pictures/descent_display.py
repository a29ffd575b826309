"""Gradient descent of one variable, on the curve of its function."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.core.checks import whole
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats
from rosenblatt.lectures.one_variable import Descent, DescentOutcome
from rosenblatt.plots.style import (
    faint,
    figure_and_axes,
    ink,
    legend,
    line_style,
    set_labels,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_CURVE_POINTS = 400

# How many points are drawn, and how many of a descent that flies away.
_MOST, _FLIGHT = 50, 12


class DescentDisplay:
    """A function of one variable, and the points that gradient descent visits on it.

    Each step goes against the slope, by the step size times it. Where that is too far, the points jump
    across the valley, or out of it.

    Parameters
    ----------
    f : function of a number
        The function.
    points, values : arrays of the same length
        The points of the descent, and the function's values there.
    n_more : int, default=0
        How many points the descent has after these.

    Attributes
    ----------
    ax_, figure_
        Matplotlib's axes and figure, once it is drawn.

    Examples
    --------
    >>> from rosenblatt.lectures import gradient_descent
    >>> from rosenblatt.plots import DescentDisplay
    >>> descent = gradient_descent(lambda x: x * x, lambda x: 2 * x, start=2.0, step=0.25)
    >>> display = DescentDisplay.from_descent(descent, lambda x: x * x)
    >>> display.ax_.get_title()
    'Gradient descent: 22 steps'
    """

    ax_: "Axes"
    figure_: "Figure | SubFigure"

    def __init__(
        self,
        *,
        f: Callable[[float], float],
        points: Any,
        values: Any,
        n_more: int = 0,
    ) -> None:
        if not callable(f):
            raise InputError(f"f={f!r} is not accepted: give the function that was descended")
        self.f, self.n_more = f, n_more
        self.points: Floats = np.asarray(points, dtype=np.float64)
        self.values: Floats = np.asarray(values, dtype=np.float64)
        if self.points.shape != self.values.shape or not len(self.points):
            raise InputError(
                f"points has shape {self.points.shape} and values {self.values.shape}: give a value for "
                "each point, at least one"
            )

    @classmethod
    def from_descent(
        cls,
        descent: Descent,
        f: Callable[[float], float],
        *,
        most: int | None = None,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> Self:
        """Draw a descent on the curve of its function.

        Parameters
        ----------
        descent : Descent
            What `rosenblatt.lectures.gradient_descent` returns.
        f : function of a number
            The function that was descended.
        most : int, default=None
            How many points to draw, the first ones. None: 50, or 12 of a descent that has diverged: its
            later points are so far away that nothing else could be seen.
        ax : Matplotlib axes, or None, default=None
            Where to draw; None is a new figure.
        **kwargs
            For Matplotlib's `plot`, which draws the path.
        """
        if not isinstance(descent, Descent):
            raise InputError(
                f"descent is a {type(descent).__name__}: give what gradient_descent returns"
            )
        if most is None:
            most = _FLIGHT if descent.outcome is DescentOutcome.DIVERGED else _MOST
        shown = slice(whole("most", most, 1))
        n_more = max(0, len(descent.points) - most)
        points, values = descent.points[shown], descent.values[shown]
        return cls(f=f, points=points, values=values, n_more=n_more).plot(ax, **kwargs)

    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        self.figure_, self.ax_ = figure_and_axes(ax)
        ax = self.ax_
        finite = np.isfinite(self.points) & np.isfinite(self.values)
        points, values = self.points[finite], self.values[finite]
        if not len(points):
            raise InputError("no point of the descent has a finite value: there is nothing to draw")
        grid = _around(points)
        ax.plot(grid, [self.f(x) for x in grid.tolist()], color=faint(ax, 0.3), label="f(x)")
        style = line_style(ax, 1)
        settings = {
            "color": style.color,
            "marker": "o",
            "markersize": 4,
            "linewidth": 1.2,
            **kwargs,
        }
        ax.plot(points, values, label="points of the descent", **settings)
        ends: dict[str, Any] = {"linestyle": "none", "color": ink(ax), "zorder": 5}
        ax.plot(
            points[0], values[0], marker="o", markersize=9, fillstyle="none", label="start", **ends
        )
        end = "goes on from here" if self.n_more else "end"
        ax.plot(points[-1], values[-1], marker="*", markersize=12, label=end, **ends)
        n_steps = len(self.points) - 1
        title = (
            "Gradient descent: 1 step" if n_steps == 1 else f"Gradient descent: {n_steps:,} steps"
        )
        title += f" of {n_steps + self.n_more:,}" if self.n_more else ""
        set_labels(ax, "x", "f(x)", title)
        legend(ax)
        return self


def _around(points: Floats) -> Floats:
    """Return where to draw the curve: at all points, with room on both sides."""
    low, high = float(points.min()), float(points.max())
    room = 0.2 * (high - low) or max(1.0, abs(low))
    return np.linspace(low - room, high + room, _CURVE_POINTS)
