"""`rosenblatt learn --shards`: learn from files in shards, on one machine or many."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rosenblatt.cli.learn.chosen_learner import class_weights
from rosenblatt.cli.learn.sharded_progress import ShownRounds
from rosenblatt.cli.learn.sharded_report import sharded_facts, sharded_lines
from rosenblatt.cli.report import print_facts, print_json
from rosenblatt.cluster.engine_choice import EngineChoice
from rosenblatt.cluster.files.reading_options import survey_asked
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
class ShardedAsked:
    """What is asked for: the files, the learner, how they are read, what works, and what is written."""

    data: Sequence[str] | None
    learner: Any
    class_weight: Sequence[str]
    choice: EngineChoice
    n_shards: int
    reading: Reading
    wanted: ColumnOptions
    model: Path | None = None
    checkpoint: Path | None = None
    resumes: bool = False
    json: bool = False


def learn_in_shards(asked: ShardedAsked) -> None:
    """Learn, write what was asked for, and report."""
    if not asked.data:
        raise InputError("--shards needs files: give at least one")
    outputs = {"model": asked.model, "checkpoint": asked.checkpoint}
    given = [path for path in outputs.values() if path is not None]
    for what, path in outputs.items():
        if path is not None:
            others = [one for one in given if one is not path]
            check_writable(path, what, *local_paths(asked.data), *others)
    if asked.resumes and asked.checkpoint is None:
        raise InputError("--resume needs --checkpoint: it goes on from that file")
    watch = Stopwatch()
    with ShownRounds() as progress:
        run = learn_files(
            asked.data,
            asked.learner,
            survey_asked(asked.n_shards, asked.reading, asked.wanted),
            asked.choice,
            saving=None if asked.checkpoint is None else Saving(asked.checkpoint, asked.resumes),
            progress=progress,
            weights_of=partial(class_weights, asked.class_weight) if asked.class_weight else None,
        )
    compile_seconds = watch.compile_seconds()
    if asked.model is not None:
        notes = {**run.notes, "samples": run.n_samples, "seconds": run.seconds}
        write(run.model, asked.model, notes, record=False)
    if asked.json:
        print_json(sharded_facts(run, asked.model, compile_seconds))
    else:
        print_facts(sharded_lines(run, asked.model, compile_seconds))
