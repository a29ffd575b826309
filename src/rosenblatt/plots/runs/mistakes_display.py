"""Mistakes in each epoch of a run."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.core.checks import not_negative
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts
from rosenblatt.plots.counting_axes import count_on, kept_points
from rosenblatt.plots.style import (
    figure_and_axes,
    legend,
    line_style,
    set_labels,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# Up to this many epochs each has a dot; beyond the other number the axis is logarithmic.
_MOST_DOTS = 60
_MOST_LINEAR = 1000

# Counts that differ by more than this factor have a logarithmic axis.
_WIDE = 30


class MistakesDisplay:
    """How many mistakes each epoch made and, beside a bound, how many there were so far.

    A long run is drawn with the first, the last, the lowest and the highest epoch of each of a thousand
    stretches, which gives the same picture as all of its epochs.

    Parameters
    ----------
    mistakes : array of shape (n_epochs,)
        The mistakes made in each epoch.
    bound : number or None, default=None
        The most mistakes that a theorem allows in all.

    Attributes
    ----------
    ax_, figure_
        Matplotlib's axes and figure, once it is drawn.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.plots import MistakesDisplay
    >>> p = Perceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "no", "no", "yes"])
    >>> display = MistakesDisplay.from_estimator(p)
    >>> display.mistakes.tolist()
    [3, 1, 2, 1, 2, 2, 1, 3, 0]
    >>> display.ax_.get_title()
    'Mistakes in each epoch: 15 in all'
    """

    ax_: "Axes"
    figure_: "Figure | SubFigure"

    def __init__(self, *, mistakes: Any, bound: float | None = None) -> None:
        self.mistakes: Counts = np.asarray(mistakes)
        if self.mistakes.ndim != 1 or not len(self.mistakes):
            raise InputError(
                f"mistakes has shape {self.mistakes.shape}: give a count for each epoch, at least one"
            )
        self.bound = None if bound is None else not_negative("bound", bound)

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, bound: float | None = None, ax: "Axes | None" = None, **kwargs: Any
    ) -> Self:
        """Draw the mistakes of a fitted learner's epochs (of its calls of `partial_fit`, in a stream).

        Parameters
        ----------
        estimator : Perceptron, CriterionDescent, or another learner with a ``history_`` of mistakes
            All halfspaces are counted together.
        bound : number or None, default=None
            The most mistakes that a theorem allows in all; then they are drawn with the mistakes so far.
        ax : Matplotlib axes, or None, default=None
            Where to draw; None is a new figure.
        **kwargs
            For Matplotlib's `plot`, which draws the curve.
        """
        history = getattr(estimator, "history_", None)
        if history is None:
            raise InputError(
                f"this {type(estimator).__name__} has no history: give a learner that is fitted and "
                "records its epochs, as Perceptron does"
            )
        return cls.from_history(history, bound=bound, ax=ax, **kwargs)

    @classmethod
    def from_history(
        cls, history: Any, *, bound: float | None = None, ax: "Axes | None" = None, **kwargs: Any
    ) -> Self:
        """Draw the mistakes of a history.

        Parameters
        ----------
        history : History, or a list of records with ``mistakes``, as `CriterionDescent` has
            One record for each epoch.
        bound, ax, **kwargs
            As for `from_estimator`.

        >>> from rosenblatt import Epoch
        >>> epochs = [Epoch(4, None, 1.0, 0.1), Epoch(0, 0, 1.0, 0.1)]
        >>> MistakesDisplay.from_history(epochs, bound=36).mistakes
        array([4, 0])
        """
        mistakes = getattr(history, "mistakes", None)
        if mistakes is None:
            try:
                mistakes = [epoch.mistakes for epoch in history]
            except (AttributeError, TypeError) as error:
                raise InputError(
                    "history has no counts of mistakes: give the history_ of a Perceptron, or of "
                    "another learner that goes by mistakes"
                ) from error
        return cls(mistakes=mistakes, bound=bound).plot(ax, **kwargs)

    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        self.figure_, self.ax_ = figure_and_axes(ax)
        n_epochs, total = len(self.mistakes), int(self.mistakes.sum())
        is_long = n_epochs > _MOST_LINEAR
        self._draw(0, self.mistakes, "mistakes in the epoch", log=is_long, **kwargs)
        if self.bound is not None:
            self._draw(1, np.cumsum(self.mistakes), "mistakes so far", log=is_long)
            style = line_style(self.ax_, 2)
            text = f"bound: at most {int(self.bound):,} in all"
            self.ax_.axhline(self.bound, color=style.color, linestyle=style.dashes, label=text)
        self._scale(is_long)
        title = f"Mistakes in each epoch: {total:,} in all"
        set_labels(self.ax_, "epoch", "mistakes", title)
        if self.bound is not None:
            # "best" takes seconds for long curves.
            legend(self.ax_, loc="lower left" if is_long else "best")
        return self

    def _draw(self, k: int, counts: Counts, label: str, *, log: bool, **kwargs: Any) -> None:
        style, places = line_style(self.ax_, k), kept_points(counts, log=log)
        marker = "o" if len(counts) <= _MOST_DOTS else None
        settings = {
            "color": style.color,
            "linestyle": style.dashes,
            "marker": marker,
            "markersize": 4,
            "label": label,
            **kwargs,
        }
        self.ax_.plot(places + 1, counts[places], **settings)

    def _scale(self, is_long: bool) -> None:
        highest = float(self.mistakes.max())
        if self.bound is not None:
            highest = max(float(self.mistakes.sum()), self.bound)
        if highest > _WIDE * max(1.0, float(np.median(self.mistakes))):
            self.ax_.set_yscale("symlog", linthresh=1)
            self.ax_.set_ylim(bottom=-0.1)
        else:
            count_on(self.ax_, "y")
            # Matplotlib's own room is a share of how far the counts spread, which may be nothing.
            self.ax_.set_ylim(-0.03 * highest, 1.05 * highest or 1.0)
        if is_long:
            self.ax_.set_xscale("log")
        else:
            count_on(self.ax_, "x")
