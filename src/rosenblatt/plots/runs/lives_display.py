"""How long the hypotheses of a run lived."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, LabelLike
from rosenblatt.estimators.common.linear_classifier import LinearClassifier
from rosenblatt.plots.counting_axes import count_on, kept_points
from rosenblatt.plots.style import color, figure_and_axes, legend, set_labels
from rosenblatt.training.deciders.vote_record import Votes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# Up to this many hypotheses each has a bar.
_MOST_BARS = 200

# Lives of which the longest is more than this many times the median have a logarithmic axis.
_WIDE = 20


class LivesDisplay:
    """How many visits each hypothesis of a run lived.

    It lives from the update that made it to the one that ended it. In a vote (``keep="vote"``) that is
    the weight of its voice. The start is hypothesis 0; the lives sum to the visits of the run.

    Parameters
    ----------
    lifetimes : array of shape (n_updates + 1,)
        The visits that each hypothesis lived, that of the start first.

    Attributes
    ----------
    ax_, figure_
        Matplotlib's axes and figure, once it is drawn.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.plots import LivesDisplay
    >>> p = Perceptron(keep="vote", order="cyclic").fit([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    >>> display = LivesDisplay.from_estimator(p)
    >>> display.lifetimes.tolist()
    [0, 2, 3, 3, 1, 2, 3, 4]
    >>> display.ax_.get_xlabel()
    'hypothesis, by the number of updates that made it'
    """

    ax_: "Axes"
    figure_: "Figure | SubFigure"

    def __init__(self, *, lifetimes: Any) -> None:
        self.lifetimes: Counts = np.asarray(lifetimes)
        if self.lifetimes.ndim != 1 or not len(self.lifetimes):
            raise InputError(
                f"lifetimes has shape {self.lifetimes.shape}: give a number of visits for each "
                "hypothesis, at least one"
            )

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, label: LabelLike = None, ax: "Axes | None" = None, **kwargs: Any
    ) -> Self:
        """Draw the lives of the hypotheses of a `Perceptron` with ``keep="vote"``.

        Parameters
        ----------
        estimator : Perceptron
            The fitted learner.
        label : a class, default=None
            Whose hypotheses to draw, if there are more than two classes.
        ax : Matplotlib axes, or None, default=None
            Where to draw; None is a new figure.
        **kwargs
            For Matplotlib's `bar`, or for `plot` where there are many hypotheses.
        """
        votes, k = _votes(estimator, label)
        piece = votes.whole()
        before = piece.before[piece.columns == k]
        ends = np.concatenate([[0], before, votes.visits[k : k + 1]])
        return cls(lifetimes=np.diff(ends)).plot(ax, **kwargs)

    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        self.figure_, self.ax_ = figure_and_axes(ax)
        lives, ax = self.lifetimes, self.ax_
        longest = int(lives.argmax())
        if len(lives) <= _MOST_BARS:
            ax.bar(np.arange(len(lives)), lives, **{"color": color(ax, "blue"), **kwargs})
        else:
            places = kept_points(lives)
            ax.plot(
                places, lives[places], **{"color": color(ax, "blue"), "linewidth": 0.8, **kwargs}
            )
        is_wide = lives.max() > _WIDE * max(1.0, float(np.median(lives)))
        above = lives[longest] * (1.4 if is_wide else 1.03)
        ax.plot(
            [longest],
            [above],
            linestyle="none",
            marker="v",
            color=color(ax, "vermilion"),
            label=f"the longest: hypothesis {longest:,}, {lives[longest]:,} visits",
        )
        if is_wide:
            ax.set_yscale("symlog", linthresh=1)
            ax.set_ylim(0, 12 * lives.max())
        else:
            count_on(ax, "y")
            ax.set_ylim(0, 1.2 * max(1, lives.max()))
        count_on(ax, "x")
        title = f"Lives of {len(lives):,} hypotheses in {int(lives.sum()):,} visits"
        set_labels(
            ax, "hypothesis, by the number of updates that made it", "visits that it lived", title
        )
        legend(ax, loc="upper left")
        return self


def _votes(estimator: Any, label: LabelLike) -> tuple[Votes, int]:
    """Return the record of a vote, and the number of the halfspace to draw."""
    learned = estimator.state[0] if isinstance(estimator, LinearClassifier) else None
    if learned is None or not isinstance(learned.kept, Votes):
        raise InputError(
            f"this {type(estimator).__name__} has no record of a vote: give a Perceptron that was "
            "fitted with keep='vote'"
        )
    classes = learned.classes
    used = range(*classes.used.indices(classes.n_halfspaces))
    if len(used) == 1 and label is None:
        return learned.kept, used[0]
    (places,) = np.nonzero(classes.labels == label)
    if len(places) != 1 or len(used) == 1:
        accepted = "None" if len(used) == 1 else f"one of {classes.labels.tolist()!r}"
        raise InputError(f"label={label!r} is not accepted: give {accepted}")
    return learned.kept, used[int(places[0])]
