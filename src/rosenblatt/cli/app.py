"""The commands and their options.

Nothing heavy is imported here: each command loads what it needs when it runs, so that `--help` and
`--version` answer at once.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup

from rosenblatt import __version__
from rosenblatt.core.errors import ClosedPipeError, InterruptionError

_EXIT_CODES = (
    "Exit codes: 0 done, 1 the certificate is false, 2 the input cannot be used or the output cannot be "
    "written, 70 a fault in the program, 130 interrupted, 141 the reader of the output has gone."
)


@contextmanager
def _errors_of_our_own() -> Iterator[None]:
    """Let through, as our own errors, what Typer would make exit codes of: a closed pipe would be 1."""
    try:
        yield
    except KeyboardInterrupt as error:
        raise InterruptionError from error
    except BrokenPipeError as error:
        raise ClosedPipeError from error


class Commands(TyperGroup):
    """The commands, which leave all exit codes but those of usage to `run`."""

    def make_context(self, *arguments: Any, **extra: Any) -> Any:
        """Parse the arguments, and print the help if it is asked for."""
        with _errors_of_our_own():
            return super().make_context(*arguments, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        with _errors_of_our_own():
            return super().invoke(ctx)


app = typer.Typer(
    name="rosenblatt",
    cls=Commands,
    help="Learn linear threshold functions, and say what was proved on the way.",
    epilog=_EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


class Source(NamedTuple):
    """How a file of samples is to be read: its format, label column and header."""

    kind: str
    label: str | None
    header: bool | None


class Format(StrEnum):
    """File formats."""

    auto = "auto"
    csv = "csv"
    libsvm = "libsvm"


class Order(StrEnum):
    """Orders of visits."""

    cyclic = "cyclic"
    shuffle = "shuffle"
    random = "random"


class Ties(StrEnum):
    """Meanings of a score of exactly 0."""

    mistake = "mistake"
    positive = "positive"
    negative = "negative"


class Margin(StrEnum):
    """Kinds of margin."""

    augmented = "augmented"
    affine = "affine"


class Start(StrEnum):
    """Weights before the first visit."""

    zero = "zero"
    random = "random"


Data = Annotated[Path, typer.Argument(help="A CSV or libsvm file.", show_default=False)]
Model = Annotated[Path, typer.Argument(help="A model file, from 'learn --model'.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
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
ModelLabel = Annotated[
    str | None,
    typer.Option(
        "--label",
        help="A CSV file's label column, by name or by number from 1 (-1 is the last); by default where "
        "the model's label was.",
        show_default=False,
    ),
]


def _version(wanted: bool) -> None:
    if wanted:
        print(f"rosenblatt {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


@app.command()
def learn(
    data: Annotated[
        Path | None,
        typer.Argument(
            help="A CSV or libsvm file of labelled samples; without it, the bundled sonar set.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option("--model", help="Write the model to this file.", show_default=False),
    ] = None,
    json: Json = False,
    max_epochs: Annotated[
        int | None,
        typer.Option(
            "--max-epochs",
            min=1,
            help="The most epochs; by default a million, or 200 million visits if that is fewer; "
            "10 to 1,000 where the classes are not separable.",
            show_default=False,
        ),
    ] = None,
    time_limit: Annotated[
        float,
        typer.Option("--time-limit", min=0.001, help="Seconds to decide whether it is separable."),
    ] = 60.0,
    folds: Annotated[
        int | None,
        typer.Option(
            "--folds",
            min=2,
            help="Cross-validate in so many folds, drawn at random: report the error on samples not "
            "learned from.",
            show_default=False,
        ),
    ] = None,
    label: Label = None,
    header: Header = None,
    kind: Kind = Format.auto,
    order: Annotated[
        Order | None,
        typer.Option(
            help="The order of visits in an epoch; by default cyclic, or shuffle where the classes are "
            "not separable (with --folds, the folds are then shuffled once).",
            show_default=False,
        ),
    ] = None,
    ties: Annotated[
        Ties, typer.Option(help="What a score of exactly 0 stands for.")
    ] = Ties.mistake,
    start: Annotated[Start, typer.Option(help="The weights before the first visit.")] = Start.zero,
    eta0: Annotated[float, typer.Option(help="The learning rate.")] = 1.0,
    unit_length: Annotated[
        bool, typer.Option("--unit-length", help="Scale the samples to length 1.")
    ] = False,
    no_intercept: Annotated[
        bool, typer.Option("--no-intercept", help="Learn a hyperplane through the origin.")
    ] = False,
    seed: Annotated[
        int, typer.Option(min=0, max=2**32 - 1, help="Seeds the order and the start.")
    ] = 0,
) -> None:
    """Decide whether the classes are separable, learn a perceptron, and report what was proved."""
    from rosenblatt.cli.learn_command import learn_file

    parameters = {
        "ties": ties.value,
        "start": start.value,
        "eta0": eta0,
        "unit_length": unit_length,
        "fit_intercept": not no_intercept,
        "random_state": seed,
    }
    learn_file(
        data,
        model,
        parameters,
        order=None if order is None else order.value,
        max_epochs=max_epochs,
        time_limit=time_limit,
        n_folds=folds,
        source=Source(kind.value, label, header),
        as_json=json,
    )


@app.command()
def separate(
    data: Annotated[
        Path | None,
        typer.Argument(
            help="A CSV or libsvm file of labelled samples; without it, the bundled sonar set.",
            show_default=False,
        ),
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            "--certificate",
            help="Write the proof to this file; of more than two classes, that of all jointly.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    exact: Annotated[
        bool, typer.Option("--exact", help="Find the margin as a rational number.")
    ] = False,
    margin: Annotated[
        Margin, typer.Option(help="With the constant feature, or with a free bias.")
    ] = Margin.augmented,
    tolerance: Annotated[float, typer.Option(help="How closely, as a part of the margin.")] = 1e-6,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", min=0.001, help="The most seconds.", show_default=False),
    ] = None,
    no_intercept: Annotated[
        bool, typer.Option("--no-intercept", help="Only hyperplanes through the origin.")
    ] = False,
    label: Label = None,
    header: Header = None,
    kind: Kind = Format.auto,
) -> None:
    """Decide whether a hyperplane separates the classes, and write down the proof."""
    from rosenblatt.cli.separate_command import separate_file

    parameters = {
        "fit_intercept": not no_intercept,
        "margin": margin.value,
        "tolerance": tolerance,
        "exact": exact,
        "time_limit": time_limit,
    }
    separate_file(
        data,
        certificate,
        parameters,
        source=Source(kind.value, label, header),
        as_json=json,
    )


@app.command()
def verify(
    certificate: Annotated[
        Path, typer.Argument(help="A certificate, from 'separate --certificate'.")
    ],
    data: Annotated[
        Path | None,
        typer.Argument(
            help="The file that it speaks of; without it, the bundled sonar set.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    exact: Annotated[
        bool, typer.Option("--exact", help="Leave nothing to floats: decide in whole numbers.")
    ] = False,
    label: Label = None,
    header: Header = None,
    kind: Kind = Format.auto,
) -> None:
    """Check a certificate: exit code 0 if it is true, 1 if it is false, 2 if it cannot be read."""
    from rosenblatt.cli.separate_command import verify_file

    source = Source(kind.value, label, header)
    if not verify_file(certificate, data, exact=exact, source=source, as_json=json):
        raise typer.Exit(1)


@app.command()
def predict(
    model: Model,
    data: Data,
    json: Json = False,
    label: ModelLabel = None,
    header: Header = None,
    kind: Kind = Format.auto,
) -> None:
    """Print the label that a model gives each sample, one a line."""
    from rosenblatt.cli.apply_command import predict_file

    predict_file(model, data, source=Source(kind.value, label, header), as_json=json)


@app.command()
def evaluate(
    model: Model,
    data: Data,
    json: Json = False,
    label: ModelLabel = None,
    header: Header = None,
    kind: Kind = Format.auto,
) -> None:
    """Compare a model's predictions with the labels in a file."""
    from rosenblatt.cli.apply_command import evaluate_file

    evaluate_file(model, data, source=Source(kind.value, label, header), as_json=json)


@app.command()
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
    ties: Annotated[
        Ties, typer.Option(help="What a score of exactly 0 stands for.")
    ] = Ties.mistake,
    unit_length: Annotated[
        bool, typer.Option("--unit-length", help="Scale the samples to length 1.")
    ] = False,
    no_intercept: Annotated[
        bool, typer.Option("--no-intercept", help="Learn a hyperplane through the origin.")
    ] = False,
) -> None:
    """Print every visit of a run: sample, weights before, score, update, weights after."""
    from rosenblatt.cli.trace_command import trace_file

    parameters = {
        "max_iter": max_epochs,
        "ties": ties.value,
        "unit_length": unit_length,
        "fit_intercept": not no_intercept,
    }
    trace_file(data, parameters, source=Source(kind.value, label, header), as_json=json)


@app.command()
def bench(
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            help="A folder with fashion_mnist/ (the original idx .gz files) and news20/news20.bz2; "
            "what is not there is drawn at random, or left out.",
            show_default=False,
        ),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="How often each time is taken.")] = 5,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only", help="Only the work of this name; may be repeated.", show_default=False
        ),
    ] = None,
    small: Annotated[
        bool, typer.Option("--small", help="A hundredth of the samples, for a quick look.")
    ] = False,
    json: Json = False,
) -> None:
    """Measure the learners against scikit-learn and River, in turn and on the same data."""
    from rosenblatt.cli.bench.bench_command import bench_works

    bench_works(data, only or [], repeats=repeats, small=small, as_json=json)


@app.command()
def capacity(
    dimensions: Annotated[
        int, typer.Option("--dimensions", min=1, help="The number of dimensions.")
    ] = 10,
    points: Annotated[
        str | None,
        typer.Option(
            "--points",
            help="The numbers of points: one, FIRST:LAST or FIRST:LAST:STEP; by default up to four a "
            "dimension.",
            show_default=False,
        ),
    ] = None,
    trials: Annotated[
        int, typer.Option("--trials", min=1, help="How often points are drawn, for each number.")
    ] = 100,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seeds the points.")] = 0,
    json: Json = False,
) -> None:
    """Compare Cover's theorem with random points: what part of all labelings is separable."""
    from rosenblatt.cli.capacity_command import capacity_table

    capacity_table(dimensions, points, trials=trials, seed=seed, as_json=json)


@app.command()
def mark1(
    cards: Annotated[int, typer.Option(min=1, help="How many cards are shown.")] = 50,
    units: Annotated[int, typer.Option(min=1, help="The number of association units.")] = 1000,
    noise: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="The share of photocells that are wrong.")
    ] = 0.0,
    seed: Annotated[
        int, typer.Option(min=0, max=2**32 - 1, help="Seeds the wiring and the cards.")
    ] = 0,
    fast: Annotated[bool, typer.Option("--fast", help="Do not pause after each card.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show the result only.")] = False,
    json: Json = False,
) -> None:
    """Watch the machine of 1958 learn right from left: 400 photocells, 1,000 association units."""
    from rosenblatt.cli.mark1_command import show_cards

    show_cards(cards, n_units=units, noise=noise, seed=seed, fast=fast, quiet=quiet, as_json=json)
