"""`rosenblatt learn`: decide whether the classes of a file are separable, learn, and report."""

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli.options import (
    LEARNING,
    SHARDS,
    Address,
    AllowOpen,
    Categorical,
    Decimal,
    EngineName,
    Eta0,
    Format,
    Header,
    Ignore,
    Json,
    Keep,
    Kind,
    Label,
    LabeledData,
    Missing,
    ModelOutput,
    Multiclass,
    NoIntercept,
    Numeric,
    Orders,
    Plot,
    ScaleOfTables,
    Seed,
    Shards,
    TextColumns,
    TieRule,
    TimeLimit,
    Verbose,
    Workers,
    check_absent,
    check_plot,
    column_options,
    split_lists,
)
from rosenblatt.cli.report import named_in_errors, print_facts, print_json
from rosenblatt.core.compiling import Stopwatch
from rosenblatt.core.files import check_writable

Learner = StrEnum(
    "Learner", ["auto", "perceptron", "passive-aggressive", "winnow", "kernel", "max-margin"]
)

DEFAULT_LEARNER = Learner.auto
"""What `learn` and the pictures of its run use unless another one is chosen."""


def learn(
    data: LabeledData = None,
    model: ModelOutput = None,
    plot: Plot = None,
    json: Json = False,
    verbose: Verbose = False,
    learner: Annotated[
        Learner,
        typer.Option(
            "--learner",
            metavar="NAME",
            help="auto, an averaged perceptron with a margin or, if better, the separator; perceptron, "
            "the rule of the lectures; passive-aggressive, winnow, kernel or max-margin.",
            rich_help_panel=LEARNING,
        ),
    ] = DEFAULT_LEARNER,
    max_epochs: Annotated[
        int | None,
        typer.Option(
            "--max-epochs",
            metavar="N",
            min=1,
            help="At most this many epochs; by default 20, or 3 with 30,000 samples. With --learner "
            "perceptron, 200 million visits, or 3 to 1,000 epochs if the classes are not separable.",
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = None,
    time_limit: TimeLimit = 60.0,
    folds: Annotated[
        int | None,
        typer.Option(
            "--folds",
            metavar="N",
            min=2,
            help="Also cross-validate, in this many random folds.",
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = None,
    keep: Keep = None,
    multiclass: Multiclass = None,
    class_weight: Annotated[
        list[str] | None,
        typer.Option(
            "--class-weight",
            metavar="WEIGHTS",
            help="balanced, or LABEL=WEIGHT,LABEL=WEIGHT.",
            show_default=False,
            callback=split_lists,
            rich_help_panel=LEARNING,
        ),
    ] = None,
    order: Annotated[
        Orders | None,
        typer.Option(
            "--order",
            metavar="NAME",
            help="The order of visits in an epoch: shuffle (the default), "
            "random, or cyclic (the default of --learner perceptron if the classes are separable).",
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = None,
    ties: TieRule = None,
    eta0: Eta0 = None,
    no_intercept: NoIntercept = False,
    seed: Seed = 0,
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
    shards: Shards = None,
    engine: EngineName = None,
    address: Address = None,
    workers: Workers = None,
    allow_open_cluster: AllowOpen = False,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            "--checkpoint",
            metavar="FILE",
            help="Save the state of the run to this file after each epoch.",
            show_default=False,
            rich_help_panel=SHARDS,
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Continue from the checkpoint, if the file exists.",
            rich_help_panel=SHARDS,
        ),
    ] = False,
) -> None:
    """Learn a model from a file and report what was proved."""
    from rosenblatt.cli.learn.chosen_learner import check_option, class_weights, new_learner
    from rosenblatt.cli.learn.folds_report import check_folds, fold_errors
    from rosenblatt.cli.learn.learn_progress import ShownProgress
    from rosenblatt.cli.learn.learn_report import (
        LearnReport,
        learn_facts,
        learn_lines,
        new_advice,
    )
    from rosenblatt.cli.open_samples import read_samples, samples_paths
    from rosenblatt.estimators.evaluation.decide_and_learn import decide_and_learn
    from rosenblatt.io import Reading

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
    columns = column_options(
        ignore, categorical, text, missing, scale, min_count=3, numeric=numeric
    )
    reading = Reading(kind.value, label, header, decimal)
    if shards is not None:
        from rosenblatt.cli.learn.sharded_learn import ShardedRequest, learn_in_shards
        from rosenblatt.cluster.engine_choice import EngineChoice

        check_absent(
            {"--folds": folds, "--plot": plot},
            "{} does not go with --shards, which never reads files whole: leave one of them out",
        )
        name = "threads" if engine is None else engine.value
        learn_in_shards(
            ShardedRequest(
                data,
                chosen,
                class_weight or (),
                EngineChoice(name, address, workers, allow_open_cluster),
                shards,
                reading,
                columns,
                model,
                checkpoint,
                resume,
                json,
                max_epochs,
            )
        )
        return
    check_absent(
        {
            "--engine": engine,
            "--address": address,
            "--workers": workers,
            "--allow-open-cluster": allow_open_cluster,
            "--checkpoint": checkpoint,
            "--resume": resume,
        },
        "{} needs --shards: the number of parts to learn in",
    )
    samples = read_samples(data, reading, columns)
    if class_weight:
        check_option(learner.value, chosen, "class_weight")
        chosen.class_weight = class_weights(class_weight, samples.classes)
    if folds is not None:
        check_folds(samples, folds)
    if plot is not None:
        from rosenblatt.cli.report_pictures import check_learned, draw_learned

        check_learned(chosen, samples)
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
        kept, errors = result.learner, None
        if folds is not None:
            errors = fold_errors(kept, samples, folds)
    seconds, compile_seconds = watch.seconds(), watch.compile_seconds()
    if model is not None:
        samples.write_model(kept, model, seconds)
    if plot is not None:
        draw_learned(plot, samples, result)
    result = replace(result, advice=new_advice(result.advice, samples, errors))
    report = LearnReport(samples, result, errors, seconds, compile_seconds, model, plot)
    if json:
        print_json(learn_facts(report))
    else:
        print_facts(learn_lines(report, verbose=verbose))
