"""How a function that draws becomes a command of `rosenblatt plot`.

What all kinds of pictures share, the files of samples, how to read them, and the paper, is declared here
once, and added to the options that the function has of its own.
"""

import inspect
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosenblatt.cli.options import (
    Categorical,
    Decimal,
    Format,
    Header,
    Ignore,
    Json,
    Kind,
    Label,
    Missing,
    TextColumn,
    check_no_file_options,
)
from rosenblatt.cli.plot.example_samples import LabelledSamples
from rosenblatt.cli.progress import spinning
from rosenblatt.cli.report import named_in_errors, print_facts, print_json

if TYPE_CHECKING:  # loaded when the command runs, not for its help
    from rosenblatt.plots.picture_file import Paper

Theme = StrEnum("Theme", ["light", "dark"])

Draw = Callable[..., Any]
Options = dict[str, Any]


def picture(
    example: Callable[[], LabelledSamples] | None = None, *, moves: bool = False
) -> Callable[[Draw], Draw]:
    """Make a command of a function that returns a display or, if it moves, writes an animation.

    With an example, the function takes labelled samples first: those of the files, or else the example.
    What moves takes the path then, for its file has a size of its own.
    """

    def decorate(draw: Draw) -> Draw:
        own = _parameters(draw)[(example is not None) + moves :]
        data = [] if example is None else _parameters(_reading)
        paper = [*_parameters(_writing), *([] if moves else _parameters(_size))]

        def command(**options: Any) -> None:
            from sklearn.exceptions import ConvergenceWarning

            from rosenblatt.cli.open_samples import one_label_words
            from rosenblatt.plots.picture_file import (
                MOVING,
                STILL,
                check_picture,
                drawing,
                write_picture,
            )

            reading = {one.name: options.pop(one.name) for one in data}
            writing = {one.name: options.pop(one.name) for one in paper}
            output = writing["output"]
            check_picture(output, *_inputs(reading), endings=MOVING if moves else STILL)
            one_label = one_label_words(options.get("no_intercept", False))
            samples = [] if example is None else [_samples(reading, example, one_label)]
            file = samples[0].file if samples else None

            def drawn(*path: Path) -> Any:
                with nullcontext() if file is None else named_in_errors(file):
                    return draw(*samples, *path, **options)

            with spinning("drawing"), warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # the picture shows it
                if moves:
                    with drawing(writing["theme"].value):
                        drawn(output)
                else:
                    write_picture(output, lambda: drawn().figure_, _paper(writing))
            if writing["json"]:
                print_json({"picture": str(output), "kind": draw.__name__, "file": file})
            else:
                print_facts({"Picture": str(output)})

        # The files first, in the help: what is read and what is written.
        parameters = [*data[:1], *paper[:1], *own, *paper[1:], *data[1:]]
        return _declared(command, draw, parameters)

    return decorate


def _reading(
    data: Annotated[
        list[str] | None,
        typer.Argument(
            help="A table (CSV, Parquet, Arrow) or libsvm file of labelled samples, or several of one "
            "schema; without it, an example.",
            show_default=False,
        ),
    ] = None,
    label: Label = None,
    ignore: Ignore = None,
    categorical: Categorical = None,
    text: TextColumn = None,
    missing: Missing = None,
    decimal: Decimal = ".",
    header: Header = None,
    kind: Kind = Format.auto,
) -> None:
    """Declare what says which samples are drawn."""


def _writing(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Write to this file.", show_default=False)
    ],
    theme: Annotated[Theme, typer.Option(help="The background.")] = Theme.light,
    json: Json = False,
) -> None:
    """Declare what says where, and on what, it is drawn."""


def _size(
    width: Annotated[
        float | None,
        typer.Option(min=1.0, max=100.0, help="The width in inches.", show_default=False),
    ] = None,
    height: Annotated[
        float | None,
        typer.Option(min=1.0, max=100.0, help="The height in inches.", show_default=False),
    ] = None,
    dpi: Annotated[int, typer.Option(min=20, max=1200, help="Dots in an inch.")] = 150,
) -> None:
    """Declare what says how large it is drawn."""


def _parameters(function: Draw) -> list[inspect.Parameter]:
    return list(inspect.signature(function).parameters.values())


def _declared(command: Draw, draw: Draw, parameters: list[inspect.Parameter]) -> Draw:
    """Return the command with the name and the help of what draws, and these parameters, for Typer."""
    only_named = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]
    command.__name__, command.__doc__ = draw.__name__, draw.__doc__
    command.__annotations__ = {}
    command.__dict__["__signature__"] = inspect.Signature(only_named)
    return command


def _inputs(reading: Options) -> list[Path]:
    """Return the files of this machine that are read."""
    from rosenblatt.io.sources.local_copies import local_paths

    return local_paths(reading["data"]) if reading.get("data") else []


def _samples(
    reading: Options, example: Callable[[], LabelledSamples], one_label: str | None
) -> LabelledSamples:
    """Return the samples of the files, or the example."""
    named = ("label", "ignore", "categorical", "text", "missing")
    if not reading["data"]:
        given = {
            **{f"--{name}": reading[name] for name in named},
            "--decimal": reading["decimal"] != ".",
            "--header": reading["header"],
            "--no-header": reading["header"] is False,
            "--format": reading["kind"] is not Format.auto,
        }
        check_no_file_options("the example", given)
        return example()
    from rosenblatt.cli.open_samples import read_samples
    from rosenblatt.io import Reading
    from rosenblatt.io.samples.preparation import Wanted

    ignore, categorical, text, missing = (reading[name] or () for name in named[1:])
    wanted = Wanted(ignore, categorical, text, missing)
    layout = Reading(reading["kind"].value, reading["label"], reading["header"], reading["decimal"])
    samples = read_samples(reading["data"], layout, wanted, one_label)
    return LabelledSamples(samples.X, samples.y, samples.feature_names, samples.file)


def _paper(writing: Options) -> "Paper":
    from rosenblatt.plots.picture_file import Paper

    return Paper(writing["theme"].value, writing["width"], writing["height"], writing["dpi"])
