"""The round after learning: training errors, mistakes by the learner's rule, and the longest row."""

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
from rosenblatt.estimators.streaming.shard_run import errs_on
from rosenblatt.kernels.rows import as_rows
from rosenblatt.separability.signed_samples import Vectors
from rosenblatt.training.outcomes import Outcome


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
    """Count the samples that the weights misclassify, and measure the longest row."""
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
