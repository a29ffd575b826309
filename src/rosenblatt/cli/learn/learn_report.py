"""The report of `rosenblatt learn`, for programs and for people."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rosenblatt.cli.column_report import column_lines, table_facts
from rosenblatt.cli.learn.folds_report import FoldErrors
from rosenblatt.cli.open_samples import Samples
from rosenblatt.cli.report import Facts, finite_or_none, lone_class_lines, time_text
from rosenblatt.cli.separation_report import separation_facts
from rosenblatt.estimators.evaluation.held_out import HeldOut
from rosenblatt.estimators.evaluation.learning_report import (
    Report,
    Wording,
    cycle_of,
    learned_lines,
    margin_lines,
    positives,
)
from rosenblatt.estimators.evaluation.tried_advice import KERNEL_EPOCHS, Advice
from rosenblatt.training.margins import Interval

_REMEDIES = {
    "scale": "--scale standard",
    "kernel": f"--learner kernel --max-epochs {KERNEL_EPOCHS}",
    "folds": "--folds 5",
    "separator": "--learner max-margin",
}


@dataclass(frozen=True)
class LearnReport:
    """The samples, the result, the times and the files written."""

    samples: Samples
    result: Report
    folds: FoldErrors | None
    seconds: float
    compile_seconds: float
    model: Path | None
    picture: Path | None


def learn_facts(report: LearnReport) -> Facts:
    """Return the report as JSON."""
    result, learner = report.result, report.result.learner
    intervals = _intervals(learner)
    outcome = getattr(learner, "outcome_", None)
    return {
        "outcome": None if outcome is None else outcome.name,
        "sentence": None if outcome is None else outcome.sentence,
        "cycle": cycle_of(learner),
        "verdict": result.guarantee.verdict.name if result.guarantee.separations else None,
        "epochs": getattr(learner, "n_iter_", None),
        "max_epochs": getattr(learner, "max_iter", None),
        "updates": getattr(learner, "n_updates_", None),
        "mistakes": getattr(learner, "n_mistakes_", None),
        "mistake_bound": result.guarantee.mistake_bound,
        "training_mistakes": result.training_mistakes,
        "margins": [
            {
                "positive": str(positive),
                "lower": interval.lower,
                "upper": finite_or_none(interval.upper),
            }
            for positive, interval in zip(
                positives(learner, len(intervals)), intervals, strict=True
            )
        ],
        "separability": [
            {"positive": str(positive), **separation_facts(separation, report.samples)}
            for positive, separation in zip(
                result.positives, result.guarantee.separations, strict=True
            )
        ],
        "held_out": _held_out_facts(result.held_out),
        "kept": None if result.choice is None else result.choice.facts(),
        "advice": None if result.advice is None else result.advice.text(_REMEDIES),
        "folds": None if report.folds is None else report.folds.facts(),
        "exact_sums": getattr(learner, "n_exact_", None),
        "seconds": report.seconds,
        "compile_seconds": report.compile_seconds,
        "learner": type(learner).__name__,
        "parameters": learner.get_params(),
        "data": report.samples.facts(),
        "columns": table_facts(report.samples.preparation),
        "model": None if report.model is None else str(report.model),
        "picture": None if report.picture is None else str(report.picture),
    }


def _held_out_facts(tested: HeldOut | None) -> Facts | None:
    if tested is None:
        return None
    return {**tested._asdict(), "classes": [one.facts() for one in tested.classes]}


def _intervals(learner: Any) -> list[Interval]:
    margin = getattr(learner, "margin_", [])
    return [margin] if isinstance(margin, Interval) else list(margin)


def learn_lines(report: LearnReport, *, verbose: bool = False) -> dict[str, str]:
    """Return the report for people, with a margin per class if ``verbose``."""
    samples, wording = report.samples, Wording(report.samples.text_of, "--json", _REMEDIES)
    lines = {"Data": samples.text(), **lone_class_lines(samples.by_class)}
    lines |= column_lines(samples.preparation) | samples.leak_lines()
    lines |= learned_lines(report.result, wording)
    if report.folds is not None:
        lines["Folds"] = report.folds.text()
    lines |= margin_lines(report.result, of_classes=verbose)
    lines["Time"] = time_text(report.seconds, report.compile_seconds)
    if report.model is not None:
        lines["Model"] = str(report.model)
    if report.picture is not None:
        lines["Picture"] = str(report.picture)
    return lines


def new_advice(advice: Advice | None, samples: Samples, folds: FoldErrors | None) -> Advice | None:
    """Return the advice, unless it repeats what the options say."""
    if advice is None or (advice.remedy == "folds" and folds is not None):
        return None
    is_scaled = getattr(samples.preparation, "scale", None) == "standard"
    return None if advice.remedy == "scale" and is_scaled else advice
