"""Learning from files in shards: a survey, epochs whose weights are mixed, and a final check.

The loop, the rule and the mixing are those of `Perceptron.fit`; only the epochs of the shards run on an
engine. The weights depend only on the samples, the parameters and the number of shards: the bits are the
same on every engine, even if workers are lost, or if the driver is lost and resumes from its checkpoint.
"""

import math
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from rosenblatt.cluster.engines.engine import Answer, Engine, Waiting, Work
from rosenblatt.cluster.files.file_shard import file_shards
from rosenblatt.cluster.files.plan import Plan
from rosenblatt.cluster.learning.round_checkpoint import (
    Rounds,
    check_resumable,
    read_rounds,
    write_rounds,
)
from rosenblatt.cluster.tasks import CheckDetails, EpochDetails
from rosenblatt.core.classes import Classes
from rosenblatt.core.compiling import Stopwatch
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Flags, Floats
from rosenblatt.estimators.common.learned import Features
from rosenblatt.estimators.common.run import Progressive
from rosenblatt.estimators.common.validation import balanced_weights
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.training.deciders.keep import TRACED
from rosenblatt.training.history import Epoch
from rosenblatt.training.loop import Log, train
from rosenblatt.training.mean_square import SquaredLengths
from rosenblatt.training.rules.perceptron_rule import PerceptronRule
from rosenblatt.training.shards.mixing import ShardEpoch, Shards

# A round may be shorter than the time to write a durable file.
_SECONDS_BETWEEN = 1.0


class Progress:
    """Receives the stages, rounds and epochs of a run; displays nothing."""

    def stage(self, text: str) -> AbstractContextManager[None]:
        """Return a context manager for the duration of a stage."""
        del text
        return nullcontext()

    def waits(self, waiting: Waiting) -> None:
        """Receive, at intervals, how far a round is."""

    def epoch_ends(self, epoch: Epoch, n_epochs: int, seconds: Sequence[float]) -> bool:
        """Receive the n-th epoch and the seconds of each shard; return whether to stop."""
        del epoch, n_epochs, seconds
        return False


@dataclass(frozen=True)
class Saving:
    """The checkpoint file of a run, and whether to resume from it."""

    path: Path
    resumes: bool = False


class Slowest(NamedTuple):
    """The slowest shard, counted from 0: its time relative to the median, and its last worker."""

    shard: int
    times: float
    worker: str


@dataclass
class ShardedLearning:
    """A run over shards with the parameters of ``learner``, which is not changed.

    The number of shards is that of the plan. ``notes`` describe the samples in a model file;
    ``resumed_after`` counts the epochs before the run was resumed.
    """

    plan: Plan
    learner: Perceptron
    engine: Engine
    progress: Progress = field(default_factory=Progress)
    saving: Saving | None = None
    notes: dict[str, Any] = field(default_factory=dict)
    resumed_after: int = 0
    n_wrong: int = 0
    longest: float = 0.0
    _seconds: float = 0.0
    _began: Stopwatch = field(default_factory=Stopwatch)

    def __post_init__(self) -> None:
        agreement = self.plan.agreement
        self.classes = classes_of(self.plan, fit_intercept=self.learner.fit_intercept)
        learner = clone(self.learner).set_params(shards=self.plan.n_shards)
        check_learner(learner)
        if self.saving is not None:
            check_resumable(learner)
        if learner.class_weight == "balanced":
            weights = balanced_weights(agreement.class_counts)
            pairs = zip(agreement.classes.tolist(), weights.tolist(), strict=True)
            learner.class_weight = dict(pairs)
        self._worker_learner = learner
        self._batch = learner.shard_problem(self.classes, Features(agreement.n_features))
        self._saved = -math.inf
        self._log = Log()
        self._missed = 0
        self._errs: bool | None = None
        self._is_mixing = False
        self._spent = np.zeros(self.plan.n_shards)
        self.workers: list[str] = []

    @property
    def seconds(self) -> float:
        """The seconds of the run so far, with earlier parts if resumed, but without compiling."""
        return self._seconds + self._began.seconds()

    @property
    def slowest(self) -> Slowest:
        """The shard that took longest in all epochs of this run."""
        median = float(np.median(self._spent))
        number = int(np.argmax(self._spent))
        times = float(self._spent[number]) / median if median > 0.0 else 1.0
        return Slowest(number, times, self.workers[number] if self.workers else "")

    def run(self) -> None:
        """Learn until an epoch makes no mistake or ``max_iter`` epochs have run, then check."""
        if self.saving is not None and self.saving.resumes and self.saving.path.exists():
            self._resume(self.saving.path)
        batch, learner = self._batch, self._worker_learner
        self.engine.start(file_shards(self.plan))
        if learner.margin == "auto" and not self.resumed_after:
            self._set_margin(self._measured())
        passes = Shards(batch.panel, self._run_round, n_epochs=self.resumed_after)
        rule = PerceptronRule(batch.panel, passes, rate=batch.rate)
        nothing = repeat(np.zeros(0, dtype=np.int64))
        try:
            train(rule, nothing, learner.max_iter, [self._log], watch=self)
        finally:  # an interrupted run saves its last round, too, if it was mixed completely
            if self.saving is not None and len(self._log.history) and not self._is_mixing:
                self.save(self.saving.path)
        self._conclude()
        if self.saving is not None:
            self.save(self.saving.path)

    def _measured(self) -> float:
        """Return the margin of all samples."""
        lengths = SquaredLengths()
        with self.progress.stage("measuring the samples"):
            for answer in self.engine.round(Work("measure"), self.progress):
                lengths.join(answer.facts["lengths"])
        return float(self._worker_learner.measured_value(lengths))

    def _set_margin(self, margin: float) -> None:
        batch = self._batch
        batch.margin, batch.panel.problem.required = margin, margin / batch.rate

    # The attributes of a `Watcher`: it is called after every epoch.
    patient = False

    def epoch_begins(self) -> None:
        """Do nothing: only the end of an epoch matters."""

    def epoch_ends(self, epoch: Epoch, n_epochs: int) -> bool:
        """Save and display the progress; return whether to stop."""
        del n_epochs
        self._is_mixing = False
        if self.saving is not None and time.monotonic() >= self._saved + _SECONDS_BETWEEN:
            self.save(self.saving.path)
        return self.progress.epoch_ends(epoch, len(self._log.history), self.engine.seconds)

    def _run_round(self, epoch: int, weights: Floats, finished: Flags) -> list[ShardEpoch]:
        """Run an epoch of all shards on the engine."""
        batch, learner = self._batch, self._worker_learner
        details = EpochDetails(
            learner, self.classes, batch.seed, epoch, tuple(finished.tolist()), batch.margin
        )
        work = Work("epoch", weights, {"epoch": details})
        answers = self.engine.round(work, self.progress)
        self._spent += self.engine.seconds
        self.workers = [answer.facts["worker"] for answer in answers]
        found = [_shard_epoch(answer) for answer in answers]
        self._is_mixing = True
        if epoch == 0:
            self._missed = sum(one.missed for one in found)
            self.notes = next(
                answer.facts["notes"] for answer in answers if answer.facts["notes"] is not None
            )
        return found

    @property
    def progressive(self) -> Progressive:
        """The samples that their shards predicted before learning from them."""
        return Progressive(self.plan.agreement.n_samples, self._missed)

    def model(self) -> Any:
        """Return the current model: the learner, after the encoder if there is one."""
        learner = copy(self.learner)
        learner.shards = self.plan.n_shards
        learned, run = self._worker_learner.shard_result(
            self._batch, self._log, errs=self._errs, progressive=self.progressive
        )
        learner.restore(learned, run)
        encoder = self.plan.agreement.form.encoder
        return learner if encoder is None else Pipeline([("table", encoder), ("learner", learner)])

    def _conclude(self) -> None:
        """Count the training errors, and check whether the weights make any mistake."""
        details = CheckDetails(self._worker_learner, self.classes)
        weights = self._batch.learned(is_over=False).deciding
        with self.progress.stage("checking all samples"):
            answers = self.engine.round(Work("check", weights, {"check": details}), self.progress)
        self.longest = max(answer.facts["longest"] for answer in answers)
        self.n_wrong = sum(answer.facts["n_wrong"] for answer in answers)
        self._errs = any(answer.facts["errs"] for answer in answers)

    def save(self, path: Path) -> None:
        """Write a checkpoint, which is also a model file."""
        write_rounds(path, self.model(), self.notes, self._rounds())
        self._saved = time.monotonic()

    def _rounds(self) -> Rounds:
        panel = self._batch.panel
        return Rounds(
            plan=self.plan.digest,
            n_epochs=len(self._log.history),
            n_exact=self._log.n_exact,
            missed=self._missed,
            n_roundings=panel.n_roundings,
            mass=panel.mass.tolist(),
            energy=panel.energy.tolist(),
            clean=panel.clean.tolist(),
            seconds=self.seconds,
        )

    def _resume(self, path: Path) -> None:
        """Continue from a checkpoint, which must be of the same run."""
        checkpoint = read_rounds(path)
        checkpoint.check_same(self.plan.digest, self._model_parameters())
        learned, rounds, panel = checkpoint.learned, checkpoint.rounds, self._batch.panel
        panel.weights[:] = learned.weights
        panel.visits[:] = learned.visits
        panel.updates[:] = learned.updates
        panel.mistakes[:] = learned.mistakes
        self._set_margin(learned.margin)
        if panel.drift is not None:
            panel.drift[:] = checkpoint.drift
        panel.mass[:], panel.energy[:], panel.clean[:] = rounds.mass, rounds.energy, rounds.clean
        panel.n_roundings = rounds.n_roundings
        self._log.history, self._log.n_exact = checkpoint.history, rounds.n_exact
        self._missed, self._seconds = rounds.missed, rounds.seconds
        self.notes, self.resumed_after = checkpoint.notes, rounds.n_epochs

    def _model_parameters(self) -> dict[str, Any]:
        found: dict[str, Any] = {**self.learner.get_params(), "shards": self.plan.n_shards}
        return found


def _shard_epoch(answer: Answer) -> ShardEpoch:
    facts = answer.facts
    assert answer.weights is not None
    return ShardEpoch(
        answer.weights, answer.drift, facts["visits"], facts["tally"], facts["missed"]
    )


def classes_of(plan: Plan, *, fit_intercept: bool) -> Classes:
    """Return the classes of all samples; raise if there are too few."""
    labels = plan.agreement.classes
    if len(labels) < 2 and (fit_intercept or not len(labels)):
        only = f"every sample has the label {labels[0]}" if len(labels) else "no sample has a label"
        raise InputError(f"{plan.name}: {only}; learning needs at least two labels")
    return Classes(labels)


def check_learner(learner: Any) -> None:
    """Raise InputError unless the learner can learn from files in shards."""
    if not isinstance(learner, Perceptron):
        raise InputError(
            f"a {type(learner).__name__} cannot learn in shards: use a Perceptron, for which mixed "
            "weights have a mistake bound"
        )
    learner.check_parameters()
    why = ""
    if learner.order == "random":
        why = "order='random' draws from all samples, but files are read in blocks: use 'shuffle'"
    elif learner.keep in TRACED:
        why = f"keep={learner.keep!r} needs one sequence of weights: use 'last' or 'average'"
    elif learner.record:
        why = (
            "record=True records one sequence of mistakes, but each shard has its own: leave it out"
        )
    if why:
        raise InputError(why)
