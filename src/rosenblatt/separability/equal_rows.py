"""Finding equal samples with different labels, the cheapest proof of inseparability."""

from collections.abc import Iterator
from typing import NamedTuple

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
    pairs = []
    for same in _near_sets(samples):
        if (codes[same] != codes[same[0]]).any():
            pairs += _pairs(samples, same, codes)
    return sorted(pairs)


class EqualPairs(NamedTuple):
    """The pairs of equal samples with different labels, and their mean number for permuted labels."""

    found: int
    expected: float


def equal_pairs(samples: Vectors, codes: Counts) -> EqualPairs:
    """Return how many pairs of equal samples have different codes, and how many by chance.

    The expected number is exact: the number of pairs of equal samples, times the probability that two
    samples, drawn at random, have different codes.

    >>> from rosenblatt.kernels.rows import as_rows
    >>> samples = Vectors(as_rows([[1.0], [2.0], [1.0], [1.0]], 1.0), np.ones(4, dtype=np.int8), 2)
    >>> equal_pairs(samples, np.array([0, 1, 1, 0]))
    EqualPairs(found=2, expected=2.0)
    """
    groups = np.arange(len(codes))
    for near in _near_sets(samples):
        first: dict[bytes, int] = {}
        for i, key in _keys(samples, near):
            groups[i] = first.setdefault(key, i)
    n_equal = _n_pairs(groups)
    n_differing = _n_pairs(np.zeros_like(codes)) - _n_pairs(codes)
    found = n_equal - _n_pairs(groups * (codes.max() + 1) + codes)
    return EqualPairs(found, n_equal * n_differing / _n_pairs(np.zeros_like(codes)))


def _n_pairs(groups: Counts) -> int:
    """Return the number of pairs of samples in the same group."""
    counts = np.unique(groups, return_counts=True)[1]
    return int((counts * (counts - 1) // 2).sum())


def _near_sets(samples: Vectors) -> Iterator[Counts]:
    """Yield sets of at least two samples, in ascending order; equal samples are in the same set."""
    # The scores of equal samples differ at most by rounding.
    scores, lengths, norm = samples.sketch
    reach = 2 * samples.error_factor * norm * lengths + 1e-289
    order = np.argsort(scores, kind="stable")
    near = np.diff(scores[order]) <= np.maximum(reach[order[1:]], reach[order[:-1]])
    edges = np.flatnonzero(np.diff(np.concatenate([[False], near, [False]])))
    for start, stop in zip(edges[::2], edges[1::2] + 1, strict=True):
        yield np.sort(order[start:stop])


def _pairs(samples: Vectors, near: Counts, codes: Counts | Signs) -> list[tuple[int, int]]:
    """Return the pairs among samples with nearly the same score."""
    first: dict[bytes, int] = {}
    pairs: dict[int, int] = {}
    for i, key in _keys(samples, near):
        same = first.setdefault(key, i)
        if codes[same] != codes[i]:
            pairs.setdefault(same, i)
    return list(pairs.items())


def _keys(samples: Vectors, order: Counts) -> Iterator[tuple[int, bytes]]:
    """Yield each sample with its bytes, which are the same for equal samples."""
    for start in range(0, len(order), _BLOCK):
        some = order[start : start + _BLOCK]
        # Adding zero turns -0.0 into 0.0.
        for i, sample in zip(some.tolist(), samples.unpacked(some) + 0.0, strict=True):
            yield i, sample.tobytes()
