"""Arguments that several commands share.

This file, `app` and the files of the commands import nothing heavy: each command loads what it needs
when it runs, so that `--help` and `--version` answer at once.
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

Format = StrEnum("Format", ["auto", "csv", "libsvm"])
Ties = StrEnum("Ties", ["mistake", "positive", "negative"])

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Labelled = Annotated[
    Path | None,
    typer.Argument(
        help="A CSV or libsvm file of labelled samples; without it, the bundled sonar set.",
        show_default=False,
    ),
]
Kind = Annotated[Format, typer.Option("--format", help="The file's format.")]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether a CSV file's first line has names; by default it is found out.",
        show_default=False,
    ),
]
Label = Annotated[
    str | None,
    typer.Option(
        "--label",
        help="A CSV file's label column, by name or by number from 1 (-1 is the last, the default).",
        show_default=False,
    ),
]
TieRule = Annotated[Ties, typer.Option("--ties", help="What a score of exactly 0 stands for.")]
UnitLength = Annotated[bool, typer.Option("--unit-length", help="Scale the samples to length 1.")]
NoIntercept = Annotated[
    bool, typer.Option("--no-intercept", help="Learn a hyperplane through the origin.")
]
