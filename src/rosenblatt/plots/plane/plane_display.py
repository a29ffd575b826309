"""Samples in the plane: what is decided where, the separator and its margin, or why there is none."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.core.types import Counts, Floats, LabelsLike, MatrixLike
from rosenblatt.plots import style
from rosenblatt.plots.plane import artists
from rosenblatt.plots.plane.drawn_samples import shown_rows
from rosenblatt.plots.plane.estimator_views import decided
from rosenblatt.plots.plane.geometry import Box, Line, box_around, is_comparable
from rosenblatt.plots.plane.separation_views import (
    crossing_of,
    one_separation,
    sided_samples,
    title_of,
    weights_of,
)
from rosenblatt.plots.plane.views import view_of
from rosenblatt.separability.results.result import Separation, Separations

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.contour import QuadContourSet
    from matplotlib.lines import Line2D
    from matplotlib.patches import Polygon

_SIZE = (6.8, 4.6)
_RINGS = 100
"""Above so many mistakes the picture says how many there are, and rings none."""
_PLAIN_CLASSES = 3
"""Of so many classes a projection loses nothing: every sample is in the region that it is given."""


class PlaneDisplay:
    """Samples, the regions where each class is decided, the separator, its margin and its support.

    Where nothing separates the samples: the hulls of both classes, a point that is in both, and the rows
    that it is made of. Two features are the plane itself, one is a line on which each class has its own
    height; above two, the horizontal axis is the signed distance to the separator and the vertical one
    the direction in which the rest of the samples spreads most.

    Parameters
    ----------
    points : array of shape (n_samples, 2)
        Where the samples are in the picture.
    codes : array of n_samples whole numbers
        Which class each of them has.
    classes : list
        The labels of the classes.
    kind : {"plane", "strip", "projection"}, default="plane"
        Two features, one, or more.
    xlabel, ylabel : str
        The names of the axes.
    coef, intercept : arrays of shapes (1, 2) and (1,), or (n_classes, 2) and (n_classes,)
        The weights, in the coordinates of the picture.
    xx0, xx1, response : arrays of the same shape
        A grid and what is decided there, for what does not decide by weights: the score for two classes,
        the number of the class for more.
    margin : float or None, default=None
        How far the nearest sample is from the separator.
    support, mistakes : arrays of rows
        The samples that decide the margin, or prove that there is none, and those on the wrong side.
    hulls : list of arrays of rows
        The samples of each hull that is drawn.
    crossing : array of shape (2,) or None, default=None
        A point that is in all of these hulls.
    crossing_label : str
        What the legend calls it.
    earlier : list of (coef, intercept)
        Separators that came before, drawn faintly.
    title : str
        What the picture is about.

    Attributes
    ----------
    ax_, figure_ : Matplotlib's axes and figure
    samples_ : list of PathCollection
        The samples of each class. At most about 5,000 are drawn.
    regions_ : list of Polygon, None or QuadContourSet
    separator_ : Line2D, QuadContourSet or None
    band_ : list of Line2D
        Both edges of the margin.
    support_, mistakes_ : PathCollection or None
        Rings.
    hulls_ : list of Polygon
    crossing_ : PathCollection or None
    legend_ : Legend or None
    note_ : str or None
        How many samples are drawn, where not all are.

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

    def __init__(
        self,
        *,
        points: Floats,
        codes: Counts,
        classes: list[Any],
        kind: str = "plane",
        xlabel: str = "x1",
        ylabel: str = "x2",
        coef: Floats | None = None,
        intercept: Floats | None = None,
        xx0: Floats | None = None,
        xx1: Floats | None = None,
        response: Floats | None = None,
        margin: float | None = None,
        support: Counts | None = None,
        mistakes: Counts | None = None,
        hulls: list[Counts] | None = None,
        crossing: Floats | None = None,
        crossing_label: str = "in both hulls",
        earlier: list[tuple[Floats, float]] | None = None,
        title: str = "",
    ) -> None:
        self.points = points
        self.codes = codes
        self.classes = classes
        self.kind = kind
        self.xlabel = xlabel
        self.ylabel = ylabel
        self.coef = coef
        self.intercept = intercept
        self.xx0 = xx0
        self.xx1 = xx1
        self.response = response
        self.margin = margin
        self.support = np.empty(0, dtype=np.int64) if support is None else support
        self.mistakes = np.empty(0, dtype=np.int64) if mistakes is None else mistakes
        self.hulls = [] if hulls is None else hulls
        self.crossing = crossing
        self.crossing_label = crossing_label
        self.earlier = [] if earlier is None else earlier
        self.title = title

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
        """Draw what a fitted estimator decides, and samples, with the support rows and mistakes ringed.

        Parameters
        ----------
        estimator : classifier
            One of this library, scikit-learn's, or a pipeline; of two classes or more. One that decides
            by weights has a separator and, if it makes no mistake, a margin; any other, such as a kernel
            machine, or a perceptron whose hypotheses vote, is asked point by point, in up to two
            features; above, the horizontal axis is its score.
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            The samples that it was fitted on, if support rows are to be ringed truly; any others else.
        y : array of n_samples labels
        ax : Matplotlib axes, or None, default=None
            Where to draw; None: on a new figure.
        **options : dict
            For Matplotlib's ``scatter`` of the samples.

        Returns
        -------
        PlaneDisplay

        Examples
        --------
        >>> from rosenblatt import KernelPerceptron
        >>> from rosenblatt.plots import PlaneDisplay
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
        >>> xor = KernelPerceptron(kernel="poly", degree=2).fit(X, y)
        >>> PlaneDisplay.from_estimator(xor, X, y).ax_.get_title()
        'KernelPerceptron: 0 mistakes on 4 samples'
        """
        model = decided(estimator, X, y)
        view, samples, mistakes = model.view(), model.samples, model.mistakes
        grid: tuple[Floats | None, Floats | None, Floats | None] = (None, None, None)
        if view.coef is None:
            grid = model.response(_box(view.points, view.kind, None), view.kind)
        counted = "1 mistake" if len(mistakes) == 1 else f"{len(mistakes):,} mistakes"
        display = cls(
            **view._asdict(),
            xx0=grid[0],
            xx1=grid[1],
            response=grid[2],
            codes=samples.codes,
            classes=samples.classes,
            margin=view.margin(samples.codes) if len(mistakes) == 0 else None,
            support=_support(model.estimator, len(samples.codes)),
            mistakes=mistakes,
            title=f"{type(model.estimator).__name__}: {counted} on {len(samples.codes):,} samples",
        )
        return display.plot(ax, **options)

    @classmethod
    def from_separation(
        cls,
        separation: Separation | Separations,
        X: MatrixLike,
        y: LabelsLike,
        *,
        ax: "Axes | None" = None,
        **options: Any,
    ) -> Self:
        """Draw what `separate` found: the separator, its margin and support, or the hulls that meet.

        Parameters
        ----------
        separation : Separation or Separations
            What `rosenblatt.separate` returned; of many classes, their joint regions are drawn.
        X, y : the samples and labels that were separated
        ax : Matplotlib axes, or None, default=None
            Where to draw; None: on a new figure.
        **options : dict
            For Matplotlib's ``scatter`` of the samples.

        Returns
        -------
        PlaneDisplay
            The margin in its legend is the distance of the nearest sample; the title has the margin that
            was asked for, which is another number where it is the augmented one.

        Examples
        --------
        >>> from rosenblatt import separate
        >>> from rosenblatt.plots import PlaneDisplay
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
        >>> display = PlaneDisplay.from_separation(separate(X, y), X, y)
        >>> display.crossing.tolist(), display.support.tolist()
        ([0.5, 0.5], [0, 1, 2, 3])
        >>> display.ax_.get_title()
        'inseparable: 4 rows prove it'
        """
        one = one_separation(separation)
        samples = sided_samples(one, X, y)
        view = view_of(samples, *weights_of(one))
        crossing = crossing_of(one, view.points, samples.codes, view.kind)
        classes = samples.classes
        if crossing is not None:
            view = view._replace(points=crossing.points)
            if not one.scope.has_intercept:
                classes = [f"{classes[0]}, negated", classes[1]]
        display = cls(
            **view._asdict(),
            codes=samples.codes,
            classes=classes,
            margin=view.margin(samples.codes),
            support=np.asarray(one.support, dtype=np.int64),
            hulls=None if crossing is None else crossing.hulls,
            crossing=None if crossing is None else crossing.point,
            crossing_label="" if crossing is None else crossing.label,
            title=title_of(one),
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
        PlaneDisplay
            Itself.
        """
        is_new = ax is None
        self.figure_, self.ax_ = style.figure_and_axes(ax, size=_SIZE)
        box = _box(self.points, self.kind, self._line)
        self._draw_samples(options)
        self._draw_decision(box)
        self._draw_hulls()
        self._draw_rings()
        artists.frame(self.ax_, box, equal=self.kind == "plane" and is_comparable(self.points))
        style.set_labels(self.ax_, self.xlabel, self.ylabel, self.title)
        if self.kind == "strip":
            self.ax_.set_yticks(range(len(self.classes)), [*map(style.shown_name, self.classes)])
        # Small markers would be lost in a legend.
        scale = max(1.0, 5.5 / artists.marker_size(len(self.rows_)) ** 0.5)
        note = self.note_
        self.legend_ = style.legend(self.ax_, outside=is_new, title=note, markerscale=scale)
        return self

    @property
    def _line(self) -> Line | None:
        """The separator, where there is one."""
        if self.coef is None or self.intercept is None or len(self.coef) != 1:
            return None
        line = Line(self.coef[0], float(self.intercept[0]))
        return line if line.length else None

    def _draw_decision(self, box: Box) -> None:
        """Draw the regions, and the separator with its margin."""
        ax = self.ax_
        self.regions_: list[Polygon | QuadContourSet | None] = []
        self.separator_: Line2D | QuadContourSet | None = None
        self.band_: list[Line2D] = []
        self.earlier_ = [
            artists.draw_line(ax, Line(*line), box, color=style.faint(ax, 0.6), linewidth=1.0)
            for line in self.earlier
        ]
        for line in filter(None, self.earlier_[:1]):
            line.set_label("earlier separators")
        if self.xx0 is not None and self.xx1 is not None and self.response is not None:
            drawn = artists.draw_response(ax, self.xx0, self.xx1, self.response, len(self.classes))
            self.regions_ = [part for part in drawn if part.filled]
            self.separator_ = next((part for part in drawn if not part.filled), None)
        if self.coef is None or self.intercept is None:
            return
        self.regions_ = [*artists.draw_regions(ax, self.coef, self.intercept, box)]
        if self._line is not None:
            self.separator_ = artists.draw_line(ax, self._line, box, label="separator")
            if self.margin is not None:
                label = f"geometric margin {self.margin:.4g}"
                _, self.band_ = artists.draw_band(ax, self._line, box, self.margin, label)

    def _draw_hulls(self) -> None:
        self.hulls_ = [
            artists.draw_hull(self.ax_, self.points[rows], self.codes[rows]) for rows in self.hulls
        ]
        self.crossing_ = None
        if self.crossing is not None:
            self.crossing_ = artists.draw_crossing(self.ax_, self.crossing, self.crossing_label)
            if self.kind == "strip":
                self.ax_.axvline(self.crossing[0], color=style.faint(self.ax_), linestyle=":")

    def _draw_samples(self, options: dict[str, Any]) -> None:
        self.rows_ = shown_rows(self.codes, np.concatenate([self.support, self._ringed]))
        self.samples_ = artists.draw_samples(
            self.ax_, self.points[self.rows_], self.codes[self.rows_], self.classes, **options
        )

    @property
    def _ringed(self) -> Counts:
        """The mistakes that get a ring: none where there are too many."""
        return self.mistakes if len(self.mistakes) <= _RINGS else self.mistakes[:0]

    def _draw_rings(self) -> None:
        """Draw rings around the samples that matter."""
        self.support_: PathCollection | None = None
        self.mistakes_: PathCollection | None = None
        size = 2.4 * artists.marker_size(len(self.rows_))
        if len(self.support):
            label = f"support rows ({len(self.support)})"
            self.support_ = style.ring(self.ax_, self.points[self.support], label, s=size)
        if len(self._ringed):
            color = [style.color(self.ax_, "vermilion")]
            settings = {"edgecolors": color, "linestyles": ":", "s": 1.4 * size}
            label = f"mistakes ({len(self._ringed)})"
            self.mistakes_ = style.ring(self.ax_, self.points[self._ringed], label, **settings)

    @property
    def note_(self) -> str | None:
        """How many samples are shown, where not all are, and which regions, where some are not."""
        notes = []
        if len(self.rows_) < len(self.codes):
            notes.append(f"{len(self.rows_):,} of {len(self.codes):,} samples")
        if self.kind == "projection" and self.coef is not None and len(self.coef) > _PLAIN_CLASSES:
            notes.append(
                "regions of the plane through the mean:\nsamples beside it may be in others"
            )
        return "\n".join(notes) or None


def _box(points: Floats, kind: str, line: Line | None) -> Box:
    """Return what the picture shows: all points, and a part of the separator, if it is not far away."""
    equal = kind == "plane" and is_comparable(points)
    if line is not None:
        nearest = line.nearest(points.mean(axis=0))
        beyond = np.maximum(points.min(axis=0) - nearest, nearest - points.max(axis=0))
        if (beyond <= 2.0 * np.ptp(points, axis=0).max()).all():
            points = np.vstack([points, nearest])
    box = box_around(points, equal=equal, padding=0.1 if kind == "plane" else 0.06)
    if kind == "strip":
        box = box._replace(bottom=points[:, 1].min() - 0.7, top=points[:, 1].max() + 0.7)
    return box


def _support(estimator: Any, n_samples: int) -> Counts:
    """Return the rows that a margin or a kernel machine rests on, where the estimator says which."""
    rows = getattr(estimator, "support_", None) if hasattr(estimator, "dual_coef_") else None
    if rows is None:
        return np.empty(0, dtype=np.int64)
    support = np.asarray(rows, dtype=np.int64)
    return support[support < n_samples]
