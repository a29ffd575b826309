"""Arguments and options that commands share, grouped into the panels of `--help`.

This file, `app` and the files of the commands import nothing heavy: each command loads what it needs
when it runs, so that `--help` and `--version` answer at once.
"""

import csv
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosenblatt.core.errors import InputError

if TYPE_CHECKING:
    from rosenblatt.io.samples.preparation import ColumnOptions

Format = StrEnum("Format", ["auto", "csv", "libsvm", "parquet", "arrow"])
Scales = StrEnum("Scales", ["standard", "none", "unit"])
Orders = StrEnum("Orders", ["cyclic", "shuffle", "random"])
Kept = StrEnum("Kept", ["last", "average", "pocket", "vote"])
MulticlassModes = StrEnum("MulticlassModes", ["one-vs-rest", "joint"])
Ties = StrEnum("Ties", ["mistake", "positive", "negative"])
Engines = StrEnum("Engines", ["threads", "ray"])

READING, LEARNING, SHARDS = "Reading the file", "Learning", "Shards"


def split_lists(values: list[str] | None) -> list[str] | None:
    """Split comma-separated values, quoted as in CSV if they contain a comma.

    >>> split_lists(["a,b", '"c,d",e'])
    ['a', 'b', 'c,d', 'e']
    """
    if values is None:
        return None
    try:
        return [part for value in values for part in next(csv.reader([value], strict=True), [])]
    except csv.Error as error:
        raise InputError(
            f"{', '.join(values)} is not a list of names: separate them with commas, and put a name "
            "with a comma into double quotes"
        ) from error


def check_seed(seed: int) -> int:
    """Raise unless NumPy accepts the seed."""
    if not 0 <= seed < 2**32:
        raise InputError(f"--seed {seed}: use an integer from 0 to {2**32 - 1}")
    return seed


# Reading
Data = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help="Tables (CSV, Parquet, Arrow) or libsvm files of any size: paths, patterns or URLs; - is "
        "standard input.",
        show_default=False,
    ),
]
LabeledData = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE",
        help="Tables (CSV, Parquet, Arrow) or libsvm files of labeled samples, all with the same "
        "columns: paths, patterns or URLs; - is standard input. Without it, the bundled table of loans.",
        show_default=False,
    ),
]
ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model file, from 'learn --model'.")
]
Label = Annotated[
    str | None,
    typer.Option(
        "--label",
        "-l",
        metavar="COLUMN",
        help="The label column, by name or by number from 1 (-1 is the last); by default the one named "
        "class, label, target, y or outcome, or the last.",
        show_default=False,
        rich_help_panel=READING,
    ),
]
ModelLabel = Annotated[
    str | None,
    typer.Option(
        "--label",
        "-l",
        metavar="COLUMN",
        help="The label column, by name or by number from 1 (-1 is the last); by default the one the "
        "model was learned from.",
        show_default=False,
        rich_help_panel=READING,
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        "-i",
        metavar="COLUMNS",
        help="Columns to exclude, such as a,b.",
        show_default=False,
        callback=split_lists,
        rich_help_panel=READING,
    ),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        "--categorical",
        metavar="COLUMNS",
        help="Columns whose values are categories, even if they are numbers.",
        show_default=False,
        callback=split_lists,
        rich_help_panel=READING,
    ),
]
Numeric = Annotated[
    list[str] | None,
    typer.Option(
        "--numeric",
        metavar="COLUMNS",
        help="Columns of numbers to keep, although they look like ids, count the rows or are constant.",
        show_default=False,
        callback=split_lists,
        rich_help_panel=READING,
    ),
]
TextColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--text",
        metavar="COLUMNS",
        help="Columns of free text, to be split into words.",
        show_default=False,
        callback=split_lists,
        rich_help_panel=READING,
    ),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--missing",
        metavar="VALUES",
        help="Values that mean missing, in all columns or as COLUMN=VALUE.",
        show_default=False,
        callback=split_lists,
        rich_help_panel=READING,
    ),
]
Decimal = Annotated[
    str,
    typer.Option(
        "--decimal",
        metavar="SIGN",
        help="The decimal point of a CSV file: . or a comma.",
        rich_help_panel=READING,
    ),
]
Scale = Annotated[
    Scales,
    typer.Option(
        "--scale",
        metavar="NAME",
        help="standard: give numbers and dates mean 0 and standard deviation 1, except columns of 0 and "
        "1; unit: divide each row by its length; none.",
        rich_help_panel=READING,
    ),
]
ScaleOfTables = Annotated[
    Scales | None,
    typer.Option(
        "--scale",
        metavar="NAME",
        help="standard: give numbers and dates mean 0 and standard deviation 1, except columns of 0 and "
        "1 (the default for tables); unit: divide each row by its length; none (the default for "
        "libsvm files).",
        show_default=False,
        rich_help_panel=READING,
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line of a CSV file has names; by default this is detected.",
        show_default=False,
        rich_help_panel=READING,
    ),
]
Kind = Annotated[
    Format,
    typer.Option(
        "--format",
        metavar="NAME",
        help="The file's format: auto, csv, libsvm, parquet or arrow.",
        rich_help_panel=READING,
    ),
]

# Learning
Keep = Annotated[
    Kept | None,
    typer.Option(
        "--keep",
        metavar="NAME",
        help="The weights to keep: last, average, pocket or vote. By default the average; 'learn "
        "--learner perceptron' keeps the last if the classes are separable.",
        show_default=False,
        rich_help_panel=LEARNING,
    ),
]
Multiclass = Annotated[
    MulticlassModes | None,
    typer.Option(
        "--multiclass",
        metavar="NAME",
        help="How to learn more than two classes: one-vs-rest (the default) or joint.",
        show_default=False,
        rich_help_panel=LEARNING,
    ),
]
OrderOfVisits = Annotated[
    Orders,
    typer.Option(
        "--order",
        metavar="NAME",
        help="The order of visits: cyclic, shuffle or random.",
        rich_help_panel=LEARNING,
    ),
]
TieRule = Annotated[
    Ties | None,
    typer.Option(
        "--ties",
        metavar="NAME",
        help="How to count a score of exactly 0: mistake (the default), positive or negative.",
        show_default=False,
        rich_help_panel=LEARNING,
    ),
]
Eta0 = Annotated[
    float | None,
    typer.Option(
        "--eta0",
        metavar="RATE",
        help="The learning rate; by default 1.",
        show_default=False,
        rich_help_panel=LEARNING,
    ),
]
NoIntercept = Annotated[
    bool,
    typer.Option(
        "--no-intercept",
        help="Use hyperplanes through the origin only.",
        rich_help_panel=LEARNING,
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed",
        metavar="N",
        callback=check_seed,
        help="The seed of the random number generator.",
        rich_help_panel=LEARNING,
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="S",
        min=0.001,
        help="The time limit, in seconds, for deciding whether the classes are separable.",
        rich_help_panel=LEARNING,
    ),
]

# Writing
ModelOutput = Annotated[
    Path | None,
    typer.Option(
        "--model", "-m", metavar="FILE", help="Write the model to this file.", show_default=False
    ),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write to this file.", show_default=False),
]
Plot = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        metavar="FILE",
        help="Draw a picture to this .png, .svg or .pdf file.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Print the margin of each class, too.")
]
Top = Annotated[
    int, typer.Option("--top", metavar="N", min=1, help="At most this many lines per list.")
]
Checkpoint = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint",
        metavar="FILE",
        help="Save the state of the run to this file at intervals; it is also a model file.",
        show_default=False,
    ),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Continue from the checkpoint if the file exists.")
]

# Shards
Shards = Annotated[
    int | None,
    typer.Option(
        "--shards",
        metavar="N",
        min=1,
        help="Learn this many parts of the samples in parallel, without ever reading a whole file.",
        show_default=False,
        rich_help_panel=SHARDS,
    ),
]
EngineName = Annotated[
    Engines | None,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="Where the shards run: threads (the default) or ray.",
        show_default=False,
        rich_help_panel=SHARDS,
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        "--address",
        metavar="HOST:PORT",
        help="The address of a Ray cluster; by default one is started on this machine.",
        show_default=False,
        rich_help_panel=SHARDS,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        min=1,
        help="How many workers; by default one per shard, but at most one per processor here.",
        show_default=False,
        rich_help_panel=SHARDS,
    ),
]
AllowOpen = Annotated[
    bool,
    typer.Option(
        "--allow-open-cluster",
        help="Use a cluster without a token: anyone who can reach it can run code on it.",
        rich_help_panel=SHARDS,
    ),
]


def column_options(
    ignore: list[str] | None,
    categorical: list[str] | None,
    text: list[str] | None,
    missing: list[str] | None,
    scale: Scales | None = Scales.none,
    min_count: int = 1,
    numeric: list[str] | None = None,
) -> "ColumnOptions":
    """Return the options about columns, as the encoder takes them."""
    from rosenblatt.io.samples.preparation import ColumnOptions

    return ColumnOptions(
        ignore or (),
        categorical or (),
        text or (),
        missing or (),
        None if scale is None else scale.value,
        min_count,
        numeric or (),
    )


def check_plot(plot: Path | None, inputs: Sequence[Path], *outputs: Path | None) -> None:
    """Raise, before any work is done, unless the picture can be drawn to a file of its own."""
    if plot is None:
        return
    from rosenblatt.plots.picture_file import check_picture

    check_picture(plot, *inputs, *(output for output in outputs if output is not None))


def check_absent(options: Mapping[str, object], sentence: str) -> None:
    """Raise if one of the options was given; ``{}`` in the sentence stands for its name."""
    for name, value in options.items():
        if value:
            raise InputError(sentence.format(name))


def check_checkpoint(checkpoint: Path | None, *, resume: bool) -> None:
    """Raise if there is nothing to resume from, or if a new run would overwrite a checkpoint."""
    if resume and checkpoint is None:
        raise InputError("--resume needs --checkpoint: the file to continue from")
    if checkpoint is not None and checkpoint.is_file() and not resume:
        raise InputError(
            f"--checkpoint {checkpoint}: this file exists already; add --resume to continue from it, or "
            "name another file"
        )
