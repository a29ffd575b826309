"""Pictures of `rosenblatt plot` and of the option --plot; each caption says which run it draws."""

import textwrap
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

from rosenblatt.cli.column_report import column_lines
from rosenblatt.cli.learn.chosen_learner import new_learner
from rosenblatt.cli.learn.learn_command import DEFAULT_LEARNER
from rosenblatt.cli.learn.learn_progress import ShownProgress
from rosenblatt.cli.open_samples import Samples
from rosenblatt.cli.progress import spinning
from rosenblatt.cli.report import named_in_errors
from rosenblatt.core.errors import InputError
from rosenblatt.estimators.evaluation.decide_and_learn import decide_and_learn
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
from rosenblatt.separability.results.result import Separation, Separations
from rosenblatt.separability.separate import separate
from rosenblatt.training.history import History
from rosenblatt.training.loop import Watcher
from rosenblatt.training.outcomes import Outcome

_TWO_PANELS = (11.0, 4.8)

_LETTERS_PER_INCH = 14  # of a caption

_NO_RUN = "No run: the verdict of 'rosenblatt separate'"
_ENDINGS = {
    Outcome.BUDGET: "cut short by the limit on epochs",
    Outcome.INSEPARABLE: "no hyperplane separates these samples",
    Outcome.CYCLING: "it would repeat forever",
}
_TWO_CLASSES = ("margin", "unit", "convergence")


class Run(NamedTuple):
    """Options of the run that `plot` draws."""

    max_epochs: int | None
    time_limit: float | None
    fit_intercept: bool
    seed: int

    def learned(self, samples: Samples, *, hold_out: bool) -> Report:
        """Return what `learn` learns from the samples with these options."""
        learner = new_learner(
            DEFAULT_LEARNER.value,
            fit_intercept=None if self.fit_intercept else False,
            random_state=self.seed,
        )
        keep = None if hold_out else "average"  # what is kept instead has no run to draw
        return self._report(samples, learner, ShownProgress(), hold_out=hold_out, keep=keep)

    def of_lectures(
        self, samples: Samples, progress: ShownProgress | None = None, **parameters: Any
    ) -> Report:
        """Return what the rule of the lectures learns from the samples in cyclic order."""
        learner = Perceptron(fit_intercept=self.fit_intercept, **parameters)
        return self._report(
            samples, learner, progress or ShownProgress(), False, order="cyclic", keep="last"
        )

    def _report(
        self,
        samples: Samples,
        learner: Any,
        progress: ShownProgress,
        hold_out: bool,
        **options: Any,
    ) -> Report:
        with samples.named_in_conflicts():
            return decide_and_learn(
                samples.X,
                samples.y,
                learner,
                max_epochs=self.max_epochs,
                time_limit=self.time_limit,
                hold_out=hold_out,
                progress=progress,
                **options,
            )


class _OnlyIfSeparable(ShownProgress):
    """Refuses samples that were not proved separable, before the first epoch."""

    def epochs(self, most: int, mistake_bound: int | None) -> AbstractContextManager[Watcher]:
        if mistake_bound is None:
            raise InputError(
                "the proof needs a separator, but none was found: use 'rosenblatt separate' to see why"
            )
        return super().epochs(most, mistake_bound)


def check_kind(kind: str, samples: Samples, shape: tuple[int, int] | None) -> None:
    """Raise, before any work is done, if samples cannot be drawn in a picture of this kind."""
    n_classes, n_features = len(samples.classes), samples.X.shape[1]
    if kind == "separators" and (n_features, n_classes) != (2, 2):
        raise InputError(
            f"--kind separators needs two features and two classes, and there are {n_features} and "
            f"{n_classes}: use --kind plane"
        )
    if kind in _TWO_CLASSES and n_classes > 2:
        raise InputError(
            f"--kind {kind} needs two classes, and there are {n_classes}: use --kind mistakes or "
            "weights"
        )
    if shape is not None and shape[0] * shape[1] != n_features:
        raise InputError(
            f"--shape {shape[0]}x{shape[1]} has {shape[0] * shape[1]:,} pixels, and there are "
            f"{n_features:,} features: use as many pixels"
        )


def draw_kind(
    path: Path,
    samples: Samples,
    kind: str,
    run: Run,
    picture_options: PictureOptions,
    shape: tuple[int, int] | None = None,
) -> None:
    """Draw one of the kinds of `plot`."""
    with named_in_errors(samples.file):
        check_kind(kind, samples, shape)
        draw, caption = _prepared(samples, kind, run, shape)
        _draw(path, samples, draw, caption, picture_options)


def _prepared(
    samples: Samples, kind: str, run: Run, shape: tuple[int, int] | None
) -> tuple[Callable[[], Any], str]:
    """Learn or decide; return a function that draws the result, and its caption."""
    X, y, names = samples.X, samples.y, samples.feature_names
    draws: dict[str, Callable[[], Any]]
    if kind == "plane":
        # Without an intercept there is no affine margin.
        margin = "affine" if run.fit_intercept else "augmented"
        with spinning("deciding"):
            found = separate(
                X, y, fit_intercept=run.fit_intercept, margin=margin, time_limit=run.time_limit
            )
        return lambda: PlaneDisplay.from_separation(found, X, y), _NO_RUN
    if kind in ("mistakes", "weights", "unit"):
        learner = run.learned(samples, hold_out=kind != "mistakes").learner
        draws = {
            "mistakes": lambda: MistakesDisplay.from_estimator(learner),
            "weights": lambda: WeightsDisplay.from_estimator(learner, shape=shape, features=names),
            "unit": lambda: UnitDisplay.from_estimator(learner, names=names),
        }
        return draws[kind], _learned_text(learner)
    is_proof = kind == "convergence"
    report = run.of_lectures(samples, _OnlyIfSeparable() if is_proof else None, record=is_proof)
    learner = report.learner
    draws = {
        "convergence": lambda: ConvergenceDisplay.from_convergence(
            convergence(learner, report.guarantee.separations[0], X, y)
        ),
        "margin": lambda: MarginDisplay.from_estimator(learner),
        "separators": lambda: SeparatorsDisplay.from_samples(X, y, max_iter=learner.n_iter_),
    }
    return draws[kind], f"The plain perceptron of the lectures: {', '.join(_run_parts(learner))}"


def check_learned(learner: Any, samples: Samples) -> None:
    """Raise, before any work is done, if what the learner learns from samples cannot be drawn."""
    n_classes, n_features = len(samples.classes), samples.X.shape[1]
    has_weights = not hasattr(learner, "kernel") and getattr(learner, "keep", None) != "vote"
    if not has_weights and n_classes > 2 and n_features > 2:
        raise InputError(
            f"--plot cannot draw a model without weights of {n_classes} classes and {n_features:,} "
            "features: leave it out"
        )


def draw_learned(path: Path, samples: Samples, result: Report) -> None:
    """Draw what was learned and, if it separates the samples, the mistakes of each epoch."""
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

    _draw(path, samples, draw, _learned_text(learner))


def draw_separation(path: Path, samples: Samples, result: Separation | Separations) -> None:
    """Draw the separator of maximum margin, or the overlapping hulls."""
    _draw(
        path,
        samples,
        lambda: PlaneDisplay.from_separation(result, samples.X, samples.y),
        _NO_RUN,
    )


def draw_trace(path: Path, samples: Samples | None, run: Trace) -> None:
    """Draw the last separator of a run and some earlier ones."""
    text = "The run that 'rosenblatt trace' prints"
    _draw(path, samples, lambda: TraceDisplay.from_trace(run), text)


def _draw(
    path: Path,
    samples: Samples | None,
    draw: Callable[[], Any],
    caption: str,
    picture_options: PictureOptions | None = None,
) -> None:
    """Write the display that ``draw`` returns, with a caption below it."""
    options = picture_options or PictureOptions()
    scale = "" if samples is None else column_lines(samples.preparation).get("Scale", "")
    text = f"{caption}; {scale}" if scale else caption

    def figure() -> Any:
        display = draw()
        _name_axes(display, samples)
        width = options.width or display.figure_.get_size_inches()[0]
        wrapped = textwrap.fill(text, max(1, int(_LETTERS_PER_INCH * width)))
        display.figure_.supxlabel(wrapped, fontsize="small")
        return display.figure_

    with spinning("drawing"):
        write_picture(path, figure, options)


def _learned_text(learner: Any) -> str:
    parts = [type(learner).__name__, *_run_parts(learner)]
    return f"The run of 'rosenblatt learn': {', '.join(parts)}"


def _run_parts(learner: Any) -> list[str]:
    """Return the order of visits, the epochs, the mistakes and, if it matters, how the run ended."""
    parts = []
    if hasattr(learner, "order"):
        order = learner.order.replace("shuffle", "shuffled")
        parts.append(f"{order} order")
    history = getattr(learner, "history_", None)
    if isinstance(history, History):
        n_mistakes, n_updates = int(history.mistakes.sum()), int(history.updates.sum())
        parts += [_counted(len(history), "epoch"), _counted(n_mistakes, "mistake")]
        if n_updates != n_mistakes:
            parts.append(_counted(n_updates, "update"))
    outcome = getattr(learner, "outcome_", None)
    if outcome in _ENDINGS:
        parts.append(_ENDINGS[outcome])
    return parts


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


def _name_axes(display: Any, samples: Samples | None) -> None:
    """Name the axes of a plane after the features, unless they are projected."""
    names = None if samples is None else samples.feature_names
    if isinstance(display, PlaneDisplay | SeparatorsDisplay) and names and len(names) <= 2:
        display.ax_.set_xlabel(shown_name(names[0]))
        display.ax_.set_ylabel("" if len(names) == 1 else shown_name(names[1]))
