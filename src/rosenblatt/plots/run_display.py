"""Pictures of a run: mistakes per epoch, and the interval that contains the maximum margin."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.core.checks import not_negative
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Floats
from rosenblatt.plots.counting_axes import thinned_indices, use_integer_ticks
from rosenblatt.plots.style import (
    color,
    faint,
    figure_and_axes,
    legend,
    line_style,
    set_labels,
    tint,
)
from rosenblatt.separability.results.result import Separation
from rosenblatt.training.margins import Interval
from rosenblatt.training.outcomes import Outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# If there are more epochs than this, they are drawn without markers.
_MAX_MARKERS = 60

# If there are more epochs or rounds than this, the horizontal axis is logarithmic.
_MAX_LINEAR = 1000

# If values differ by more than this factor, the vertical axis is logarithmic.
_WIDE_RANGE = 30

# Upper ends below this share of the largest one are drawn as 0: rounding keeps them above it.
_ALMOST_ZERO = 1e-9

# If there are more rounds than this, the axis shows their numbers without names.
_MAX_NAMES = 6


@dataclass(kw_only=True, eq=False, repr=False)
class MistakesDisplay:
    """The mistakes of each epoch and, if a bound is given, the total so far.

    Parameters
    ----------
    mistakes : array of shape (n_epochs,)
        The mistakes of each epoch.
    bound : number or None, default=None
        The largest total number of mistakes that a theorem allows.

    Attributes
    ----------
    ax_, figure_
        Matplotlib's axes and figure.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.plots import MistakesDisplay
    >>> p = Perceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
    >>> display = MistakesDisplay.from_estimator(p)
    >>> display.mistakes.tolist()
    [3, 1, 2, 1, 2, 2, 1, 3, 0]
    >>> display.ax_.get_title()
    'Mistakes per epoch: 15 in total'
    """

    mistakes: Counts
    bound: float | None = None

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, bound: float | None = None, ax: "Axes | None" = None
    ) -> Self:
        """Draw the mistakes of a fitted learner, summed over its halfspaces.

        Parameters
        ----------
        estimator : Perceptron, or another learner with a ``history_`` of mistakes
            Each call of `partial_fit` counts as an epoch.
        bound : number or None, default=None
            The largest total number of mistakes that a theorem allows.
        ax : Matplotlib axes, or None, default=None
            Where to draw; by default, on a new figure.
        """
        mistakes = getattr(getattr(estimator, "history_", None), "mistakes", None)
        if mistakes is None:
            raise InputError(
                f"this {type(estimator).__name__} has no history of mistakes: give a fitted learner "
                "that records one, such as Perceptron"
            )
        if bound is not None:
            not_negative("bound", bound)
        return cls(mistakes=np.asarray(mistakes), bound=bound).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        self.figure_: Figure | SubFigure
        self.figure_, self.ax_ = figure_and_axes(ax)
        is_long = len(self.mistakes) > _MAX_LINEAR
        self._draw(0, self.mistakes, "mistakes per epoch", log=is_long)
        title = f"Mistakes per epoch: {int(self.mistakes.sum()):,} in total"
        if self.bound is not None:
            self._draw(1, np.cumsum(self.mistakes), "mistakes so far", log=is_long)
            style = line_style(self.ax_, 2)
            text = f"bound: at most {int(self.bound):,} in total"
            self.ax_.axhline(self.bound, color=style.color, linestyle=style.dashes, label=text)
        self._scale(is_long)
        is_log = self.ax_.get_yscale() != "linear"
        set_labels(self.ax_, _label("epoch", is_long), _label("mistakes", is_log), title)
        if self.bound is not None:
            # Placing the legend at "best" takes seconds for long curves.
            legend(self.ax_, loc="lower left" if is_long else "best")
        return self

    def _draw(self, k: int, counts: Counts, label: str, *, log: bool) -> None:
        (color, dashes), indices = line_style(self.ax_, k), thinned_indices(counts, log=log)
        look: dict[str, Any] = {"color": color, "linestyle": dashes, "markersize": 4}
        marker = "o" if len(counts) <= _MAX_MARKERS else None
        self.ax_.plot(indices + 1, counts[indices], marker=marker, label=label, **look)

    def _scale(self, is_long: bool) -> None:
        highest = float(self.mistakes.max())
        if self.bound is not None:
            highest = max(float(self.mistakes.sum()), self.bound)
        if highest > _WIDE_RANGE * max(1.0, float(np.median(self.mistakes))):
            self.ax_.set_yscale("symlog", linthresh=1)
            self.ax_.set_ylim(bottom=-0.1)
        else:
            use_integer_ticks(self.ax_, "y")
            # Matplotlib's padding is proportional to the range, which may be 0.
            self.ax_.set_ylim(-0.03 * highest, 1.05 * highest or 1.0)
        if is_long:
            self.ax_.set_xscale("log")
        else:
            use_integer_ticks(self.ax_, "x")


@dataclass(kw_only=True, eq=False, repr=False)
class MarginDisplay:
    """The interval proved to contain the maximum margin, after each round of a search or each epoch.

    The margin of the current weights is a lower end; sums of samples prove an upper end.

    Parameters
    ----------
    lower, upper : arrays of shape (n_steps,)
        The ends of the interval after each step; infinity if no upper end is known.
    step : str
        The name of a step, "round" or "epoch".
    names : list of str, default=None
        The name of each step.
    is_inseparable : bool, default=False
        Whether something else proved that the margin is 0.

    Attributes
    ----------
    ax_, figure_
        Matplotlib's axes and figure.

    Examples
    --------
    >>> from rosenblatt import separate
    >>> from rosenblatt.plots import MarginDisplay
    >>> found = separate([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    >>> display = MarginDisplay.from_separation(found)
    >>> (display.lower[-1], display.upper[-1]) == found.margin
    True
    """

    lower: Floats
    upper: Floats
    step: str
    names: list[str] | None = None
    is_inseparable: bool = False

    @classmethod
    def from_separation(cls, separation: Separation, *, ax: "Axes | None" = None) -> Self:
        """Draw the interval after each round of `separate`; for several classes, the joint one."""
        if not isinstance(separation, Separation):
            raise InputError(
                f"separation is a {type(separation).__name__}: give the result of `separate`, or call "
                "from_estimator with a learner"
            )
        return cls._of_rounds(separation.history_, separation.margin).plot(ax)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: "Axes | None" = None) -> Self:
        """Draw the interval that a learner fitted on two classes has proved for the margin.

        A `MaxMargin` has an interval after each round of its search. A `Perceptron` that starts at zero
        and takes equal steps proves an upper end after each epoch, ‖w‖ / (eta0 × updates so far), of
        which the smallest so far is drawn, and a lower end at the end of the run.

        >>> from rosenblatt import Perceptron
        >>> p = Perceptron(order="cyclic").fit([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
        >>> MarginDisplay.from_estimator(p).upper.round(3).tolist()
        [1.414, 0.577, 0.5, 0.5, 0.474, 0.474]
        """
        margin, name = getattr(estimator, "margin_", None), type(estimator).__name__
        if margin is None:
            raise InputError(f"this {name} has no margin_: give a fitted Perceptron or MaxMargin")
        if not isinstance(margin, Interval):
            raise InputError(f"this {name} has a margin for each class: fit it on two classes")
        history, ledger = estimator.history_, getattr(estimator, "ledger_", None)
        if isinstance(history, list):
            return cls._of_rounds(history, margin).plot(ax)
        if ledger is None or ledger.start.any() or not (ledger.steps == 1.0).all():
            raise InputError(
                f"this {name} has no interval after each epoch: give one that starts at zero and has no "
                "sample or class weights"
            )
        so_far = ledger.eta0 * np.cumsum(history.updates)
        # The run rounds its final upper end outward, by more than any earlier one needs.
        rounding = max(0.0, margin.upper * so_far[-1] - history.norm[-1]) if so_far[-1] else 0.0
        upper = np.full(len(so_far), math.inf)
        np.divide(history.norm + rounding, so_far, out=upper, where=so_far > 0)
        upper[-1] = margin.upper
        is_inseparable = estimator.outcome_ is Outcome.INSEPARABLE
        if is_inseparable:
            upper[history.norm <= rounding] = 0.0  # which is then true
        upper = np.minimum.accumulate(upper)
        lower = np.zeros(len(so_far))
        lower[-1] = margin.lower
        return cls(lower=lower, upper=upper, step="epoch", is_inseparable=is_inseparable).plot(ax)

    @classmethod
    def _of_rounds(cls, rounds: Any, margin: Interval) -> Self:
        """Return a display of all rounds, and of the final interval if it differs from the last one."""
        ends = [(one.lower, one.upper) for one in rounds]
        names = [one.method for one in rounds]
        if not ends or ends[-1] != tuple(margin):
            ends.append((margin.lower, margin.upper))
            names.append("proof")
        lower, upper = np.transpose(ends)
        return cls(lower=lower, upper=upper, step="round", names=names)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        self.figure_: Figure | SubFigure
        self.figure_, self.ax_ = figure_and_axes(ax)
        ax = self.ax_
        bottom, top, is_log = self._limits()
        # Infinity, and 0 on a logarithmic axis, cannot be drawn: such ends are moved to the limits.
        upper, lower = np.minimum(self.upper, 2 * top), np.maximum(self.lower, bottom)
        n_steps = len(lower)
        is_long = n_steps > _MAX_LINEAR
        kept = np.union1d(thinned_indices(upper, log=is_long), thinned_indices(lower, log=is_long))
        # An interval holds until the next step, so both ends are drawn as stairs.
        edges = np.append(kept + 0.5, n_steps + 0.5)
        ax.stairs(
            upper[kept],
            edges,
            baseline=lower[kept],
            fill=True,
            color=tint(ax, faint(ax), 0.7),
            label="contains the maximum margin",
        )
        for end, hue, dashes, name in (
            (upper, "vermilion", (0, (6, 2)), "upper end"),
            (lower, "blue", "solid", "lower end"),
        ):
            style: dict[str, Any] = {"color": color(ax, hue), "linestyle": dashes, "linewidth": 2}
            ax.stairs(
                end[kept], edges, baseline=None, label=f"{name} after each {self.step}", **style
            )
        if is_long:
            ax.set_xscale("log")
        elif self.names is not None and n_steps <= _MAX_NAMES:
            numbers = range(1, n_steps + 1)
            ax.set_xticks(numbers, [f"{k}: {self.names[k - 1]}" for k in numbers])
        else:
            use_integer_ticks(ax, "x")
        if is_log:
            ax.set_yscale("log")
        ax.set_ylim(bottom, top)
        margin = "margin (logarithmic, 0 is at the bottom)" if is_log else "margin"
        set_labels(ax, _label(self.step, is_long), margin, self._title)
        legend(ax, loc="upper right")  # "best" takes seconds for long curves
        return self

    def _limits(self) -> tuple[float, float, bool]:
        """Return the limits of the vertical axis, and whether it is logarithmic."""
        ends = np.concatenate([self.lower, self.upper[np.isfinite(self.upper)]])
        ends = ends[ends > _ALMOST_ZERO * ends.max(initial=0.0)]
        if not len(ends):
            return 0.0, 1.0, False
        least, greatest = float(ends.min()), float(ends.max())
        if greatest > _WIDE_RANGE * least:
            return least / 2, 2.0 * greatest, True
        return 0.0, 1.08 * greatest, False

    @property
    def _title(self) -> str:
        final = Interval(float(self.lower[-1]), float(self.upper[-1]))
        if self.is_inseparable or final.upper == 0.0:
            return "The maximum margin is 0: no hyperplane separates the samples"
        return f"The maximum margin (augmented) is in {final}"


def _label(name: str, is_log: bool) -> str:
    return f"{name} (logarithmic)" if is_log else name
