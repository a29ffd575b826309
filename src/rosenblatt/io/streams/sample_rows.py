"""Sparse samples on their way from text to chunks: cut, joined, chosen, hashed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rosenblatt.core.types import Counts, Flags, Floats

Columns = NDArray[np.int32]


class Parsed(Protocol):
    """What a parser of lines returns; see ``line_parsers``."""

    @property
    def labels(self) -> Floats:
        """The labels; NaN: the line has none."""

    @property
    def values(self) -> Floats:
        """The values, row by row."""

    @property
    def indices(self) -> Columns:
        """Their indices, as written."""

    @property
    def indptr(self) -> Columns:
        """Where the values of each sample begin."""

    @property
    def weights(self) -> Floats | None:
        """The weights of the samples, unless all are 1."""

    @property
    def n_lines(self) -> int:
        """The number of lines that were parsed."""

    @property
    def lines(self) -> Counts | None:
        """Which line, from 0, has each sample; None: each line has one."""


@dataclass(frozen=True)
class SampleRows:
    """Samples in compressed sparse rows, the numbers of their sources, and of their lines, from 1."""

    labels: Floats
    values: Floats
    indices: Columns
    indptr: Columns
    weights: Floats | None
    sources: Columns
    lines: Counts

    def __len__(self) -> int:
        return len(self.labels)

    def part(self, start: int, stop: int) -> "SampleRows":
        """Return some samples that follow each other."""
        first, last = self.indptr[start], self.indptr[stop]
        return SampleRows(
            self.labels[start:stop],
            self.values[first:last],
            self.indices[first:last],
            self.indptr[start : stop + 1] - first,
            None if self.weights is None else self.weights[start:stop],
            self.sources[start:stop],
            self.lines[start:stop],
        )

    def among(self, kept: Flags) -> "SampleRows":
        """Return some samples."""
        X = sp.csr_matrix((self.values, self.indices, self.indptr), shape=(len(kept), _ALL))[kept]
        return SampleRows(
            self.labels[kept],
            X.data,
            X.indices,
            X.indptr,
            None if self.weights is None else self.weights[kept],
            self.sources[kept],
            self.lines[kept],
        )

    def labelled(self) -> "SampleRows":
        """Return the samples that have a label."""
        unlabelled = np.isnan(self.labels)
        return self.among(~unlabelled) if unlabelled.any() else self

    def hashed(self, bits: int) -> "SampleRows":
        """Return samples whose indices are taken modulo 2**bits; the values of equal ones are added."""
        if not len(self.indices) or self.indices.max() >> bits == 0:
            return self
        indices = self.indices & np.int32((1 << bits) - 1)
        X = sp.csr_matrix((self.values, indices, self.indptr), shape=(len(self), 1 << bits))
        X.sum_duplicates()
        return replace(self, values=X.data, indices=X.indices, indptr=X.indptr)

    def row_of(self, place: int) -> int:
        """Return which sample has one of the values."""
        return int(np.searchsorted(self.indptr, place, side="right")) - 1


_ALL = 2**31 - 1  # more columns than int32 has cannot be


def rows_of(parsed: Parsed, source: int, first_line: int) -> SampleRows:
    """Return the samples that were parsed from lines of a source."""
    n = len(parsed.labels)
    lines = np.arange(n) if parsed.lines is None else parsed.lines
    return SampleRows(
        parsed.labels,
        parsed.values,
        parsed.indices,
        parsed.indptr,
        parsed.weights,
        np.full(n, source, np.int32),
        lines + first_line,
    )


def parsed_rows(
    parsed: Parsed, source: int, first_line: int, hash_bits: int | None, *, needs_labels: bool
) -> tuple[SampleRows, int]:
    """Return the samples that were parsed from lines of a source, and how many were left out.

    Those are left out that have no label, if labels are needed. Indices are taken modulo
    ``2**hash_bits`` if that is given.
    """
    rows = rows_of(parsed, source, first_line)
    if hash_bits is not None:
        rows = rows.hashed(hash_bits)
    kept = rows.labelled() if needs_labels else rows
    return kept, len(rows) - len(kept)


def joined(parts: Sequence[SampleRows]) -> SampleRows:
    """Return samples one after another."""
    if len(parts) == 1:
        return parts[0]
    weights = None
    if any(part.weights is not None for part in parts):
        weights = np.concatenate(
            [np.ones(len(part)) if part.weights is None else part.weights for part in parts]
        )
    starts = np.cumsum([0, *(len(part.values) for part in parts)])
    indptr = [part.indptr[:-1] + start for part, start in zip(parts, starts, strict=False)]
    return SampleRows(
        np.concatenate([part.labels for part in parts]),
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.indices for part in parts]),
        np.concatenate([*indptr, starts[-1:]]).astype(np.int32),
        weights,
        np.concatenate([part.sources for part in parts]),
        np.concatenate([part.lines for part in parts]),
    )
