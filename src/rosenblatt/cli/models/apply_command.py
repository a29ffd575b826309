"""`rosenblatt predict` and `rosenblatt evaluate`: use a model on a file."""

from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli.options import Decimal, Format, Header, Json, Kind
from rosenblatt.cli.report import print_facts, print_json
from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_writable

Written = StrEnum("Written", ["text", "csv", "jsonl", "parquet"])

Model = Annotated[Path, typer.Argument(help="A model file, from 'learn --model'.")]
Data = Annotated[
    list[Path],
    typer.Argument(
        help="A table (CSV, Parquet, Arrow) or libsvm file, or several; - is standard input.",
        show_default=False,
    ),
]
Label = Annotated[
    str | None,
    typer.Option(
        "--label",
        help="The label column, by name or by number from 1 (-1 is the last); by default where "
        "the model's label was.",
        show_default=False,
    ),
]


def predict(
    model: Model,
    data: Data,
    json: Json = False,
    scores: Annotated[
        bool, typer.Option("--scores", help="Add the score of each class (of two: of the second).")
    ] = False,
    id_column: Annotated[
        str | None,
        typer.Option(
            "--id", help="Add this column of the file, by name or number.", show_default=False
        ),
    ] = None,
    written: Annotated[
        Written | None,
        typer.Option(
            "--as",
            help="How predictions are written: one label a line, CSV, a JSON document a line, or "
            "Parquet; by default as the name of --output says.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write to this file.", show_default=False),
    ] = None,
    label: Label = None,
    decimal: Decimal = ".",
    header: Header = None,
    kind: Kind = Format.auto,
) -> None:
    """Print the label that a model gives each sample, one a line."""
    from rosenblatt.cli.models.prediction_table import (
        chosen_form,
        json_columns,
        prediction_table,
        say_unknown,
        write_predictions,
    )
    from rosenblatt.io import Reading
    from rosenblatt.io.model_notes import open_model, read_for_model
    from rosenblatt.io.samples.standard_input import file_names

    if json and (written is not None or output is not None):
        raise InputError("--json prints one document; leave it out with --as and with --output")
    form = chosen_form(None if written is None else written.value, output, scores or id_column)
    if output is not None:
        check_writable(output, "output", model, *data)
    trained = open_model(model)
    shown = file_names(data)
    reading = Reading(kind.value, label, header, decimal, needs_labels=False, id_column=id_column)
    table = read_for_model(trained, data, reading)
    predictions = prediction_table(trained, shown, table, scores=scores, id_column=id_column)
    if json:
        document = {"file": shown, "model": str(model)}
        print_json(document | json_columns(predictions, reserved=document))
    else:
        write_predictions(predictions, form, output)
    say_unknown(trained, shown, table, predictions.column_names)


def evaluate(
    model: Model,
    data: Data,
    json: Json = False,
    label: Label = None,
    decimal: Decimal = ".",
    header: Header = None,
    kind: Kind = Format.auto,
) -> None:
    """Compare a model's predictions with the labels in a file."""
    from rosenblatt.io import Reading
    from rosenblatt.io.model_notes import open_model, read_for_model
    from rosenblatt.io.samples.label_text import label_texts, match_labels, some_labels
    from rosenblatt.io.samples.standard_input import file_names

    trained = open_model(model)
    shown = file_names(data)
    table = read_for_model(trained, data, Reading(kind.value, label, header, decimal))
    if table.y is None:
        raise InputError(
            f"{shown}: no column is the label; to evaluate a model say with --label which one is"
        )
    if getattr(trained.learner, "multilabel_", False):
        raise InputError(
            f"{model}: this model gives a sample several labels; evaluate compares one"
        )
    labels, unknown = match_labels(shown, table.y, trained.learner.classes_)
    predictions = label_texts(trained.predicted(shown, table))
    pairs = Counter(zip(labels.tolist(), predictions.tolist(), strict=True))
    confusion = sorted(pairs.items())
    mistakes = sum(n for (truth, predicted), n in confusion if truth != predicted)
    accuracy = 1.0 - mistakes / len(labels)
    unused, unseen = trained.unknown_columns(table), trained.unseen_values(table)
    if json:
        print_json(
            {
                "file": shown,
                "model": str(model),
                "samples": len(labels),
                "mistakes": mistakes,
                "accuracy": accuracy,
                "confusion": [
                    {"label": truth, "predicted": predicted, "samples": n}
                    for (truth, predicted), n in confusion
                ],
                "unknown_labels": unknown,
                "unknown_columns": unused,
                "unseen_values": unseen,
                "unlabelled": table.n_unlabelled,
            }
        )
        return
    facts = {
        "Data": f"{shown}: {len(labels):,} samples",
        "Accuracy": f"{accuracy:.4f}",
        "Mistakes": f"{mistakes:,}",
    }
    if table.n_unlabelled:
        facts["Data"] += f"; left out, having no label: {table.n_unlabelled:,}"
    if unused:
        facts["Ignored"] = f"columns that the model does not know: {some_labels(unused)}"
    if unseen:
        counts = ", ".join(f"{name} ({count:,})" for name, count in unseen.items())
        facts["New values"] = f"never learned from, they count for nothing: {counts}"
    if unknown:
        facts["Unknown"] = (
            f"{sum(unknown.values()):,} samples, counted as mistakes, have labels that the model never "
            f"had: {some_labels(unknown)}"
        )
    for (truth, predicted), n in confusion:
        if truth != predicted:
            facts[f"{truth} as {predicted}"] = f"{n:,}"
    print_facts(facts)
