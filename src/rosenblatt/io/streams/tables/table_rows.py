"""Samples read from tables, before they become chunks: columns, labels and places."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rosenblatt.core.types import Counts, Flags
from rosenblatt.io.samples.table import Arrangement, Reading
from rosenblatt.io.streams.regrouping import Part
from rosenblatt.io.streams.tables.table_labels import TableLabels
from rosenblatt.tables.arrow_table import stacked
from rosenblatt.tables.cells import as_decimals, texts_of
from rosenblatt.tables.text_counts import TextCounts

_LABELS = pa.dictionary(pa.int32(), pa.string())


@dataclass(frozen=True)
class TableRows:
    """Samples, their labels if any, and the numbers of their sources (from 0) and lines (from 1).

    ``labels`` are text in a dictionary array; ``stored`` is their type in the source. ``misfits`` are
    columns that had to be read as text because a cell did not fit the expected type.
    """

    X: pa.Table
    labels: pa.ChunkedArray | None
    stored: pa.DataType | None
    sources: NDArray[np.int32]
    lines: Counts
    misfits: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.lines)

    def part(self, start: int, stop: int) -> "TableRows":
        """Return a range of samples."""
        labels = None if self.labels is None else self.labels.slice(start, stop - start)
        return replace(
            self,
            X=self.X.slice(start, stop - start),
            labels=labels,
            sources=self.sources[start:stop],
            lines=self.lines[start:stop],
        )

    def label_texts(self) -> tuple[pa.Array, NDArray[np.int32]]:
        """Return the distinct labels, and for each sample the position of its label among them."""
        assert self.labels is not None
        texts = texts_of(self.labels)
        return texts.values, texts.codes

    def table_labels(self) -> TableLabels | None:
        """Return the label counts, or None without labels."""
        if self.labels is None or self.stored is None:
            return None
        return TableLabels(TextCounts.of(texts_of(self.labels)), self.stored)


NO_ROWS = TableRows(pa.table({}), None, None, np.empty(0, np.int32), np.empty(0, np.int64))
"""No samples."""


def table_rows(
    columns: pa.Table,
    arrangement: Arrangement,
    names: Sequence[str],
    lines: Counts,
    sources: NDArray[np.int32],
    *,
    needs_labels: bool,
) -> tuple[TableRows, int]:
    """Return the samples in columns, and the number of unlabeled ones left out.

    ``names`` is the order of the feature columns in the result.
    """
    features = [k for k in range(columns.num_columns) if k != arrangement.label]
    X = columns.select(features).rename_columns(arrangement.features)
    if list(arrangement.features) != list(names):
        X = X.select(names)
    if arrangement.label is None or not needs_labels:
        return TableRows(X, None, None, sources, lines), 0
    cells = columns.column(arrangement.label)
    texts = texts_of(cells, rewrite=as_decimals)
    present: Flags = texts.codes >= 0
    labels = pa.DictionaryArray.from_arrays(pa.array(texts.codes[present]), texts.values)
    rows = TableRows(
        X if present.all() else X.filter(pa.array(present)),
        pa.chunked_array([labels], _LABELS),
        cells.type,
        sources[present],
        lines[present],
    )
    return rows, len(lines) - len(rows)


def joined_rows(parts: Sequence[TableRows]) -> TableRows:
    """Concatenate samples."""
    first = parts[0]
    if len(parts) == 1:
        return first
    labels = [part.labels for part in parts if part.labels is not None]
    return TableRows(
        stacked([part.X for part in parts]),
        pa.chunked_array([chunk for array in labels for chunk in array.chunks]) if labels else None,
        first.stored,
        np.concatenate([part.sources for part in parts]),
        np.concatenate([part.lines for part in parts]),
        frozenset().union(*(part.misfits for part in parts)),
    )


TablePart = Part[TableRows]
"""The samples of a part of a source."""


def reading_options(reading: Reading) -> dict[str, object]:
    """Return the user's options for reading, as JSON."""
    options = asdict(replace(reading, expect=None))
    return {
        key: list(value) if isinstance(value, tuple) else value for key, value in options.items()
    }
