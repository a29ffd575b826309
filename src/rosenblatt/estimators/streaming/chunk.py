"""Samples of a stream, after validation."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Labels, LabelsLike, MatrixLike, WeightsLike
from rosenblatt.estimators.common.learned import Features
from rosenblatt.kernels.rows import DenseRows, Rows, as_rows, widened

if TYPE_CHECKING:
    from rosenblatt.estimators.streaming.stream import StreamClassifier


class Chunk(NamedTuple):
    """Samples of a stream that have been validated, with their labels, weights and features."""

    rows: Rows
    y: Labels
    sample_weight: WeightsLike
    features: Features


def validated_chunk(
    learner: "StreamClassifier", X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike
) -> Chunk:
    """Return samples that are to be learned from, whatever their features, or raise."""
    X, y, features = learner._validated(
        learner, X, y, reset=True, ensure_all_finite=learner._checks_finite
    )
    rows = widened(as_rows(X, learner._constant))
    learner._check_values(rows)
    return Chunk(rows, y, sample_weight, features)


def n_weighted(chunk: Chunk) -> int:
    """Return how many samples of a chunk have a weight above 0."""
    if chunk.sample_weight is None:
        return len(chunk.y)
    return int(np.count_nonzero(np.broadcast_to(chunk.sample_weight, len(chunk.y))))


def check_chunk(chunk: Chunk, count: int, names: Labels | None, *, may_grow: bool) -> None:
    """Raise unless a chunk has the features of those before it; sparse ones may lack the last of them.

    ``names`` are those of the features, if there are any, and ``may_grow`` says that a sparse chunk may
    bring new ones.
    """
    features = chunk.features
    if names is not None and not np.array_equal(names, _no_names(features)):
        raise InputError(
            "the names of the chunk's features are not those of the chunks before it, in the same order"
        )
    is_narrow = isinstance(chunk.rows, DenseRows) and features.count != count
    if is_narrow or (features.count > count and not may_grow):
        raise InputError(
            f"the chunk has {features.count} features, but those before it had {count}: only sparse "
            "chunks may bring others, where their number was not given"
        )


def _no_names(features: Features) -> Labels:
    return np.zeros(0) if features.names is None else features.names
