"""Two objectives along a line of weights: the number of mistakes, and the perceptron criterion."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Floats
from rosenblatt.lectures.objective_lines import Objectives
from rosenblatt.plots.counting_axes import count_on
from rosenblatt.plots.style import figure_and_panels, line_style, set_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


class ObjectivesDisplay:
    """Why one descends on the criterion, and not on the number of mistakes.

    Along a line from some weights to others the number of mistakes is a stair: its slope is 0 wherever
    it has one, and says nothing of where to go. The criterion is made of slopes, and they lead down.

    Parameters
    ----------
    positions : array of shape (n_points,)
        Where on the line: 0 is its start, 1 its end.
    mistakes, criterion : arrays of shape (n_points,)
        Both objectives there.

    Attributes
    ----------
    axes_, figure_
        Matplotlib's two axes, and figure, once it is drawn.
    ax_
        The first of the axes.

    Examples
    --------
    >>> from rosenblatt.lectures import objectives_along
    >>> from rosenblatt.plots import ObjectivesDisplay
    >>> X, y = [[1, 1], [1, -1], [0, -1], [-1, -1], [-1, 1], [0, 1]], [1, 1, 1, -1, -1, -1]
    >>> line = objectives_along(X, y, (1, 0, 0), (0, 2, -1))
    >>> display = ObjectivesDisplay.from_objectives(line)
    >>> [ax.get_ylabel() for ax in display.axes_]
    ['mistakes', 'criterion E(w)']
    """

    axes_: "list[Axes]"
    ax_: "Axes"
    figure_: "Figure | SubFigure"

    def __init__(self, *, positions: Any, mistakes: Any, criterion: Any) -> None:
        self.positions: Floats = np.asarray(positions, dtype=np.float64)
        self.mistakes: Counts = np.asarray(mistakes)
        self.criterion: Floats = np.asarray(criterion, dtype=np.float64)
        lengths = {len(self.positions), len(self.mistakes), len(self.criterion)}
        if len(lengths) != 1 or not len(self.positions):
            raise InputError(
                f"there are {len(self.positions)} positions, {len(self.mistakes)} counts of mistakes "
                f"and {len(self.criterion)} criteria: give one of each for each position"
            )

    @classmethod
    def from_objectives(
        cls, objectives: Objectives, *, ax: "Sequence[Axes] | None" = None, **kwargs: Any
    ) -> Self:
        """Draw both objectives along a line.

        Parameters
        ----------
        objectives : Objectives
            What `rosenblatt.lectures.objectives_along` returns.
        ax : two Matplotlib axes, or None, default=None
            Where to draw; None is a new figure.
        **kwargs
            For Matplotlib's `plot`, which draws the curves.
        """
        if not isinstance(objectives, Objectives):
            raise InputError(
                f"objectives is a {type(objectives).__name__}: give what objectives_along returns"
            )
        return cls(**objectives._asdict()).plot(ax, **kwargs)

    def plot(self, ax: "Sequence[Axes] | None" = None, **kwargs: Any) -> Self:
        """Draw on two axes, or on a new figure, and return the display."""
        self.figure_, self.axes_ = figure_and_panels(ax, 2, size=(10.0, 4.2))
        self.ax_ = self.axes_[0]
        counts, slopes = self.axes_
        style = line_style(counts, 0)
        settings = {"color": style.color, "linewidth": 1.8, **kwargs}
        # A stair rises between two points, so half-way is as good a guess as any.
        counts.plot(self.positions, self.mistakes, drawstyle="steps-mid", **settings)
        count_on(counts, "y")
        counts.set_ylim(bottom=-0.04 * max(1, int(self.mistakes.max())))
        style = line_style(slopes, 1)
        settings = {"color": style.color, "linewidth": 1.8, **kwargs}
        slopes.plot(self.positions, self.criterion, **settings)
        slopes.set_ylim(bottom=-0.04 * (float(self.criterion.max()) or 1.0))
        where = "where on the line from the first weights (0) to the second (1)"
        set_labels(counts, where, "mistakes", "The number of mistakes: a stair, without slopes")
        set_labels(slopes, where, "criterion E(w)", "The criterion: slopes that lead down")
        return self
