"""Arguments that several commands share.

This file, `app` and the files of the commands import nothing heavy: each command loads what it needs
when it runs, so that `--help` and `--version` answer at once.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.core.errors import InputError

Format = StrEnum("Format", ["auto", "csv", "libsvm", "parquet", "arrow"])
Scale = StrEnum("Scale", ["auto", "none", "standard", "unit"])
Ties = StrEnum("Ties", ["mistake", "positive", "negative"])

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Labelled = Annotated[
    list[str] | None,
    typer.Argument(
        help="A table (CSV, Parquet, Arrow) or libsvm file of labelled samples, a pattern or URL of "
        "such, or several of one schema; - is standard input; without it, the bundled table of loans.",
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
        help="The label column, by name or by number from 1 (-1 is the last); by default the one called "
        "class, label, target, y or outcome, else the last.",
        show_default=False,
    ),
]
Decimal = Annotated[
    str, typer.Option("--decimal", help="The decimal point of a CSV file: . or a comma.")
]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", help="Leave out a column; may be repeated.", show_default=False),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        "--categorical",
        help="A column whose values, numbers too, name groups; may be repeated.",
        show_default=False,
    ),
]
TextColumn = Annotated[
    list[str] | None,
    typer.Option(
        "--text",
        help="A column of free text, whose words count; may be repeated.",
        show_default=False,
    ),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--missing",
        help="What stands for a missing value, or COLUMN=VALUE; may be repeated.",
        show_default=False,
    ),
]
TieRule = Annotated[Ties, typer.Option("--ties", help="What a score of exactly 0 stands for.")]
NoIntercept = Annotated[
    bool, typer.Option("--no-intercept", help="Learn a hyperplane through the origin.")
]
Plot = Annotated[
    Path | None,
    typer.Option(
        "--plot", help="Draw it to this file, which ends in .png, .svg or .pdf.", show_default=False
    ),
]


def check_plot(plot: Path | None, inputs: Sequence[Path], *outputs: Path | None) -> None:
    """Raise, before any work is done, unless the picture can be drawn to a file of its own."""
    if plot is None:
        return
    from rosenblatt.plots.picture_file import check_picture

    check_picture(plot, *inputs, *(output for output in outputs if output is not None))


def check_no_file_options(example: str, given: Mapping[str, object]) -> None:
    """Raise if an option says how to read a file, where there is an example and no file.

    ``given`` has what was given for each option, by the option's name: None, False or empty if nothing.
    """
    for option, value in given.items():
        if value:
            raise InputError(
                f"{option} says how to read a file, but {example} has none: give a file, or leave "
                f"{option} out"
            )
