"""The few samples that a shard sends: the first ones, and those that lie worst for some weights.

A shard goes over its chunks and keeps what it may have to send, never more than that and a chunk. Which
samples are sent does not depend on how a shard is cut into chunks: of equal margins the first are worst.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.core.types import Counts, Floats, MatrixLike, is_sparse
from rosenblatt.separability.checked_input import as_samples, check_lengths
from rosenblatt.separability.sharded.claims import Asked, Chunk, Claim
from rosenblatt.separability.sharded.measured import Measured, joined, margins

_NUMBERS = 5_000_000
"""A shard sends so many numbers at most,"""
_FEWEST = 16
"""but so many of the worst samples in any case, and the first of each class."""


class FirstRows(NamedTuple):
    """Some samples of a shard, and how many it has."""

    rows: Chunk | None
    n_samples: int


class WorstRows(NamedTuple):
    """What weights do on the samples of a shard, and those with the lowest margins that are short."""

    rows: Chunk | None
    measured: Measured


def first_rows(asked: Asked, chunks: Iterable[Chunk], n_rows: int) -> FirstRows:
    """Return the samples of a shard that a search begins with; all of them are checked on the way.

    They are the first ones, of all and of each class; without an intercept, those that are zero; the
    longest, and the one with the most numbers, which the radius of all depends on.

    >>> X, codes = np.array([[1.0], [2.0], [9.0], [3.0], [4.0]]), np.array([0, 0, 0, 0, 1])
    >>> first_rows(Asked(np.array([0, 1]), 1.0), [Chunk(X, codes, np.arange(5))], 2).rows.numbers
    array([0, 1, 2, 4])
    """
    first = _First(asked, n_rows)
    for chunk in chunks:
        if len(chunk.codes):
            first.take(_checked(chunk))
    return first.rows()


def worst_rows(
    asked: Asked, claims: Sequence[Claim], chunks: Iterable[Chunk], n_rows: int
) -> list[WorstRows]:
    """Return what each of some claims comes to on the samples of a shard, which are read once for all.

    >>> asked, claim = Asked(np.array([0, 1]), 0.0), Claim(1, np.array([1.0, 0.0]))
    >>> chunk = Chunk(np.array([[5.0], [-1.0], [-3.0]]), np.array([1, 1, 1]), np.array([7, 8, 9]))
    >>> (worst,) = worst_rows(asked, [claim], [chunk], 1)
    >>> worst.rows.numbers, worst.measured.n_mistakes
    (array([9]), 2)
    """
    kept = [_Worst(n_rows) for _ in claims]
    for chunk in chunks:
        for claim, worst in zip(claims, kept, strict=True):
            worst.take(asked, claim, chunk)
    return [WorstRows(worst.rows, worst.measured) for worst in kept]


def gathered(parts: Sequence[Chunk]) -> Chunk:
    """Return the samples of several parts, each once, by their numbers.

    >>> one, two = Chunk([[1.0]], np.array([0]), np.array([4])), Chunk([[2.0]], [1], [3])
    >>> gathered([one, two, one]).numbers
    array([3, 4])
    """
    numbers, first = np.unique(np.concatenate([part.numbers for part in parts]), return_index=True)
    X = _stacked([part.X for part in parts])[first]
    return Chunk(X, np.concatenate([part.codes for part in parts])[first], numbers)


class _First:
    """The samples of a shard that a search begins with, as far as it was read."""

    def __init__(self, asked: Asked, n_rows: int) -> None:
        self._asked, self._n_rows = asked, n_rows
        self._kept: list[Chunk] = []
        self._largest: list[tuple[float, Chunk]] = []
        self._seen = np.zeros(len(asked.classes), dtype=np.int64)
        self._n_zero = self._n_numbers = 0

    def take(self, chunk: Chunk) -> None:
        """Look at the next samples."""
        measures, sizes = _measures(self._asked, chunk), _sizes(chunk.X)
        first, places = int(self._seen.sum()), self._seen[chunk.codes] + _places(chunk.codes)
        zeros = measures[0] == 0.0
        wanted = np.arange(first, first + len(places)) < self._n_rows
        wanted |= places < self._n_rows // len(self._seen)
        wanted |= zeros & (np.cumsum(zeros) + self._n_zero <= self._n_rows)
        n_numbers = np.cumsum(sizes * wanted) + self._n_numbers
        wanted = (wanted & (n_numbers <= _NUMBERS)) | (places == 0)
        self._kept.append(_some(chunk, np.flatnonzero(wanted)))
        tops = [int(np.argmax(measure)) for measure in measures]
        own = [
            (float(measure[top]), _some(chunk, np.array([top])))
            for measure, top in zip(measures, tops, strict=True)
        ]
        before = self._largest or own
        self._largest = [
            new if new[0] > old[0] else old for new, old in zip(own, before, strict=True)
        ]
        self._seen += np.bincount(chunk.codes, minlength=len(self._seen))
        self._n_zero += int(zeros.sum())
        self._n_numbers = int(n_numbers[-1])

    def rows(self) -> FirstRows:
        """Return the samples that are sent."""
        if not self._kept:
            return FirstRows(None, 0)
        largest = [one for _, one in self._largest]
        return FirstRows(gathered([*self._kept, *largest]), int(self._seen.sum()))


class _Worst:
    """The samples of a shard with the lowest margins so far, and what was measured of all."""

    def __init__(self, n_rows: int) -> None:
        self._n_rows = n_rows
        self._values: Floats = np.zeros(0)
        self.rows: Chunk | None = None
        self.measured = Measured()

    def take(self, asked: Asked, claim: Claim, chunk: Chunk) -> None:
        """Look at the next samples."""
        found = margins(asked, claim, chunk)
        self.measured = joined([self.measured, found.measured])
        short = np.flatnonzero(found.short)
        lowest = short[self._lowest(found.values[short], chunk.numbers[short])]
        if len(lowest) == 0:
            return
        some, values = _some(chunk, lowest), found.values[lowest]
        if self.rows is not None:
            X = _stacked([self.rows.X, some.X])
            codes = np.concatenate([self.rows.codes, some.codes])
            some = Chunk(X, codes, np.concatenate([self.rows.numbers, some.numbers]))
            values = np.concatenate([self._values, values])
        lowest = self._lowest(values, some.numbers)
        # Not more numbers than can be sent; what is left out now would be left out later as well.
        few = np.cumsum(_sizes(some.X)[lowest]) <= _NUMBERS
        few[:_FEWEST] = True
        lowest = lowest[few]
        self.rows, self._values = _some(some, lowest), values[lowest]

    def _lowest(self, values: Floats, numbers: Counts) -> Counts:
        """Return the places of the lowest values, the first of equals; NaN is the lowest of all."""
        known = np.where(np.isnan(values), -np.inf, values)
        return np.lexsort((numbers, known))[: self._n_rows]


def _checked(chunk: Chunk) -> Chunk:
    X, codes, _ = as_samples(chunk.X, chunk.codes, accepts_one_label=True)
    return Chunk(X, codes, chunk.numbers)


def _places(codes: Counts) -> Counts:
    """Return the place of each sample among those of its own class.

    >>> _places(np.array([1, 0, 1, 1]))
    array([0, 0, 1, 2])
    """
    counts, order = np.bincount(codes), np.argsort(codes, kind="stable")
    places = np.empty(len(codes), dtype=np.int64)
    places[order] = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
    return places


def _measures(asked: Asked, chunk: Chunk) -> list[Floats]:
    """Return the length of each sample, with and without the constant, and how many numbers it has."""
    samples = asked.samples(chunk.X)
    check_lengths(samples.lengths, chunk.numbers)
    bare = samples
    if asked.margin == "affine":
        bare = replace(asked, constant=0.0).samples(chunk.X)
    return [samples.lengths, bare.lengths, _sizes(chunk.X).astype(np.float64)]


def _sizes(X: MatrixLike) -> Counts:
    """Return how many numbers are stored for each sample."""
    if is_sparse(X):
        stored: Counts = np.diff(X.indptr).astype(np.int64)
        return stored
    return np.full(X.shape[0], X.shape[1], dtype=np.int64)


def _some(chunk: Chunk, rows: Counts) -> Chunk:
    return Chunk(chunk.X[rows], chunk.codes[rows], chunk.numbers[rows])


def _stacked(parts: Sequence[MatrixLike]) -> MatrixLike:
    if any(is_sparse(part) for part in parts):
        return sp.csr_array(sp.vstack(parts, format="csr"))
    return np.vstack(parts)
