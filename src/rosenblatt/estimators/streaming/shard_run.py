"""One epoch of one shard whose samples come in chunks.

The weights, averages and counts have the same bits however the samples are cut into chunks, and the same
as those of a shard in memory (``training.shards.array_shards``). The tally's floating-point sums, its
mass and energy, may differ in their last bits.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.core.classes import Classes
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import (
    Counts,
    Flags,
    Floats,
    Labels,
    LabelsLike,
    MatrixLike,
    WeightsLike,
)
from rosenblatt.estimators.common.learned import Features, Learned
from rosenblatt.estimators.common.validation import check_labels
from rosenblatt.estimators.streaming.chunk import Chunk, check_chunk, validated_chunk
from rosenblatt.estimators.streaming.stream_runs import PanelRun
from rosenblatt.training.deciders.average import Average
from rosenblatt.training.deciders.keep import AVERAGED
from rosenblatt.training.rules.perceptron_rule import errs
from rosenblatt.training.shards.mixing import ShardEpoch

if TYPE_CHECKING:
    from rosenblatt.estimators.perceptron import Perceptron
    from rosenblatt.estimators.streaming.online import OnlineClassifier
    from rosenblatt.estimators.streaming.perceptron_stream import PerceptronStream


class ShardRun:
    """Learns from a shard's samples for one epoch, without changing the given weights.

    ``learner`` provides the parameters and is not changed. Its ``shards`` is ignored; its
    ``class_weight`` must be None or a dict: see `balanced_weights`. ``finished`` halfspaces are not
    visited. ``margin`` replaces the learner's. With ``counts_missed``, each sample is predicted before
    learning from it, and the wrong predictions are counted.

    >>> from rosenblatt import Perceptron
    >>> classes, features = Classes(np.array(["no", "yes"])), Features(1)
    >>> none = np.zeros(1, dtype=bool)
    >>> p = Perceptron()
    >>> run = ShardRun(p, classes, features, np.zeros((1, 2)), none, counts_missed=True)
    >>> run.visit(validated_chunk(p, [[1.0], [2.0]], ["yes", "yes"]))
    >>> run.visit(validated_chunk(p, [[-1.0], [3.0]], ["no", "no"]), order=np.array([1, 0]))
    >>> epoch = run.epoch()
    >>> epoch.weights, epoch.visits, epoch.missed
    (array([[-1., -1.]]), array([4]), 3)
    """

    def __init__(
        self,
        learner: "Perceptron",
        classes: Classes,
        features: Features,
        weights: Floats,
        finished: Flags,
        *,
        margin: float | None = None,
        counts_missed: bool,
    ) -> None:
        if isinstance(learner.class_weight, str):
            raise InputError(
                f"class_weight={learner.class_weight!r} needs the whole data, but a shard has only a "
                "part: give a dict of labels to weights"
            )
        nothing = np.zeros(len(weights), dtype=np.int64)
        start = Learned(
            classes,
            features,
            weights,
            visits=nothing,
            updates=nothing,
            mistakes=nothing,
            origin=np.broadcast_to(0.0, features.count + 1),
            rate=float(learner.eta0),
            margin=learner._given_margin if margin is None else margin,
        )
        if learner.keep in AVERAGED:
            start = replace(start, kept=Average(np.zeros_like(weights)))
        self._start = start
        self._known = classes.labels if counts_missed else None
        self._missed = 0
        self._run = PanelRun(learner, start, finished)

    def visit(self, chunk: Chunk, order: Counts | None = None) -> None:
        """Visit each sample of a validated chunk once, or only the rows in ``order``."""
        features, found = self._start.features, chunk.features.names
        names = None if found is None else features.names
        check_chunk(chunk, features.count, names, may_grow=False)
        _check_classes(chunk.y, self._start.classes)
        self._missed += self._run.visit(chunk, self._known, order)

    def epoch(self) -> ShardEpoch:
        """Return the result of all chunks."""
        panel, tally = self._run.panel(), self._run.tally
        if panel is None:
            kept, start = self._start.kept, self._start
            drift = kept.drift if isinstance(kept, Average) else None
            return ShardEpoch(start.weights, drift, start.visits, tally)
        return ShardEpoch(panel.weights, panel.drift, panel.visits, tally, self._missed)


def errs_on(
    learner: "PerceptronStream | OnlineClassifier",
    classes: Classes,
    weights: Floats,
    X: MatrixLike,
    y: LabelsLike,
    sample_weight: WeightsLike = None,
) -> bool:
    """Return whether the weights misclassify any sample in any halfspace.

    As in `fit`, the learner's ties decide a score of 0, and samples and classes of weight 0 are left
    out.

    >>> from rosenblatt import Perceptron
    >>> classes, weights, X = Classes(np.array(["no", "yes"])), np.array([[1.0, 0.0]]), [[-1.0], [0.0]]
    >>> errs_on(Perceptron(), classes, weights, X, ["no", "yes"])
    True
    >>> errs_on(Perceptron(ties="positive"), classes, weights, X, ["no", "yes"])
    False
    """
    chunk = validated_chunk(learner, X, y)
    return errs(learner._problem(chunk.rows, chunk.y, sample_weight, classes), weights)


def _check_classes(y: Labels, classes: Classes) -> None:
    """Raise InputError if some label is not one of the classes."""
    known = classes.labels.tolist()
    if classes.multilabel:
        check_labels(y, len(classes))
        return
    if y.ndim == 2:
        raise InputError(
            f"y is a matrix of labels, but the classes, {known!r}, exclude each other: give one label "
            "per sample"
        )
    is_known = np.isin(y, classes.labels)
    if not is_known.all():
        unknown = y[~is_known].tolist()[0]
        raise InputError(f"y contains {unknown!r}, but the classes are {known!r}: name all of them")
