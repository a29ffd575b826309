"""`rosenblatt trace`: every visit of a run."""

import math
from typing import Annotated, Any

import typer

from rosenblatt.cli.learn.learn_command import Order
from rosenblatt.cli.options import (
    Format,
    Header,
    Json,
    Kind,
    Label,
    NoIntercept,
    Plot,
    TieRule,
    Ties,
    check_no_file_options,
    check_plot,
)
from rosenblatt.cli.report import named_in_errors, print_json
from rosenblatt.core.errors import InputError

_EXAMPLE_FEATURES = 2


def trace(
    data: Annotated[
        str | None,
        typer.Argument(
            help="A file of samples of two classes; without it, the worked example of the lectures.",
            show_default=False,
        ),
    ] = None,
    csv: Annotated[
        bool, typer.Option("--csv", help="Print every visit as CSV, with all digits.")
    ] = False,
    json: Json = False,
    plot: Plot = None,
    max_epochs: Annotated[int, typer.Option("--max-epochs", min=1, help="The most epochs.")] = 10,
    start_weights: Annotated[
        str | None,
        typer.Option(
            "--start-weights",
            help="The weights before the first visit, such as 1,0,0, with the intercept first; by "
            "default zeros, but not in the example.",
            show_default=False,
        ),
    ] = None,
    label: Label = None,
    header: Header = None,
    kind: Kind = Format.auto,
    order: Annotated[Order, typer.Option(help="The order of visits in an epoch.")] = Order.cyclic,
    ties: TieRule = Ties.mistake,
    eta0: Annotated[float, typer.Option(help="The learning rate.")] = 1.0,
    margin: Annotated[
        float, typer.Option(help="A visit is a mistake up to this score on its right side.")
    ] = 0.0,
    no_intercept: NoIntercept = False,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seeds the order.")] = 0,
) -> None:
    """Show every visit of a run: sample, weights before, score, update, weights after."""
    from rosenblatt.cli.open_samples import one_label_words, read_samples, samples_paths
    from rosenblatt.estimators.perceptron import Perceptron
    from rosenblatt.io import Reading
    from rosenblatt.io.samples.preparation import ColumnOptions
    from rosenblatt.lectures.trace import trace as trace_run
    from rosenblatt.lectures.trace import worked_example

    if json and csv:
        raise InputError("--json and --csv do not go together: leave one of them out")
    check_plot(plot, [] if data is None else samples_paths([data]))
    numbers = None if start_weights is None else _numbers(start_weights)
    parameters: dict[str, Any] = {
        "max_iter": max_epochs,
        "order": order.value,
        "ties": ties.value,
        "eta0": eta0,
        "margin": margin,
        "fit_intercept": not no_intercept,
        "random_state": seed,
    }
    Perceptron(**parameters).check_parameters()
    if data is None:
        given = {
            "--label": label,
            "--header": header,
            "--no-header": header is False,
            "--format": kind is not Format.auto,
        }
        check_no_file_options("the worked example", given)
        samples = None
        run = worked_example(**_start(numbers, _EXAMPLE_FEATURES, no_intercept), **parameters)
    else:
        layout = Reading(kind.value, label, header)
        samples = read_samples([data], layout, ColumnOptions(), one_label_words(no_intercept))
        start = _start(numbers, samples.X.shape[1], no_intercept)
        with named_in_errors(data):
            run = trace_run(samples.X, samples.y, **start, **parameters)
    if plot is not None:
        from rosenblatt.cli.report_pictures import draw_trace

        draw_trace(plot, samples, run)
    if json:
        print_json({**run.to_dict(), **({} if plot is None else {"picture": str(plot)})})
    elif csv:
        print(run.to_csv(), end="")
    else:
        print(run)


def _numbers(start_weights: str) -> list[float]:
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


def _start(numbers: list[float] | None, n_features: int, no_intercept: bool) -> dict[str, Any]:
    """Return the coefficients and the intercept to start from, if they are given."""
    if numbers is None:
        return {}
    needed = n_features if no_intercept else n_features + 1
    if len(numbers) != needed:
        first = "" if no_intercept else "the intercept first, then "
        raise InputError(
            f"--start-weights has length {len(numbers)}, but length {needed} is needed: {first}"
            "the coefficients of the features in their order"
        )
    if no_intercept:
        return {"coef_init": numbers}
    return {"coef_init": numbers[1:], "intercept_init": numbers[0]}
