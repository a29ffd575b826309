"""`rosenblatt learn`: read a file, decide what can be learned, learn it, report, and write the model."""

import math
import time
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
from rosenblatt.estimators.common.mistake_promise import Promise, promise
from rosenblatt.estimators.evaluation.held_out import HeldOut, held_out
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.io import Table
from rosenblatt.io.model_file import write
from rosenblatt.separability.verdicts import Verdict
from rosenblatt.training.margins import Interval
from rosenblatt.training.outcomes import Outcome

# A budget of seconds to a minute or two: an epoch costs time for each visit and some of its own.
_MOST_EPOCHS = 1_000_000
_MOST_VISITS = 200_000_000

# Where nothing separates: the more samples, the sooner the average stops changing.
_FEWEST_AVERAGED = 10
_MOST_AVERAGED = 1000
_AVERAGED_VISITS = 100_000


@dataclass
class _Report:
    """What was promised about the samples before learning, and what came of it."""

    samples: Samples
    promise: Promise
    learner: Perceptron
    seconds: float
    held_out: HeldOut | None = None
    folds: FoldErrors | None = None
    training_mistakes: int = 0
    model: Path | None = None


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
        with spinning("deciding whether the classes are separable"):
            promised = promise(learner, samples.table.X, samples.y, time_limit)
        report = _Report(samples, promised, learner, 0.0)
        if promised.verdict is Verdict.INSEPARABLE:
            learner.order = order or "shuffle"
            _learn_average(report, max_epochs, hold_out=n_folds is None)
        else:
            _learn_to_the_end(report, max_epochs)
        if n_folds is not None:
            shuffle_once = order is None and learner.order == "shuffle"
            report.folds = fold_errors(learner, samples, n_folds, shuffle_once=shuffle_once)
    report.seconds = time.perf_counter() - started
    report.training_mistakes = int((learner.predict(samples.table.X) != samples.y).sum())
    if model is not None:
        write(learner, model, _notes(samples.table), record=False)
        report.model = model
    if as_json:
        print_json(_facts(report))
    else:
        print_facts(_lines(report))


def _learn_to_the_end(report: _Report, max_epochs: int | None) -> None:
    """Run epochs until one makes no mistake, or the budget is used up."""
    samples, learner = report.samples, report.learner
    budget = min(_MOST_EPOCHS, max(1, _MOST_VISITS // len(samples.y)))
    learner.max_iter = max_epochs or budget
    with EpochProgress(learner.max_iter, report.promise.mistake_bound) as progress:
        learner._learn(learner._prepare(samples.table.X, samples.y), progress)


def _learn_average(report: _Report, max_epochs: int | None, *, hold_out: bool) -> None:
    """Learn the average, if wished first without a part of the samples to see how it does on them."""
    samples, learner = report.samples, report.learner
    epochs = min(_MOST_AVERAGED, max(_FEWEST_AVERAGED, _AVERAGED_VISITS // len(samples.y)))
    learner.keep, learner.max_iter = "average", max_epochs or epochs
    if hold_out:
        with spinning("learning without a fifth of the samples"):
            report.held_out = held_out(learner, samples.table.X, samples.y, learner.random_state)
    with EpochProgress(learner.max_iter) as progress:
        learner._learn(learner._prepare(samples.table.X, samples.y), progress)
    separations = report.promise.separations
    certificates = [separation.certificate for separation in separations]
    learner.outcome_ = Outcome.INSEPARABLE
    learner.certificate_ = certificates[0] if len(certificates) == 1 else certificates
    learner.conflicts_ = [str(conflict) for one in separations for conflict in one.conflicts]


def _notes(table: Table) -> dict[str, Any]:
    """Return what a later reading of samples for this model needs to know."""
    return {
        "feature_names": table.feature_names,
        "label_name": table.label_name,
        "label_column": table.label_column,
        "first_index": table.first_index,
    }


def _facts(report: _Report) -> dict[str, Any]:
    learner, positives = report.learner, positive_classes(report.samples.classes)
    margin = learner.margin_
    intervals = [margin] if isinstance(margin, Interval) else margin
    return {
        "outcome": learner.outcome_.name,
        "sentence": learner.outcome_.sentence,
        "epochs": learner.n_iter_,
        "max_epochs": learner.max_iter,
        "mistakes": learner.n_mistakes_,
        "mistake_bound": report.promise.mistake_bound,
        "training_mistakes": report.training_mistakes,
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
            for positive, separation in zip(positives, report.promise.separations, strict=True)
        ],
        "held_out": None if report.held_out is None else report.held_out._asdict(),
        "folds": None if report.folds is None else report.folds.facts(),
        "exact_sums": learner.n_exact_,
        "seconds": report.seconds,
        "parameters": learner.get_params(),
        "data": report.samples.facts(),
        "model": None if report.model is None else str(report.model),
    }


def _lines(report: _Report) -> dict[str, str]:
    learner, promised = report.learner, report.promise
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
    if report.held_out is not None:
        lines["Held out"] = (
            f"error {report.held_out.error:.4f} on {report.held_out.samples:,} samples not learned "
            f"from; at most {math.ceil(1e4 * report.held_out.risk) / 1e4:.4f} with 95 % confidence"
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
    for separation in report.promise.separations:
        if separation.verdict is Verdict.INSEPARABLE:
            return conflict_lines(separation)
    return {}


def _left(report: _Report) -> str:
    left = (
        f"{report.training_mistakes:,} of {len(report.samples.y):,} training samples are on a wrong "
        "side now"
    )
    if report.promise.verdict is Verdict.SEPARABLE:
        return f"{left}, but they are separable: more epochs will do it, --max-epochs"
    if report.promise.verdict is Verdict.UNDECIDED:
        return f"{left}; more epochs: --max-epochs, more time to decide: --time-limit"
    return left


def _margins(report: _Report) -> dict[str, str]:
    lines = {}
    separations = report.promise.separations
    for positive, separation in zip(
        positive_classes(report.samples.classes), separations, strict=True
    ):
        if separation.verdict is not Verdict.INSEPARABLE:
            name = "Margin" if len(separations) == 1 else f"Margin of {positive}"
            lines[name] = margin_text(separation)
    return lines
