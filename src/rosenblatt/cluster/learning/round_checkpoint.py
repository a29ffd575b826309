"""Checkpoints of a run in shards: a model file with the state of the driver."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from numbers import Integral
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline

from rosenblatt.core.constants import WHOLE
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats
from rosenblatt.estimators.common.learned import Learned
from rosenblatt.io.models.model_file import read, write
from rosenblatt.training.deciders.average import Average
from rosenblatt.training.history import History

_COUNTS = ("n_epochs", "n_exact", "missed", "n_roundings")


@dataclass(frozen=True)
class Rounds:
    """The driver's counts so far; ``plan`` is the digest of the samples."""

    plan: str
    n_epochs: int
    n_exact: int
    missed: int
    n_roundings: int
    mass: list[float]
    energy: list[float]
    clean: list[bool]
    seconds: float


@dataclass(frozen=True)
class RoundCheckpoint:
    """A loaded checkpoint."""

    path: Path
    learner: Any
    notes: dict[str, Any]
    rounds: Rounds

    @property
    def learned(self) -> Learned:
        """The learned state."""
        learned: Learned = self.learner.state[0]
        return learned

    @property
    def drift(self) -> Floats:
        """The difference between the weights and their average, times the visits."""
        kept = self.learned.kept
        assert isinstance(kept, Average)  # of a learner with the same parameters
        return kept.drift

    @property
    def history(self) -> History:
        """The epochs so far."""
        run = self.learner.state[1]
        return run.history if isinstance(run.history, History) else History()

    def check_same(self, plan: str, parameters: Mapping[str, Any]) -> None:
        """Raise InputError unless samples, shards and learner are the same as in the checkpoint."""
        if self.rounds.plan != plan:
            raise InputError(
                f"{self.path}: the checkpoint has other samples, other reading options or another "
                "number of shards; give the same files and options, or start again without resuming"
            )
        before = self.learner.get_params()
        # max_iter may differ: many runs are resumed for more epochs.
        names = [name for name in before if name != "max_iter"]
        differing = [name for name in names if before[name] != parameters.get(name)]
        if differing:
            old = ", ".join(f"{name}={before[name]!r}" for name in differing)
            raise InputError(
                f"{self.path}: the run of the checkpoint had {old}; give the same options, or start "
                "again without resuming"
            )


def check_resumable(learner: Any) -> None:
    """Raise InputError unless a resumed run would draw the same orders of visits."""
    if not isinstance(learner.random_state, Integral):
        raise InputError(
            f"random_state={learner.random_state!r:.100} does not go together with a checkpoint, "
            "because a resumed run must draw the same orders: use a whole number"
        )


def write_rounds(path: Path, model: Any, notes: Mapping[str, Any], rounds: Rounds) -> None:
    """Write a checkpoint atomically."""
    write(model, path, {**notes, "rounds": asdict(rounds)}, record=True)


def read_rounds(path: Path) -> RoundCheckpoint:
    """Read a checkpoint; raise InputError if it is not one."""
    model, notes = read(path)
    if "rounds" not in notes:
        raise InputError(
            f"{path}: this model file is not a checkpoint of a run in shards, so it cannot be resumed"
        )
    learner = model.steps[-1][1] if isinstance(model, Pipeline) else model
    rounds = notes.pop("rounds")
    try:
        checkpoint = RoundCheckpoint(path, learner, notes, Rounds(**rounds))
        _check(checkpoint)
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise InputError(f"{path}: the checkpoint is damaged ({error!r:.200})") from error
    return checkpoint


def _check(checkpoint: RoundCheckpoint) -> None:
    """Raise an error unless the rounds fit the model."""
    rounds, height = checkpoint.rounds, len(checkpoint.learned.weights)
    counts = [getattr(rounds, name) for name in _COUNTS]
    if not all(type(n) is int and 0 <= n <= WHOLE for n in counts):
        raise ValueError("its counts are not whole numbers")
    lists = (rounds.mass, rounds.energy, rounds.clean)
    if any(not isinstance(one, list) or len(one) != height for one in lists):
        raise ValueError("its lists do not fit the model")
    if not all(type(one) is bool for one in rounds.clean):
        raise ValueError("its flags are not true or false")
    numbers = [*rounds.mass, *rounds.energy, rounds.seconds]
    if not all(isinstance(one, float) and one >= 0.0 for one in numbers):
        raise ValueError("its numbers are not numbers of at least 0")
    if rounds.n_epochs != len(checkpoint.history) or not isinstance(rounds.plan, str):
        raise ValueError("its epochs do not fit its history")
