"""The distinct texts of a column, their counts and first rows, which add up over chunks."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rosenblatt.core.types import Counts
from rosenblatt.tables.cells import Texts


@dataclass(frozen=True)
class TextCounts:
    """Distinct texts in the order of their first rows, with counts and first rows.

    >>> from rosenblatt.tables.cells import texts_of
    >>> chunks = [pa.chunked_array([["b", "a"]]), pa.chunked_array([["c", "a"]])]
    >>> first, second = [TextCounts.of(texts_of(cells)) for cells in chunks]
    >>> both = first.joined(second, n_before=2)
    >>> both.values.to_pylist(), both.counts.tolist(), both.rows.tolist()
    (['b', 'a', 'c'], [1, 2, 1], [0, 1, 2])
    """

    values: pa.Array
    counts: Counts
    rows: Counts

    @classmethod
    def none(cls) -> Self:
        """Return no texts."""
        nothing = np.empty(0, np.int64)
        return cls(pa.array([], pa.string()), nothing, nothing)

    @classmethod
    def of(cls, texts: Texts) -> Self:
        """Return the texts of one chunk."""
        (present,) = np.nonzero(texts.codes >= 0)
        rows = np.zeros(len(texts.values), np.int64)
        # the last assignment wins, so assign in reverse to keep each text's first row
        rows[texts.codes[present[::-1]]] = present[::-1]
        counts = texts.counts()
        if (np.diff(rows) > 0).all():
            return cls(texts.values, counts, rows)
        order = np.argsort(rows)
        return cls(texts.values.take(pa.array(order)), counts[order], rows[order])

    @property
    def n_cells(self) -> int:
        """The number of cells that are not missing."""
        return int(self.counts.sum())

    def row_of(self, index: int) -> int:
        """Return the first row that has the text with this index."""
        return int(self.rows[index])

    def joined(self, later: Self, n_before: int) -> Self:
        """Return these texts and those of a later chunk, whose first row has the number ``n_before``."""
        rows = later.rows + n_before
        if len(self.values) == 0:
            return type(self)(later.values, later.counts, rows)
        found = pc.index_in(later.values, value_set=self.values)
        is_new = found.is_null().to_numpy(zero_copy_only=False)
        counts = self.counts.copy()
        counts[found.drop_null().to_numpy(zero_copy_only=False)] += later.counts[~is_new]
        return type(self)(
            pa.concat_arrays([self.values, later.values.filter(pa.array(is_new))]),
            np.append(counts, later.counts[is_new]),
            np.append(self.rows, rows[is_new]),
        )

    def rewritten(self, rewrite: Callable[[pa.Array], pa.Array]) -> Self:
        """Return the texts after rewriting, which may make some of them equal."""
        coded = rewrite(self.values).dictionary_encode()
        codes = coded.indices.to_numpy(zero_copy_only=False)
        counts = np.zeros(len(coded.dictionary), np.int64)
        np.add.at(counts, codes, self.counts)
        rows = np.zeros(len(coded.dictionary), np.int64)
        rows[codes[::-1]] = self.rows[::-1]
        return type(self)(coded.dictionary, counts, rows)
