"""Checkpoints of streams: a damaged one is refused; a forged one is refused, or resumes."""

import os
import tempfile
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

from attack.mutants.model_targets import content_of, forge, opened, timeless
from attack.mutants.target import Mutant, Seeds, Target, is_sentence
from attack.mutants.text_targets import libsvm_seeds

FOLDER = b"/@DATA@/"
"""A placeholder for the folder of the samples, which differs between processes."""


def samples() -> Seeds:
    """Return files that can be learned; the others have too large numbers."""
    return [libsvm_seeds()[k] for k in (0, 2, 6)]


class StopAfter:
    """An observer that stops a run after some chunks."""

    def __init__(self, after: int) -> None:
        self._left = after

    def encodes(self, _: Any) -> Any:
        return nullcontext()

    def watch(self, _: Any) -> bool:
        self._left -= 1
        return self._left <= 0


@cache
def folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder with samples; it is removed when the process ends."""
    temporary = tempfile.TemporaryDirectory()
    for k, content in enumerate(samples()):
        path = Path(temporary.name) / f"{k}"
        path.write_bytes(content)
        os.utime(path, (7, 7))
    return temporary


def job(checkpoint: Path, k: int, after: int) -> Any:
    """Return a run over the samples of a seed, which resumes from the checkpoint if it exists."""
    from rosenblatt import PassiveAggressive, Perceptron
    from rosenblatt.io import Reading
    from rosenblatt.io.runs.open_job import JobRequest, open_job
    from rosenblatt.io.samples.preparation import ColumnOptions

    learner = [Perceptron(keep="average"), Perceptron(), PassiveAggressive()][k % 3]
    data, reading = f"{folder().name}/{k}", Reading(kind="libsvm")
    options: Any = {"passes": 3, "chunk_rows": 2, "every": 0.0, "resumes": True, "zero_based": True}
    request = JobRequest(
        [data], learner, reading, ColumnOptions(), checkpoint=checkpoint, **options
    )
    return open_job(request, StopAfter(after))


@cache
def seeds() -> Seeds:
    """Return checkpoints from the middle of the first or second pass."""
    found = []
    with tempfile.TemporaryDirectory() as own:
        for k in range(len(samples())):
            path = Path(own) / f"{k}"
            job(path, k, after=1 + 2 * (k % 2)).run()
            found.append(opened(timeless(path.read_bytes())).replace(data_folder(), FOLDER))
    return found


def data_folder() -> bytes:
    return folder().name.encode()


def forge_here(content: bytes) -> bytes:
    """Return the checkpoint with these parts, for samples in the folder of this process."""
    return forge(content.replace(FOLDER, data_folder()))


@cache
def stored_seeds() -> Seeds:
    return [forge(content) for content in seeds()]


def read(path: Path, _: Mutant) -> None:
    from rosenblatt.io.runs.checkpoint import read_checkpoint

    read_checkpoint(path)


def wrong(mutant: Mutant, _: None) -> str:
    same = content_of(mutant.content) == content_of(stored_seeds()[mutant.seed])
    return "" if same else "a change was not detected"


def resume(path: Path, mutant: Mutant) -> None:
    """Resume from a checkpoint until the run ends, or for twenty more chunks."""
    again = job(path, mutant.seed, after=20)
    again.run()
    again.write_model(path)


def nothing_wrong(_: Mutant, __: Any) -> str:
    """Accept any result: a forged checkpoint may describe another run, but it resumed."""
    return ""


def wrong_refusal(_: Mutant, sentence: str, path: Path) -> str:
    """Check that an error names the checkpoint or the samples."""
    if not sentence.startswith((str(path), folder().name)):
        return "the error does not begin with a file's name"
    return "" if is_sentence(sentence) else "the error is not one sentence"


CHECKPOINTS = Target("checkpoints", 30, stored_seeds, read, wrong)
FORGED_CHECKPOINTS = Target(
    "forged checkpoints", 20, seeds, resume, nothing_wrong, wrong_refusal, repair=forge_here
)
