"""Parquet and Arrow (Feather) files in batches of rows, so that few rows are in memory at a time.

A position in such a file is after a row: its ``line`` counts rows, its ``offset`` the finished row
groups of a Parquet file, or batches of an Arrow file.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from rosenblatt.core.errors import InputError
from rosenblatt.io.samples.arrow_file import arrangement_of, data_columns
from rosenblatt.io.samples.table import Arrangement, Reading, check_same_columns
from rosenblatt.io.sources.source import Source
from rosenblatt.io.streams.regrouping import Part
from rosenblatt.io.streams.stream_position import Position
from rosenblatt.io.streams.tables.row_files import (
    MOST_ROWS,
    Batch,
    RowFile,
    errors_naming,
    open_rows,
)
from rosenblatt.io.streams.tables.table_form import TableForm
from rosenblatt.io.streams.tables.table_rows import TablePart, reading_options, table_rows
from rosenblatt.tables.text_counts import TextCounts


class _RowCuts(NamedTuple):
    """The positions after each row of a file."""

    source: int
    groups_within: Callable[[int], int]

    def after(self, line: int) -> Position:
        """Return the position after a row."""
        return Position(self.source, self.groups_within(line), line)


class ArrowParts:
    """Reads Parquet or Arrow files, batch by batch."""

    def __init__(
        self, sources: Sequence[Source], kind: str, reading: Reading, most_rows: int = MOST_ROWS
    ) -> None:
        self._sources, self._reading, self._most_rows = sources, reading, most_rows
        self._kind = kind
        self._arrangements: dict[int, Arrangement] = {}

    @property
    def is_typed(self) -> bool:
        """Whether the files themselves store column types."""
        return True

    @property
    def options(self) -> dict[str, object]:
        """The options that the parts depend on."""
        return {**reading_options(self._reading), "most_rows": self._most_rows}

    def arrangement(self, source: int) -> Arrangement:
        """Return the columns of a source."""
        if source not in self._arrangements:
            with self._opened(source) as file:
                self._arrange(source, file)
        return self._arrangements[source]

    def form(self) -> tuple[TableForm, bool]:
        """Return an empty form, which is certain if a model gives the kind of labels."""
        return TableForm({}), self._reading.expect is not None

    def check_labels(self, source: int, labels: TextCounts) -> None:
        """Do nothing: these files have no header to misread."""

    def tasks(
        self, start: Position, form: TableForm
    ) -> Generator[Callable[[], TablePart], None, None]:
        """Yield tasks that read one batch each, from a position on."""
        del form
        n_read = sum(source.n_bytes or 0 for source in self._sources[: start.source])
        for number in range(start.source, len(self._sources)):
            first = start.line if number == start.source else 0
            n_bytes = self._sources[number].n_bytes or 0
            with self._opened(number) as file:
                self._arrange(number, file)
                with closing(self._batches(number, file, first)) as batches:
                    for batch in batches:
                        n_done = batch.n_before + batch.table.num_rows
                        cuts = _RowCuts(number, file.groups_within)
                        end = cuts.after(n_done)
                        n_now = n_read + round(n_bytes * file.share(n_done))
                        yield partial(self._part, batch, end, n_now, cuts)
            n_read += n_bytes

    def _batches(self, source: int, file: RowFile, start: int) -> Generator[Batch, None, None]:
        with errors_naming(self._sources[source].name):
            for batch in file.batches(start):
                # Arrow does not check offsets, indices or text, and would read out of bounds.
                batch.table.validate(full=True)
                yield batch

    def _part(self, batch: Batch, end: Position, n_read: int, cuts: _RowCuts) -> TablePart:
        own = self._arrangements[end.source]
        table, first = batch.table, batch.n_before + 1
        rows, n_unlabeled = table_rows(
            table.select(data_columns(table.schema)),
            own,
            self.arrangement(0).features,
            np.arange(first, first + table.num_rows),
            np.full(table.num_rows, end.source, np.int32),
            needs_labels=self._reading.needs_labels,
        )
        return Part(rows, end, n_read, n_unlabeled, cuts)

    def _arrange(self, source: int, file: RowFile) -> None:
        name, schema = self._sources[source].name, file.schema
        columns = pa.schema([schema.field(k) for k in data_columns(schema)])
        own = arrangement_of(name, columns, self._reading)
        if source > 0:
            check_same_columns(name, own, self._sources[0].name, self.arrangement(0))
        self._arrangements[source] = own

    @contextmanager
    def _opened(self, source: int) -> Iterator[RowFile]:
        """Open a file; on closing, raise InputError if it has changed meanwhile."""
        stored = self._sources[source]
        stored.make_repeatable()  # this replaces standard input by a file
        before = stored.identity()
        with closing(stored.open_seekable()) as file:
            with errors_naming(stored.name):
                opened = open_rows(file, self._kind, self._most_rows)
            yield opened
        if stored.identity() != before:
            raise InputError(
                f"{stored.name}: it changed while it was read; read it while nothing writes to it"
            )
