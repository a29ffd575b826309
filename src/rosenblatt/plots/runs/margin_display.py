"""The interval that contains the maximum margin, while it closes."""

import math
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats
from rosenblatt.plots.counting_axes import count_on, kept_points
from rosenblatt.plots.style import (
    color,
    faint,
    figure_and_axes,
    ink,
    legend,
    set_labels,
    shown_name,
    tint,
)
from rosenblatt.separability.results.result import Separation, Separations
from rosenblatt.training.history import History
from rosenblatt.training.ledger import Ledger
from rosenblatt.training.margins import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# Beyond this many steps, and beyond this ratio of the first upper end to the last, axes are logarithmic.
_MANY = 1000
_WIDE = 20.0

# Up to this many steps are named.
_MOST_NAMES = 6


class MarginDisplay:
    """What is proved of the maximum margin: an interval, after each round of a search or each epoch.

    Weights prove a lower end, the least margin that they have; sums of samples, or of mistakes, prove an
    upper end. Where there are several classes and no steps, each class has one interval.

    Parameters
    ----------
    lower, upper : arrays of shape (n_steps,) or (n_classes,)
        The ends of the interval after each step; infinity where nothing is known.
    step : str or None, default="round"
        What a step is called; None: they are the intervals of classes.
    names : list of str, default=None
        What each step, or each class, is called.

    Attributes
    ----------
    ax_, figure_
        Matplotlib's axes and figure, once it is drawn.

    Examples
    --------
    >>> from rosenblatt import separate
    >>> from rosenblatt.plots import MarginDisplay
    >>> found = separate([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    >>> display = MarginDisplay.from_separation(found)
    >>> (display.lower[-1], display.upper[-1]) == found.margin
    True
    """

    ax_: "Axes"
    figure_: "Figure | SubFigure"

    def __init__(
        self, *, lower: Any, upper: Any, step: str | None = "round", names: list[str] | None = None
    ) -> None:
        self.lower: Floats = np.asarray(lower, dtype=np.float64)
        self.upper: Floats = np.asarray(upper, dtype=np.float64)
        if self.lower.ndim != 1 or self.lower.shape != self.upper.shape or not len(self.lower):
            raise InputError(
                f"lower has shape {self.lower.shape} and upper {self.upper.shape}: "
                "give as many of both, at least one"
            )
        if not (self.lower <= self.upper).all():
            raise InputError("lower is above upper: give the ends of intervals")
        self.step = step
        self.names = names

    @classmethod
    def from_separation(
        cls, separation: Separation | Separations, *, ax: "Axes | None" = None, **kwargs: Any
    ) -> Self:
        """Draw the interval after each round of the search that `separate` made.

        Parameters
        ----------
        separation : Separation, or Separations of several classes, of which the joint one is drawn
            The answer of `separate`.
        ax : Matplotlib axes, or None, default=None
            Where to draw; None is a new figure.
        **kwargs
            For Matplotlib's `fill_between`, which draws the interval.
        """
        one = separation.joint if isinstance(separation, Separations) else separation
        if not isinstance(one, Separation):
            raise InputError(
                f"separation is a {type(one).__name__}: give what `separate` returns, or call "
                "from_estimator with a learner"
            )
        return cls._of_rounds(one.history_, one.margin).plot(ax, **kwargs)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: "Axes | None" = None, **kwargs: Any) -> Self:
        """Draw what a fitted learner has proved of the margin.

        Of two classes: a `MaxMargin` has the rounds of its search; a `Perceptron` that starts from zero,
        with steps that are all alike, has proved an upper end after each epoch, ‖w‖ over eta0 times the
        mistakes so far, and has its lower end at the end. Otherwise each class has one interval.

        Parameters
        ----------
        estimator : Perceptron or MaxMargin, fitted
            A learner with ``margin_``.
        ax, **kwargs
            As for `from_separation`.

        >>> from rosenblatt import Perceptron
        >>> p = Perceptron(order="cyclic").fit([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
        >>> MarginDisplay.from_estimator(p).upper.round(3).tolist()
        [1.414, 0.577, 0.5, 0.577, 0.474, 0.474]
        """
        margin = getattr(estimator, "margin_", None)
        if margin is None:
            raise InputError(
                f"this {type(estimator).__name__} has no margin_: give a fitted Perceptron or MaxMargin"
            )
        if not isinstance(margin, Interval):
            names = [str(label) for label in estimator.classes_]
            lower, upper = zip(*margin, strict=True)
            return cls(lower=lower, upper=upper, step=None, names=names).plot(ax, **kwargs)
        history, ledger = estimator.history_, getattr(estimator, "ledger_", None)
        if isinstance(history, list):
            return cls._of_rounds(history, margin).plot(ax, **kwargs)
        return cls._of_epochs(ledger, history, margin).plot(ax, **kwargs)

    @classmethod
    def _of_rounds(cls, rounds: Any, margin: Interval) -> Self:
        """Return the rounds of a search, with the final interval behind them if it is another one."""
        ends = [(one.lower, one.upper) for one in rounds]
        names = [one.method for one in rounds]
        if not ends or ends[-1] != tuple(margin):
            ends.append((margin.lower, margin.upper))
            names.append("proof")
        lower, upper = zip(*ends, strict=True)
        return cls(lower=lower, upper=upper, names=names)

    @classmethod
    def _of_epochs(cls, ledger: Ledger | None, history: History, margin: Interval) -> Self:
        """Return what a run has proved after each epoch: the lower end is known at its end only."""
        # With a decay there is no ledger, for the mistakes of an epoch count by its rate.
        if ledger is None or ledger.start.any() or not (ledger.steps == 1.0).all():
            return cls(lower=[margin.lower], upper=[margin.upper], step=None, names=[""])
        so_far = np.cumsum(history.mistakes)
        upper = np.full(len(so_far), math.inf)
        np.divide(history.norm, ledger.eta0 * so_far, out=upper, where=so_far > 0)
        # The run's own ends, which are rounded the safe way.
        upper[-1] = margin.upper
        lower = np.zeros(len(so_far))
        lower[-1] = margin.lower
        return cls(lower=lower, upper=upper, step="epoch")

    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        self.figure_, self.ax_ = figure_and_axes(ax)
        if self.step is None:
            self._draw_classes(**kwargs)
        else:
            self._draw_steps(self.step, **kwargs)
        return self

    def _draw_steps(self, step: str, **kwargs: Any) -> None:
        ax = self.ax_
        frame = _Frame.of(self.lower, self.upper)
        ends = (
            (np.minimum(self.upper, 2 * frame.top), "vermilion", (0, (6, 2)), "upper end"),
            (np.maximum(self.lower, frame.bottom), "blue", "solid", "lower end"),
        )
        numbers = np.arange(1, len(self.lower) + 1)
        is_long = len(numbers) > _MANY
        kept = np.union1d(*(kept_points(end, log=is_long) for end, *_ in ends))
        # What is proved after a step holds until the next one, so both ends are stairs.
        edges = np.append(kept + 0.5, len(numbers) + 0.5)
        band = {
            "color": tint(ax, faint(ax), 0.7),
            "label": "the maximum margin is in here",
            **kwargs,
        }
        ax.stairs(ends[0][0][kept], edges, baseline=ends[1][0][kept], fill=True, **band)
        for end, own, dashes, name in ends:
            style: dict[str, Any] = {"color": color(ax, own), "linestyle": dashes, "linewidth": 2}
            ax.stairs(end[kept], edges, baseline=None, label=f"{name} after the {step}", **style)
        if frame.is_log:
            ax.set_yscale("log")
        if is_long:
            ax.set_xscale("log")
        elif self.names is not None and len(numbers) <= _MOST_NAMES:
            ax.set_xticks(
                numbers, [f"{k}: {name}" for k, name in zip(numbers, self.names, strict=True)]
            )
        else:
            count_on(ax, "x")
        ax.set_ylim(frame.bottom, frame.top)
        note = " (0 is drawn at the bottom)" if frame.is_log else ""
        set_labels(ax, step, f"margin{note}", self._title)
        legend(ax, loc="upper right")  # "best" takes seconds for long curves

    @property
    def _title(self) -> str:
        final = Interval(float(self.lower[-1]), float(self.upper[-1]))
        if final.upper == 0.0:
            return "The maximum margin is 0: nothing separates the samples"
        return f"The maximum margin is in {final}"

    def _draw_classes(self, **kwargs: Any) -> None:
        ax, places = self.ax_, np.arange(len(self.lower))
        finite = self.upper[np.isfinite(self.upper)]
        right = 1.08 * float(finite.max(initial=float(self.lower.max()))) or 1.0
        upper = np.minimum(self.upper, 2 * right)
        bars = {"color": color(ax, "blue"), "height": 0.5, **kwargs}
        ax.barh(places, upper - self.lower, left=self.lower, **bars)
        # An interval that has closed is too narrow to be seen: its middle has a mark.
        middle = (self.lower + np.minimum(self.upper, right)) / 2
        ax.plot(middle, places, linestyle="none", marker="|", markersize=16, color=ink(ax))
        ax.set_xlim(0.0, right)
        ax.set_yticks(places, self.names and [shown_name(name) for name in self.names])
        ax.invert_yaxis()
        set_labels(
            ax,
            "margin",
            "class" if self.names != [""] else "",
            "What is proved of the maximum margin",
        )


class _Frame(NamedTuple):
    """The range of the vertical axis. Nothing is 0 or infinite on paper: such ends go to the frame."""

    bottom: float
    top: float
    is_log: bool

    @classmethod
    def of(cls, lower: Floats, upper: Floats) -> "_Frame":
        ends = np.concatenate([lower, upper[np.isfinite(upper)]])
        above = ends[ends > 0.0]
        if not len(above):
            return cls(0.0, 1.0, False)
        is_log = bool(above.max() > _WIDE * above.min())
        top = float(above.max()) * (2.0 if is_log else 1.08)
        return cls(float(above.min()) / 2 if is_log else 0.0, top, is_log)
