"""Checkpoints of runs over a stream: a damaged one is refused, a forged one is refused or goes on."""

import os
import tempfile
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

from attack.mutants.model_targets import content_of, forge, opened, timeless
from attack.mutants.target import Mutant, Seeds, Target, is_sentence
from attack.mutants.text_targets import libsvm_seeds

PLACE = b"/@DATA@/"
"""Stands for the folder of the samples, which is another one in every process."""


def samples() -> Seeds:
    """Return files that can be learned from: others have numbers that are too large."""
    return [libsvm_seeds()[k] for k in (0, 2, 6)]


class Stops:
    """Shows nothing of a run, and stops it after some chunks."""

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
    made = tempfile.TemporaryDirectory()
    for k, content in enumerate(samples()):
        path = Path(made.name) / f"{k}"
        path.write_bytes(content)
        os.utime(path, (7, 7))
    return made


def job(checkpoint: Path, k: int, after: int) -> Any:
    """Return a run over the samples of a seed, which goes on from a checkpoint if there is one."""
    from rosenblatt import PassiveAggressive, Perceptron
    from rosenblatt.io import Reading
    from rosenblatt.io.runs.open_job import JobRequest, open_job
    from rosenblatt.io.samples.preparation import ColumnOptions

    learner = [Perceptron(keep="average"), Perceptron(), PassiveAggressive()][k % 3]
    data, reading = f"{folder().name}/{k}", Reading(kind="libsvm")
    options: Any = {"passes": 3, "chunk_rows": 2, "every": 0.0, "resumes": True, "zero_based": True}
    asked = JobRequest([data], learner, reading, ColumnOptions(), checkpoint=checkpoint, **options)
    return open_job(asked, Stops(after))


@cache
def seeds() -> Seeds:
    """Return checkpoints of the middle of the first pass, or of the second."""
    found = []
    with tempfile.TemporaryDirectory() as own:
        for k in range(len(samples())):
            path = Path(own) / f"{k}"
            job(path, k, after=1 + 2 * (k % 2)).run()
            found.append(opened(timeless(path.read_bytes())).replace(place(), PLACE))
    return found


def place() -> bytes:
    return folder().name.encode()


def in_place(content: bytes) -> bytes:
    """Return the checkpoint in which this is, of samples in the folder of this process."""
    return forge(content.replace(PLACE, place()))


@cache
def stored_seeds() -> Seeds:
    return [forge(content) for content in seeds()]


def read(path: Path, _: Mutant) -> None:
    from rosenblatt.io.runs.checkpoint import read_checkpoint

    read_checkpoint(path)


def wrong(mutant: Mutant, _: None) -> str:
    same = content_of(mutant.content) == content_of(stored_seeds()[mutant.seed])
    return "" if same else "a change was not noticed"


def resume(path: Path, mutant: Mutant) -> None:
    """Go on from a checkpoint until the run ends, or for twenty chunks more."""
    again = job(path, mutant.seed, after=20)
    again.run()
    again.write_model(path)


def nothing_wrong(_: Mutant, __: Any) -> str:
    """Return nothing: a forged checkpoint may be of another run, but it went on."""
    return ""


def wrong_refusal(_: Mutant, sentence: str, path: Path) -> str:
    """Return what is wrong with an error: it names the checkpoint, or the samples."""
    if not sentence.startswith((str(path), folder().name)):
        return "the error does not begin with a file's name"
    return "" if is_sentence(sentence) else "the error is not one sentence"


CHECKPOINTS = Target("checkpoints", 30, stored_seeds, read, wrong)
FORGED_CHECKPOINTS = Target(
    "forged checkpoints", 20, seeds, resume, nothing_wrong, wrong_refusal, repair=in_place
)
