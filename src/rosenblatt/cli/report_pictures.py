"""Pictures of `rosenblatt plot` and of the option --plot."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from sklearn.exceptions import ConvergenceWarning

from rosenblatt.cli.open_samples import Samples
from rosenblatt.cli.progress import spinning
from rosenblatt.cli.report import named_in_errors
from rosenblatt.core.errors import InputError
from rosenblatt.estimators.evaluation.learning_report import Report
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.lectures.convergence import convergence
from rosenblatt.lectures.pictures import ConvergenceDisplay, TraceDisplay, UnitDisplay
from rosenblatt.lectures.trace import Trace
from rosenblatt.plots import (
    MarginDisplay,
    MistakesDisplay,
    PlaneDisplay,
    SeparatorsDisplay,
    WeightsDisplay,
)
from rosenblatt.plots.picture_file import PictureOptions, write_picture
from rosenblatt.plots.style import figure_and_panels, legend, shown_name
from rosenblatt.separability.results.result import Separation
from rosenblatt.separability.separate import separate
from rosenblatt.training.outcomes import Outcome

_TWO_PANELS = (11.0, 4.8)


class Run(NamedTuple):
    """Options of the run that `plot` draws."""

    max_epochs: int
    fit_intercept: bool
    seed: int

    def fitted(self, samples: Samples, **parameters: Any) -> Perceptron:
        """Return a perceptron that has learned the samples."""
        learner = Perceptron(
            max_iter=self.max_epochs,
            fit_intercept=self.fit_intercept,
            random_state=self.seed,
            **parameters,
        )
        return learner.fit(samples.X, samples.y)


def draw_kind(
    path: Path,
    samples: Samples,
    kind: str,
    run: Run,
    picture_options: PictureOptions,
    shape: tuple[int, int] | None = None,
) -> None:
    """Draw one of the kinds of `plot`."""
    X, y = samples.X, samples.y

    def plane() -> Any:
        found = separate(X, y, fit_intercept=run.fit_intercept)
        return _with_names(PlaneDisplay.from_separation(found, X, y), samples)

    def separators() -> Any:
        display = SeparatorsDisplay.from_samples(
            X, y, max_iter=run.max_epochs, random_state=run.seed
        )
        return _with_names(display, samples)

    def weights() -> Any:
        return WeightsDisplay.from_estimator(run.fitted(samples, keep="average"), shape=shape)

    def unit() -> Any:
        if len(samples.classes) > 2:
            raise InputError(
                f"--kind unit needs two classes, and there are {len(samples.classes)}: use UnitDisplay "
                "in Python to choose one"
            )
        return UnitDisplay.from_estimator(run.fitted(samples), names=samples.feature_names)

    kinds: dict[str, Callable[[], Any]] = {
        "plane": plane,
        "separators": separators,
        "mistakes": lambda: MistakesDisplay.from_estimator(run.fitted(samples)),
        "margin": lambda: MarginDisplay.from_estimator(run.fitted(samples)),
        "weights": weights,
        "unit": unit,
        "convergence": lambda: ConvergenceDisplay.from_convergence(
            convergence(run.fitted(samples, record=True), X=X, y=y)
        ),
    }
    with named_in_errors(samples.file), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the picture shows it
        _draw(path, kinds[kind], picture_options)


def draw_learned(path: Path, samples: Samples, result: Report) -> None:
    """Draw what was learned and, if it separates the samples, the mistakes of each epoch."""
    learner = result.learner

    def draw() -> Any:
        if getattr(learner, "outcome_", None) is not Outcome.SEPARATED:
            return _with_names(PlaneDisplay.from_estimator(learner, samples.X, samples.y), samples)
        _, (left, right) = figure_and_panels(None, 2, size=_TWO_PANELS)
        display = PlaneDisplay.from_estimator(learner, samples.X, samples.y, ax=left)
        place = (0.5, -0.12)  # below the axes
        legend(left, title=display.note_, loc="upper center", bbox_to_anchor=place, ncols=3)
        MistakesDisplay.from_estimator(learner, bound=result.guarantee.mistake_bound, ax=right)
        return _with_names(display, samples)

    _draw(path, draw)


def draw_separation(path: Path, samples: Samples, result: Separation) -> None:
    """Draw the separator of maximum margin, or the overlapping hulls."""
    _draw(
        path,
        lambda: _with_names(PlaneDisplay.from_separation(result, samples.X, samples.y), samples),
    )


def draw_trace(path: Path, samples: Samples | None, run: Trace) -> None:
    """Draw the last separator of a run and some earlier ones."""
    _draw(path, lambda: _with_names(TraceDisplay.from_trace(run), samples))


def _draw(
    path: Path, draw: Callable[[], Any], picture_options: PictureOptions | None = None
) -> None:
    """Write the display that ``draw`` returns."""
    with spinning("drawing"):
        write_picture(path, lambda: draw().figure_, picture_options or PictureOptions())


def _with_names(display: Any, samples: Samples | None) -> Any:
    """Name the axes after the features, unless they are projected; return the display."""
    names = None if samples is None else samples.feature_names
    if names is not None and len(names) <= 2:
        display.ax_.set_xlabel(shown_name(names[0]))
        display.ax_.set_ylabel("" if len(names) == 1 else shown_name(names[1]))
    return display
