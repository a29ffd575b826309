"""`rosenblatt learn --shards`: learn from files in shards, on one machine or many."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rosenblatt.cli.learn.chosen_learner import class_weights
from rosenblatt.cli.learn.sharded_progress import ShownRounds
from rosenblatt.cli.learn.sharded_report import sharded_facts, sharded_lines
from rosenblatt.cli.options import check_checkpoint
from rosenblatt.cli.report import print_facts, print_json
from rosenblatt.cluster.engine_choice import EngineChoice
from rosenblatt.cluster.files.reading_options import survey_options
from rosenblatt.cluster.learning.learn_files import learn_files
from rosenblatt.cluster.learning.sharded_learning import Saving
from rosenblatt.core.compiling import Stopwatch
from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_writable
from rosenblatt.io.models.model_file import write
from rosenblatt.io.samples.preparation import ColumnOptions
from rosenblatt.io.samples.table import Reading
from rosenblatt.io.sources.local_copies import local_paths


@dataclass(frozen=True)
class ShardedRequest:
    """The files to read, the learner, the engine that runs it, and the files to write."""

    data: Sequence[str] | None
    learner: Any
    class_weight: Sequence[str]
    choice: EngineChoice
    n_shards: int
    reading: Reading
    columns: ColumnOptions
    model: Path | None = None
    checkpoint: Path | None = None
    resumes: bool = False
    json: bool = False


def learn_in_shards(request: ShardedRequest) -> None:
    """Learn, write the model, and report."""
    if not request.data:
        raise InputError("--shards needs files: give at least one")
    outputs = {"model": request.model, "checkpoint": request.checkpoint}
    given = [path for path in outputs.values() if path is not None]
    for what, path in outputs.items():
        if path is not None:
            others = [one for one in given if one is not path]
            check_writable(path, what, *local_paths(request.data), *others)
    check_checkpoint(request.checkpoint, resume=request.resumes)
    watch = Stopwatch()
    with ShownRounds() as progress:
        run = learn_files(
            request.data,
            request.learner,
            survey_options(request.n_shards, request.reading, request.columns),
            request.choice,
            saving=None
            if request.checkpoint is None
            else Saving(request.checkpoint, request.resumes),
            progress=progress,
            weights_of=partial(class_weights, request.class_weight)
            if request.class_weight
            else None,
        )
    compile_seconds = watch.compile_seconds()
    if request.model is not None:
        notes = {**run.notes, "samples": run.n_samples, "seconds": run.seconds}
        write(run.model, request.model, notes, record=False)
    if request.json:
        print_json(sharded_facts(run, request.model, compile_seconds))
    else:
        print_facts(sharded_lines(run, request.model, compile_seconds))
