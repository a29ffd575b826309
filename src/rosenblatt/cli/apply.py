"""`rosenblatt predict` and `rosenblatt evaluate`: use a model on a file."""

from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.cli.report import print_facts, print_json
from rosenblatt.errors import InputError
from rosenblatt.model_file import read as read_model
from rosenblatt.readers import Table, read


def predict_file(model: Path, data: Path, *, label: str | None, kind: str, as_json: bool) -> None:
    """Print the label of each sample."""
    learner, table = _open(model, data, label, kind)
    labels = [str(name) for name in learner.predict(table.X)]
    if as_json:
        print_json({"file": str(data), "model": str(model), "predictions": labels})
    else:
        print("\n".join(labels))


def evaluate_file(model: Path, data: Path, *, label: str | None, kind: str, as_json: bool) -> None:
    """Print how many labels the model gets right, and which ones it takes for which."""
    learner, table = _open(model, data, label, kind)
    if table.y is None:
        raise InputError(
            f"{data}: the file has {table.n_features} columns, all of them features; "
            "to evaluate a model it needs a label column too"
        )
    truth = table.y.astype(np.str_)
    predicted = learner.predict(table.X).astype(np.str_)
    mistakes = int((truth != predicted).sum())
    accuracy = 1.0 - mistakes / len(truth)
    confusion = [
        {
            "label": str(a),
            "predicted": str(b),
            "samples": int(((truth == a) & (predicted == b)).sum()),
        }
        for a in np.unique(truth)
        for b in np.unique(predicted)
    ]
    confusion = [cell for cell in confusion if cell["samples"]]
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


def _open(model: Path, data: Path, label: str | None, kind: str) -> tuple[Any, Table]:
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
    )
    return learner, read(data, kind=kind, label=label, expect=learned_from)
