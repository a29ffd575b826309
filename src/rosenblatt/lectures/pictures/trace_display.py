"""A picture of a traced run: its samples, the last separator, and some earlier ones."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.lectures.pictures.trace_views import (
    checked_trace,
    samples_of,
    separator_of,
    title_of_run,
    updates_of,
)
from rosenblatt.lectures.trace import Trace
from rosenblatt.plots.plane.plane_display import PlaneDisplay
from rosenblatt.plots.plane.views import view_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_EARLIER = 6


class TraceDisplay(PlaneDisplay):
    """A `PlaneDisplay` of a traced run.

    Examples
    --------
    >>> from rosenblatt import trace
    >>> from rosenblatt.lectures.pictures import TraceDisplay
    >>> display = TraceDisplay.from_trace(trace([[3, 3], [4, 3], [1, 1]], [1, 1, -1]))
    >>> display.view.coef.tolist(), display.view.intercept.tolist()
    ([[1.0, 1.0]], [-3.0])
    """

    @classmethod
    def from_trace(cls, trace: Trace, *, ax: "Axes | None" = None, **options: Any) -> Self:
        """Draw a run's samples, its last separator and, in gray, some earlier ones.

        Parameters
        ----------
        trace : Trace
            The result of `rosenblatt.trace`.
        ax : Matplotlib axes, or None, default=None
            Where to draw; by default, on a new figure.
        **options : dict
            Passed to Matplotlib's ``scatter``, which draws the samples.
        """
        run = checked_trace(trace)
        samples, intercept = samples_of(run), run.has_intercept
        coef, offset = separator_of(run.weights, has_intercept=intercept)
        view = view_of(samples, coef[None, :], np.array([offset]))
        before = [visit.weights_before for visit in updates_of(run)]
        earlier = []
        if view.kind == "plane" and before:
            chosen = sorted({round(k) for k in np.linspace(0, len(before) - 1, _EARLIER)})
            lines = [separator_of(before[k], has_intercept=intercept) for k in chosen]
            earlier = [line for line in lines if line[0].any()]
        assert view.coef is not None  # a trace always has weights
        assert view.intercept is not None
        scores = view.points @ view.coef[0] + view.intercept[0]
        signs = np.where(samples.codes == 1, 1.0, -1.0)
        display = cls(
            view=view,
            codes=samples.codes,
            classes=samples.classes,
            margin=view.margin(samples.codes),
            mistakes=np.flatnonzero(signs * scores <= 0.0),
            earlier=earlier,
            title=title_of_run(run),
        )
        return display.plot(ax, **options)
