"""`rosenblatt predict` and `rosenblatt evaluate`: use a model on files of any size, chunk by chunk."""

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from rosenblatt.cli.options import (
    Data,
    Decimal,
    Format,
    Header,
    Json,
    Kind,
    Missing,
    ModelFile,
    ModelLabel,
    Output,
    column_options,
)
from rosenblatt.cli.report import Facts, print_facts, print_json, print_line
from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_writable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rosenblatt.io.predictions.evaluation import Evaluation
    from rosenblatt.io.predictions.unknown_parts import UnknownParts
    from rosenblatt.io.samples.table import Table

Written = StrEnum("Written", ["text", "csv", "jsonl", "parquet"])


def predict(
    model: ModelFile,
    data: Data,
    output: Output = None,
    json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print one JSON document, at the end; use --as jsonl for large files.",
        ),
    ] = False,
    scores: Annotated[
        bool,
        typer.Option("--scores", help="Add the score of each class; of two, that of the second."),
    ] = False,
    id_column: Annotated[
        str | None,
        typer.Option(
            "--id",
            metavar="COLUMN",
            help="Add this column of the file, by name or number.",
            show_default=False,
        ),
    ] = None,
    written: Annotated[
        Written | None,
        typer.Option(
            "--as",
            metavar="NAME",
            help="How to write predictions: text (one label per line), csv, jsonl (JSON lines) or "
            "parquet; by default the format that the output file is named for, or text.",
            show_default=False,
        ),
    ] = None,
    label: ModelLabel = None,
    missing: Missing = None,
    decimal: Decimal = ".",
    header: Header = None,
    kind: Kind = Format.auto,
) -> None:
    """Predict the label of each sample in a file.

    Without --output, prints one label per line.
    """
    from rosenblatt.cli.models.prediction_file import (
        chosen_form,
        printed_document,
        written_predictions,
    )
    from rosenblatt.cli.models.whole_stream import read_whole
    from rosenblatt.io import Reading
    from rosenblatt.io.models.model_notes import open_model, stream_for_model, with_missing
    from rosenblatt.io.predictions.prediction_table import PredictionTables
    from rosenblatt.io.predictions.unknown_parts import UnknownParts
    from rosenblatt.io.samples.preparation import reading_of
    from rosenblatt.io.sources.local_copies import file_names, local_paths

    if json and (written is not None or output is not None):
        raise InputError("--json prints one document: it does not go with --as or --output")
    form = chosen_form(None if written is None else written.value, output, scores or id_column)
    if output is not None:
        check_writable(output, "output", model, *local_paths(data))
    trained = with_missing(open_model(model), missing or ())
    shown = file_names(data)
    reading = Reading(kind.value, label, header, decimal, needs_labels=False, id_column=id_column)
    reading = reading_of(reading, column_options(None, None, None, missing))
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
        print_line(line, sys.stderr)
    if output is not None:
        print_line(f"{unknown.n_samples:,} predictions written to {output}")


def evaluate(
    model: ModelFile,
    data: Data,
    json: Json = False,
    label: ModelLabel = None,
    missing: Missing = None,
    decimal: Decimal = ".",
    header: Header = None,
    kind: Kind = Format.auto,
) -> None:
    """Compare a model's predictions with the labels in a file."""
    from rosenblatt.cli.models.whole_stream import read_whole
    from rosenblatt.io import Reading
    from rosenblatt.io.models.model_notes import open_model, stream_for_model, with_missing
    from rosenblatt.io.predictions.evaluation import Comparison, check_one_label
    from rosenblatt.io.samples.preparation import reading_of
    from rosenblatt.io.sources.local_copies import file_names

    trained = with_missing(open_model(model), missing or ())
    check_one_label(trained)
    shown = file_names(data)
    reading = Reading(kind.value, label, header, decimal)
    reading = reading_of(reading, column_options(None, None, None, missing))
    stream = stream_for_model(trained, data, reading)

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
