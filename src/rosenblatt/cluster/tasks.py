"""The tasks of a shard: measuring the samples, an epoch, and the check after learning."""

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from sklearn.base import clone

from rosenblatt.cluster.engines.engine import Answer, Work
from rosenblatt.cluster.files.file_shard import OpenFileShard
from rosenblatt.core.classes import Classes
from rosenblatt.core.types import Floats
from rosenblatt.estimators.common.learned import Features, Learned
from rosenblatt.estimators.common.run import Run
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.estimators.streaming.chunk import validated_chunk
from rosenblatt.estimators.streaming.shard_run import ShardRun, errs_on
from rosenblatt.io.models.model_notes import notes_on
from rosenblatt.kernels.rows import as_rows, n_rows
from rosenblatt.separability.signed_samples import Vectors
from rosenblatt.training.mean_square import SquaredLengths
from rosenblatt.training.outcomes import Outcome


@dataclass(frozen=True)
class EpochDetails:
    """The inputs of an epoch besides the samples and the weights."""

    learner: Perceptron
    classes: Classes
    seed: int
    epoch: int
    finished: tuple[bool, ...]
    margin: float


def learn_epoch(shard: OpenFileShard, work: Work) -> Answer:
    """Learn from the shard's samples, starting from the weights of the work.

    The answer depends only on the samples, the start weights and the epoch's number.
    """
    details = work.details["epoch"]
    assert isinstance(details, EpochDetails)
    assert work.weights is not None
    run = ShardRun(
        details.learner,
        details.classes,
        Features(shard.n_features),
        work.weights,
        np.array(details.finished, dtype=np.bool_),
        margin=details.margin,
        counts_missed=details.epoch == 0,
    )
    notes = None
    for table, order in shard.visits(details.learner.order, details.seed, details.epoch):
        assert table.y is not None
        notes = notes or notes_on(table)
        run.visit(validated_chunk(details.learner, table.X, table.y), order)
    result = run.epoch()
    facts = {
        "visits": result.visits,
        "tally": result.tally,
        "missed": result.missed,
        "notes": notes,
        "worker": f"{socket.gethostname()}, process {os.getpid()}",
    }
    return Answer(result.weights, result.drift, facts)


@dataclass(frozen=True)
class CheckDetails:
    """The learner whose weights are checked, and all classes."""

    learner: Perceptron
    classes: Classes

    def predictor(self, weights: Floats) -> Perceptron:
        """Return a learner that predicts with the weights."""
        count = weights.shape[1] - 1
        origin = np.zeros(count + 1)
        start = Learned.new(self.classes, Features(count), origin, float(self.learner.eta0))
        learner: Perceptron = clone(self.learner).set_params(keep="last")
        learner.restore(replace(start, weights=weights.copy()), Run(Outcome.MIXED))
        return learner


def check_weights(shard: OpenFileShard, work: Work) -> Answer:
    """Count the samples that the weights misclassify, and measure the longest row.

    ``errs`` says whether the learner's own rule, with its ties and weights, finds a mistake.
    """
    details, weights = work.details["check"], work.weights
    assert isinstance(details, CheckDetails)
    assert weights is not None
    learner, predictor = details.learner, details.predictor(weights)
    constant = 1.0 if learner.fit_intercept else 0.0
    longest, n_wrong, errs, own_weights = 0.0, 0, False, weights.copy()
    for table in shard.tables():
        assert table.y is not None
        X, y = table.X, table.y
        vectors = Vectors(as_rows(X, constant), np.ones(len(y), dtype=np.int8), X.shape[1] + 1)
        longest = max(longest, float(vectors.lengths.max(initial=0.0)))
        n_wrong += int(np.count_nonzero(predictor.predict(X) != np.asarray(y)))
        if not errs:
            errs = errs_on(learner, details.classes, own_weights, X, y)
    return Answer(facts={"longest": longest, "n_wrong": n_wrong, "errs": errs})


def measure(shard: OpenFileShard, _work: Work) -> Answer:
    """Measure all samples, for the margin "auto"."""
    lengths = SquaredLengths()
    for table in shard.tables():
        rows = as_rows(table.X, 0.0)
        lengths.add(rows, np.broadcast_to(1.0, n_rows(rows)))
    return Answer(facts={"lengths": lengths})


TASKS: dict[str, Callable[[OpenFileShard, Work], Answer]] = {
    "measure": measure,
    "epoch": learn_epoch,
    "check": check_weights,
}
