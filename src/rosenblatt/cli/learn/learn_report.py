"""The report of `rosenblatt learn`, for programs and for people."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rosenblatt.cli.column_report import column_lines, table_facts
from rosenblatt.cli.learn.folds_report import FoldErrors
from rosenblatt.cli.open_samples import Samples
from rosenblatt.cli.report import Facts, errors_text, finite_or_none, lone_class_lines, time_text
from rosenblatt.cli.separation_report import separation_facts
from rosenblatt.core.labels import positive_classes
from rosenblatt.estimators.evaluation.class_figures import class_lines
from rosenblatt.estimators.evaluation.decide_and_learn import Report
from rosenblatt.estimators.evaluation.guarantee import Guarantee
from rosenblatt.estimators.evaluation.held_out import HeldOut
from rosenblatt.separability.results.result_text import (
    class_conflict_lines,
    conflict_lines,
    margin_text,
)
from rosenblatt.separability.results.verdicts import Verdict
from rosenblatt.training.margins import Interval
from rosenblatt.training.outcomes import Outcome

_KEPT = {
    "average": "the average of all weights",
    "pocket": "the weights with the fewest errors",
    "vote": "a vote of all weights",
}
_JOINTLY = "all classes jointly"
_REMEDIES = {
    "scale": "--scale standard",
    "kernel": "--learner kernel --max-epochs {epochs}",
    "folds": "--folds 5",
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
    positives = _positives(report, len(intervals))
    outcome = getattr(learner, "outcome_", None)
    return {
        "outcome": None if outcome is None else outcome.name,
        "sentence": None if outcome is None else outcome.sentence,
        "cycle": _cycle(learner),
        "verdict": result.guarantee.verdict.name if result.guarantee.separations else None,
        "epochs": getattr(learner, "n_iter_", None),
        "max_epochs": getattr(learner, "max_iter", None),
        "mistakes": getattr(learner, "n_mistakes_", None),
        "mistake_bound": result.guarantee.mistake_bound,
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
            {"positive": str(positive), **separation_facts(separation, report.samples)}
            for positive, separation in zip(
                _separated(report), result.guarantee.separations, strict=True
            )
        ],
        "held_out": _held_out_facts(result.held_out),
        "advice": _advice(report),
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


def _separated(report: LearnReport) -> list[object]:
    """Return the class that each separation is about."""
    return _positives(report, len(report.result.guarantee.separations))


def _positives(report: LearnReport, n: int) -> list[object]:
    """Return the class of each of n halfspaces, or "all classes jointly" for each."""
    positives: list[object] = positive_classes(report.samples.classes).tolist()
    return positives if len(positives) == n else [_JOINTLY] * n


def _cycle(learner: Any) -> str | None:
    """Return a sentence about the first cycle, or None."""
    run = learner.state[1] if hasattr(learner, "cycle_") else None
    return None if run is None else str(run.first_cycle)


def _intervals(learner: Any) -> list[Interval]:
    margin = getattr(learner, "margin_", [])
    return [margin] if isinstance(margin, Interval) else list(margin)


def learn_lines(report: LearnReport, *, verbose: bool = False) -> dict[str, str]:
    """Return the report for people, with a margin per class if ``verbose``."""
    learner, guaranteed = report.result.learner, report.result.guarantee
    samples = report.samples
    lines = {"Data": samples.text(), **lone_class_lines(samples.by_class)}
    lines |= column_lines(samples.preparation)
    outcome = getattr(learner, "outcome_", None)
    if outcome is not None:
        origin = (
            " (without an intercept)" if getattr(learner, "fit_intercept", True) is False else ""
        )
        lines["Outcome"] = str(outcome) + origin
    cycle = _cycle(learner)
    if cycle is not None:
        lines["Cycle"] = cycle
    if outcome not in (Outcome.SEPARATED, Outcome.INSEPARABLE) and guaranteed.separations:
        lines["Verdict"] = _verdict(guaranteed)
    if guaranteed.verdict is Verdict.INSEPARABLE:
        lines.update(_conflicts(report))
    lines.update(_learned(report))
    if outcome is not Outcome.SEPARATED and report.result.training_mistakes:
        lines["Training errors"] = _training_errors(report)
    lines.update(_tested(report))
    if report.folds is not None:
        lines["Folds"] = report.folds.text()
    if verbose or len(guaranteed.separations) == 1:
        lines.update(_margins(report))
    lines["Time"] = time_text(report.seconds, report.compile_seconds)
    if report.model is not None:
        lines["Model"] = str(report.model)
    if report.picture is not None:
        lines["Picture"] = str(report.picture)
    return lines


def _verdict(guaranteed: Guarantee) -> str:
    verdict, separations = guaranteed.verdict, guaranteed.separations
    if len(separations) > 1:
        return str(verdict)
    return f"{verdict.name}: {verdict.within(separations[0].scope)}"


def _learned(report: LearnReport) -> dict[str, str]:
    """Return the learner, the weights kept, the epochs and the mistakes."""
    learner, guaranteed = report.result.learner, report.result.guarantee
    epochs, mistakes = getattr(learner, "n_iter_", None), getattr(learner, "n_mistakes_", None)
    kept = _KEPT.get(getattr(learner, "keep", "last"))
    lines = {}
    if type(learner).__name__ != "Perceptron":
        lines["Learner"] = type(learner).__name__
    if kept is not None:
        lines["Learned"] = f"{kept} over {epochs:,} epochs, {mistakes:,} mistakes"
        return lines
    if epochs is not None:
        lines["Epochs"] = f"{epochs:,}"
    if mistakes is not None:
        lines["Mistakes"] = f"{mistakes:,}"
        if guaranteed.mistake_bound is not None:
            lines["Mistakes"] += f" of at most {guaranteed.mistake_bound:,}"
    return lines


def _tested(report: LearnReport) -> dict[str, str]:
    """Return the held-out error, with advice if it is no better than guessing; nothing of few rows."""
    tested = report.result.held_out
    if tested is None:
        return {}
    lines = {
        "Held-out error": (
            f"{tested.error:.4f} on {tested.samples:,} rows not learned from; at most "
            f"{math.ceil(1e4 * tested.risk) / 1e4:.4f} with 95 % confidence; always guessing the "
            f"largest class: {tested.guess:.4f}"
        )
    }
    advice = _advice(report)
    if advice is not None:
        lines["Advice"] = advice
    return lines | class_lines(tested.classes, " (held-out rows)")


def _conflicts(report: LearnReport) -> dict[str, str]:
    """Return the conflicts of two classes, of all jointly, or one of each class."""
    separations, text_of = report.result.guarantee.separations, report.samples.text_of
    if len(separations) == 1:
        return conflict_lines(separations[0], text_of, "--json")
    by_class = list(zip(_separated(report), separations, strict=True))
    return class_conflict_lines(by_class, text_of, "--json")


def _advice(report: LearnReport) -> str | None:
    """Return the advice, unless it repeats what the options say."""
    advice = report.result.advice
    if advice is None or (advice.remedy == "folds" and report.folds is not None):
        return None
    scale = getattr(report.samples.preparation, "scale", None)
    if advice.remedy == "scale" and scale == "standard":
        return None
    return advice.text(_REMEDIES)


def _training_errors(report: LearnReport) -> str:
    errors = errors_text(report.result.training_mistakes, len(report.samples.y))
    if _cycle(report.result.learner) is not None:
        return f"{errors}; more epochs would not help"
    if report.result.guarantee.verdict is Verdict.SEPARABLE:
        is_joint = report.result.guarantee.separations[0].scope.is_joint
        without = "" if is_joint else ": --learner max-margin makes none"
        return f"{errors}, but the classes are separable{without}"
    return errors


def _margins(report: LearnReport) -> dict[str, str]:
    lines = {}
    separations = report.result.guarantee.separations
    for positive, separation in zip(_separated(report), separations, strict=True):
        if separation.verdict is not Verdict.INSEPARABLE:
            name = "Margin" if len(separations) == 1 else f"Margin of {positive}"
            lines[name] = margin_text(separation)
    return lines
