"""`rosenblatt predict` and `rosenblatt evaluate`: use a model on files of any size, chunk by chunk."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosenblatt.cli.cluster_options import (
    Address,
    AllowOpen,
    EngineName,
    Workers,
    check_needs_shards,
    engine_choice,
)
from rosenblatt.cli.options import Decimal, Format, Header, Json, Kind
from rosenblatt.cli.report import Facts, print_facts, print_json
from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_writable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rosenblatt.cluster.engine_choice import EngineChoice
    from rosenblatt.io.predictions.evaluation import Compared, Comparison
    from rosenblatt.io.predictions.prediction_table import Predicted
    from rosenblatt.io.predictions.unknown_parts import UnknownParts

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


Shards = Annotated[
    int | None,
    typer.Option(
        "--shards",
        min=1,
        help="Work in this many shards: ranges of the files, of which a packed file is only one.",
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
    shards: Shards = None,
    engine: EngineName = None,
    address: Address = None,
    workers: Workers = None,
    allow_open_cluster: AllowOpen = False,
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
    choice = _choice(shards, engine, address, workers, allow_open=allow_open_cluster)
    trained = open_model(model)
    shown = file_names(data)
    reading = Reading(kind.value, label, header, decimal, needs_labels=False, id_column=id_column)
    tables = PredictionTables(trained, shown, scores=scores, id_column=id_column)

    def predict_all(found: "Iterable[Predicted]") -> "UnknownParts":
        unknown = UnknownParts()
        document: Facts = {"file": shown, "model": str(model)}
        opened = printed_document(document) if json else written_predictions(form, output)
        with opened as write:
            for one in found:
                write(tables.settled(one))
                unknown.add(one.unknown)
        return unknown

    what, has_bar = "predicting", output is not None or not sys.stdout.isatty()
    is_printed = output is None and not json
    if choice is None:
        unknown = read_whole(
            stream_for_model(trained, data, reading),
            what,
            lambda chunks: predict_all(map(tables.predicted, chunks)),
            has_bar=has_bar,
            is_printed=is_printed,
        )
    else:
        from rosenblatt.cluster.models.apply_files import FilesAsked

        asked = FilesAsked(trained, data, reading, choice, shards or 1)
        with asked.rounds("predict", scores=scores, id_column=id_column) as rounds:
            unknown = read_whole(
                rounds,
                what,
                lambda parts: predict_all(one for part in parts for one in part.results),
                has_bar=has_bar,
                is_printed=is_printed,
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
    shards: Shards = None,
    engine: EngineName = None,
    address: Address = None,
    workers: Workers = None,
    allow_open_cluster: AllowOpen = False,
) -> None:
    """Compare a model's predictions with the labels in a file."""
    from rosenblatt.cli.models.whole_stream import read_whole
    from rosenblatt.io import Reading
    from rosenblatt.io.models.model_notes import open_model, stream_for_model
    from rosenblatt.io.predictions.evaluation import Compared, Comparison, check_one_label
    from rosenblatt.io.sources.local_copies import file_names

    choice = _choice(shards, engine, address, workers, allow_open=allow_open_cluster)
    trained = open_model(model)
    check_one_label(trained)
    shown = file_names(data)
    reading = Reading(kind.value, label, header, decimal)

    def compare_all(found: "Iterable[Compared]") -> "Comparison":
        comparison = Comparison(trained, shown)
        for one in found:
            comparison.add(one)
        return comparison

    what = "evaluating"
    if choice is None:
        stream = stream_for_model(trained, data, reading)
        compared = read_whole(
            stream,
            what,
            lambda chunks: compare_all(Compared.of(trained, shown, own) for own in chunks),
        )
        evaluation = compared.result(stream.reader.n_unlabelled)
    else:
        from rosenblatt.cluster.models.apply_files import FilesAsked

        with FilesAsked(trained, data, reading, choice, shards or 1).rounds("evaluate") as rounds:
            compared = read_whole(
                rounds,
                what,
                lambda parts: compare_all(one for part in parts for one in part.results),
            )
            evaluation = compared.result(rounds.n_unlabelled)
    if json:
        print_json(evaluation.facts(model))
    else:
        print_facts(evaluation.lines())


def _choice(
    shards: int | None,
    engine: StrEnum | None,
    address: str | None,
    workers: int | None,
    *,
    allow_open: bool,
) -> "EngineChoice | None":
    """Return which engine was asked for, if there are to be shards."""
    if shards is not None:
        return engine_choice(engine, address, workers, allow_open=allow_open)
    check_needs_shards(
        {
            "--engine": engine,
            "--address": address,
            "--workers": workers,
            "--allow-open-cluster": allow_open,
        }
    )
    return None
