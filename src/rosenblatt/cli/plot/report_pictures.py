"""The pictures of `--plot`, by which commands that are not about pictures show what they have found."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rosenblatt.cli.open_samples import Samples
from rosenblatt.cli.plot.example_samples import name_axes
from rosenblatt.cli.progress import spinning
from rosenblatt.estimators.evaluation.decide_and_learn import Report
from rosenblatt.lectures.trace import Trace
from rosenblatt.plots import MistakesDisplay, PlaneDisplay, animate
from rosenblatt.plots.picture_file import MOVING, Paper, drawing, ending, write_picture
from rosenblatt.plots.style import figure_and_panels, legend
from rosenblatt.separability.results.result import Separation, Separations
from rosenblatt.training.outcomes import Outcome

_TWO_PANELS = (11.0, 4.8)


def draw_learned(path: Path, samples: Samples, result: Report) -> None:
    """Draw what was learned and, where that separates the samples, the mistakes on the way there."""
    learner = result.learner

    def draw() -> Any:
        if getattr(learner, "outcome_", None) is not Outcome.SEPARATED:
            return PlaneDisplay.from_estimator(learner, samples.X, samples.y)
        _, (left, right) = figure_and_panels(None, 2, size=_TWO_PANELS)
        display = PlaneDisplay.from_estimator(learner, samples.X, samples.y, ax=left)
        place = (0.5, -0.12)  # below the axes
        legend(left, title=display.note_, loc="upper center", bbox_to_anchor=place, ncols=3)
        MistakesDisplay.from_estimator(learner, bound=result.guarantee.mistake_bound, ax=right)
        return display

    _draw(path, draw, samples)


def draw_separation(path: Path, samples: Samples, result: Separation | Separations) -> None:
    """Draw the separator of maximum margin, or the hulls that meet."""
    _draw(path, lambda: PlaneDisplay.from_separation(result, samples.X, samples.y), samples)


def draw_trace(path: Path, samples: Samples | None, run: Trace) -> None:
    """Draw the last separator of a run and some before it, or animate them all."""
    if ending(path) in MOVING:
        with spinning("drawing"), drawing(Paper().theme):
            animate(run, path)
    else:
        _draw(path, lambda: PlaneDisplay.from_trace(run), samples)


def _draw(path: Path, draw: Callable[[], Any], samples: Samples | None) -> None:
    """Write the display that ``draw`` returns, with the features' names."""
    names = None if samples is None else samples.feature_names
    with spinning("drawing"):
        write_picture(path, lambda: name_axes(draw(), names).figure_, Paper())
