"""A picture of gradient descent on a function of one variable."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats
from rosenblatt.lectures.gradient_descent import Descent, DescentOutcome
from rosenblatt.plots.style import faint, figure_and_axes, ink, legend, line_style, set_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# How many points are drawn. Later points of a diverging descent would hide the first ones.
_MAX_POINTS, _MAX_DIVERGED = 50, 12


@dataclass(kw_only=True, eq=False, repr=False)
class DescentDisplay:
    """A function of one variable, and the points that gradient descent visits on it.

    Each step goes downhill by the slope times the step size. If that is too far, the points jump across
    the valley, or out of it.

    Parameters
    ----------
    f : function of a number
        The function.
    points, values : arrays of the same length
        The first finite points of the descent, and the function's values there.
    n_steps : int
        The number of steps of the whole descent.

    Attributes
    ----------
    ax_, figure_
        Matplotlib's axes and figure.

    Examples
    --------
    >>> from rosenblatt.lectures.gradient_descent import gradient_descent
    >>> from rosenblatt.lectures.pictures import DescentDisplay
    >>> descent = gradient_descent(lambda x: x * x, lambda x: 2 * x, start=2.0, step=0.25)
    >>> display = DescentDisplay.from_descent(descent, lambda x: x * x)
    >>> display.ax_.get_title()
    'Gradient descent: 22 steps'
    """

    f: Callable[[float], float]
    points: Floats
    values: Floats
    n_steps: int

    @classmethod
    def from_descent(
        cls, descent: Descent, f: Callable[[float], float], *, ax: "Axes | None" = None
    ) -> Self:
        """Draw the result of `gradient_descent` on the curve of its function."""
        if not isinstance(descent, Descent):
            raise InputError(
                f"descent is a {type(descent).__name__}: give the result of gradient_descent"
            )
        if descent.points.ndim != 1:
            raise InputError("the descent has several variables: give one with a single variable")
        n_shown = _MAX_DIVERGED if descent.outcome is DescentOutcome.DIVERGED else _MAX_POINTS
        points, values = descent.points[:n_shown], descent.values[:n_shown]
        finite = np.isfinite(points) & np.isfinite(values)
        if not finite.any():
            raise InputError("no point of the descent has a finite value: there is nothing to draw")
        display = cls(f=f, points=points[finite], values=values[finite], n_steps=descent.n_steps)
        return display.plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        self.figure_: Figure | SubFigure
        self.figure_, self.ax_ = figure_and_axes(ax)
        ax, points, values = self.ax_, self.points, self.values
        low, high = float(points.min()), float(points.max())
        padding = 0.2 * (high - low) or max(1.0, abs(low))
        grid = np.linspace(low - padding, high + padding, 400)
        ax.plot(grid, [self.f(x) for x in grid.tolist()], color=faint(ax, 0.3), label="f(x)")
        color, _ = line_style(ax, 1)
        ax.plot(
            points, values, color=color, marker="o", markersize=4, label="points of the descent"
        )
        ends: dict[str, Any] = {"linestyle": "none", "color": ink(ax), "zorder": 5}
        ax.plot(points[:1], values[:1], "o", markersize=9, fillstyle="none", label="start", **ends)
        n_shown = len(points) - 1
        is_complete = n_shown == self.n_steps
        last = "end" if is_complete else "continues from here"
        ax.plot(points[-1:], values[-1:], "*", markersize=12, label=last, **ends)
        title = f"Gradient descent: {n_shown} step{'' if n_shown == 1 else 's'}"
        set_labels(ax, "x", "f(x)", title if is_complete else f"{title} of {self.n_steps:,}")
        legend(ax)
        return self
