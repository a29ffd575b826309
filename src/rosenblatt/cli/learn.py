"""`rosenblatt learn`: read a file, learn it, report, and write the model."""

import time
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.cli.app import Source
from rosenblatt.cli.progress import EpochProgress
from rosenblatt.cli.report import finite_or_none, print_facts, print_json, seconds_text
from rosenblatt.data import sonar
from rosenblatt.errors import InputError
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.margins import Interval
from rosenblatt.model_file import write
from rosenblatt.outcomes import Outcome
from rosenblatt.readers import Table, read

# A budget of seconds to a minute or two: an epoch costs time for each visit and some of its own.
_MOST_EPOCHS = 1_000_000
_MOST_VISITS = 200_000_000


def learn_file(
    data: Path | None,
    model: Path | None,
    parameters: dict[str, Any],
    *,
    max_epochs: int | None,
    source: Source,
    as_json: bool,
) -> None:
    """Learn a perceptron from a file and print the report."""
    path = sonar() if data is None else data
    if model is not None and not model.parent.is_dir():
        raise InputError(f"{model}: there is no folder {model.parent} to write the model to")
    if model is not None and (model.is_dir() or model.absolute() == path.absolute()):
        raise InputError(f"{model}: the model needs a file of its own")
    table = read(path, **source._asdict())
    assert table.y is not None
    classes, counts = np.unique(table.y, return_counts=True)
    if len(classes) < 2:
        raise InputError(
            f"{path}: every sample has the label {classes[0]}; learning needs at least two labels"
        )
    n_samples = len(table.y)
    if max_epochs is None:
        max_epochs = min(_MOST_EPOCHS, max(1, _MOST_VISITS // n_samples))
    learner = Perceptron(max_iter=max_epochs, **parameters)
    learner.check_parameters()
    started = time.perf_counter()
    try:
        with EpochProgress(max_epochs) as progress:
            learner._learn(learner._prepare(table.X, table.y), progress)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    seconds = time.perf_counter() - started
    left = int((learner.predict(table.X) != table.y).sum())
    facts = _facts(learner, seconds, left)
    facts["data"] = {
        "file": path.name if data is None else str(path),
        "bundled": data is None,
        "samples": n_samples,
        "features": table.n_features,
        "classes": {str(c): int(n) for c, n in zip(classes, counts, strict=True)},
    }
    if model is not None:
        write(learner, model, _notes(table), record=False)
    facts["model"] = None if model is None else str(model)
    if as_json:
        print_json(facts)
    else:
        print_facts(_lines(facts, learner.outcome_))


def _notes(table: Table) -> dict[str, Any]:
    """Return what a later reading of samples for this model needs to know."""
    return {
        "feature_names": table.feature_names,
        "label_name": table.label_name,
        "first_index": table.first_index,
    }


def _facts(learner: Perceptron, seconds: float, left: int) -> dict[str, Any]:
    margin = learner.margin_
    intervals = [margin] if isinstance(margin, Interval) else margin
    positives = learner.classes_[-len(intervals) :]
    return {
        "outcome": learner.outcome_.name,
        "sentence": learner.outcome_.sentence,
        "epochs": learner.n_iter_,
        "max_epochs": learner.max_iter,
        "mistakes": learner.n_mistakes_,
        "training_mistakes": left,
        "margins": [
            {
                "positive": str(positive),
                "lower": interval.lower,
                "upper": finite_or_none(interval.upper),
            }
            for positive, interval in zip(positives, intervals, strict=True)
        ],
        "exact_sums": learner.n_exact_,
        "seconds": seconds,
        "parameters": learner.get_params(),
    }


def _lines(facts: dict[str, Any], outcome: Outcome) -> dict[str, str]:
    data = facts["data"]
    classes = ", ".join(f"{name} ({count:,})" for name, count in data["classes"].items())
    bundled = " (bundled)" if data["bundled"] else ""
    lines = {
        "Data": f"{data['file']}{bundled}: {data['samples']:,} samples, "
        f"{data['features']:,} features, classes {classes}",
        "Outcome": str(outcome),
        "Epochs": f"{facts['epochs']:,}",
        "Mistakes": f"{facts['mistakes']:,}",
    }
    if outcome is not Outcome.SEPARATED:
        lines["Left"] = (
            f"{facts['training_mistakes']:,} of {data['samples']:,} training samples are on a wrong "
            "side now; more epochs: --max-epochs"
        )
    for margin in facts["margins"]:
        name = "Margin" if len(facts["margins"]) == 1 else f"Margin of {margin['positive']}"
        lines[name] = _margin_text(margin["lower"], margin["upper"])
    lines["Time"] = seconds_text(facts["seconds"])
    if facts["model"] is not None:
        lines["Model"] = facts["model"]
    return lines


def _margin_text(lower: float, upper: float | None) -> str:
    if upper is None:
        return f"the maximum margin is at least {lower:.6g}"
    if lower == 0.0:
        return f"the maximum margin is at most {upper:.6g}, if there is one at all"
    return f"the maximum margin is between {lower:.6g} and {upper:.6g}"
