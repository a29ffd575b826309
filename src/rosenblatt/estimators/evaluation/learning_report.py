"""The report of `decide_and_learn`, and its lines, which `rosenblatt learn` prints as well."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from rosenblatt.core.digits import errors_text
from rosenblatt.core.labels import positive_classes
from rosenblatt.estimators.evaluation.class_figures import class_lines
from rosenblatt.estimators.evaluation.guarantee import Guarantee
from rosenblatt.estimators.evaluation.held_out import HeldOut
from rosenblatt.estimators.evaluation.separator_choice import Choice
from rosenblatt.estimators.evaluation.tried_advice import IN_PYTHON, Advice
from rosenblatt.estimators.passive_aggressive import PassiveAggressive
from rosenblatt.separability.results.result_text import (
    TextOf,
    class_conflict_lines,
    conflict_lines,
    margin_text,
)
from rosenblatt.separability.results.verdicts import Verdict
from rosenblatt.training.outcomes import Outcome

_KEPT = {
    "average": "the average of all weights",
    "pocket": "the weights with the fewest errors",
    "vote": "a vote of all weights",
}
_JOINTLY = "all classes jointly"


class Wording(NamedTuple):
    """How to describe conflicts, where all of them are listed, and the names of remedies."""

    text_of: TextOf = str
    where: str = "guarantee.separations"
    remedies: Mapping[str, str] = IN_PYTHON


@dataclass(frozen=True)
class Report:
    """The guarantee before learning, and the result; printed, the same lines as from `rosenblatt learn`.

    Attributes
    ----------
    learner : estimator
        The fitted learner: the one given, the default `Perceptron`, or the `MaxMargin` kept instead.
    guarantee : Guarantee
        Whether each halfspace can be learned, and the largest possible number of mistakes.
    samples : int
        The number of samples.
    held_out : HeldOut or None
        The error on held-out samples; None if there are fewer than 20 samples.
    training_mistakes : int
        The number of training errors.
    choice : Choice or None
        For the default learner and separable classes: whether it was kept, or the separating hyperplane
        with the largest margin, and why.
    advice : Advice or None
        For a learner that is no better than guessing: a trial that helped, or that the samples are too
        few to know.
    leak : str or None
        Which columns separate the classes alone, unless X is sparse.
    """

    learner: Any
    guarantee: Guarantee
    samples: int
    held_out: HeldOut | None
    training_mistakes: int
    choice: Choice | None = None
    advice: Advice | None = None
    leak: str | None = None

    def __str__(self) -> str:
        lines = {} if self.leak is None else {"Leak": self.leak}
        lines |= learned_lines(self, Wording()) | margin_lines(self)
        width = max(map(len, lines))
        return "\n".join(f"{name.ljust(width)}  {text}" for name, text in lines.items())

    @property
    def positives(self) -> list[object]:
        """The class that each separation is about."""
        return positives(self.learner, len(self.guarantee.separations))


def positives(learner: Any, n: int) -> list[object]:
    """Return the class of each of n halfspaces, or "all classes jointly" for each."""
    found: list[object] = positive_classes(learner.classes_).tolist()
    return found if len(found) == n else [_JOINTLY] * n


def cycle_of(learner: Any) -> str | None:
    """Return a sentence about the first cycle, or None."""
    run = learner.state[1] if hasattr(learner, "cycle_") else None
    return None if run is None else str(run.first_cycle)


def learned_lines(report: Report, wording: Wording) -> dict[str, str]:
    """Return the outcome, the conflicts, what was learned and its errors."""
    learner, guaranteed = report.learner, report.guarantee
    lines: dict[str, str] = {}
    outcome = getattr(learner, "outcome_", None)
    if outcome is not None:
        origin = (
            " (without an intercept)" if getattr(learner, "fit_intercept", True) is False else ""
        )
        lines["Outcome"] = str(outcome) + origin
    cycle = cycle_of(learner)
    if cycle is not None:
        lines["Cycle"] = cycle
    is_told = outcome is Outcome.INSEPARABLE or (
        outcome is Outcome.SEPARATED and guaranteed.verdict is not Verdict.INSEPARABLE
    )
    if guaranteed.separations and not is_told:
        lines["Verdict"] = _verdict(guaranteed)
    if guaranteed.verdict is Verdict.INSEPARABLE:
        lines.update(_conflicts(report, wording))
    lines.update(_learned(report))
    if report.choice is not None:
        lines["Kept"] = str(report.choice)
    if outcome is not Outcome.SEPARATED and report.training_mistakes:
        lines["Training errors"] = _training_errors(report, wording)
    return lines | _tested(report, wording)


def _verdict(guaranteed: Guarantee) -> str:
    verdict, separations = guaranteed.verdict, guaranteed.separations
    if len(separations) > 1:
        found = sum(one.verdict is Verdict.SEPARABLE for one in separations)
        of = f"{found:,} of {len(separations):,} classes"
        if verdict is Verdict.SEPARABLE:
            of = f"each of the {found:,} classes"
        return f"{verdict.name}: a hyperplane separates {of} from the others"
    return f"{verdict.name}: {verdict.within(separations[0].scope)}"


def _learned(report: Report) -> dict[str, str]:
    """Return the learner, the weights kept, the epochs and the mistakes."""
    learner, guaranteed = report.learner, report.guarantee
    epochs, mistakes = getattr(learner, "n_iter_", None), getattr(learner, "n_mistakes_", None)
    kept = _KEPT.get(getattr(learner, "keep", "last"))
    lines = {}
    if type(learner).__name__ != "Perceptron":
        lines["Learner"] = type(learner).__name__
    updates = getattr(learner, "n_updates_", mistakes)
    if kept is not None:
        most = ""
        if guaranteed.mistake_bound is not None:
            most = f" of at most {guaranteed.mistake_bound:,}"
        what = "updates" if isinstance(learner, PassiveAggressive) else "mistakes"
        counts = f"{mistakes:,} {what}{most}"
        if updates != mistakes:
            counts = f"{updates:,} updates{most}, {mistakes:,} mistakes"
        lines["Learned"] = f"{kept} over {epochs:,} epochs, {counts}"
        return lines
    if getattr(learner, "outcome_", None) is Outcome.MAXIMUM:
        return lines  # it makes no epochs
    if epochs is not None:
        lines["Epochs"] = f"{epochs:,}"
    if mistakes is not None and updates != mistakes:
        lines["Updates"] = f"{updates:,}, of which {mistakes:,} were mistakes"
    elif mistakes is not None:
        lines["Mistakes"] = f"{mistakes:,}"
        if guaranteed.mistake_bound is not None:
            lines["Mistakes"] += f" of at most {guaranteed.mistake_bound:,}"
    return lines


def _tested(report: Report, wording: Wording) -> dict[str, str]:
    """Return the held-out error, with advice if it is no better than guessing; nothing of few rows."""
    tested = report.held_out
    if tested is None:
        return {}
    lines = {
        "Held-out error": (
            f"{tested.error:.4f} on {tested.samples:,} rows not learned from; at most "
            f"{math.ceil(1e4 * tested.risk) / 1e4:.4f} with 95 % confidence; always guessing the "
            f"largest class: {tested.guess:.4f}"
        )
    }
    if report.advice is not None:
        lines["Advice"] = report.advice.text(wording.remedies)
    return lines | class_lines(tested.classes, " (held-out rows)")


def _conflicts(report: Report, wording: Wording) -> dict[str, str]:
    """Return the conflicts of two classes, of all jointly, or one of each class."""
    separations = report.guarantee.separations
    if len(separations) == 1:
        return conflict_lines(separations[0], wording.text_of, wording.where)
    by_class = list(zip(report.positives, separations, strict=True))
    return class_conflict_lines(by_class, wording.text_of, wording.where)


def _training_errors(report: Report, wording: Wording) -> str:
    errors = errors_text(report.training_mistakes, report.samples)
    if cycle_of(report.learner) is not None:
        return f"{errors}; more epochs would not help"
    if report.guarantee.verdict is Verdict.SEPARABLE:
        is_joint = report.guarantee.separations[0].scope.is_joint
        without = "" if is_joint else f": {wording.remedies['separator']} makes none"
        return f"{errors}, but the classes are separable{without}"
    return errors


def margin_lines(report: Report, *, of_classes: bool = False) -> dict[str, str]:
    """Return the maximum margin, of each class only if asked for."""
    lines: dict[str, str] = {}
    separations = report.guarantee.separations
    if len(separations) > 1 and not of_classes:
        return lines
    for positive, separation in zip(report.positives, separations, strict=True):
        if separation.verdict is not Verdict.INSEPARABLE:
            name = "Margin" if len(separations) == 1 else f"Margin of {positive}"
            lines[name] = margin_text(separation)
    return lines
