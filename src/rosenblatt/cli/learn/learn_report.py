"""What `rosenblatt learn` prints, for programs and for people."""

import math
from dataclasses import dataclass
from pathlib import Path

from rosenblatt.cli.learn.folds_report import FoldErrors
from rosenblatt.cli.open_samples import Samples
from rosenblatt.cli.report import Facts, finite_or_none, time_text
from rosenblatt.cli.separation_report import conflict_lines, margin_text, separation_facts
from rosenblatt.core.labels import positive_classes
from rosenblatt.estimators.evaluation.decide_and_learn import Report
from rosenblatt.separability.verdicts import Verdict
from rosenblatt.training.margins import Interval
from rosenblatt.training.outcomes import Outcome


@dataclass(frozen=True)
class LearnReport:
    """What came of the main job, on which samples, in which time, and where the model is."""

    samples: Samples
    result: Report
    folds: FoldErrors | None
    seconds: float
    compile_seconds: float
    model: Path | None


def learn_facts(report: LearnReport) -> Facts:
    """Return what a program wants to know."""
    result, positives = report.result, positive_classes(report.samples.classes)
    learner, margin = result.learner, result.learner.margin_
    intervals = [margin] if isinstance(margin, Interval) else margin
    return {
        "outcome": learner.outcome_.name,
        "sentence": learner.outcome_.sentence,
        "epochs": learner.n_iter_,
        "max_epochs": learner.max_iter,
        "mistakes": learner.n_mistakes_,
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
            {"positive": str(positive), **separation_facts(separation)}
            for positive, separation in zip(positives, result.guarantee.separations, strict=True)
        ],
        "held_out": None if result.held_out is None else result.held_out._asdict(),
        "folds": None if report.folds is None else report.folds.facts(),
        "exact_sums": learner.n_exact_,
        "seconds": report.seconds,
        "compile_seconds": report.compile_seconds,
        "parameters": learner.get_params(),
        "data": report.samples.facts(),
        "model": None if report.model is None else str(report.model),
    }


def learn_lines(report: LearnReport) -> dict[str, str]:
    """Return what a reader wants to know."""
    learner, guaranteed = report.result.learner, report.result.guarantee
    tested = report.result.held_out
    lines = {"Data": report.samples.text(), "Outcome": str(learner.outcome_)}
    if guaranteed.verdict is Verdict.INSEPARABLE:
        lines.update(_conflicts(report))
        lines["Learned"] = (
            f"the average of all weights over {learner.n_iter_:,} epochs, "
            f"{learner.n_mistakes_:,} mistakes"
        )
    else:
        lines["Epochs"] = f"{learner.n_iter_:,}"
        lines["Mistakes"] = f"{learner.n_mistakes_:,}"
        if guaranteed.mistake_bound is not None:
            lines["Mistakes"] += f" of at most {guaranteed.mistake_bound:,}"
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
    lines["Time"] = time_text(report.seconds, report.compile_seconds)
    if report.model is not None:
        lines["Model"] = str(report.model)
    return lines


def _conflicts(report: LearnReport) -> dict[str, str]:
    """Return which samples contradict each other, for the first class that cannot be separated."""
    for separation in report.result.guarantee.separations:
        if separation.verdict is Verdict.INSEPARABLE:
            return conflict_lines(separation)
    return {}


def _left(report: LearnReport) -> str:
    left = (
        f"{report.result.training_mistakes:,} of {len(report.samples.y):,} training samples are on a "
        "wrong side now"
    )
    verdict = report.result.guarantee.verdict
    if verdict is Verdict.SEPARABLE:
        return f"{left}, but they are separable: more epochs will do it, --max-epochs"
    if verdict is Verdict.UNDECIDED:
        return f"{left}; more epochs: --max-epochs, more time to decide: --time-limit"
    return left


def _margins(report: LearnReport) -> dict[str, str]:
    lines = {}
    separations = report.result.guarantee.separations
    for positive, separation in zip(
        positive_classes(report.samples.classes), separations, strict=True
    ):
        if separation.verdict is not Verdict.INSEPARABLE:
            name = "Margin" if len(separations) == 1 else f"Margin of {positive}"
            lines[name] = margin_text(separation)
    return lines
