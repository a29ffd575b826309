"""`rosenblatt plot`: draw the samples of a file, or a run of the perceptron on them."""

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli.options import (
    LEARNING,
    Categorical,
    Decimal,
    Format,
    Header,
    Ignore,
    Json,
    Kind,
    Label,
    Missing,
    NoIntercept,
    Numeric,
    ScaleOfTables,
    Seed,
    TextColumns,
    TimeLimit,
    column_options,
)
from rosenblatt.cli.report import print_facts, print_json
from rosenblatt.core.errors import InputError

Picture = StrEnum(
    "Picture", ["plane", "separators", "mistakes", "margin", "weights", "unit", "convergence"]
)
Theme = StrEnum("Theme", ["light", "dark"])


def plot(
    data: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="Tables (CSV, Parquet, Arrow) or libsvm files of labeled samples, all with the same "
            "columns.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the picture to this .png, .svg or .pdf file.",
            show_default=False,
        ),
    ],
    picture: Annotated[
        Picture,
        typer.Option(
            "--kind",
            metavar="NAME",
            help="plane: the samples and the separator of maximum margin, or the overlapping hulls; "
            "mistakes: those of each epoch of the run of 'learn'; weights and unit: its weights as bars "
            "or images, and as a diagram; separators: the last, average, pocket and voted weights of "
            "the plain perceptron in cyclic order; margin: what each of its epochs proves about the "
            "margin; convergence: the proof of the mistake bound, along its run.",
        ),
    ] = Picture.plane,
    max_epochs: Annotated[
        int | None,
        typer.Option(
            "--max-epochs",
            metavar="N",
            min=1,
            help="At most this many epochs; by default as many as 'learn'.",
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = None,
    time_limit: TimeLimit = 60.0,
    no_intercept: NoIntercept = False,
    seed: Seed = 0,
    shape: Annotated[
        str | None,
        typer.Option(
            "--shape",
            metavar="HEIGHTxWIDTH",
            help="Draw --kind weights as images of this size, such as 28x32; by default as bars, unless "
            "the features have no names and fill a square of 8x8 or more.",
            show_default=False,
        ),
    ] = None,
    theme: Annotated[
        Theme, typer.Option("--theme", metavar="NAME", help="The background: light or dark.")
    ] = Theme.light,
    width: Annotated[
        float | None,
        typer.Option(
            "--width", metavar="INCHES", min=1, max=100, help="The width.", show_default=False
        ),
    ] = None,
    height: Annotated[
        float | None,
        typer.Option(
            "--height", metavar="INCHES", min=1, max=100, help="The height.", show_default=False
        ),
    ] = None,
    dpi: Annotated[
        int, typer.Option("--dpi", metavar="N", min=20, max=1200, help="Dots per inch.")
    ] = 150,
    label: Label = None,
    ignore: Ignore = None,
    categorical: Categorical = None,
    numeric: Numeric = None,
    text: TextColumns = None,
    missing: Missing = None,
    decimal: Decimal = ".",
    scale: ScaleOfTables = None,
    header: Header = None,
    kind: Kind = Format.auto,
    json: Json = False,
) -> None:
    """Draw samples and their separator, or a learning run."""
    from rosenblatt.cli.open_samples import one_label_words, read_samples, samples_paths
    from rosenblatt.cli.report_pictures import Run, draw_kind
    from rosenblatt.io import Reading
    from rosenblatt.plots.picture_file import PictureOptions, check_picture, check_size

    sides = None if shape is None else _sides(shape)
    if sides is not None and picture is not Picture.weights:
        raise InputError(f"--shape does not go with --kind {picture.value}: leave it out")
    if no_intercept and picture is Picture.separators:
        raise InputError("--no-intercept does not go with --kind separators: leave it out")
    check_picture(output, *samples_paths(data))
    picture_options = PictureOptions(theme.value, width, height, dpi)
    check_size(output, picture_options)
    layout = Reading(kind.value, label, header, decimal)
    columns = column_options(
        ignore, categorical, text, missing, scale, min_count=3, numeric=numeric
    )
    samples = read_samples(data, layout, columns, one_label_words(no_intercept))
    run = Run(max_epochs, time_limit, not no_intercept, seed)
    draw_kind(output, samples, picture.value, run, picture_options, sides)
    if json:
        print_json({"picture": str(output), "kind": picture.value, "file": samples.file})
    else:
        print_facts({"Picture": str(output)})


def _sides(shape: str) -> tuple[int, int]:
    """Return the height and the width of images.

    >>> _sides("28x32")
    (28, 32)
    """
    found = re.fullmatch("([1-9][0-9]{0,5})x([1-9][0-9]{0,5})", shape)
    if found is None:
        raise InputError(f"--shape {shape!r:.60} is not a size: use HEIGHTxWIDTH, such as 28x28")
    return int(found[1]), int(found[2])
