"""`rosenblatt trace`: every visit of a run."""

import math
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli.learn.learn_command import Order
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
from rosenblatt.cli.report import named_in_errors
from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_writable, write_whole

Form = StrEnum("Form", ["text", "csv", "markdown", "latex"])

_EXAMPLE_FEATURES = 2


def trace(
    data: Annotated[
        str | None,
        typer.Argument(
            help="A file of samples of two classes; without it, the worked example of the lectures.",
            show_default=False,
        ),
    ] = None,
    form: Annotated[
        Form | None,
        typer.Option(
            "--as",
            help="How the visits are written: text by default; csv has all of them, with all digits.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write to this file, and print nothing.", show_default=False
        ),
    ] = None,
    max_epochs: Annotated[int, typer.Option("--max-epochs", min=1, help="The most epochs.")] = 10,
    start_weights: Annotated[
        str | None,
        typer.Option(
            "--start-weights",
            help="The weights before the first visit, such as 1,0,0: the intercept, if any, is first; "
            "by default zeros, but 1,0,0 in the worked example.",
            show_default=False,
        ),
    ] = None,
    label: Label = None,
    header: Header = None,
    kind: Kind = Format.auto,
    order: Annotated[Order, typer.Option(help="The order of visits in an epoch.")] = Order.cyclic,
    ties: TieRule = Ties.mistake,
    eta0: Annotated[float, typer.Option(help="The learning rate.")] = 1.0,
    unit_length: UnitLength = False,
    no_intercept: NoIntercept = False,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seeds the order.")] = 0,
) -> None:
    """Show every visit of a run: sample, weights before, score, update, weights after."""
    from rosenblatt.cli.open_samples import read_samples, samples_paths
    from rosenblatt.estimators.perceptron import Perceptron
    from rosenblatt.io import Reading
    from rosenblatt.io.samples.preparation import Wanted
    from rosenblatt.lectures.trace import trace as trace_run
    from rosenblatt.lectures.trace import worked_example

    if json and form is not None:
        raise InputError(f"--json and --as {form.value} do not go together: leave one of them out")
    if output is not None:
        check_writable(output, "trace", *([] if data is None else samples_paths([data])))
    numbers = None if start_weights is None else _numbers(start_weights)
    learner = Perceptron(
        max_iter=max_epochs,
        order=order.value,
        ties=ties.value,
        eta0=eta0,
        unit_length=unit_length,
        fit_intercept=not no_intercept,
        random_state=seed,
    )
    learner.check_parameters()
    parameters = learner.get_params()
    if data is None:
        _check_no_file_options(label, header, kind)
        coef, intercept = _start(numbers, _EXAMPLE_FEATURES, no_intercept)
        run = worked_example(coef_init=coef, intercept_init=intercept, **parameters)
    else:
        samples = read_samples([data], Reading(kind.value, label, header), Wanted())
        coef, intercept = _start(numbers, samples.X.shape[1], no_intercept)
        with named_in_errors(data):
            run = trace_run(
                samples.X, samples.y, coef_init=coef, intercept_init=intercept, **parameters
            )
    if json:
        text = run.to_json()
    else:
        forms = {Form.csv: run.to_csv, Form.markdown: run.to_markdown, Form.latex: run.to_latex}
        text = forms.get(form or Form.text, run.table)()
    text = text.removesuffix("\n") + "\n"
    if output is None:
        print(text, end="")
    else:
        write_whole(output, text.encode())


def _numbers(start_weights: str) -> list[float]:
    """Return numbers that are separated by commas."""
    try:
        numbers = [float(part) for part in start_weights.split(",")]
    except ValueError:
        numbers = [math.nan]
    if not all(map(math.isfinite, numbers)):
        raise InputError(
            f"--start-weights {start_weights!r} is not accepted: give finite numbers with commas "
            "between them, such as 1,0,0"
        )
    return numbers


def _start(
    numbers: list[float] | None, n_features: int, no_intercept: bool
) -> tuple[list[float] | None, float | None]:
    """Return the coefficients and the intercept to start from, or None for those that are not given."""
    if numbers is None:
        return None, None
    needed = n_features if no_intercept else n_features + 1
    if len(numbers) != needed:
        first = "" if no_intercept else "the intercept first, then "
        raise InputError(
            f"--start-weights has length {len(numbers)}, but length {needed} is needed: {first}"
            "the coefficients of the features in their order"
        )
    return (numbers, None) if no_intercept else (numbers[1:], numbers[0])


def _check_no_file_options(label: str | None, header: bool | None, kind: Format) -> None:
    """Raise if an option says how to read a file, for the worked example has none."""
    given = {
        "--label": label is not None,
        "--header" if header else "--no-header": header is not None,
        "--format": kind is not Format.auto,
    }
    for option, is_given in given.items():
        if is_given:
            raise InputError(
                f"{option} says how to read a file, but the worked example has none: give a file, or "
                f"leave {option} out"
            )
