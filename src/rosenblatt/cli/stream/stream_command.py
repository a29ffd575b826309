"""`rosenblatt stream`: learn from files of any size, or from standard input, in bounded memory."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

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
    NoIntercept,
    Scale,
    TextColumn,
    Ties,
)
from rosenblatt.cli.report import print_facts, print_json
from rosenblatt.core.compiling import Stopwatch
from rosenblatt.core.errors import InputError, InterruptionError
from rosenblatt.core.files import check_writable

Learner = StrEnum("Learner", ["perceptron", "passive-aggressive", "winnow"])
Keep = StrEnum("Keep", ["last", "average", "pocket", "vote"])
Multiclass = StrEnum("Multiclass", ["one-vs-rest", "joint"])


def stream(
    data: Annotated[
        list[str],
        typer.Argument(
            help="Labelled samples: libsvm text, CSV, Parquet, Arrow; files, patterns, "
            "URLs such as s3://bucket/key; - is standard input.",
            show_default=False,
        ),
    ],
    model: Annotated[
        Path | None,
        typer.Option("--model", help="Write the model to this file.", show_default=False),
    ] = None,
    json: Json = False,
    passes: Annotated[
        int,
        typer.Option("--passes", min=1, help="The most passes; one without a mistake is the last."),
    ] = 1,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            "--checkpoint",
            help="Write to this file, again and again, what the run has come to: a model, too.",
            show_default=False,
        ),
    ] = None,
    every: Annotated[str, typer.Option("--every", help="How often: 30s, 5m, 1h.")] = "30s",
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Go on from the checkpoint, if it is there; else begin."),
    ] = False,
    zero_based: Annotated[
        bool | None,
        typer.Option(
            "--zero-based/--one-based",
            help="Where libsvm indices begin; by default what the first samples show.",
            show_default=False,
        ),
    ] = None,
    text_labels: Annotated[
        bool | None,
        typer.Option(
            "--text-labels/--number-labels",
            help="Whether labels in libsvm text are texts or whole numbers; by default what the "
            "first samples show.",
            show_default=False,
        ),
    ] = None,
    chunk_rows: Annotated[
        int | None,
        typer.Option(
            "--chunk-rows",
            min=1,
            help="Samples that are read at a time; by default about 4 MB of text. Samples that come "
            "slowly are learned as they come if this, --one-based and --number-labels are said.",
            show_default=False,
        ),
    ] = None,
    learner: Annotated[Learner, typer.Option(help="What learns.")] = Learner.perceptron,
    keep: Annotated[
        Keep | None,
        typer.Option(
            help="What decides of all weights of a run: by default the last.", show_default=False
        ),
    ] = None,
    multiclass: Annotated[
        Multiclass | None,
        typer.Option(help="How more than two classes are learned.", show_default=False),
    ] = None,
    ties: Annotated[
        Ties | None,
        typer.Option("--ties", help="What a score of exactly 0 stands for.", show_default=False),
    ] = None,
    eta0: Annotated[
        float | None, typer.Option(help="The learning rate.", show_default=False)
    ] = None,
    no_intercept: NoIntercept = False,
    label: Label = None,
    ignore: Ignore = None,
    categorical: Categorical = None,
    text: TextColumn = None,
    missing: Missing = None,
    decimal: Decimal = ".",
    scale: Annotated[
        Scale,
        typer.Option(
            help="Give numbers of a table mean 0 and standard deviation 1; unit: divide each row by its "
            "length instead."
        ),
    ] = Scale.auto,
    header: Header = None,
    kind: Kind = Format.auto,
) -> None:
    """Learn from samples as they come, in one pass or more; count what was predicted before."""
    from rosenblatt.cli.learn.chosen_learner import new_learner
    from rosenblatt.cli.stream.stream_report import StreamProgress, stream_facts, stream_lines
    from rosenblatt.io import Reading
    from rosenblatt.io.runs.open_job import JobRequest, duration, open_job
    from rosenblatt.io.samples.preparation import ColumnOptions
    from rosenblatt.io.sources.local_copies import local_paths

    paths = local_paths(data)
    seconds = duration(every)
    for path, what in ((model, "model"), (checkpoint, "checkpoint")):
        others = [one for one in (model, checkpoint) if one is not None and one is not path]
        if path is not None:
            check_writable(path, what, *paths, *others)
    if resume and checkpoint is None:
        raise InputError("--resume needs --checkpoint: it goes on from that file")
    chosen = new_learner(
        learner.value,
        keep=keep,
        multiclass=multiclass,
        ties=ties,
        eta0=eta0,
        fit_intercept=False if no_intercept else None,
    )
    wanted = ColumnOptions(
        ignore or (), categorical or (), text or (), missing or (), scale.value, 3
    )
    asked = JobRequest(
        data,
        chosen,
        Reading(kind.value, label, header, decimal),
        wanted,
        passes=passes,
        checkpoint=checkpoint,
        every=seconds,
        resumes=resume,
        zero_based=zero_based,
        chunk_rows=chunk_rows,
        text_labels=text_labels,
    )
    watch = Stopwatch()
    with StreamProgress(is_quiet=json) as progress:
        job = open_job(asked, progress)
        with progress.learns(job):
            job.run()
    compile_seconds = watch.compile_seconds()
    if job.is_stopped:
        rest = "" if checkpoint is None else f"; to go on from {checkpoint}, say --resume"
        raise InterruptionError(rest)
    classes = job.learning.result()[0].classes.labels
    if len(classes) < 2:
        raise InputError(
            f"{job.stream.name}: every sample has the label {classes[0]}; learning needs at least two "
            "labels"
        )
    if model is not None:
        job.write_model(model)
    if json:
        print_json(stream_facts(job, model, compile_seconds))
    else:
        print_facts(stream_lines(job, model, compile_seconds))
