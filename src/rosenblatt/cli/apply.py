"""`rosenblatt predict` and `rosenblatt evaluate`: use a model on a file."""

from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.cli.app import Source
from rosenblatt.cli.report import print_facts, print_json
from rosenblatt.errors import InputError
from rosenblatt.model_file import read as read_model
from rosenblatt.readers import Table, read
from rosenblatt.typing import Labels


def predict_file(model: Path, data: Path, *, source: Source, as_json: bool) -> None:
    """Print the label of each sample."""
    learner, table = _open(model, data, source)
    labels = _texts(_predict(learner, data, table)).tolist()
    if as_json:
        print_json({"file": str(data), "model": str(model), "predictions": labels})
    else:
        print("\n".join(labels))


def evaluate_file(model: Path, data: Path, *, source: Source, as_json: bool) -> None:
    """Print how many labels the model gets right, and which ones it takes for which."""
    learner, table = _open(model, data, source)
    if table.y is None:
        raise InputError(
            f"{data}: the file has {table.n_features} columns, all of them features; "
            "to evaluate a model it needs a label column too"
        )
    numbers = learner.classes_.dtype.kind in "biuf"
    truth = _texts(_numbers(data, table.y) if numbers else table.y)
    predicted = _texts(_predict(learner, data, table))
    mistakes = int((truth != predicted).sum())
    accuracy = 1.0 - mistakes / len(truth)
    pairs, counts = np.unique(np.column_stack([truth, predicted]), axis=0, return_counts=True)
    confusion = [
        {"label": str(a), "predicted": str(b), "samples": int(n)}
        for (a, b), n in zip(pairs, counts, strict=True)
    ]
    if as_json:
        print_json(
            {
                "file": str(data),
                "model": str(model),
                "samples": len(truth),
                "mistakes": mistakes,
                "accuracy": accuracy,
                "confusion": confusion,
            }
        )
        return
    facts = {
        "Data": f"{data}: {len(truth):,} samples",
        "Accuracy": f"{accuracy:.4f}",
        "Mistakes": f"{mistakes:,}",
    }
    for cell in confusion:
        if cell["label"] != cell["predicted"]:
            facts[f"{cell['label']} as {cell['predicted']}"] = f"{cell['samples']:,}"
    print_facts(facts)


def _predict(learner: Any, data: Path, table: Table) -> Labels:
    try:
        labels: Labels = learner.predict(table.X)
    except InputError as error:
        raise InputError(f"{data}: {error}") from error
    return labels


def _texts(labels: Labels) -> Labels:
    """Return labels as people write them: 1, not 1.0."""
    return np.array([str(label).removesuffix(".0") for label in labels.tolist()])


def _numbers(data: Path, labels: Labels) -> Labels:
    try:
        return labels.astype(np.float64)
    except ValueError as error:
        raise InputError(f"{data}: the labels are not numbers, as the model's are") from error


def _open(model: Path, data: Path, source: Source) -> tuple[Any, Table]:
    """Return the model and the samples, read as the model wants them."""
    learner, notes = read_model(model)
    if not hasattr(learner, "classes_"):
        raise InputError(f"{model}: this model has not learned anything yet")
    learned_from = Table(
        X=None,
        y=None,
        n_features=learner.n_features_in_,
        feature_names=notes.get("feature_names"),
        label_name=notes.get("label_name"),
        first_index=notes.get("first_index", 1),
    )
    return learner, read(data, expect=learned_from, **source._asdict())
