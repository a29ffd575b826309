"""`rosenblatt learn`: read a file, decide what can be learned, learn it, report, and write the model."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli.learn.cluster_options import (
    Address,
    AllowOpen,
    EngineName,
    Shards,
    Workers,
    check_needs_shards,
)
from rosenblatt.cli.options import (
    Categorical,
    Decimal,
    Format,
    Header,
    Ignore,
    Json,
    Kind,
    Label,
    Labelled,
    Missing,
    NoIntercept,
    Plot,
    Scale,
    TextColumn,
    Ties,
    check_plot,
)
from rosenblatt.cli.report import named_in_errors, print_facts, print_json
from rosenblatt.core.compiling import Stopwatch
from rosenblatt.core.files import check_writable

Order = StrEnum("Order", ["cyclic", "shuffle", "random"])
Learner = StrEnum("Learner", ["perceptron", "passive-aggressive", "winnow", "kernel", "max-margin"])
Keep = StrEnum("Keep", ["last", "average", "pocket", "vote"])
Multiclass = StrEnum("Multiclass", ["one-vs-rest", "joint"])


def learn(
    data: Labelled = None,
    model: Annotated[
        Path | None,
        typer.Option("--model", help="Write the model to this file.", show_default=False),
    ] = None,
    plot: Plot = None,
    json: Json = False,
    max_epochs: Annotated[
        int | None,
        typer.Option(
            "--max-epochs",
            min=1,
            help="The most epochs; by default a million, or 200 million visits if that is fewer; "
            "3 to 1,000 where the classes are not separable; with --shards 1,000.",
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
    ignore: Ignore = None,
    categorical: Categorical = None,
    text: TextColumn = None,
    missing: Missing = None,
    decimal: Decimal = ".",
    scale: Annotated[
        Scale,
        typer.Option(
            help="Give numbers mean 0 and standard deviation 1; auto: where their spreads differ more "
            "than tenfold, or a mean is ten spreads from 0, unless all are between -1 and 1; unit: "
            "divide each row by its length instead."
        ),
    ] = Scale.auto,
    header: Header = None,
    kind: Kind = Format.auto,
    learner: Annotated[Learner, typer.Option(help="What learns.")] = Learner.perceptron,
    keep: Annotated[
        Keep | None,
        typer.Option(
            help="What decides of all weights of a run; by default the last, or the average where the "
            "classes are not separable.",
            show_default=False,
        ),
    ] = None,
    multiclass: Annotated[
        Multiclass | None,
        typer.Option(help="How more than two classes are learned.", show_default=False),
    ] = None,
    class_weight: Annotated[
        list[str] | None,
        typer.Option(
            "--class-weight",
            help="balanced, or LABEL=WEIGHT, which may be repeated.",
            show_default=False,
        ),
    ] = None,
    order: Annotated[
        Order | None,
        typer.Option(
            help="The order of visits in an epoch; by default cyclic, or shuffle where the classes are "
            "not separable (with --folds, the folds are then shuffled once), and with --shards.",
            show_default=False,
        ),
    ] = None,
    ties: Annotated[
        Ties | None,
        typer.Option("--ties", help="What a score of exactly 0 stands for.", show_default=False),
    ] = None,
    eta0: Annotated[
        float | None, typer.Option(help="The learning rate.", show_default=False)
    ] = None,
    no_intercept: NoIntercept = False,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seeds the order.")] = 0,
    shards: Shards = None,
    engine: EngineName = None,
    address: Address = None,
    workers: Workers = None,
    allow_open_cluster: AllowOpen = False,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            "--checkpoint",
            help="With --shards: write to this file, after each epoch, what the run has come to.",
            show_default=False,
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="With --shards: go on from the checkpoint, if it is there; else begin."
        ),
    ] = False,
) -> None:
    """Decide whether the classes are separable, learn, and report what was proved."""
    from rosenblatt.cli.learn.chosen_learner import check_option, class_weights, new_learner
    from rosenblatt.cli.learn.folds_report import check_folds, fold_errors
    from rosenblatt.cli.learn.learn_progress import ShownProgress
    from rosenblatt.cli.learn.learn_report import LearnReport, learn_facts, learn_lines
    from rosenblatt.cli.open_samples import read_samples, samples_paths
    from rosenblatt.estimators.evaluation.decide_and_learn import decide_and_learn
    from rosenblatt.io import Reading
    from rosenblatt.io.samples.preparation import ColumnOptions

    if model is not None:
        check_writable(model, "model", *samples_paths(data))
    check_plot(plot, samples_paths(data), model)
    chosen = new_learner(
        learner.value,
        order=order,
        keep=keep,
        multiclass=multiclass,
        ties=ties,
        eta0=eta0,
        max_iter=max_epochs,
        fit_intercept=False if no_intercept else None,
        random_state=seed if learner is not Learner["max-margin"] else None,
    )
    wanted = ColumnOptions(
        ignore or (), categorical or (), text or (), missing or (), scale.value, 3
    )
    given = {
        "--engine": engine,
        "--address": address,
        "--workers": workers,
        "--allow-open-cluster": allow_open_cluster,
        "--checkpoint": checkpoint,
        "--resume": resume,
    }
    if shards is not None:
        from rosenblatt.cli.learn.cluster_options import check_goes_with_shards, engine_choice
        from rosenblatt.cli.learn.sharded_learn import ShardedAsked, learn_in_shards

        check_goes_with_shards({"--folds": folds, "--plot": plot})
        learn_in_shards(
            ShardedAsked(
                data,
                chosen,
                class_weight or (),
                engine_choice(engine, address, workers, allow_open=allow_open_cluster),
                shards,
                Reading(kind.value, label, header, decimal),
                wanted,
                model,
                checkpoint,
                resume,
                json,
            )
        )
        return
    check_needs_shards(given)
    samples = read_samples(data, Reading(kind.value, label, header, decimal), wanted)
    if class_weight:
        check_option(learner.value, chosen, "class_weight")
        chosen.class_weight = class_weights(class_weight, samples.classes)
    if folds is not None:
        check_folds(samples, folds)
    watch = Stopwatch()
    with named_in_errors(samples.file), samples.named_in_conflicts():
        result = decide_and_learn(
            samples.X,
            samples.y,
            chosen,
            max_epochs=max_epochs,
            order=None if order is None else order.value,
            keep=None if keep is None else keep.value,
            time_limit=time_limit,
            progress=ShownProgress(),
        )
        errors = None
        if folds is not None:
            shuffle_once = order is None and getattr(chosen, "order", None) == "shuffle"
            errors = fold_errors(chosen, samples, folds, shuffle_once=shuffle_once)
    seconds, compile_seconds = watch.seconds(), watch.compile_seconds()
    if model is not None:
        samples.write_model(chosen, model, seconds)
    if plot is not None:
        from rosenblatt.cli.report_pictures import draw_learned

        draw_learned(plot, samples, result)
    report = LearnReport(samples, result, errors, seconds, compile_seconds, model, plot)
    if json:
        print_json(learn_facts(report))
    else:
        print_facts(learn_lines(report))
