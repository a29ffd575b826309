"""`rosenblatt learn`: read a file, decide what can be learned, learn it, report, and write the model."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli.options import (
    Format,
    Header,
    Json,
    Kind,
    Label,
    Labelled,
    NoIntercept,
    TieRule,
    Ties,
    UnitLength,
)
from rosenblatt.cli.report import named_in_errors, print_facts, print_json
from rosenblatt.core.compiling import Stopwatch
from rosenblatt.core.files import check_writable

Order = StrEnum("Order", ["cyclic", "shuffle", "random"])
Start = StrEnum("Start", ["zero", "random"])


def learn(
    data: Labelled = None,
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
            help="Cross-validate in this many folds, drawn at random: report the error on samples not "
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
    ties: TieRule = Ties.mistake,
    start: Annotated[Start, typer.Option(help="The weights before the first visit.")] = Start.zero,
    eta0: Annotated[float, typer.Option(help="The learning rate.")] = 1.0,
    unit_length: UnitLength = False,
    no_intercept: NoIntercept = False,
    seed: Annotated[
        int, typer.Option(min=0, max=2**32 - 1, help="Seeds the order and the start.")
    ] = 0,
) -> None:
    """Decide whether the classes are separable, learn a perceptron, and report what was proved."""
    from rosenblatt.cli.learn.folds_report import check_folds, fold_errors
    from rosenblatt.cli.learn.learn_progress import ShownProgress
    from rosenblatt.cli.learn.learn_report import LearnReport, learn_facts, learn_lines
    from rosenblatt.cli.open_samples import read_samples, samples_path
    from rosenblatt.estimators.evaluation.decide_and_learn import decide_and_learn
    from rosenblatt.estimators.perceptron import Perceptron
    from rosenblatt.io.model_file import write
    from rosenblatt.io.model_notes import notes_on

    if model is not None:
        check_writable(model, "model", samples_path(data))
    learner = Perceptron(
        order="cyclic" if order is None else order.value,
        max_iter=max_epochs or 1,
        ties=ties.value,
        start=start.value,
        eta0=eta0,
        unit_length=unit_length,
        fit_intercept=not no_intercept,
        random_state=seed,
    )
    learner.check_parameters()
    samples = read_samples(data, kind.value, label, header)
    if folds is not None:
        check_folds(samples, folds)
    watch = Stopwatch()
    with named_in_errors(samples.path):
        result = decide_and_learn(
            samples.table.X,
            samples.y,
            learner,
            max_epochs=max_epochs,
            order=None if order is None else order.value,
            time_limit=time_limit,
            hold_out=folds is None,
            progress=ShownProgress(),
        )
        errors = None
        if folds is not None:
            shuffle_once = order is None and learner.order == "shuffle"
            errors = fold_errors(learner, samples, folds, shuffle_once=shuffle_once)
    seconds, compile_seconds = watch.seconds(), watch.compile_seconds()
    if model is not None:
        write(learner, model, notes_on(samples.table), record=False)
    report = LearnReport(samples, result, errors, seconds, compile_seconds, model)
    if json:
        print_json(learn_facts(report))
    else:
        print_facts(learn_lines(report))
