"""`rosenblatt stream`: learn from files of any size, or from standard input, in bounded memory."""

from enum import StrEnum
from typing import Annotated

import typer

from rosenblatt.cli.options import (
    LEARNING,
    READING,
    Categorical,
    Checkpoint,
    Data,
    Decimal,
    Eta0,
    Format,
    Header,
    Ignore,
    Json,
    Keep,
    Kind,
    Label,
    Missing,
    ModelOutput,
    Multiclass,
    NoIntercept,
    Numeric,
    Resume,
    ScaleOfTables,
    TextColumns,
    TieRule,
    check_checkpoint,
    column_options,
)
from rosenblatt.cli.report import print_facts, print_json
from rosenblatt.core.compiling import Stopwatch
from rosenblatt.core.errors import InputError, InterruptionError
from rosenblatt.core.files import check_writable

Learner = StrEnum("Learner", ["auto", "perceptron", "passive-aggressive", "winnow"])


def stream(
    data: Data,
    model: ModelOutput = None,
    checkpoint: Checkpoint = None,
    every: Annotated[
        str,
        typer.Option(
            "--every", metavar="TIME", help="How often to save the checkpoint: 30s, 5m, 1h."
        ),
    ] = "30s",
    resume: Resume = False,
    json: Json = False,
    learner: Annotated[
        Learner,
        typer.Option(
            "--learner",
            metavar="NAME",
            help="auto, an averaged perceptron with a margin; perceptron, the rule of the lectures; "
            "passive-aggressive or winnow.",
            rich_help_panel=LEARNING,
        ),
    ] = Learner.auto,
    passes: Annotated[
        int,
        typer.Option(
            "--passes",
            metavar="N",
            min=1,
            help="At most this many passes; a pass without a mistake is the last.",
            rich_help_panel=LEARNING,
        ),
    ] = 1,
    keep: Keep = None,
    multiclass: Multiclass = None,
    ties: TieRule = None,
    eta0: Eta0 = None,
    no_intercept: NoIntercept = False,
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
    zero_based: Annotated[
        bool | None,
        typer.Option(
            "--zero-based/--one-based",
            help="Whether libsvm indices start at 0 or 1; by default the first samples decide.",
            show_default=False,
            rich_help_panel=READING,
        ),
    ] = None,
    text_labels: Annotated[
        bool | None,
        typer.Option(
            "--text-labels/--number-labels",
            help="Whether libsvm labels are text or integers; by default the first samples decide.",
            show_default=False,
            rich_help_panel=READING,
        ),
    ] = None,
    chunk_rows: Annotated[
        int | None,
        typer.Option(
            "--chunk-rows",
            metavar="N",
            min=1,
            help="Samples to read at a time; by default about 4 MB of text. To learn samples that "
            "arrive slowly as they come, give this, --one-based and --number-labels.",
            show_default=False,
            rich_help_panel=READING,
        ),
    ] = None,
) -> None:
    """Learn from a file of any size, reading it piece by piece."""
    from rosenblatt.cli.learn.chosen_learner import new_learner
    from rosenblatt.cli.stream_report import StreamProgress, stream_facts, stream_lines
    from rosenblatt.io import Reading
    from rosenblatt.io.runs.open_job import JobRequest, duration, open_job
    from rosenblatt.io.sources.local_copies import local_paths

    paths = local_paths(data)
    seconds = duration(every)
    for path, what in ((model, "model"), (checkpoint, "checkpoint")):
        others = [one for one in (model, checkpoint) if one is not None and one is not path]
        if path is not None:
            check_writable(path, what, *paths, *others)
    check_checkpoint(checkpoint, resume=resume)
    chosen = new_learner(
        learner.value,
        keep=keep,
        multiclass=multiclass,
        ties=ties,
        eta0=eta0,
        fit_intercept=False if no_intercept else None,
    )
    request = JobRequest(
        data,
        chosen,
        Reading(kind.value, label, header, decimal),
        column_options(ignore, categorical, text, missing, scale, min_count=3, numeric=numeric),
        passes=passes,
        checkpoint=checkpoint,
        every=seconds,
        resumes=resume,
        zero_based=zero_based,
        chunk_rows=chunk_rows,
        text_labels=text_labels,
        may_split=multiclass is None,
    )
    watch = Stopwatch()
    with StreamProgress(is_quiet=json) as progress:
        job = open_job(request, progress)
        with progress.learns(job):
            job.run()
    compile_seconds = watch.compile_seconds()
    if job.is_stopped:
        hint = "" if checkpoint is None else f"; continue from {checkpoint} with --resume"
        raise InterruptionError(hint)
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
