"""Samples in the plane: decision regions, the separator and its margin, or proof that none exists."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.core.types import Counts, Floats, LabelsLike, MatrixLike
from rosenblatt.plots import style
from rosenblatt.plots.plane import artists
from rosenblatt.plots.plane.drawn_samples import rows_to_draw
from rosenblatt.plots.plane.estimator_views import Response, decisions
from rosenblatt.plots.plane.geometry import Box, Line, box_around, has_similar_spread
from rosenblatt.plots.plane.separation_views import (
    Crossing,
    hull_crossing,
    samples_by_side,
    single_separation,
    verdict_title,
    weights_of,
)
from rosenblatt.plots.plane.views import View, view_of
from rosenblatt.separability.results.result import Separation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.contour import QuadContourSet
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Polygon

_SIZE = (6.8, 4.6)
_MAX_RINGS = 100
"""If more samples than this are misclassified, the title counts them and none are circled."""
_EXACT_CLASSES = 3
"""Projections of at most this many classes show every sample in the region it is assigned to."""


def _no_rows() -> Counts:
    return np.empty(0, dtype=np.int64)


@dataclass(kw_only=True, eq=False, repr=False)
class PlaneDisplay:
    """Samples, the region of each class, the separator, its margin and its support rows.

    If no hyperplane separates the samples: the hulls of both classes, a point in both, and the rows that
    prove it. Two features are drawn directly; a single feature is drawn as a strip with one height per
    class. With more features, the horizontal axis is the signed distance to the separator, and the
    vertical axis is the remaining direction in which the samples vary most.

    Parameters
    ----------
    view : View
        The samples as points, the axis labels, and the weights in the picture's coordinates.
    codes : array of n_samples integers
        The class of each sample.
    classes : list
        The labels of the classes.
    response : Response or None, default=None
        The decision on a grid, for estimators without weights.
    margin : float or None, default=None
        The distance of the nearest sample from the separator.
    support, mistakes : arrays of rows
        The samples that determine the margin or prove inseparability, and the misclassified ones.
    crossing : Crossing or None, default=None
        The hulls, and a point that all of them contain.
    earlier : list of (coef, intercept)
        Earlier separators, drawn in gray.
    title : str

    Attributes
    ----------
    ax_, figure_, legend_
        Matplotlib's axes, figure and legend.
    samples_, regions_, earlier_, band_, hulls_ : lists of Matplotlib artists
        At most about 5,000 samples are drawn.
    separator_, crossing_, support_, mistakes_ : Matplotlib artists, or None
    note_ : str or None
        States what the picture leaves out.

    Examples
    --------
    >>> from rosenblatt import MaxMargin
    >>> from rosenblatt.plots import PlaneDisplay
    >>> X, y = [[3, 3], [4, 3], [1, 1]], ["right", "right", "left"]
    >>> display = PlaneDisplay.from_estimator(MaxMargin().fit(X, y), X, y)
    >>> round(display.margin, 6), display.support.tolist()
    (1.414214, [0, 2])
    >>> [text.get_text() for text in display.legend_.get_texts()]
    ['left', 'right', 'separator', 'geometric margin 1.414', 'support rows (2)']
    """

    view: View
    codes: Counts
    classes: list[Any]
    response: Response | None = None
    margin: float | None = None
    support: Counts = field(default_factory=_no_rows)
    mistakes: Counts = field(default_factory=_no_rows)
    crossing: Crossing | None = None
    earlier: list[tuple[Floats, float]] = field(default_factory=list)
    title: str = ""

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: MatrixLike,
        y: LabelsLike,
        *,
        ax: "Axes | None" = None,
        **options: Any,
    ) -> Self:
        """Draw the decisions of a fitted estimator, with support rows and misclassified samples circled.

        Parameters
        ----------
        estimator : classifier
            From this library or scikit-learn, or a pipeline. A linear one is drawn with its separator
            and, if nothing is misclassified, its margin. Any other, such as a kernel machine or a voting
            perceptron, is evaluated on a grid if there are at most two features; with more, the
            horizontal axis is its score.
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            Any samples; the support rows are correct only for those the estimator was fitted on.
        y : array of n_samples labels
        ax : Matplotlib axes, or None, default=None
            Where to draw; by default, on a new figure.
        **options : dict
            Passed to Matplotlib's ``scatter``, which draws the samples.

        Examples
        --------
        >>> from rosenblatt import KernelPerceptron
        >>> from rosenblatt.plots import PlaneDisplay
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
        >>> xor = KernelPerceptron(kernel="poly", degree=2).fit(X, y)
        >>> PlaneDisplay.from_estimator(xor, X, y).ax_.get_title()
        'KernelPerceptron: 0 of 4 samples misclassified'
        """
        model = decisions(estimator, X, y)
        view, samples, mistakes = model.view(), model.samples, model.mistakes
        counted = f"{len(mistakes):,} of {len(samples.codes):,} samples misclassified"
        display = cls(
            view=view,
            response=model.response(_box(view), view.kind) if view.coef is None else None,
            codes=samples.codes,
            classes=samples.classes,
            margin=view.margin(samples.codes) if len(mistakes) == 0 else None,
            support=_support(model.estimator, len(samples.codes)),
            mistakes=mistakes,
            title=f"{type(model.estimator).__name__}: {counted}",
        )
        return display.plot(ax, **options)

    @classmethod
    def from_separation(
        cls,
        separation: Separation,
        X: MatrixLike,
        y: LabelsLike,
        *,
        ax: "Axes | None" = None,
        **options: Any,
    ) -> Self:
        """Draw the result of `separate` for these samples: the separator, or the hulls that intersect.

        Several classes are drawn with their joint regions. The margin in the legend is the distance of
        the nearest sample; the title has the margin passed to `separate`, such as the augmented one.
        See `from_estimator` for ``ax`` and ``options``.

        Examples
        --------
        >>> from rosenblatt import separate
        >>> from rosenblatt.plots import PlaneDisplay
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
        >>> display = PlaneDisplay.from_separation(separate(X, y), X, y)
        >>> display.crossing.point.tolist(), display.support.tolist()
        ([0.5, 0.5], [0, 1, 2, 3])
        >>> display.ax_.get_title()
        'inseparable: 4 rows prove it'
        """
        one = single_separation(separation)
        samples = samples_by_side(one, X, y)
        view, classes = view_of(samples, *weights_of(one)), samples.classes
        crossing = hull_crossing(one, view.points, samples.codes, view.kind)
        if crossing is not None:
            view = view._replace(points=crossing.points)
            if not one.scope.has_intercept:
                classes = [f"{classes[0]}, negated", classes[1]]
        display = cls(
            view=view,
            codes=samples.codes,
            classes=classes,
            margin=view.margin(samples.codes),
            support=np.asarray(one.support, dtype=np.int64),
            crossing=crossing,
            title=verdict_title(one),
        )
        return display.plot(ax, **options)

    def plot(self, ax: "Axes | None" = None, **options: Any) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        is_new, view = ax is None, self.view
        self.figure_: Figure | SubFigure
        self.figure_, self.ax_ = style.figure_and_axes(ax, size=_SIZE)
        box = _box(view)
        self._draw_samples(options)
        self._draw_decision(box)
        self._draw_crossing()
        self._circle_support_and_mistakes()
        artists.frame(self.ax_, box, equal=_has_equal_scale(view))
        style.set_labels(self.ax_, view.xlabel, view.ylabel, self.title)
        if view.kind == "strip":
            self.ax_.set_yticks(range(len(self.classes)), [*map(style.shown_name, self.classes)])
        # Small markers would be hard to see in a legend.
        scale = max(1.0, 5.5 / artists.marker_size(len(self.rows_)) ** 0.5)
        self.legend_ = style.legend(self.ax_, outside=is_new, title=self.note_, markerscale=scale)
        return self

    def _draw_samples(self, options: dict[str, Any]) -> None:
        self._circled = self.mistakes if len(self.mistakes) <= _MAX_RINGS else _no_rows()
        self.rows_ = rows_to_draw(self.codes, np.concatenate([self.support, self._circled]))
        points, codes = self.view.points[self.rows_], self.codes[self.rows_]
        self.samples_ = artists.draw_samples(self.ax_, points, codes, self.classes, **options)

    def _draw_decision(self, box: Box) -> None:
        ax, view, line = self.ax_, self.view, self.view.line
        self.regions_: list[Polygon | QuadContourSet | None] = []
        self.separator_: Line2D | QuadContourSet | None = None
        self.band_: list[Line2D] = []
        faint: dict[str, Any] = {"color": style.faint(ax, 0.6), "linewidth": 1.0}
        self.earlier_ = [artists.draw_line(ax, Line(*one), box, **faint) for one in self.earlier]
        for drawn in filter(None, self.earlier_[:1]):
            drawn.set_label("earlier separators")
        if self.response is not None:
            parts = artists.draw_response(ax, *self.response, len(self.classes))
            self.regions_ = [part for part in parts if part.filled]
            self.separator_ = next((part for part in parts if not part.filled), None)
        elif view.coef is not None and view.intercept is not None:
            self.regions_ = [*artists.draw_regions(ax, view.coef, view.intercept, box)]
        if line is not None:
            self.separator_ = artists.draw_line(ax, line, box, label="separator")
            if self.margin is not None:
                label = f"geometric margin {self.margin:.4g}"
                _, self.band_ = artists.draw_band(ax, line, box, self.margin, label)

    def _draw_crossing(self) -> None:
        self.hulls_: list[Polygon] = []
        self.crossing_: PathCollection | None = None
        if self.crossing is not None:
            _, point, hulls, label = self.crossing
            for rows in hulls:
                points, codes = self.view.points[rows], self.codes[rows]
                self.hulls_.append(artists.draw_hull(self.ax_, points, codes))
            self.crossing_ = artists.draw_crossing(self.ax_, point, label)
            if self.view.kind == "strip":
                self.ax_.axvline(point[0], color=style.faint(self.ax_), linestyle=":")

    def _circle_support_and_mistakes(self) -> None:
        self.support_: PathCollection | None = None
        self.mistakes_: PathCollection | None = None
        points, size = self.view.points, 2.4 * artists.marker_size(len(self.rows_))
        if len(self.support):
            label = f"support rows ({len(self.support)})"
            self.support_ = style.ring(self.ax_, points[self.support], label, s=size)
        if len(self._circled):
            color = [style.color(self.ax_, "vermilion")]
            look = {"edgecolors": color, "linestyles": ":", "s": 1.4 * size}
            label = f"misclassified ({len(self._circled)})"
            self.mistakes_ = style.ring(self.ax_, points[self._circled], label, **look)

    @property
    def note_(self) -> str | None:
        """State what the picture leaves out: some samples, or part of the decision regions."""
        notes, coef = [], self.view.coef
        if len(self.rows_) < len(self.codes):
            notes.append(f"{len(self.rows_):,} of {len(self.codes):,} samples shown")
        if self.view.kind == "projection" and coef is not None and len(coef) > _EXACT_CLASSES:
            notes.append("regions of the plane through the mean;\nother samples may be elsewhere")
        return "\n".join(notes) or None


def _has_equal_scale(view: View) -> bool:
    return view.kind == "plane" and has_similar_spread(view.points)


def _box(view: View) -> Box:
    """Return the axis limits: all points, and part of the separator if it is near them."""
    points, line = view.points, view.line
    if line is not None:
        nearest = line.nearest(points.mean(axis=0))
        beyond = np.maximum(points.min(axis=0) - nearest, nearest - points.max(axis=0))
        if (beyond <= 2.0 * np.ptp(points, axis=0).max()).all():
            points = np.vstack([points, nearest])
    box = box_around(
        points, equal=_has_equal_scale(view), padding=0.1 if view.kind == "plane" else 0.06
    )
    if view.kind == "strip":
        box = box._replace(bottom=points[:, 1].min() - 0.7, top=points[:, 1].max() + 0.7)
    return box


def _support(estimator: Any, n_samples: int) -> Counts:
    """Return the support rows of a margin or kernel machine; otherwise none."""
    rows = getattr(estimator, "support_", None) if hasattr(estimator, "dual_coef_") else None
    support = np.asarray(_no_rows() if rows is None else rows, dtype=np.int64)
    return support[support < n_samples]
