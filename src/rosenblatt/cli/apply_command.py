"""`rosenblatt predict` and `rosenblatt evaluate`: use a model on a file."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli.options import Format, Header, Json, Kind
from rosenblatt.cli.report import print_facts, print_json
from rosenblatt.core.errors import InputError

Model = Annotated[Path, typer.Argument(help="A model file, from 'learn --model'.")]
Data = Annotated[Path, typer.Argument(help="A CSV or libsvm file.", show_default=False)]
Label = Annotated[
    str | None,
    typer.Option(
        "--label",
        help="A CSV file's label column, by name or by number from 1 (-1 is the last); by default where "
        "the model's label was.",
        show_default=False,
    ),
]


def predict(
    model: Model,
    data: Data,
    json: Json = False,
    label: Label = None,
    header: Header = None,
    kind: Kind = Format.auto,
) -> None:
    """Print the label that a model gives each sample, one a line."""
    from rosenblatt.io.model_notes import predicted_texts, read_for_model

    learner, table = read_for_model(model, data, kind=kind.value, label=label, header=header)
    labels = predicted_texts(learner, data, table).tolist()
    if json:
        print_json({"file": str(data), "model": str(model), "predictions": labels})
    else:
        print("\n".join(labels))


def evaluate(
    model: Model,
    data: Data,
    json: Json = False,
    label: Label = None,
    header: Header = None,
    kind: Kind = Format.auto,
) -> None:
    """Compare a model's predictions with the labels in a file."""
    from rosenblatt.io.label_text import match_labels, some_labels
    from rosenblatt.io.model_notes import predicted_texts, read_for_model

    learner, table = read_for_model(model, data, kind=kind.value, label=label, header=header)
    if table.y is None:
        raise InputError(
            f"{data}: the file has {table.n_features} columns, all of them features; "
            "to evaluate a model it needs a label column too"
        )
    if getattr(learner, "multilabel_", False):
        raise InputError(
            f"{model}: this model gives a sample several labels; evaluate compares one"
        )
    labels, unknown = match_labels(data, table.y, learner.classes_)
    predictions = predicted_texts(learner, data, table)
    pairs = Counter(zip(labels.tolist(), predictions.tolist(), strict=True))
    confusion = sorted(pairs.items())
    mistakes = sum(n for (truth, predicted), n in confusion if truth != predicted)
    accuracy = 1.0 - mistakes / len(labels)
    if json:
        print_json(
            {
                "file": str(data),
                "model": str(model),
                "samples": len(labels),
                "mistakes": mistakes,
                "accuracy": accuracy,
                "confusion": [
                    {"label": truth, "predicted": predicted, "samples": n}
                    for (truth, predicted), n in confusion
                ],
                "unknown_labels": unknown,
            }
        )
        return
    facts = {
        "Data": f"{data}: {len(labels):,} samples",
        "Accuracy": f"{accuracy:.4f}",
        "Mistakes": f"{mistakes:,}",
    }
    if unknown:
        facts["Unknown"] = (
            f"{sum(unknown.values()):,} samples, counted as mistakes, have labels that the model never "
            f"had: {some_labels(unknown)}"
        )
    for (truth, predicted), n in confusion:
        if truth != predicted:
            facts[f"{truth} as {predicted}"] = f"{n:,}"
    print_facts(facts)
