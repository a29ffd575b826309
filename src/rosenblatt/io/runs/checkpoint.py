"""Checkpoints: one file that holds all a run over a stream has come to, written whole or not at all.

It is a model file, and can be used as one: the model as it was between two chunks. Its notes say where
in the stream that was, and what was counted until then; `resumed` puts a run back there. The sources
are known by their names, sizes and times, and by the digest of all bytes that were read of them.
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

_COUNTS = ("passes", "n_passes", "visited", "predicted", "mistaken", "n_features", "n_samples")


@dataclass(frozen=True)
class Where:
    """Where a run is: the position in its stream, and the lines of its report so far."""

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
    where: Where,
) -> None:
    """Write what a run has come to; the model is that of `StreamLearning.result`."""
    state = learning.state
    assert state.learned is not None
    known = state.learned.classes.labels if state.known is None else state.known
    checkpoint = {
        "position": asdict(where.position),
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
        "lines": [list(line) for line in where.lines],
        "seconds": where.seconds,
        "n_samples": where.n_samples,
        "n_unlabeled": where.n_unlabeled,
        "seconds_of_pass": state.seconds,
    }
    write(model, path, {**notes, "checkpoint": checkpoint}, record=True)


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint that was read: the model, its notes, and what they say of the run."""

    path: Path
    model: Any
    notes: Mapping[str, Any]

    @property
    def learner(self) -> Any:
        """The learner, without what prepares its samples."""
        return self.model.steps[-1][1] if isinstance(self.model, Pipeline) else self.model

    @property
    def encoder(self) -> Any:
        """What prepares its samples, or None."""
        return self.model.steps[0][1] if isinstance(self.model, Pipeline) else None

    @property
    def run(self) -> Mapping[str, Any]:
        """What is said of the run."""
        found: Mapping[str, Any] = self.notes["checkpoint"]
        return found

    @property
    def where(self) -> Where:
        """Where the run was."""
        run = self.run
        position, seconds = Position(**run["position"]), float(run["seconds"])
        return Where(position, run["lines"], seconds, run["n_samples"], run["n_unlabeled"])

    def check_stream(self, stream: Stream) -> None:
        """Raise, naming it, if a source is not what was read before, or is read in another way."""
        before = self.run["sources"]
        now = [[source.name, source.identity()] for source in stream.sources]
        if [name for name, _ in now] != [name for name, _ in before]:
            raise InputError(
                f"{self.path}: the checkpoint is of a run over {_names(before)}, not over {_names(now)}"
            )
        for (name, was), (_, is_now) in zip(before, now, strict=True):
            if was != is_now:
                raise InputError(
                    f"{name}: it has changed since the checkpoint {self.path}: it was {was}, and is "
                    f"{is_now}; begin anew, without --resume"
                )
        if dict(stream.reader.options) != self.run["options"]:
            raise InputError(
                f"{self.path}: the samples were read with {_differing(self.run['options'], stream)}; "
                "give the same options, or begin anew, without --resume"
            )

    def resumed(self, learning: StreamLearning) -> StreamLearning:
        """Return learning that goes on from here; it must be of the same kind."""
        learner, run = self.learner, self.run
        self._check_same(learner, learning.learner)
        if run["passes"] != learning.passes:
            raise InputError(
                f"{self.path}: the run of the checkpoint was to have {run['passes']} passes, not "
                f"{learning.passes}; give the same options, or begin anew, without --resume"
            )
        learned, past = learner.state
        assert learned is not None  # which was looked at when it was read
        finished = run["finished"]
        again = learning.begun_again(
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
        """Raise unless samples are to be prepared as they were: by this encoder, or None."""
        if self.encoder is not None and encoder is not None:
            self._check_same(self.encoder, encoder)
        elif self.encoder is not encoder:
            raise InputError(
                f"{self.path}: the run of the checkpoint had rows "
                + ("as they are" if self.encoder is None else "scaled to length 1")
                + "; give the same options, or begin anew, without --resume"
            )

    def _check_same(self, before: Any, now: Any) -> None:
        ours, theirs = now.get_params(), before.get_params()
        if type(before) is not type(now) or ours != theirs:
            differing = [name for name in theirs if theirs[name] != ours.get(name)]
            raise InputError(
                f"{self.path}: the run of the checkpoint was of a {type(before).__name__}"
                + "".join(f", {name}={theirs[name]!r}" for name in differing)
                + "; give the same options, or begin anew, without --resume"
            )


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint; raise unless it is one."""
    model, notes = read(path)
    if "checkpoint" not in notes:
        raise InputError(f"{path}: this is a model file, but no checkpoint: nothing can be resumed")
    checkpoint = Checkpoint(path, model, notes)
    try:
        _check(checkpoint)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError(
            f"{path}: the checkpoint does not describe a run ({error!r:.200})"
        ) from error
    return checkpoint


def _check(checkpoint: Checkpoint) -> None:
    """Raise anything unless what is said of the run fits the model."""
    run, learned = checkpoint.run, checkpoint.learner.state[0]
    n_halfspaces, n_classes = len(learned.mistakes), len(learned.classes)
    where = checkpoint.where
    counts = [run[name] for name in _COUNTS]
    places = [
        where.position.source,
        where.position.offset,
        where.position.line,
        where.position.rows,
    ]
    lists = {"before": n_halfspaces, "known": n_classes}
    if run["finished"] is not None:
        lists["finished"] = n_halfspaces
    numbers = [*counts, *places, *run["before"]]
    if run["n_unlabeled"] is not None:
        numbers.append(run["n_unlabeled"])
    are_counts = all(type(n) is int and 0 <= n <= WHOLE for n in numbers)
    are_lists = all(len(run[name]) == n for name, n in lists.items())
    are_flags = all(type(flag) is bool for flag in [*run["known"], *(run["finished"] or [])])
    are_lines = all(len(line) == 2 and all(type(n) is int for n in line) for line in run["lines"])
    are_names = all(
        isinstance(name, str) and isinstance(identity, str) for name, identity in run["sources"]
    )
    is_dict = all(isinstance(run[name], dict) for name in ("options", "found"))
    if not (are_counts and are_lists and are_flags and are_lines and are_names and is_dict):
        raise ValueError("its counts do not fit its model")
    if run["n_features"] != learned.features.count or type(run["is_foreseen"]) is not bool:
        raise ValueError("its features do not fit its model")
    if not isinstance(where.position.digest, str) or not where.seconds >= 0.0:
        raise ValueError("its position is none")
    float(run["seconds_of_pass"])


def _names(sources: Sequence[Sequence[str]]) -> str:
    return ", ".join(str(name) for name, _ in sources)


def _differing(before: Mapping[str, object], stream: Stream) -> str:
    now = dict(stream.reader.options)
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    return ", ".join(f"{name}={before.get(name)!r}" for name in names)
