"""Many separators of the same samples: what a run can decide by, and the maximum margin."""

import warnings
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Floats, LabelsLike, MatrixLike, Seed
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.plots import style
from rosenblatt.plots.plane import artists
from rosenblatt.plots.plane.drawn_samples import DrawnSamples, drawn_samples
from rosenblatt.plots.plane.estimator_views import decided
from rosenblatt.plots.plane.geometry import Line, box_around, is_comparable
from rosenblatt.separability.results.result import Separation
from rosenblatt.separability.separate import separate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.contour import QuadContourSet

_SIZE = (7.2, 4.6)
_KEPT = ("last", "average", "pocket")
_WIDEST = "maximum margin"

_GRID = 90
"""So many points on each side: every hypothesis of the run has a vote on each of them."""


class SeparatorsDisplay:
    """What one and the same run can decide by, and the maximum margin, on the same samples.

    A perceptron can keep its last weights, the average of all, the best of those that were tried (its
    pocket), or let all of them vote. A vote has no weights: its boundary is drawn as a contour of its
    score. The legend has each one's geometric margin, which is the distance of the nearest sample, or
    how many samples are on its wrong side.

    Parameters
    ----------
    points : array of shape (n_samples, 2)
        The samples.
    codes : array of n_samples whole numbers
        Which class each of them has: 0 or 1.
    classes : list
        The labels of both.
    separators : dict of str to (coef, intercept)
        The weights of each separator.
    mistakes : dict of str to int
        How many samples each of them, and the "vote", is mistaken on.
    xx0, xx1, response : arrays of the same shape
        A grid, and the vote's score there.
    xlabel, ylabel : str
        The names of the features.

    Attributes
    ----------
    ax_, figure_ : Matplotlib's axes and figure
    lines_ : dict of str to Line2D
    vote_ : QuadContourSet or None
        The boundary of the vote, where the picture has a part of it.
    margins_ : dict of str to float
        The geometric margin of each separator, negative where it makes mistakes; that of the vote is
        measured on its contour.
    samples_ : list of PathCollection
    legend_ : Legend or None

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

    def __init__(
        self,
        *,
        points: Floats,
        codes: Counts,
        classes: list[Any],
        separators: dict[str, tuple[Floats, float]],
        mistakes: dict[str, int],
        xx0: Floats,
        xx1: Floats,
        response: Floats,
        xlabel: str = "x1",
        ylabel: str = "x2",
    ) -> None:
        self.points = points
        self.codes = codes
        self.classes = classes
        self.separators = separators
        self.mistakes = mistakes
        self.xx0 = xx0
        self.xx1 = xx1
        self.response = response
        self.xlabel = xlabel
        self.ylabel = ylabel

    @classmethod
    def from_samples(
        cls,
        X: MatrixLike,
        y: LabelsLike,
        *,
        max_iter: int = 100,
        random_state: Seed = 0,
        ax: "Axes | None" = None,
        **options: Any,
    ) -> Self:
        """Learn the separators, and draw them.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, 2)
            The samples.
        y : array of n_samples labels
            Two classes.
        max_iter : int, default=100
            The most epochs of the run.
        random_state : int, RandomState or None, default=0
            Decides the order of visits, which is the same for all.
        ax : Matplotlib axes, or None, default=None
            Where to draw; None: on a new figure.
        **options : dict
            For Matplotlib's ``scatter`` of the samples.

        Returns
        -------
        SeparatorsDisplay
            Where no hyperplane separates the samples it has no maximum margin.

        Examples
        --------
        >>> from rosenblatt.plots import SeparatorsDisplay
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
        >>> "maximum margin" in SeparatorsDisplay.from_samples(X, y, max_iter=9).separators
        False
        """
        samples = _in_the_plane(drawn_samples(X, y))
        common = {"max_iter": max_iter, "random_state": random_state}
        separators: dict[str, tuple[Floats, float]] = {}
        mistakes: dict[str, int] = {}
        with warnings.catch_warnings():
            # That the samples may not be separable is what the picture shows.
            warnings.simplefilter("ignore", ConvergenceWarning)
            for name in _KEPT:
                learner = Perceptron(keep=name, **common).fit(X, y)
                separators[name] = (learner.coef_[0], float(learner.intercept_[0]))
                mistakes[name] = len(decided(learner, X, y).mistakes)
            vote = decided(Perceptron(keep="vote", **common).fit(X, y), X, y)
        mistakes["vote"] = len(vote.mistakes)
        widest = separate(X, y, margin="affine")
        assert isinstance(widest, Separation)  # of two classes
        if widest.coef is not None and widest.intercept is not None:
            separators[_WIDEST] = (widest.coef, float(widest.intercept))
            mistakes[_WIDEST] = 0
        view = vote.view()
        box = box_around(view.points, equal=is_comparable(view.points))
        xx0, xx1, response = vote.response(box, view.kind, _GRID)
        display = cls(
            points=view.points,
            codes=samples.codes,
            classes=samples.classes,
            separators=separators,
            mistakes=mistakes,
            xx0=xx0,
            xx1=xx1,
            response=response,
            xlabel=view.xlabel,
            ylabel=view.ylabel,
        )
        return display.plot(ax, **options)

    def plot(self, ax: "Axes | None" = None, **options: Any) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Matplotlib axes, or None, default=None
            Where to draw; None: on a new figure.
        **options : dict
            For Matplotlib's ``scatter`` of the samples.

        Returns
        -------
        SeparatorsDisplay
            Itself.
        """
        is_new = ax is None
        self.figure_, self.ax_ = style.figure_and_axes(ax, size=_SIZE)
        equal = is_comparable(self.points)
        box = box_around(self.points, equal=equal)
        self.samples_ = artists.draw_samples(
            self.ax_, self.points, self.codes, self.classes, **options
        )
        self.lines_, self.margins_ = {}, {}
        for k, (name, (coef, intercept)) in enumerate(self.separators.items()):
            separator = Line(coef, intercept)
            if separator.length:
                signs = np.where(self.codes == 1, 1.0, -1.0)
                margins = signs * separator.scores(self.points) / separator.length
                self.margins_[name] = float(margins.min())
            look = {"color": style.ink(self.ax_), "linewidth": 2.6}
            if name != _WIDEST:
                look = dict(zip(("color", "linestyle"), style.line_style(self.ax_, k), strict=True))
            line = artists.draw_line(self.ax_, separator, box, label=self._label(name), **look)
            if line is not None:
                self.lines_[name] = line
        self._draw_vote(len(_KEPT))
        artists.frame(self.ax_, box, equal=equal)
        style.set_labels(self.ax_, self.xlabel, self.ylabel)
        self.legend_ = style.legend(self.ax_, outside=is_new)
        return self

    def _draw_vote(self, k: int) -> None:
        self.vote_: QuadContourSet | None = None
        if not self.response.min() < 0.0 < self.response.max():
            return
        color, dashes = style.line_style(self.ax_, k)
        self.vote_ = self.ax_.contour(
            self.xx0,
            self.xx1,
            self.response,
            [0.0],
            colors=[color],
            linestyles=[dashes],
            zorder=2.0,
        )
        boundary = np.vstack([path.vertices for path in self.vote_.get_paths()])
        nearest = min(
            float(np.hypot(*(boundary - point).T).min()) for point in self.points[:_MEASURED]
        )
        self.margins_["vote"] = nearest if self.mistakes["vote"] == 0 else -nearest
        self.ax_.plot([], [], color=color, linestyle=dashes, label=self._label("vote"))

    def _label(self, name: str) -> str:
        count = self.mistakes[name]
        if count:
            return f"{name}: {count} mistake{'' if count == 1 else 's'}"
        words = {"vote": "margin about ", _WIDEST: ""}.get(name, "margin ")
        return f"{name}: {words}{self.margins_[name]:.4g}"


_MEASURED = 2_000


def _in_the_plane(samples: DrawnSamples) -> DrawnSamples:
    n_features, n_classes = samples.table.shape[1], len(samples.classes)
    if n_features != 2:
        raise InputError(
            f"X has {n_features} feature{'' if n_features == 1 else 's'}: many separators are drawn in "
            "two features"
        )
    if n_classes != 2:
        raise InputError(
            f"y has {n_classes} class{'' if n_classes == 1 else 'es'}: many separators are drawn of two"
        )
    return samples
