"""The perceptron criterion over two weights, and the path of a descent down it."""

from typing import TYPE_CHECKING, Any, NamedTuple, Self

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

# Weights on each side of the grid, and the scores that are held at once.
_GRID = 161
_NUMBERS_AT_ONCE = 4_000_000

_LEVELS = 12

# Up to this many steps each has a dot.
_MOST_DOTS = 200


class CriterionDisplay:
    """The perceptron criterion E(w) = −Σ y·w·x over the mistaken samples, and a path down it.

    It is drawn for two weights: those of two features, without an intercept, or that of one feature and
    the intercept. A descent on all samples goes straight down the gradient (batch); the perceptron goes
    by one sample at a time, and does not (stochastic). Where no sample is mistaken, E is 0.

    Parameters
    ----------
    samples : array of shape (n_samples, 2)
        The samples, those of the negative class negated, so that a score above 0 is right.
    path : array of shape (n_steps + 1, 2)
        The weights on the way, those of the start first.
    names : (str, str), default=("w1", "w2")
        What the two weights are called.
    title : str, default=""
        What stands above.

    Attributes
    ----------
    criteria : array of shape (n_steps + 1,)
        The criterion at each of the weights.
    ax_, figure_
        Matplotlib's axes and figure, once it is drawn.

    Examples
    --------
    >>> from rosenblatt.lectures.criterion import perceptron_criterion
    >>> from rosenblatt.lectures.gradient_descent import gradient_descent
    >>> from rosenblatt.plots import CriterionDisplay
    >>> X, y = [[1, 1], [1, -1], [0, -1], [-1, -1], [-1, 1], [0, 1]], [1, 1, 1, -1, -1, -1]
    >>> E = lambda w: perceptron_criterion(w, X, y)
    >>> down = gradient_descent(lambda w: E(w).value, lambda w: E(w).gradient, [-2, 1], step=1)
    >>> display = CriterionDisplay.from_descent(down, X, y)
    >>> display.path.tolist(), display.criteria.tolist()
    ([[-2.0, 1.0], [2.0, -1.0]], [10.0, 0.0])
    """

    ax_: "Axes"
    figure_: "Figure | SubFigure"

    def __init__(
        self, *, samples: Any, path: Any, names: tuple[str, str] = ("w1", "w2"), title: str = ""
    ) -> None:
        self.samples: Floats = np.asarray(samples, dtype=np.float64)
        self.path: Floats = np.asarray(path, dtype=np.float64)
        for name, value in (("samples", self.samples), ("path", self.path)):
            if value.ndim != 2 or value.shape[1] != 2 or not len(value):
                raise InputError(
                    f"{name} has shape {value.shape}, but the criterion is drawn over two weights: use "
                    "two features and fit_intercept=False, or one feature and an intercept"
                )
        self.names, self.title = names, title
        self.criteria = _surface(self.samples, self.path).criterion

    @classmethod
    def from_descent(
        cls,
        descent: Descent,
        X: MatrixLike,
        y: LabelsLike,
        *,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> Self:
        """Draw a descent on the criterion of samples.

        Parameters
        ----------
        descent : Descent
            What `gradient_descent` returned for `perceptron_criterion`, from a start of two weights.
        X, y
            The samples, of two features, or of one if the second weight is the intercept.
        ax : Matplotlib axes, or None, default=None
            Where to draw; None is a new figure.
        **kwargs
            For Matplotlib's `plot`, which draws the path.
        """
        if not isinstance(descent, Descent):
            raise InputError(
                f"descent is a {type(descent).__name__}: give what gradient_descent returns"
            )
        has_intercept = np.shape(X)[-1] < 2
        samples = signed_samples(X, y, fit_intercept=has_intercept)
        names = ("w1", "b") if has_intercept else ("w1", "w2")
        title = "The perceptron criterion, and the way down its gradient"
        return cls(samples=samples, path=descent.points, names=names, title=title).plot(
            ax, **kwargs
        )

    @classmethod
    def from_trace(cls, trace: Trace, *, ax: "Axes | None" = None, **kwargs: Any) -> Self:
        """Draw the path of a traced perceptron; see `from_descent` for ``ax`` and ``kwargs``.

        >>> from rosenblatt import trace
        >>> run = trace([[2, 1], [-1, 2]], [1, -1], fit_intercept=False)
        >>> CriterionDisplay.from_trace(run).path.tolist()
        [[0.0, 0.0], [2.0, 1.0], [3.0, -1.0]]
        """
        trace = checked_trace(trace)
        rows = {visit.row: visit.sample for visit in trace.visits}
        path = [trace.visits[0].weights_before]
        path += [visit.weights_after for visit in trace.visits if visit.update]
        samples, weights = np.array([*rows.values()]), np.array(path)
        names = ("w1", "w2")
        if trace.has_intercept:
            samples, weights = np.roll(samples, -1, axis=1), np.roll(weights, -1, axis=1)
            names = ("w1", "b")
        title = "The perceptron criterion, and the perceptron's way down it"
        return cls(samples=samples, path=weights, names=names, title=title).plot(ax, **kwargs)

    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        self.figure_, self.ax_ = figure_and_axes(ax, size=(6.4, 5.2))
        self._draw_surface()
        self._draw_path(**kwargs)
        set_labels(self.ax_, *self.names, self.title)
        # Below the axes, where it covers neither the path nor the surface.
        legend(self.ax_, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2)
        return self

    def _draw_surface(self) -> None:
        ax = self.ax_
        first, second = (_axis(self.path[:, k]) for k in (0, 1))
        grid = np.stack(np.meshgrid(first, second), axis=-1).reshape(-1, 2)
        surface = _surface(self.samples, grid)
        shape = (len(second), len(first))
        heights, least = surface.criterion.reshape(shape), surface.least.reshape(shape)
        paper = background(ax)
        deep = mixed(color(ax, "blue"), paper, 0.25)
        shades = color_map([paper, deep])
        filled = ax.contourf(first, second, heights, levels=_LEVELS, cmap=shades)
        ax.contour(
            first,
            second,
            heights,
            levels=list(filled.levels)[1:-1],
            colors=[faint(ax)],
            linewidths=0.6,
        )
        ax.figure.colorbar(filled, ax=ax, label="criterion E(w)")
        if least.max() > 0.0:
            green = color(ax, "green")
            pale = tint(ax, green, 0.6)
            area = ax.contourf(
                first, second, least, levels=[0.0, np.inf], colors=[pale], hatches=["//"]
            )
            area.set_edgecolor(green)
            area.set_linewidth(0.0)
            words = "no sample is mistaken: E(w) = 0"
            ax.fill([], [], facecolor=pale, edgecolor=green, hatch="//", linewidth=0, label=words)

    def _draw_path(self, **kwargs: Any) -> None:
        ax, n_steps = self.ax_, len(self.path) - 1
        own = color(ax, "vermilion")
        marker = "o" if n_steps <= _MOST_DOTS else None
        settings = {"color": own, "linewidth": 1.6, "marker": marker, "markersize": 4, **kwargs}
        steps = "1 step" if n_steps == 1 else f"{n_steps:,} steps"
        ax.plot(self.path[:, 0], self.path[:, 1], label=f"the path: {steps}", **settings)
        ends: dict[str, Any] = {"linestyle": "none", "color": ink(ax), "zorder": 5}
        ax.plot(*self.path[0], marker="o", markersize=8, fillstyle="none", label="start", **ends)
        ax.plot(*self.path[-1], marker="*", markersize=12, label="end", **ends)


class _Surface(NamedTuple):
    """The criterion of many weights, and the least score that each gives."""

    criterion: Floats
    least: Floats


def _surface(samples: Floats, weights: Floats) -> _Surface:
    """Return both for each row of weights; samples are signed, so that a score above 0 is right."""
    criterion, least = np.zeros(len(weights)), np.full(len(weights), np.inf)
    step = max(1, _NUMBERS_AT_ONCE // len(weights))
    for first in range(0, len(samples), step):
        scores = weights @ samples[first : first + step].T
        criterion += np.maximum(0.0, -scores).sum(axis=1)
        least = np.minimum(least, scores.min(axis=1))
    return _Surface(criterion, least)


def _axis(values: Floats) -> Floats:
    """Return the weights of one axis of the grid: all on the way, and 0, with room around."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    room = 0.25 * (high - low) or 1.0
    return np.linspace(low - room, high + room, _GRID)
