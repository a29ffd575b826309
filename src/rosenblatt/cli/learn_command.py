"""`rosenblatt learn`: read a file, decide what can be learned, learn it, report, and write the model."""

import math
import time
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rosenblatt.cli.app import Source
from rosenblatt.cli.folds_report import FoldErrors, check_folds, fold_errors
from rosenblatt.cli.open_samples import Samples
from rosenblatt.cli.progress import EpochProgress, spinning
from rosenblatt.cli.report import finite_or_none, print_facts, print_json, seconds_text
from rosenblatt.cli.separate_command import conflict_lines, margin_text, separation_facts
from rosenblatt.core.files import check_writable
from rosenblatt.core.labels import positive_classes
from rosenblatt.estimators.evaluation.decide_and_learn import Progress, Report, decide_and_learn
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.io import Table
from rosenblatt.io.model_file import write
from rosenblatt.separability.verdicts import Verdict
from rosenblatt.training.loop import Watcher
from rosenblatt.training.margins import Interval
from rosenblatt.training.outcomes import Outcome


@dataclass(frozen=True)
class _Report:
    """What came of the main job, on which samples, in which time, and where the model is."""

    samples: Samples
    result: Report
    seconds: float
    folds: FoldErrors | None
    model: Path | None


class _Shown(Progress):
    """Progress on a terminal."""

    def stage(self, text: str) -> AbstractContextManager[None]:
        return spinning(text)

    def epochs(self, most: int, mistake_bound: int | None) -> AbstractContextManager[Watcher]:
        return EpochProgress(most, mistake_bound)


def learn_file(
    data: Path | None,
    model: Path | None,
    parameters: dict[str, Any],
    *,
    order: str | None,
    max_epochs: int | None,
    time_limit: float,
    n_folds: int | None,
    source: Source,
    as_json: bool,
) -> None:
    """Learn a perceptron from a file and print the report.

    Unless an order is asked for, it is the cyclic one of the theorem where the classes are separable,
    and shuffled where they are not: an average is misled by samples that are sorted by label.
    Folds say how it does on samples not learned from, in place of a part held out.
    """
    samples = Samples(data)
    if model is not None:
        check_writable(model, "model", samples.path)
    learner = Perceptron(max_iter=max_epochs or 1, order=order or "cyclic", **parameters)
    learner.check_parameters()
    samples.read(source)
    if n_folds is not None:
        check_folds(samples, n_folds)
    started = time.perf_counter()
    with samples.named_in_errors():
        result = decide_and_learn(
            samples.table.X,
            samples.y,
            learner,
            max_epochs=max_epochs,
            order=order,
            time_limit=time_limit,
            hold_out=n_folds is None,
            progress=_Shown(),
        )
        folds = None
        if n_folds is not None:
            shuffle_once = order is None and learner.order == "shuffle"
            folds = fold_errors(learner, samples, n_folds, shuffle_once=shuffle_once)
    seconds = time.perf_counter() - started
    if model is not None:
        write(learner, model, _notes(samples.table), record=False)
    report = _Report(samples, result, seconds, folds, model)
    if as_json:
        print_json(_facts(report))
    else:
        print_facts(_lines(report))


def _notes(table: Table) -> dict[str, Any]:
    """Return what a later reading of samples for this model needs to know."""
    return {
        "feature_names": table.feature_names,
        "label_name": table.label_name,
        "label_column": table.label_column,
        "first_index": table.first_index,
    }


def _facts(report: _Report) -> dict[str, Any]:
    result, positives = report.result, positive_classes(report.samples.classes)
    learner, margin = result.learner, result.learner.margin_
    intervals = [margin] if isinstance(margin, Interval) else margin
    return {
        "outcome": learner.outcome_.name,
        "sentence": learner.outcome_.sentence,
        "epochs": learner.n_iter_,
        "max_epochs": learner.max_iter,
        "mistakes": learner.n_mistakes_,
        "mistake_bound": result.promise.mistake_bound,
        "training_mistakes": result.training_mistakes,
        "margins": [
            {
                "positive": str(positive),
                "lower": interval.lower,
                "upper": finite_or_none(interval.upper),
            }
            for positive, interval in zip(positives, intervals, strict=True)
        ],
        "separability": [
            {"positive": str(positive), **separation_facts(separation)}
            for positive, separation in zip(positives, result.promise.separations, strict=True)
        ],
        "held_out": None if result.held_out is None else result.held_out._asdict(),
        "folds": None if report.folds is None else report.folds.facts(),
        "exact_sums": learner.n_exact_,
        "seconds": report.seconds,
        "parameters": learner.get_params(),
        "data": report.samples.facts(),
        "model": None if report.model is None else str(report.model),
    }


def _lines(report: _Report) -> dict[str, str]:
    learner, promised = report.result.learner, report.result.promise
    tested = report.result.held_out
    lines = {"Data": report.samples.text(), "Outcome": str(learner.outcome_)}
    if promised.verdict is Verdict.INSEPARABLE:
        lines.update(_conflicts(report))
        lines["Learned"] = (
            f"the average of all weights over {learner.n_iter_:,} epochs, "
            f"{learner.n_mistakes_:,} mistakes"
        )
    else:
        lines["Epochs"] = f"{learner.n_iter_:,}"
        lines["Mistakes"] = f"{learner.n_mistakes_:,}"
        if promised.mistake_bound is not None:
            lines["Mistakes"] += f" of at most {promised.mistake_bound:,}"
    if learner.outcome_ is not Outcome.SEPARATED:
        lines["Left"] = _left(report)
    if tested is not None:
        lines["Held out"] = (
            f"error {tested.error:.4f} on {tested.samples:,} samples not learned from; at most "
            f"{math.ceil(1e4 * tested.risk) / 1e4:.4f} with 95 % confidence"
        )
    if report.folds is not None:
        lines["Folds"] = report.folds.text()
    lines.update(_margins(report))
    lines["Time"] = seconds_text(report.seconds)
    if report.model is not None:
        lines["Model"] = str(report.model)
    return lines


def _conflicts(report: _Report) -> dict[str, str]:
    """Return which samples contradict each other, for the first halfspace that is hopeless."""
    for separation in report.result.promise.separations:
        if separation.verdict is Verdict.INSEPARABLE:
            return conflict_lines(separation)
    return {}


def _left(report: _Report) -> str:
    left = (
        f"{report.result.training_mistakes:,} of {len(report.samples.y):,} training samples are on a "
        "wrong side now"
    )
    verdict = report.result.promise.verdict
    if verdict is Verdict.SEPARABLE:
        return f"{left}, but they are separable: more epochs will do it, --max-epochs"
    if verdict is Verdict.UNDECIDED:
        return f"{left}; more epochs: --max-epochs, more time to decide: --time-limit"
    return left


def _margins(report: _Report) -> dict[str, str]:
    lines = {}
    separations = report.result.promise.separations
    for positive, separation in zip(
        positive_classes(report.samples.classes), separations, strict=True
    ):
        if separation.verdict is not Verdict.INSEPARABLE:
            name = "Margin" if len(separations) == 1 else f"Margin of {positive}"
            lines[name] = margin_text(separation)
    return lines
