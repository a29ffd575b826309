"""`rosenblatt trace`: every visit of a run."""

import math
from typing import Annotated, Any

import typer

from rosenblatt.cli.options import (
    LEARNING,
    Eta0,
    Format,
    Header,
    Json,
    Kind,
    Label,
    NoIntercept,
    OrderOfVisits,
    Orders,
    Plot,
    Scale,
    Scales,
    Seed,
    TieRule,
    check_absent,
    check_plot,
    column_options,
)
from rosenblatt.cli.report import named_in_errors, print_json
from rosenblatt.core.errors import InputError

_EXAMPLE_FEATURES = 2


def trace(
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="A file of samples of two classes; without it, the worked example of the lectures.",
            show_default=False,
        ),
    ] = None,
    csv: Annotated[
        bool, typer.Option("--csv", help="Print every visit as CSV, with all digits.")
    ] = False,
    json: Json = False,
    plot: Plot = None,
    max_epochs: Annotated[
        int,
        typer.Option(
            "--max-epochs",
            metavar="N",
            min=1,
            help="At most this many epochs.",
            rich_help_panel=LEARNING,
        ),
    ] = 10,
    start_weights: Annotated[
        str | None,
        typer.Option(
            "--start-weights",
            metavar="WEIGHTS",
            help="The weights before the first visit, such as 1,0,0, with the intercept first; by "
            "default zeros, except in the worked example.",
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = None,
    label: Label = None,
    scale: Scale = Scales.none,
    header: Header = None,
    kind: Kind = Format.auto,
    order: OrderOfVisits = Orders.cyclic,
    ties: TieRule = None,
    eta0: Eta0 = None,
    margin: Annotated[
        float,
        typer.Option(
            "--margin",
            metavar="SCORE",
            help="Count a visit as a mistake unless its margin is larger than this.",
            rich_help_panel=LEARNING,
        ),
    ] = 0.0,
    no_intercept: NoIntercept = False,
    seed: Seed = 0,
) -> None:
    """Show every visit of a learning run, step by step.

    For each visit: the sample, the weights before, the score, the update, and the weights after.
    """
    from rosenblatt.cli.open_samples import one_label_words, read_samples, samples_paths
    from rosenblatt.estimators.perceptron import Perceptron
    from rosenblatt.io import Reading
    from rosenblatt.lectures.trace import trace as trace_run
    from rosenblatt.lectures.trace import worked_example

    if json and csv:
        raise InputError("--json does not go with --csv: leave one of them out")
    check_plot(plot, [] if data is None else samples_paths([data]))
    numbers = None if start_weights is None else _numbers(start_weights)
    parameters: dict[str, Any] = {
        "max_iter": max_epochs,
        "order": order.value,
        "ties": "mistake" if ties is None else ties.value,
        "eta0": 1.0 if eta0 is None else eta0,
        "margin": margin,
        "fit_intercept": not no_intercept,
        "random_state": seed,
    }
    Perceptron(**parameters).check_parameters()
    if data is None:
        given = {
            "--label": label,
            "--scale": scale is not Scales.none,
            "--header": header,
            "--no-header": header is False,
            "--format": kind is not Format.auto,
        }
        check_absent(
            given,
            "{0} describes a file, but the worked example has none: give a file, or leave {0} out",
        )
        samples = None
        run = worked_example(**_start(numbers, _EXAMPLE_FEATURES, no_intercept), **parameters)
    else:
        layout = Reading(kind.value, label, header)
        columns = column_options(None, None, None, None, scale)
        samples = read_samples([data], layout, columns, one_label_words(no_intercept))
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
            f"--start-weights {start_weights!r} is not a list of finite numbers: separate them with "
            "commas, such as 1,0,0"
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
