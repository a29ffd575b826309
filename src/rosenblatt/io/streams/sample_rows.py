"""Sparse samples parsed from text, before they become chunks."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rosenblatt.core.types import Counts, Floats
from rosenblatt.io.samples.libsvm_parser import parse_libsvm

Columns = NDArray[np.int32]


@dataclass(frozen=True)
class SampleRows:
    """Samples in CSR form, with the numbers of their sources (from 0) and lines (from 1)."""

    labels: Floats
    values: Floats
    indices: Columns
    indptr: Columns
    sources: Columns
    lines: Counts

    def __len__(self) -> int:
        return len(self.labels)

    def part(self, start: int, stop: int) -> "SampleRows":
        """Return a range of samples."""
        first, last = self.indptr[start], self.indptr[stop]
        return SampleRows(
            self.labels[start:stop],
            self.values[first:last],
            self.indices[first:last],
            self.indptr[start : stop + 1] - first,
            self.sources[start:stop],
            self.lines[start:stop],
        )

    def row_of(self, position: int) -> int:
        """Return the sample that the value at a position belongs to."""
        return int(np.searchsorted(self.indptr, position, side="right")) - 1


def parsed_rows(data: bytes, name: str, source: int, first_line: int) -> tuple[SampleRows, int]:
    """Parse libsvm text; return its samples and number of lines.

    The text is part of the source with this name and number, starting at ``first_line``.
    """
    parsed = parse_libsvm(data, name, first_line)
    n = len(parsed.labels)
    lines = np.arange(n) if parsed.lines is None else parsed.lines
    rows = SampleRows(
        parsed.labels,
        parsed.values,
        parsed.indices,
        parsed.indptr,
        np.full(n, source, np.int32),
        lines + first_line,
    )
    return rows, parsed.n_lines


def joined(parts: Sequence[SampleRows]) -> SampleRows:
    """Concatenate samples."""
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *(len(part.values) for part in parts)])
    indptr = [part.indptr[:-1] + start for part, start in zip(parts, starts, strict=False)]
    return SampleRows(
        np.concatenate([part.labels for part in parts]),
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.indices for part in parts]),
        np.concatenate([*indptr, starts[-1:]]).astype(np.int32),
        np.concatenate([part.sources for part in parts]),
        np.concatenate([part.lines for part in parts]),
    )
