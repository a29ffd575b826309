"""Several separators of the same samples: what one run can keep, and the maximum margin."""

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Floats, LabelsLike, MatrixLike
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.plots import style
from rosenblatt.plots.plane import artists
from rosenblatt.plots.plane.drawn_samples import drawn_samples
from rosenblatt.plots.plane.estimator_views import Response, decisions
from rosenblatt.plots.plane.geometry import Line, box_around, has_similar_spread
from rosenblatt.plots.plane.views import View
from rosenblatt.separability.results.result import Separation
from rosenblatt.separability.separate import separate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.contour import QuadContourSet
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

_SIZE = (7.2, 4.6)
_WIDEST = "maximum margin"

_GRID = 90
"""Grid points per side; every hypothesis of the run votes on each of them."""


@dataclass(kw_only=True, eq=False, repr=False)
class SeparatorsDisplay:
    """The separators that one perceptron run in cyclic order can keep, and the maximum-margin separator.

    A perceptron can keep its last weights, their average, the best ones tried (its pocket), or let all
    of them vote. A vote has no weights: its boundary is a contour of its score. The legend shows how
    many samples each misclassifies, or its geometric margin, the distance of the nearest sample.

    Parameters
    ----------
    view : View
        The samples as points, and the axis labels.
    codes : array of n_samples integers
        The class of each sample: 0 or 1.
    classes : list
        Both labels.
    separators : dict of str to (coef, intercept)
    mistakes : dict of str to int
        The number of samples that each separator, and the "vote", misclassifies.
    response : Response
        The vote's score on a grid.

    Attributes
    ----------
    ax_, figure_, legend_
        Matplotlib's axes, figure and legend.
    lines_ : dict of str to Line2D
    vote_ : QuadContourSet or None
        The boundary of the vote, if the picture contains it.
    margins_ : dict of str to float
        The geometric margins, negative if samples are misclassified; the vote has none.

    Examples
    --------
    >>> from rosenblatt.plots import SeparatorsDisplay
    >>> X, y = [[3, 3], [4, 3], [1, 1], [0, 2]], ["b", "b", "a", "a"]
    >>> display = SeparatorsDisplay.from_samples(X, y)
    >>> list(display.lines_)
    ['last', 'average', 'pocket', 'maximum margin']
    >>> round(display.margins_["maximum margin"], 6)
    1.414214
    """

    view: View
    codes: Counts
    classes: list[Any]
    separators: dict[str, tuple[Floats, float]]
    mistakes: dict[str, int]
    response: Response

    @classmethod
    def from_samples(
        cls,
        X: MatrixLike,
        y: LabelsLike,
        *,
        max_iter: int = 100,
        ax: "Axes | None" = None,
    ) -> Self:
        """Learn the separators, and draw them.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, 2)
        y : array of n_samples labels of two classes
        max_iter : int, default=100
            The maximum number of epochs.
        ax : Matplotlib axes, or None, default=None
            Where to draw; by default, on a new figure.
        """
        samples = drawn_samples(X, y)
        if samples.table.shape[1] != 2 or len(samples.classes) != 2:
            raise InputError(
                f"X has {samples.table.shape[1]} features and y {len(samples.classes)} classes: this "
                "picture needs two features and two classes"
            )
        separators: dict[str, tuple[Floats, float]] = {}
        mistakes: dict[str, int] = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the legend shows the result
            for keep in ("last", "average", "pocket", "vote"):
                learner = Perceptron(keep=keep, max_iter=max_iter, order="cyclic", margin=0.0)
                vote = decisions(learner.fit(X, y), X, y)
                mistakes[keep] = len(vote.mistakes)
                if keep != "vote":
                    separators[keep] = (learner.coef_[0], float(learner.intercept_[0]))
        widest = separate(X, y, margin="affine")
        assert isinstance(widest, Separation)  # because there are two classes
        if widest.coef is not None and widest.intercept is not None:
            separators[_WIDEST] = (widest.coef, float(widest.intercept))
            mistakes[_WIDEST] = 0
        view = vote.view()
        box = box_around(view.points, equal=has_similar_spread(view.points))
        display = cls(
            view=view,
            codes=samples.codes,
            classes=samples.classes,
            separators=separators,
            mistakes=mistakes,
            response=vote.response(box, view.kind, _GRID),
        )
        return display.plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        is_new, points = ax is None, self.view.points
        self.figure_: Figure | SubFigure
        self.figure_, self.ax_ = style.figure_and_axes(ax, size=_SIZE)
        equal = has_similar_spread(points)
        box = box_around(points, equal=equal)
        artists.draw_samples(self.ax_, points, self.codes, self.classes)
        self.lines_: dict[str, Line2D] = {}
        self.margins_: dict[str, float] = {}
        for k, (name, (coef, intercept)) in enumerate(self.separators.items()):
            view = self.view._replace(coef=coef[None, :], intercept=np.array([intercept]))
            distances = view.distances(self.codes)
            if distances is not None:
                self.margins_[name] = float(distances.min())
            look: dict[str, Any] = {"color": style.ink(self.ax_), "linewidth": 2.6}
            if name != _WIDEST:
                color, dashes = style.line_style(self.ax_, k)
                look = {"color": color, "linestyle": dashes}
            label = self._label(name)
            line = artists.draw_line(self.ax_, Line(coef, intercept), box, label=label, **look)
            if line is not None:
                self.lines_[name] = line
        self._draw_vote()
        artists.frame(self.ax_, box, equal=equal)
        style.set_labels(self.ax_, self.view.xlabel, self.view.ylabel)
        self.legend_ = style.legend(self.ax_, outside=is_new)
        return self

    def _draw_vote(self) -> None:
        self.vote_: QuadContourSet | None = None
        xx0, xx1, score = self.response
        if not score.min() < 0.0 < score.max():
            return
        color, dashes = style.line_style(self.ax_, 3)
        look: dict[str, Any] = {"colors": [color], "linestyles": [dashes], "zorder": 2.0}
        self.vote_ = self.ax_.contour(xx0, xx1, score, [0.0], **look)
        self.ax_.plot([], [], color=color, linestyle=dashes, label=self._label("vote"))

    def _label(self, name: str) -> str:
        count, margin = self.mistakes[name], self.margins_.get(name)
        if count or margin is None:
            return f"{name}: {count} misclassified"
        return f"{name}: {'' if name == _WIDEST else 'margin '}{margin:.4g}"
