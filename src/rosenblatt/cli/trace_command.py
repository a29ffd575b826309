"""`rosenblatt trace`: every visit of a run."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from rosenblatt.cli.report import Facts, json_text, named_in_errors
from rosenblatt.cli.start_weights import StartWeights, start_numbers, start_parts
from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_writable, write_atomically

if TYPE_CHECKING:  # loaded when the command runs, not for its help
    from rosenblatt.lectures.trace import Trace

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
    plot: Plot = None,
    max_epochs: Annotated[int, typer.Option("--max-epochs", min=1, help="The most epochs.")] = 10,
    start_weights: StartWeights = None,
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

    if json and form is not None:
        raise InputError(f"--json and --as {form.value} do not go together: leave one of them out")
    inputs = [] if data is None else samples_paths([data])
    if output is not None:
        check_writable(output, "trace", *inputs)
    check_plot(plot, inputs, output)
    numbers = None if start_weights is None else start_numbers(start_weights)
    learner = Perceptron(
        max_iter=max_epochs,
        order=order.value,
        ties=ties.value,
        eta0=eta0,
        margin=margin,
        fit_intercept=not no_intercept,
        random_state=seed,
    )
    learner.check_parameters()
    parameters = learner.get_params()
    if data is None:
        given = {
            "--label": label,
            "--header": header,
            "--no-header": header is False,
            "--format": kind is not Format.auto,
        }
        check_no_file_options("the worked example", given)
        coef, intercept = start_parts(numbers, _EXAMPLE_FEATURES, no_intercept)
        samples = None
        run = worked_example(coef_init=coef, intercept_init=intercept, **parameters)
    else:
        layout = Reading(kind.value, label, header)
        samples = read_samples([data], layout, ColumnOptions(), one_label_words(no_intercept))
        coef, intercept = start_parts(numbers, samples.X.shape[1], no_intercept)
        with named_in_errors(data):
            run = trace_run(
                samples.X, samples.y, coef_init=coef, intercept_init=intercept, **parameters
            )
    if plot is not None:
        from rosenblatt.cli.report_pictures import draw_trace

        draw_trace(plot, samples, run)
    text = _json(run, plot) if json else _written(run, form or Form.text)
    if output is None:
        print(text, end="")
    else:
        write_atomically(output, text.encode())


def _written(run: "Trace", form: Form) -> str:
    """Return the visits in a form for people, or for a spreadsheet."""
    forms = {Form.csv: run.to_csv, Form.markdown: run.to_markdown, Form.latex: run.to_latex}
    return forms.get(form, run.table)().removesuffix("\n") + "\n"


def _json(run: "Trace", plot: Path | None) -> str:
    """Return the visits as a JSON document, which names the picture if there is one."""
    picture: Facts = {} if plot is None else {"picture": str(plot)}
    return json_text({**run.to_dict(), **picture}) + "\n"
