"""`rosenblatt trace`: every visit of a run."""

from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli.options import (
    Format,
    Header,
    Json,
    Kind,
    Label,
    NoIntercept,
    TieRule,
    Ties,
    UnitLength,
)
from rosenblatt.cli.report import named_in_errors, print_json


def trace(
    data: Annotated[
        Path | None,
        typer.Argument(
            help="A file of samples of two classes; without it, the worked example of the lectures.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    max_epochs: Annotated[int, typer.Option("--max-epochs", min=1, help="The most epochs.")] = 10,
    label: Label = None,
    header: Header = None,
    kind: Kind = Format.auto,
    ties: TieRule = Ties.mistake,
    unit_length: UnitLength = False,
    no_intercept: NoIntercept = False,
) -> None:
    """Print every visit of a run: sample, weights before, score, update, weights after."""
    from rosenblatt.io import read
    from rosenblatt.lectures.trace import trace as trace_run
    from rosenblatt.lectures.trace import worked_example

    if data is None:
        run = worked_example()
    else:
        table = read(data, kind=kind.value, label=label, header=header)
        with named_in_errors(data):
            run = trace_run(
                table.X,
                table.y,
                max_iter=max_epochs,
                ties=ties.value,
                unit_length=unit_length,
                fit_intercept=not no_intercept,
            )
    if json:
        print_json(run.to_dict())
    else:
        print(run.table())
