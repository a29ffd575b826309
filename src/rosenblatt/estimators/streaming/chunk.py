"""Samples of a stream, after validation."""

from typing import NamedTuple

from rosenblatt.core.types import Labels, WeightsLike
from rosenblatt.estimators.common.learned import Features
from rosenblatt.kernels.rows import Rows


class Chunk(NamedTuple):
    """Samples of a stream that have been validated, with their labels, weights and features."""

    rows: Rows
    y: Labels
    sample_weight: WeightsLike
    features: Features
