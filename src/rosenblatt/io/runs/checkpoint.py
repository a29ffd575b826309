"""Checkpoints of runs over streams: one file with the complete state, written atomically.

A checkpoint is also a model file: the model between two chunks. Its notes hold the position in the
stream and the counts so far; `resumed` continues from there. Sources are identified by names, sizes,
times, and the digest of all bytes that were read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from rosenblatt.core.constants import WHOLE
from rosenblatt.core.errors import InputError
from rosenblatt.estimators.common.run import Progressive
from rosenblatt.estimators.streaming.stream_learning import StreamLearning, StreamState
from rosenblatt.io.models.model_file import read, write
from rosenblatt.io.streams.sample_stream import Stream
from rosenblatt.io.streams.stream_position import Position
from rosenblatt.training.history import History

_SAME_OPTIONS = "the same options, or start over with a new checkpoint"
_COUNTS = ("passes", "n_passes", "visited", "predicted", "mistaken", "n_features", "n_samples")


@dataclass(frozen=True)
class Progress:
    """The progress of a run: the position in its stream, the lines of its report, and counts."""

    position: Position
    lines: Sequence[Sequence[int]]
    seconds: float
    n_samples: int
    n_unlabeled: int | None


def write_checkpoint(
    path: Path,
    model: Any,
    notes: Mapping[str, object],
    learning: StreamLearning,
    stream: Stream,
    progress: Progress,
) -> None:
    """Write the state of a run; the model is the one of `StreamLearning.result`."""
    state = learning.state
    assert state.learned is not None
    known = state.learned.classes.labels if state.known is None else state.known
    checkpoint = {
        "position": asdict(progress.position),
        "sources": [[source.name, source.identity()] for source in stream.sources],
        "options": dict(stream.reader.options),
        "found": dict(stream.reader.found),
        "passes": learning.passes,
        "n_passes": state.n_passes,
        "visited": state.visited,
        "predicted": state.progressive.samples,
        "mistaken": state.progressive.mistakes,
        "n_features": state.n_features,
        "is_foreseen": not state.learned.classes.is_open,
        "known": np.isin(state.learned.classes.labels, known).tolist(),
        "finished": None if state.finished is None else state.finished.tolist(),
        "before": np.asarray(state.before).tolist(),
        "lines": [list(line) for line in progress.lines],
        "seconds": progress.seconds,
        "n_samples": progress.n_samples,
        "n_unlabeled": progress.n_unlabeled,
        "seconds_of_pass": state.seconds,
    }
    write(model, path, {**notes, "checkpoint": checkpoint}, record=True)


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint from a file: the model and its notes, which describe the run."""

    path: Path
    model: Any
    notes: Mapping[str, Any]

    @property
    def learner(self) -> Any:
        """The learner, without the encoder."""
        return self.model.steps[-1][1] if isinstance(self.model, Pipeline) else self.model

    @property
    def encoder(self) -> Any:
        """The encoder that prepares the learner's samples, or None."""
        return self.model.steps[0][1] if isinstance(self.model, Pipeline) else None

    @property
    def run(self) -> Mapping[str, Any]:
        """The notes about the run."""
        found: Mapping[str, Any] = self.notes["checkpoint"]
        return found

    @property
    def progress(self) -> Progress:
        """The progress of the run."""
        run = self.run
        position, seconds = Position(**run["position"]), float(run["seconds"])
        return Progress(position, run["lines"], seconds, run["n_samples"], run["n_unlabeled"])

    def check_stream(self, stream: Stream) -> None:
        """Raise InputError if a source has changed, or is read in a different way."""
        before = self.run["sources"]
        now = [[source.name, source.identity()] for source in stream.sources]
        if [name for name, _ in now] != [name for name, _ in before]:
            raise InputError(
                f"{self.path}: this is the checkpoint of a run over {_names(before)}, not {_names(now)}"
            )
        for (name, was), (_, is_now) in zip(before, now, strict=True):
            if was != is_now:
                raise InputError(
                    f"{name}: it changed after the checkpoint {self.path}: it was {was}, now it is "
                    f"{is_now}; start over with a new checkpoint"
                )
        if dict(stream.reader.options) != self.run["options"]:
            raise InputError(
                f"{self.path}: the run was started with {_differing(self.run['options'], stream)}; give "
                f"{_SAME_OPTIONS}"
            )

    def resumed(self, learning: StreamLearning) -> StreamLearning:
        """Return ``learning`` continued from the checkpoint; learner and options must be the same."""
        learner, run = self.learner, self.run
        self._check_same(learner, learning.learner)
        if run["passes"] != learning.passes:
            raise InputError(
                f"{self.path}: the run was started with {run['passes']} passes, not {learning.passes}; "
                f"give {_SAME_OPTIONS}"
            )
        learned, past = learner.state
        assert learned is not None  # checked when the file was read
        finished = run["finished"]
        again = learning.restarted(
            foresees=run["is_foreseen"],
            foreseen=learned.classes.labels if run["is_foreseen"] else None,
        )
        before = None if past is None else past.history
        history = before if isinstance(before, History) else History()
        again.state = StreamState(
            learned=learned,
            n_features=run["n_features"],
            n_passes=run["n_passes"],
            finished=None if finished is None else np.array(finished, dtype=np.bool_),
            before=np.array(run["before"], dtype=np.int64),
            visited=run["visited"],
            known=learned.classes.labels[np.array(run["known"], dtype=np.bool_)],
            progressive=Progressive(run["predicted"], run["mistaken"]),
            history=history,
            seconds=float(run["seconds_of_pass"]),
        )
        return again

    def check_encoder(self, encoder: Any) -> None:
        """Raise InputError unless the run prepared its samples with the same encoder, or none."""
        if self.encoder is not None and encoder is not None:
            self._check_same(self.encoder, encoder)
        elif self.encoder is not encoder:
            raise InputError(
                f"{self.path}: the run was started with rows "
                + ("not scaled" if self.encoder is None else "scaled to length 1")
                + f"; give {_SAME_OPTIONS}"
            )

    def _check_same(self, before: Any, now: Any) -> None:
        ours, theirs = now.get_params(), before.get_params()
        if type(before) is not type(now) or ours != theirs:
            differing = [name for name in theirs if theirs[name] != ours.get(name)]
            raise InputError(
                f"{self.path}: the run was started with {type(before).__name__}"
                + "".join(f", {name}={theirs[name]!r}" for name in differing)
                + f"; give {_SAME_OPTIONS}"
            )


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint; raise InputError if the file is not one."""
    model, notes = read(path)
    if "checkpoint" not in notes:
        raise InputError(
            f"{path}: this model file is not a checkpoint, so there is nothing to resume"
        )
    checkpoint = Checkpoint(path, model, notes)
    try:
        _check(checkpoint)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError(
            f"{path}: the checkpoint does not describe a run ({error!r:.200})"
        ) from error
    return checkpoint


def _check(checkpoint: Checkpoint) -> None:
    """Raise some exception if the notes about the run do not fit the model."""
    run, learned = checkpoint.run, checkpoint.learner.state[0]
    n_halfspaces, n_classes = len(learned.mistakes), len(learned.classes)
    progress = checkpoint.progress
    counts = [run[name] for name in _COUNTS]
    position = progress.position
    places = [position.source, position.offset, position.line, position.rows]
    lists = {"known": n_classes}
    if run["finished"] is not None:
        lists["finished"] = n_halfspaces
    updates, mistakes = run["before"]
    numbers = [*counts, *places, *updates, *mistakes]
    if run["n_unlabeled"] is not None:
        numbers.append(run["n_unlabeled"])
    are_counts = all(type(n) is int and 0 <= n <= WHOLE for n in numbers)
    are_lists = all(len(run[name]) == n for name, n in lists.items())
    are_lists &= len(updates) == len(mistakes) == n_halfspaces
    are_flags = all(type(flag) is bool for flag in [*run["known"], *(run["finished"] or [])])
    are_lines = all(len(line) == 2 and all(type(n) is int for n in line) for line in run["lines"])
    are_names = all(
        isinstance(name, str) and isinstance(identity, str) for name, identity in run["sources"]
    )
    is_dict = all(isinstance(run[name], dict) for name in ("options", "found"))
    if not (are_counts and are_lists and are_flags and are_lines and are_names and is_dict):
        raise ValueError("its counts do not match its model")
    if run["n_features"] != learned.features.count or type(run["is_foreseen"]) is not bool:
        raise ValueError("its features do not match its model")
    if not isinstance(position.digest, str) or not progress.seconds >= 0.0:
        raise ValueError("its position is invalid")
    float(run["seconds_of_pass"])


def _names(sources: Sequence[Sequence[str]]) -> str:
    return ", ".join(str(name) for name, _ in sources)


def _differing(before: Mapping[str, object], stream: Stream) -> str:
    now = dict(stream.reader.options)
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    return ", ".join(f"{name}={before.get(name)!r}" for name in names)
