"""Finding equal samples with different labels, the cheapest proof of inseparability."""

import numpy as np

from rosenblatt.core.types import Counts, Signs
from rosenblatt.separability.signed_samples import Vectors

_BLOCK = 256


def equal_rows(samples: Vectors, codes: Counts | Signs) -> list[tuple[int, int]]:
    """Return one pair per set of equal samples: the first sample, and the first with another code.

    >>> from rosenblatt.kernels.rows import as_rows
    >>> samples = Vectors(as_rows([[1.0], [2.0], [3.0], [1.0]], 1.0), np.ones(4, dtype=np.int8), 2)
    >>> equal_rows(samples, np.array([1, -1, 1, -1]))
    [(0, 3)]
    """
    # The scores of equal samples differ at most by rounding.
    scores, lengths, norm = samples.sketch
    reach = 2 * samples.error_factor * norm * lengths + 1e-289
    order = np.argsort(scores, kind="stable")
    near = np.diff(scores[order]) <= np.maximum(reach[order[1:]], reach[order[:-1]])
    edges = np.flatnonzero(np.diff(np.concatenate([[False], near, [False]])))
    pairs = []
    for start, stop in zip(edges[::2], edges[1::2] + 1, strict=True):
        same = np.sort(order[start:stop])
        if (codes[same] != codes[same[0]]).any():
            pairs += _pairs(samples, same, codes)
    return sorted(pairs)


def _pairs(samples: Vectors, near: Counts, codes: Counts | Signs) -> list[tuple[int, int]]:
    """Return the pairs among samples with nearly the same score."""
    first: dict[bytes, int] = {}
    pairs: dict[int, int] = {}
    for start in range(0, len(near), _BLOCK):
        some = near[start : start + _BLOCK]
        # Adding zero turns -0.0 into 0.0, so equal samples have equal bytes.
        for i, sample in zip(some.tolist(), samples.unpacked(some) + 0.0, strict=True):
            same = first.setdefault(sample.tobytes(), i)
            if codes[same] != codes[i]:
                pairs.setdefault(same, i)
    return list(pairs.items())
