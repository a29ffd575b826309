"""A picture of one update as vectors: the weights, the sample added to them, and their sum."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.core.checks import whole_number
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats
from rosenblatt.lectures.pictures.trace_views import (
    checked_trace,
    samples_of,
    separator_of,
    updates_of,
)
from rosenblatt.lectures.trace import Trace, Visit
from rosenblatt.plots import style
from rosenblatt.plots.plane import artists
from rosenblatt.plots.plane.drawn_samples import DrawnSamples
from rosenblatt.plots.plane.geometry import Line, box_around

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.text import Annotation

_SIZE = (6.8, 4.6)
_VISIBLE = 0.05
"""An arrow is easy to see if it is at least this long, as a share of the picture."""

_COLORS = {"before": "purple", "added": "green", "after": "vermilion"}


@dataclass(kw_only=True, eq=False, repr=False)
class UpdateDisplay:
    """An update as vectors: w, the sample y·x that is added, w + y·x, and both separators.

    Weights and samples are drawn in the same plane. An intercept is not part of the vectors: the legend
    shows how it changes, which shifts the separator in addition to rotating it.

    Parameters
    ----------
    before, after : (coef, intercept)
        The weights before and after the update.
    row : int
        The index of the added sample in ``samples``.
    samples : DrawnSamples
        All samples.
    has_intercept : bool
    rate : float
        The factor of the sample.
    title : str

    Attributes
    ----------
    ax_, figure_ : Matplotlib's axes and figure
    vectors_ : dict of str to Annotation
        The arrows "before", "added" and "after", except those of length 0.

    Examples
    --------
    >>> from rosenblatt import trace
    >>> from rosenblatt.lectures.pictures import UpdateDisplay
    >>> run = trace([[2, 1], [1, -2]], [1, -1], fit_intercept=False, coef_init=[1, -1])
    >>> display = UpdateDisplay.from_trace(run)
    >>> display.before[0].tolist(), display.added.tolist(), display.after[0].tolist()
    ([1.0, -1.0], [-1.0, 2.0], [0.0, 1.0])
    """

    before: tuple[Floats, float]
    after: tuple[Floats, float]
    row: int
    samples: DrawnSamples
    has_intercept: bool
    rate: float
    title: str

    @property
    def added(self) -> Floats:
        """The vector that the update adds to the weights of the features."""
        return np.asarray(self.after[0] - self.before[0] + 0.0)  # no -0.0

    @classmethod
    def from_trace(
        cls, trace: Trace, *, update: int | None = None, ax: "Axes | None" = None
    ) -> Self:
        r"""Draw one update of a run on two features; updates are counted from 1.

        By default, it is the first one whose three arrows are all easy to see.

        >>> from rosenblatt import trace
        >>> from rosenblatt.lectures.pictures import UpdateDisplay
        >>> run = trace([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
        >>> UpdateDisplay.from_trace(run, update=2).ax_.get_title()
        'update 2 of 7: row 2, epoch 1\ny·w·x from -7 to -4'
        """
        run = checked_trace(trace)
        n_features = len(run.weights) - run.has_intercept
        if n_features != 2:
            features = "1 feature" if n_features == 1 else f"{n_features} features"
            raise InputError(f"the trace has {features}: an update can be drawn for two features")
        updates = updates_of(run)
        if not updates:
            raise InputError("the trace has no updates: its start weights separate the samples")
        samples = samples_of(run)
        if update is None:
            update = _most_visible(updates, samples, has_intercept=run.has_intercept)
        visit = updates[whole_number("update", update, 1, len(updates)) - 1]
        steps = np.subtract(visit.weights_after, visit.weights_before)
        largest = int(np.abs(visit.sample).argmax())
        display = cls(
            before=separator_of(visit.weights_before, has_intercept=run.has_intercept),
            after=separator_of(visit.weights_after, has_intercept=run.has_intercept),
            row=sorted({one.row for one in run}).index(visit.row),
            samples=samples,
            has_intercept=run.has_intercept,
            rate=float(steps[largest] / visit.sample[largest]),
            title=(
                f"update {update} of {len(updates)}: row {visit.row}, epoch {visit.epoch}\n"
                f"y·w·x from {visit.score:.4g} to {visit.score_after:.4g}"
            ),
        )
        return display.plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on the axes, or on a new figure, and return the display."""
        self.figure_: Figure | SubFigure
        self.figure_, self.ax_ = style.figure_and_axes(ax, size=_SIZE)
        points = np.asarray(self.samples.table)
        corners = np.vstack([points, self.before[0], self.after[0], np.zeros(2)])
        box = box_around(corners, equal=True, padding=0.16, aspect=1.0)
        for draw in (self.ax_.axhline, self.ax_.axvline):
            draw(0.0, color=style.faint(self.ax_, 0.8), linewidth=0.8, zorder=0.6)
        artists.draw_samples(self.ax_, points, self.samples.codes, self.samples.classes, alpha=0.8)
        style.ring(self.ax_, points[self.row], "the sample x")
        for name, weights, dashes in (
            ("before", self.before, (0, (5, 3))),
            ("after", self.after, "solid"),
        ):
            color = style.color(self.ax_, _COLORS[name])
            look = {"color": color, "linestyle": dashes, "linewidth": 1.3}
            artists.draw_line(self.ax_, Line(*weights), box, label=f"separator {name}", **look)
        self._draw_vectors()
        artists.frame(self.ax_, box, equal=True)
        xlabel, ylabel = self.samples.names
        style.set_labels(self.ax_, xlabel, ylabel, self.title)
        note = None
        if self.has_intercept:
            change = f"{self.before[1]:.4g} → {self.after[1]:.4g}"
            note = f"intercept {change}\n(not part of the vectors)"
        style.legend(self.ax_, outside=ax is None, title=note)
        return self

    def _draw_vectors(self) -> None:
        """Draw both weights from the origin, and the added vector from the tip of the first."""
        times = "" if self.rate == 1.0 else f"{self.rate:.4g}·"
        origin, before, after = np.zeros(2), self.before[0], self.after[0]
        # Labels go outside the triangle of the three arrows.
        outside = -1 if before[0] * after[1] < before[1] * after[0] else 1
        self.vectors_: dict[str, Annotation] = {}
        for name, tail, tip, text, side in (
            ("before", origin, before, "w", -outside),
            ("after", origin, after, f"w + {times}y·x", outside),
            ("added", before, after, f"{times}y·x", -outside),
        ):
            look: dict[str, Any] = {"color": style.color(self.ax_, _COLORS[name])}
            look["linestyle"] = (0, (3, 1)) if name == "added" else "solid"
            across, up = (tip - tail + 0.0).tolist()  # no -0.0
            label = f"{text} = ({across:.4g}, {up:.4g})"
            self.ax_.plot([], [], linewidth=2.4, label=label, **look)
            if across or up:
                self.vectors_[name] = artists.draw_vector(self.ax_, tail, tip, **look)
                artists.label_vector(self.ax_, tail, tip, text, side)


def _most_visible(updates: list[Visit], samples: DrawnSamples, *, has_intercept: bool) -> int:
    """Return the first update, counted from 1, with three visible arrows; else the one nearest to it."""
    farthest = float(np.abs(np.asarray(samples.table)).max())
    shortest = []
    for visit in updates:
        pair = (visit.weights_before, visit.weights_after)
        before, after = (separator_of(one, has_intercept=has_intercept)[0] for one in pair)
        lengths = [float(np.hypot(*arrow)) for arrow in (before, after - before, after)]
        shortest.append(min(lengths) / (max(*lengths, farthest) or 1.0))
    visible = (k for k, share in enumerate(shortest) if share >= _VISIBLE)
    return next(visible, int(np.argmax(shortest))) + 1
