"""One epoch of a shard: it depends only on the samples, the start weights and the epoch's number."""

import os
import socket
from dataclasses import dataclass

import numpy as np

from rosenblatt.cluster.engines.engine import Answer, Work
from rosenblatt.cluster.files.file_shard import OpenFileShard
from rosenblatt.core.classes import Classes
from rosenblatt.estimators.common.learned import Features
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.estimators.streaming.chunk import validated_chunk
from rosenblatt.estimators.streaming.shard_run import ShardRun
from rosenblatt.io.models.model_notes import notes_on


@dataclass(frozen=True)
class EpochDetails:
    """The inputs of an epoch besides the samples and the weights."""

    learner: Perceptron
    classes: Classes
    seed: int
    epoch: int
    finished: tuple[bool, ...]


def learn_epoch(shard: OpenFileShard, work: Work) -> Answer:
    """Learn from the shard's samples, starting from the weights of the work."""
    details = work.details["epoch"]
    assert isinstance(details, EpochDetails)
    assert work.weights is not None
    run = ShardRun(
        details.learner,
        details.classes,
        Features(shard.n_features),
        work.weights,
        np.array(details.finished, dtype=np.bool_),
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
