"""`rosenblatt learn --shards`: learn from files in shards, on one machine or many."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sklearn.base import clone

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
from rosenblatt.core.types import Labels
from rosenblatt.estimators.evaluation.default_learner import default_epochs, is_default
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
    max_epochs: int | None = None


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
            adapt=partial(_adapted, request),
        )
    compile_seconds = watch.compile_seconds()
    if request.model is not None:
        notes = {**run.notes, "samples": run.n_samples, "seconds": run.seconds}
        write(run.model, request.model, notes, record=False)
    if request.json:
        print_json(sharded_facts(run, request.model, compile_seconds))
    else:
        print_facts(sharded_lines(run, request.model, compile_seconds))


def _adapted(request: ShardedRequest, learner: Any, classes: Labels, n_samples: int) -> Any:
    """Return the learner with its class weights and, if it is the default one, its epochs."""
    learner = clone(learner)
    if request.class_weight:
        learner.class_weight = class_weights(request.class_weight, classes)
    if is_default(learner) and request.max_epochs is None:
        learner.max_iter = default_epochs(n_samples)
    return learner
