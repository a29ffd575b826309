"""A shard's part of what is proved of all samples: margins under weights, and the digest of all."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from sklearn.base import clone

from rosenblatt.certificates.digest_parts import DigestPlan, stretch_facts, stretch_hashes
from rosenblatt.cluster.engines.engine import Answer, Work
from rosenblatt.cluster.files.file_shard import OpenFileShard
from rosenblatt.core.classes import Classes
from rosenblatt.core.labels import numbers_of
from rosenblatt.core.types import Floats, LabelsLike, MatrixLike
from rosenblatt.estimators.common.learned import Features, Learned
from rosenblatt.estimators.common.run import Run
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.estimators.streaming.shard_run import errs_on
from rosenblatt.separability.sharded.claims import (
    Asked,
    Chunk,
    Claim,
    halfspace_claims,
    joint_claim,
)
from rosenblatt.separability.sharded.measured import Measured, joined, margins
from rosenblatt.separability.sharded.picked_rows import first_rows, worst_rows
from rosenblatt.training.outcomes import Outcome


@dataclass(frozen=True)
class MeasureDetails:
    """What is asked of weights: whether they separate all samples, and what a learner says by them."""

    asked: Asked
    learner: Perceptron
    classes: Classes

    @property
    def is_joint(self) -> bool:
        """Whether the weights of all classes decide jointly."""
        return self.learner.multiclass == "joint" and len(self.classes) > 2

    def claims(self, weights: Floats) -> list[Claim]:
        """Return what weights claim: a row for each halfspace, or all of them jointly."""
        if self.is_joint:
            return [joint_claim(weights)]
        return halfspace_claims(self.asked.classes, weights)

    def deciding(self, weights: Floats) -> Perceptron:
        """Return a learner that predicts by the weights."""
        count = weights.shape[1] - 1
        origin = np.zeros(count + 1)
        start = Learned.new(self.classes, Features(count), origin, float(self.learner.eta0))
        learner: Perceptron = clone(self.learner).set_params(keep="last")
        learner.restore(replace(start, weights=weights.copy()), Run(Outcome.MIXED))
        return learner


def measure_weights(shard: OpenFileShard, work: Work) -> Answer:
    """Count the samples that weights are wrong about, exactly, and find their least margins."""
    details, weights = work.details["measure"], work.weights
    assert isinstance(details, MeasureDetails)
    assert weights is not None
    asked, claims, learner = details.asked, details.claims(weights), details.deciding(weights)
    found: list[list[Measured]] = [[] for _ in claims]
    longest, n_wrong, is_mistaken, own_weights = 0.0, 0, False, weights.copy()
    for table, numbers in shard.chunks():
        assert table.y is not None
        chunk = Chunk(table.X, numbers_of(table.y, asked.classes), numbers)
        longest = max(longest, float(asked.samples(chunk.X).lengths.max(initial=0.0)))
        predicted = learner.predict(chunk.X)
        n_wrong += int(np.count_nonzero(predicted != asked.classes[chunk.codes]))
        if not is_mistaken:
            is_mistaken = errs_on(
                details.learner, details.classes, own_weights, table.X, table.y, table.weights
            )
        for own, claim in zip(found, claims, strict=True):
            own.append(margins(asked, claim, chunk).measured)
    facts = {
        "measured": [joined(own) for own in found],
        "longest": longest,
        "n_wrong": n_wrong,
        "errs": is_mistaken,
    }
    return Answer(facts=facts)


def signed_chunks(shard: OpenFileShard, asked: Asked) -> Iterator[Chunk]:
    """Yield the shard's samples with the codes of their classes."""
    for table, numbers in shard.chunks():
        assert table.y is not None
        yield Chunk(table.X, numbers_of(table.y, asked.classes), numbers)


def find_first(shard: OpenFileShard, work: Work) -> Answer:
    """Find the samples that a search for a separating hyperplane begins with."""
    asked = work.details["asked"]
    chunks = signed_chunks(shard, asked)
    return Answer(facts={"first": first_rows(asked, chunks, work.details["n_rows"])})


def find_worst(shard: OpenFileShard, work: Work) -> Answer:
    """Find the samples that contradict weights most, for each of some claims."""
    asked, claims = work.details["asked"], work.details["claims"]
    chunks = signed_chunks(shard, asked)
    return Answer(facts={"worst": worst_rows(asked, claims, chunks, work.details["n_rows"])})


def count_stretch(shard: OpenFileShard, work: Work) -> Answer:
    """Count what is to be known of a stretch of samples before they are hashed."""
    del work
    return Answer(facts={"stretch": stretch_facts(_labelled(shard))})


def hash_stretch(shard: OpenFileShard, work: Work) -> Answer:
    """Hash a stretch of samples."""
    plan = work.details["plan"]
    assert isinstance(plan, DigestPlan)
    return Answer(facts={"hashes": stretch_hashes(_labelled(shard), plan, shard.number)})


def _labelled(shard: OpenFileShard) -> Iterator[tuple[MatrixLike, LabelsLike]]:
    for table in shard.stretch():
        assert table.y is not None
        yield table.X, np.asarray(table.y)
