"""A picture of the perceptron criterion over two weights, with the path of a descent."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats, LabelsLike, MatrixLike
from rosenblatt.lectures.criterion import signed_samples
from rosenblatt.lectures.gradient_descent import Descent
from rosenblatt.lectures.pictures.trace_views import checked_trace
from rosenblatt.lectures.trace import Trace
from rosenblatt.plots.style import (
    background,
    color,
    color_map,
    faint,
    figure_and_axes,
    ink,
    legend,
    mixed,
    set_labels,
    tint,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_GRID = 161
"""Grid points per side."""

_NUMBERS_AT_ONCE = 4_000_000
"""The number of scores in memory at once."""

_LEVELS = 12

_MAX_MARKERS = 200
"""If there are more steps than this, they are drawn without markers."""


@dataclass(kw_only=True, eq=False, repr=False)
class CriterionDisplay:
    """The perceptron criterion E(w) = −Σ y·w·x over the misclassified samples, and a path down it.

    It is drawn over two weights: those of two features, or of one feature and the intercept. With two
    features and an intercept, the surface is the one at the last intercept of the path, as the title
    says, and ``criteria`` has the values at the path's own intercepts. Each step of gradient descent
    uses all samples and goes straight down; each step of the perceptron uses one sample and does not. E
    is 0 if no sample is misclassified.

    Parameters
    ----------
    samples : array of shape (n_samples, 2 or 3)
        The samples, negated for the negative class, so that correct scores are positive; an intercept's
        constant is the last column.
    path : array of shape (n_steps + 1, 2 or 3)
        The start weights, and the weights after each step.
    ylabel : str
        The label of the axis of the second weight.
    title : str

    Attributes
    ----------
    criteria : array of shape (n_steps + 1,)
        The criterion at each point of the path.
    ax_, figure_
        Matplotlib's axes and figure.

    Examples
    --------
    >>> from rosenblatt.lectures.criterion import perceptron_criterion
    >>> from rosenblatt.lectures.gradient_descent import gradient_descent
    >>> from rosenblatt.lectures.pictures import CriterionDisplay
    >>> X, y = [[1, 1], [1, -1], [0, -1], [-1, -1], [-1, 1], [0, 1]], [1, 1, 1, -1, -1, -1]
    >>> E = lambda w: perceptron_criterion(w, X, y)
    >>> down = gradient_descent(lambda w: E(w).value, lambda w: E(w).gradient, [-2, 1], step=1)
    >>> display = CriterionDisplay.from_descent(down, X, y)
    >>> display.path.tolist(), display.criteria.tolist()
    ([[-2.0, 1.0], [2.0, -1.0]], [10.0, 0.0])
    """

    samples: Floats
    path: Floats
    ylabel: str
    title: str

    def __post_init__(self) -> None:
        for name, value in (("samples", self.samples), ("path", self.path)):
            if value.ndim != 2 or value.shape[1] not in (2, 3):
                raise InputError(
                    f"{name} has shape {value.shape}, but the criterion is drawn over two weights: use "
                    "one or two features"
                )
        self.criteria = _surface(self.samples, self.path)[0]

    @classmethod
    def from_descent(
        cls, descent: Descent, X: MatrixLike, y: LabelsLike, *, ax: "Axes | None" = None
    ) -> Self:
        """Draw a descent on the criterion of samples.

        Parameters
        ----------
        descent : Descent
            The result of `gradient_descent` on `perceptron_criterion`, from a start of one weight per
            feature or, with an intercept, one more.
        X, y
            The samples: one or two features.
        ax : Matplotlib axes, or None, default=None
            Where to draw; by default, on a new figure.
        """
        if not isinstance(descent, Descent):
            raise InputError(
                f"descent is a {type(descent).__name__}: give the result of gradient_descent"
            )
        n_features = np.shape(X)[-1]
        has_intercept = n_features < descent.points.shape[1]
        return cls(
            samples=signed_samples(X, y, fit_intercept=has_intercept),
            path=descent.points,
            ylabel="b" if n_features < 2 else "w2",
            title="The perceptron criterion, and gradient descent on it",
        ).plot(ax)

    @classmethod
    def from_trace(cls, trace: Trace, *, ax: "Axes | None" = None) -> Self:
        """Draw the path of a traced perceptron.

        >>> from rosenblatt import trace
        >>> run = trace([[2, 1], [-1, 2]], [1, -1], fit_intercept=False)
        >>> CriterionDisplay.from_trace(run).path.tolist()
        [[0.0, 0.0], [2.0, 1.0], [3.0, -1.0]]
        """
        visits = checked_trace(trace).visits
        path = [visits[0].weights_before]
        path += [visit.weights_after for visit in visits if visit.update]
        samples = [*{visit.row: visit.sample for visit in visits}.values()]
        last = -1 if trace.has_intercept else 0  # traces have the intercept first
        return cls(
            samples=np.roll(np.array(samples), last, axis=1),
            path=np.roll(np.array(path), last, axis=1),
            ylabel="b" if len(visits[0].weights_before) - trace.has_intercept < 2 else "w2",
            title="The perceptron criterion, and the perceptron's path",
        ).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        self.figure_: Figure | SubFigure
        self.figure_, self.ax_ = figure_and_axes(ax, size=(6.4, 5.2))
        self._draw_surface()
        self._draw_path()
        title = self.title
        if self.path.shape[1] == 3:
            title += f"\nat the path's last intercept, b = {self.path[-1, 2]:.4g}"
        set_labels(self.ax_, "w1", self.ylabel, title)
        # Place it below the axes, where it covers neither the path nor the surface.
        legend(self.ax_, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2)
        return self

    def _draw_surface(self) -> None:
        ax = self.ax_
        first, second = (_axis(self.path[:, k]) for k in (0, 1))
        grid = np.stack(np.meshgrid(first, second), axis=-1).reshape(-1, 2)
        fixed = np.tile(self.path[-1, 2:], (len(grid), 1))  # the intercept, if it is a third weight
        grid = np.hstack([grid, fixed])
        heights, lowest = (part.reshape(_GRID, _GRID) for part in _surface(self.samples, grid))
        deep = mixed(color(ax, "blue"), background(ax), 0.25)
        shades = color_map([background(ax), deep])
        filled = ax.contourf(first, second, heights, levels=_LEVELS, cmap=shades)
        between: dict[str, Any] = {"levels": [*filled.levels][1:-1], "colors": [faint(ax)]}
        ax.contour(first, second, heights, linewidths=0.6, **between)
        ax.figure.colorbar(filled, ax=ax, label="criterion E(w)")
        if lowest.max() > 0.0:
            green = color(ax, "green")
            pale = tint(ax, green, 0.6)
            area: dict[str, Any] = {"colors": [pale], "hatches": ["//"]}
            drawn = ax.contourf(first, second, lowest, levels=[0.0, np.inf], **area)
            drawn.set_edgecolor(green)
            drawn.set_linewidth(0.0)
            label = "no sample is misclassified: E(w) = 0"
            ax.fill([], [], facecolor=pale, edgecolor=green, hatch="//", linewidth=0, label=label)

    def _draw_path(self) -> None:
        ax, n_steps = self.ax_, len(self.path) - 1
        marker = "o" if n_steps <= _MAX_MARKERS else None
        look: dict[str, Any] = {"color": color(ax, "vermilion"), "marker": marker, "markersize": 4}
        steps = "1 step" if n_steps == 1 else f"{n_steps:,} steps"
        path = self.path[:, :2]
        ax.plot(*path.T, label=f"path: {steps}", **look)
        ends: dict[str, Any] = {"linestyle": "none", "color": ink(ax), "zorder": 5}
        ax.plot(*path[0], marker="o", markersize=8, fillstyle="none", label="start", **ends)
        ax.plot(*path[-1], marker="*", markersize=12, label="end", **ends)


def _surface(samples: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the criterion for each row of weights, and the lowest score of any sample."""
    criterion, lowest = np.zeros(len(weights)), np.full(len(weights), np.inf)
    step = max(1, _NUMBERS_AT_ONCE // len(weights))
    for first in range(0, len(samples), step):
        scores = weights @ samples[first : first + step].T
        criterion += np.maximum(0.0, -scores).sum(axis=1)
        lowest = np.minimum(lowest, scores.min(axis=1))
    return criterion, lowest


def _axis(values: Floats) -> Floats:
    """Return one axis of the grid, around the path and 0."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    padding = 0.25 * (high - low) or 1.0
    return np.linspace(low - padding, high + padding, _GRID)
