"""Reading groups of rows, or parts of them, from a surveyed Parquet or Arrow file."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from rosenblatt.core.types import Counts
from rosenblatt.io.blocks.block import SourceTable
from rosenblatt.io.blocks.surveyed_source import changed
from rosenblatt.io.samples.arrow_file import data_columns
from rosenblatt.io.sources.source import Source
from rosenblatt.io.streams.tables.row_files import RowFile, errors_naming, open_rows


class SurveyedRows:
    """An open file, compared with the survey: each group when it is first read."""

    def __init__(self, source: Source, kind: str, surveyed: SourceTable) -> None:
        self._name, self._surveyed = source.name, surveyed
        self._file = source.open_seekable()
        with errors_naming(self._name):
            self._rows: RowFile = open_rows(self._file, kind)
            is_same = self._rows.outline_digest() == surveyed.outline
        if not is_same:
            raise changed(self._name, "its columns or the positions of its rows differ")
        self._number = -1
        self._parts: Iterator[pa.Table] = iter(())
        self._part, self._start = pa.table({}), 0

    def check(self, number: int) -> None:
        """Raise InputError if a group has changed since the survey."""
        with errors_naming(self._name):
            is_same = self._rows.group(number) == self._surveyed.groups[number]
        if not is_same:
            raise changed(self._name, f"its row group {number + 1} differs")

    def whole(self, number: int) -> pa.Table:
        """Return all rows of a group."""
        with errors_naming(self._name):
            return pa.concat_tables(list(self._decoded(number))).combine_chunks()

    def some(self, number: int, rows: Counts) -> pa.Table:
        """Return rows of a group by increasing numbers; continuing with later rows is fast."""
        with errors_naming(self._name):
            if number != self._number or rows[0] < self._start:
                self._number, self._parts = number, self._decoded(number)
                self._start, self._part = 0, next(self._parts)
            found = []
            while True:
                stop = self._start + self._part.num_rows
                n_here = int(np.searchsorted(rows, stop))
                if n_here:
                    found.append(taken(self._part, rows[:n_here] - self._start))
                rows = rows[n_here:]
                if not len(rows):
                    return pa.concat_tables(found)
                self._start, self._part = stop, next(self._parts)

    def close(self) -> None:
        """Close the file."""
        self._parts, self._number = iter(()), -1
        self._file.close()

    def _decoded(self, number: int) -> Iterator[pa.Table]:
        for table in self._rows.parts_of(number):
            # Arrow does not check offsets, indices or text, and would read out of bounds.
            table.validate(full=True)
            yield table.select(data_columns(table.schema))


def taken(table: pa.Table, rows: Counts) -> pa.Table:
    """Return some rows of a table, by their numbers.

    >>> taken(pa.table({"a": [1, 2, 3]}), np.array([2, 0])).column("a").to_pylist()
    [3, 1]
    """
    first, n_rows = int(rows[0]), len(rows)
    if rows[-1] - first + 1 == n_rows and (n_rows == 1 or (np.diff(rows) == 1).all()):
        return table.slice(first, n_rows)
    return table.take(pa.array(rows))
