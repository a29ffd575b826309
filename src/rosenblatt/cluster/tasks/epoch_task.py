"""One epoch of a shard: a function of its samples, the weights that came in, and the epoch's number."""

import os
import socket
from dataclasses import dataclass

import numpy as np

from rosenblatt.cluster.engines.engine import Answer, Work
from rosenblatt.cluster.files.file_shard import OpenFileShard
from rosenblatt.core.classes import Classes
from rosenblatt.estimators.common.learned import Features
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.estimators.streaming.shard_run import ShardRun
from rosenblatt.io.models.model_notes import notes_on


@dataclass(frozen=True)
class EpochDetails:
    """What an epoch depends on beside the samples and the weights."""

    learner: Perceptron
    classes: Classes
    seed: int
    epoch: int
    finished: tuple[bool, ...]


def learn_epoch(shard: OpenFileShard, work: Work) -> Answer:
    """Learn from the shard's samples, from the weights of the work on."""
    asked = work.details["epoch"]
    assert isinstance(asked, EpochDetails)
    assert work.weights is not None
    run = ShardRun(
        asked.learner,
        asked.classes,
        Features(shard.n_features),
        work.weights,
        np.array(asked.finished, dtype=np.bool_),
        counts_missed=asked.epoch == 0,
    )
    notes = None
    for table, order in shard.visits(asked.learner.order, asked.seed, asked.epoch):
        assert table.y is not None
        notes = notes or notes_on(table)
        run.visit(table.X, table.y, order=order)
    found = run.epoch()
    facts = {
        "visits": found.visits,
        "tally": found.tally,
        "missed": found.missed,
        "notes": notes,
        "worker": f"{socket.gethostname()}, process {os.getpid()}",
    }
    return Answer(found.weights, found.drift, facts)
