"""`rosenblatt predict` and `rosenblatt evaluate`: use a model on files of any size, chunk by chunk."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosenblatt.cli.options import Decimal, Format, Header, Json, Kind
from rosenblatt.cli.report import Facts, print_facts, print_json
from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_writable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rosenblatt.io.predictions.evaluation import Evaluation
    from rosenblatt.io.predictions.unknown_parts import UnknownParts
    from rosenblatt.io.samples.table import Table

Written = StrEnum("Written", ["text", "csv", "jsonl", "parquet"])

Model = Annotated[Path, typer.Argument(help="A model file, from 'learn --model'.")]
Data = Annotated[
    list[str],
    typer.Argument(
        help="A table (CSV, Parquet, Arrow) or libsvm file of any size, a pattern or URL of such, or "
        "several; - is standard input.",
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
    json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print one JSON document, held in memory until all are predicted; for large files, "
            "say --as jsonl.",
        ),
    ] = False,
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
    from rosenblatt.cli.models.prediction_file import (
        chosen_form,
        printed_document,
        written_predictions,
    )
    from rosenblatt.cli.models.whole_stream import read_whole
    from rosenblatt.io import Reading
    from rosenblatt.io.models.model_notes import open_model, stream_for_model
    from rosenblatt.io.predictions.prediction_table import PredictionTables
    from rosenblatt.io.predictions.unknown_parts import UnknownParts
    from rosenblatt.io.sources.local_copies import file_names, local_paths

    if json and (written is not None or output is not None):
        raise InputError("--json prints one document; leave it out with --as and with --output")
    form = chosen_form(None if written is None else written.value, output, scores or id_column)
    if output is not None:
        check_writable(output, "output", model, *local_paths(data))
    trained = open_model(model)
    shown = file_names(data)
    reading = Reading(kind.value, label, header, decimal, needs_labels=False, id_column=id_column)
    tables = PredictionTables(trained, shown, scores=scores, id_column=id_column)

    def predict_all(chunks: "Iterator[Table]") -> "UnknownParts":
        unknown = UnknownParts()
        document: Facts = {"file": shown, "model": str(model)}
        opened = printed_document(document) if json else written_predictions(form, output)
        with opened as write:
            for chunk in chunks:
                write(tables.of(chunk))
                unknown.add(trained, chunk)
        return unknown

    unknown = read_whole(
        stream_for_model(trained, data, reading),
        "predicting",
        predict_all,
        has_bar=output is not None or not sys.stdout.isatty(),
        is_printed=output is None and not json,
    )
    for line in unknown.lines(shown, tables.names):
        print(line, file=sys.stderr)


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
    from rosenblatt.cli.models.whole_stream import read_whole
    from rosenblatt.io import Reading
    from rosenblatt.io.models.model_notes import open_model, stream_for_model
    from rosenblatt.io.predictions.evaluation import Comparison, check_one_label
    from rosenblatt.io.sources.local_copies import file_names

    trained = open_model(model)
    check_one_label(trained)
    shown = file_names(data)
    stream = stream_for_model(trained, data, Reading(kind.value, label, header, decimal))

    def compare_all(chunks: "Iterator[Table]") -> "Evaluation":
        comparison = Comparison(trained, shown)
        for chunk in chunks:
            comparison.add(chunk)
        return comparison.result(stream.reader.n_unlabeled)

    evaluation = read_whole(stream, "evaluating", compare_all)
    if json:
        print_json(evaluation.facts(model))
    else:
        print_facts(evaluation.lines())
