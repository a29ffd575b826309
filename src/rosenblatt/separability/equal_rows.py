"""The contradiction that is free to find: equal samples with different labels."""

import numpy as np

from rosenblatt.separability.vectors import Vectors
from rosenblatt.typing import Counts, Floats, Signs

_SEED = 0
_BLOCK = 256


def equal_rows(vectors: Vectors, codes: Counts | Signs) -> list[tuple[int, int]]:
    """Return pairs of equal samples with different codes: of equal samples, the first of two codes.

    The vectors are the samples, or their negatives where the sign is -1.

    >>> from rosenblatt.rows import as_rows
    >>> signs = np.array([1, -1, 1, -1], dtype=np.int8)
    >>> vectors = Vectors(as_rows([[1.0], [2.0], [3.0], [1.0]], 1.0), signs, 2)
    >>> equal_rows(vectors, signs)
    [(0, 3)]
    """
    candidates = _of_repeated_length(vectors)
    if len(candidates) == 0:
        return []
    # Equal samples have scores that differ by no more than rounding.
    direction = np.random.default_rng(_SEED).standard_normal(vectors.dimension)
    scores = vectors.signs * vectors.margins(direction)
    reach = 2 * vectors.bands(direction)
    order = candidates[np.argsort(scores[candidates], kind="stable")]
    apart = np.diff(scores[order]) > np.maximum(reach[order[1:]], reach[order[:-1]])
    pairs = []
    for near in np.split(order, np.flatnonzero(apart) + 1):
        if len(near) > 1 and (codes[near] != codes[near[0]]).any():
            pairs += _pairs(vectors, np.sort(near), codes)
    return sorted(pairs)


def _pairs(vectors: Vectors, near: Counts, codes: Counts | Signs) -> list[tuple[int, int]]:
    """Return, of each set of equal samples among these, the first one and the first of another code."""
    first: dict[bytes, int] = {}
    pairs: dict[int, int] = {}
    for start in range(0, len(near), _BLOCK):
        for i, sample in zip(
            near[start : start + _BLOCK].tolist(),
            _samples(vectors, near[start : start + _BLOCK]),
            strict=True,
        ):
            same = first.setdefault(sample.tobytes(), i)
            if codes[same] != codes[i]:
                pairs.setdefault(same, i)
    return list(pairs.items())


def _of_repeated_length(vectors: Vectors) -> Counts:
    """Return the vectors whose length another one has too."""
    order = np.argsort(vectors.lengths, kind="stable")
    lengths = vectors.lengths[order]
    same = np.flatnonzero(lengths[1:] == lengths[:-1])
    return order[np.union1d(same, same + 1)]


def _samples(vectors: Vectors, order: Counts) -> Floats:
    """Return samples as the rows of an array, without negative zeros."""
    samples: Floats = vectors.unpacked(order) * vectors.signs[order][:, None] + 0.0
    return samples
