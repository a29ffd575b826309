"""One update of a run as vectors: the weights, the sample that is added to them, and their sum."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.core.checks import whole
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Floats
from rosenblatt.lectures.pictures.trace_views import (
    SIGNED,
    checked_trace,
    places_of,
    samples_of,
    separator_of,
    signed_samples,
    updates_of,
)
from rosenblatt.lectures.trace import Trace
from rosenblatt.plots import style
from rosenblatt.plots.plane import artists
from rosenblatt.plots.plane.drawn_samples import DrawnSamples
from rosenblatt.plots.plane.geometry import Line, box_around

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

_SIZE = (6.8, 4.6)


class UpdateDisplay:
    """An update as vectors: w, the sample y·x that is added to it, w + y·x, and both separators.

    Weights and samples are drawn in the same plane, as lectures do. With an intercept the weights of the
    two features are drawn, and the legend says how the intercept changed; a separator is then moved as
    well as turned. A run on one feature with an intercept is drawn in the plane of the extended samples,
    where every separator goes through the origin.

    Parameters
    ----------
    before, after : arrays of shape (2,)
        The weights before and after the update.
    sample : array of shape (2,)
        Where the sample is in the picture.
    points : array of shape (n_samples, 2)
        All samples, of which ``codes`` has the class and ``classes`` the names.
    codes : array of n_samples whole numbers
    classes : list of str
    intercepts : tuple of two floats, or None, default=None
        The intercept before and after; None where separators go through the origin.
    xlabel, ylabel : str
        The names of the axes.
    rate : float, default=1.0
        What the sample is multiplied by.
    title : str
        Which update it is.

    Attributes
    ----------
    ax_, figure_ : Matplotlib's axes and figure
    vectors_ : dict of str to Annotation
        The arrows "before", "added" and "after"; a vector of length 0 has none.
    separators_ : dict of str to Line2D
        The separators "before" and "after"; weights of zero have none.
    sample_ : PathCollection
        The ring around the sample.
    samples_ : list of PathCollection
    legend_ : Legend or None

    Examples
    --------
    >>> from rosenblatt import trace
    >>> from rosenblatt.plots import UpdateDisplay
    >>> run = trace([[2, 1], [1, -2]], [1, -1], fit_intercept=False, coef_init=[1, -1])
    >>> display = UpdateDisplay.from_trace(run)
    >>> display.before.tolist(), display.added.tolist(), display.after.tolist()
    ([1.0, -1.0], [-1.0, 2.0], [0.0, 1.0])
    """

    def __init__(
        self,
        *,
        before: Floats,
        after: Floats,
        sample: Floats,
        points: Floats,
        codes: Counts,
        classes: list[str],
        intercepts: tuple[float, float] | None = None,
        xlabel: str = "x1",
        ylabel: str = "x2",
        rate: float = 1.0,
        title: str = "",
    ) -> None:
        self.before = before
        self.after = after
        self.sample = sample
        self.points = points
        self.codes = codes
        self.classes = classes
        self.intercepts = intercepts
        self.xlabel = xlabel
        self.ylabel = ylabel
        self.rate = rate
        self.title = title

    @property
    def added(self) -> Floats:
        """What the update adds to the weights."""
        added: Floats = self.after - self.before + 0.0  # no -0.0
        return added

    @classmethod
    def from_trace(
        cls, trace: Trace, *, update: int = 1, ax: "Axes | None" = None, **options: Any
    ) -> Self:
        r"""Draw an update of a run in the plane.

        Parameters
        ----------
        trace : Trace
            What `rosenblatt.trace` returned, for samples of two features, or of one and an intercept.
        update : int, default=1
            Which update, counted from 1.
        ax : Matplotlib axes, or None, default=None
            Where to draw; None: on a new figure.
        **options : dict
            For Matplotlib's ``scatter`` of the samples.

        Returns
        -------
        UpdateDisplay

        Examples
        --------
        >>> from rosenblatt import trace
        >>> from rosenblatt.plots import UpdateDisplay
        >>> run = trace([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
        >>> UpdateDisplay.from_trace(run, update=2).ax_.get_title()
        'update 2 of 7: row 2, epoch 1\ny·w·x from -7 to -4'
        """
        run = checked_trace(trace)
        updates = updates_of(run)
        if not updates:
            raise InputError("the trace has no update: its first weights separate the samples")
        visit = updates[whole("update", update, 1, len(updates)) - 1]
        samples, has_offset = _drawn(run)
        before = separator_of(visit.weights_before, has_intercept=has_offset)
        after = separator_of(visit.weights_after, has_intercept=has_offset)
        shown = np.array(visit.sample)
        steps = np.array(visit.weights_after) - np.array(visit.weights_before)
        largest = int(np.abs(shown).argmax())
        display = cls(
            before=before[0],
            after=after[0],
            sample=samples.table[places_of(run)[visit.row]],
            points=samples.table,
            codes=samples.codes,
            classes=samples.classes,
            intercepts=(before[1], after[1]) if has_offset else None,
            xlabel=samples.names[0],
            ylabel=samples.names[1],
            rate=float(steps[largest] / shown[largest]),
            title=(
                f"update {update} of {len(updates)}: row {visit.row}, epoch {visit.epoch}\n"
                f"y·w·x from {visit.score:.4g} to {visit.score_after:.4g}"
            ),
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
        UpdateDisplay
            Itself.
        """
        is_new = ax is None
        self.figure_, self.ax_ = style.figure_and_axes(ax, size=_SIZE)
        box = box_around(
            np.vstack([self.points, self.before, self.after, np.zeros(2)]), equal=True, padding=0.12
        )
        axis: dict[str, Any] = {
            "color": style.faint(self.ax_, 0.8),
            "linewidth": 0.8,
            "zorder": 0.6,
        }
        self.ax_.axhline(0.0, **axis)
        self.ax_.axvline(0.0, **axis)
        self.samples_ = artists.draw_samples(
            self.ax_, self.points, self.codes, self.classes, **{"alpha": 0.8, **options}
        )
        self.sample_ = style.ring(self.ax_, self.sample, "the sample")
        self.separators_ = {}
        before, after = self.intercepts or (0.0, 0.0)
        for name, weights, offset, dashes in (
            ("before", self.before, before, (0, (5, 3))),
            ("after", self.after, after, "solid"),
        ):
            line = artists.draw_line(
                self.ax_,
                Line(weights, offset),
                box,
                linestyle=dashes,
                color=style.color(self.ax_, _COLORS[name]),
                linewidth=1.3,
                label=f"separator {name}",
            )
            if line is not None:
                self.separators_[name] = line
        self._draw_vectors()
        artists.frame(self.ax_, box, equal=True)
        style.set_labels(self.ax_, self.xlabel, self.ylabel, self.title)
        self.legend_ = style.legend(self.ax_, outside=is_new, title=self._note())
        return self

    def _draw_vectors(self) -> None:
        """Draw the weights from the origin, and what is added from the tip of the first."""
        times = "" if self.rate == 1.0 else f"{self.rate:.4g}·"
        origin = np.zeros(2)
        # Which side of each arrow is outside of the triangle that they make; if they make none, any two.
        turn = self.before[0] * self.after[1] - self.before[1] * self.after[0]
        outside = -1 if turn < 0.0 else 1
        self.vectors_: dict[str, Annotation] = {}
        for name, tail, tip, text, side in (
            ("before", origin, self.before, "w", -outside),
            ("after", origin, self.after, f"w + {times}y·x", outside),
            ("added", self.before, self.after, f"{times}y·x", -outside),
        ):
            color, dashes = style.color(self.ax_, _COLORS[name]), _DASHES.get(name, "solid")
            words = f"{text} = {_written(tip - tail)}"
            self.ax_.plot([], [], color=color, linewidth=2.4, linestyle=dashes, label=words)
            if (tail != tip).any():
                look = {"color": color, "linestyle": dashes}
                self.vectors_[name] = artists.draw_vector(self.ax_, tail, tip, **look)
                artists.name_vector(self.ax_, tail, tip, text, side)

    def _note(self) -> str | None:
        """Say how the intercept changed, which is not drawn as a vector."""
        if self.intercepts is None:
            return None
        before, after = self.intercepts
        return f"intercept {before:.4g} → {after:.4g}\n(not drawn as a vector)"


_COLORS = {"before": "purple", "added": "green", "after": "vermilion"}
_DASHES = {"added": (0, (3, 1))}


def _drawn(run: Trace) -> tuple[DrawnSamples, bool]:
    """Return the samples in the plane of the update, and whether its lines have an offset."""
    n_features = len(run.weights) - run.has_intercept
    if n_features == 2:
        return samples_of(run), run.has_intercept
    if n_features == 1 and run.has_intercept:
        table = signed_samples(run)
        codes = np.ones(len(table), dtype=np.int64)
        return DrawnSamples(table, codes, SIGNED, ["x0 (constant)", "x1"]), False
    features = "1 feature" if n_features == 1 else f"{n_features} features"
    raise InputError(
        f"the trace is of {features} {'with' if run.has_intercept else 'without'} an intercept: an "
        "update is drawn in two features, or in one with an intercept"
    )


def _written(vector: Floats) -> str:
    across, up = (vector + 0.0).tolist()  # no -0.0
    return f"({across:.4g}, {up:.4g})"
