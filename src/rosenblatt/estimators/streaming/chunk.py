"""Validated chunks of a stream."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Labels, LabelsLike, MatrixLike, WeightsLike
from rosenblatt.estimators.common.learned import Features
from rosenblatt.kernels.rows import DenseRows, Rows, as_rows, widened

if TYPE_CHECKING:
    from rosenblatt.estimators.streaming.stream import StreamLearner


class Chunk(NamedTuple):
    """Validated samples of a stream, with their labels, weights and features."""

    rows: Rows
    y: Labels
    sample_weight: WeightsLike
    features: Features


def validated_chunk(
    learner: "StreamLearner", X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None
) -> Chunk:
    """Validate samples to learn from; `check_chunk` checks their number of features."""
    X, y, features = learner._validated(
        learner, X, y, reset=True, ensure_all_finite=learner._checks_finite
    )
    rows = widened(as_rows(X, learner._constant))
    learner._check_values(rows)
    return Chunk(rows, y, sample_weight, features)


def n_weighted(chunk: Chunk) -> int:
    """Return the number of samples with a weight above 0."""
    if chunk.sample_weight is None:
        return len(chunk.y)
    return int(np.count_nonzero(np.broadcast_to(chunk.sample_weight, len(chunk.y))))


def check_chunk(chunk: Chunk, count: int, names: Labels | None, *, may_grow: bool) -> None:
    """Raise InputError unless a chunk has the features of earlier chunks; sparse ones may be narrower.

    ``names`` are the feature names, if any; with ``may_grow``, sparse chunks may add features.
    """
    features = chunk.features
    if names is not None and not np.array_equal(names, _no_names(features)):
        raise InputError(
            "the chunk's feature names, or their order, differ from those of earlier chunks: give all "
            "chunks the same columns in the same order"
        )
    is_narrow = isinstance(chunk.rows, DenseRows) and features.count != count
    if is_narrow or (features.count > count and not may_grow):
        raise InputError(
            f"the chunk has {features.count} features, but earlier chunks had {count}: only sparse "
            "chunks may change the number of features, and only if n_features was not given"
        )


def _no_names(features: Features) -> Labels:
    return np.zeros(0) if features.names is None else features.names
