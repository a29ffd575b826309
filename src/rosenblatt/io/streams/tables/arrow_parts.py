"""Parquet and Arrow (Feather) files in batches of rows, so that few of them are in memory at a time.

A position in such a file is after a row: its ``line`` counts rows, its ``offset`` those row groups of
a Parquet file, or batches of an Arrow file, that are done.
"""

from bisect import bisect_right
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from itertools import accumulate
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.ipc as pa_ipc

from rosenblatt.core.errors import InputError
from rosenblatt.io.samples.arrow_file import arranged, open_parquet, own_columns
from rosenblatt.io.samples.table import Arrangement, Reading, check_same_columns
from rosenblatt.io.sources.source import Source
from rosenblatt.io.streams.regrouping import Part
from rosenblatt.io.streams.stream_position import Position
from rosenblatt.io.streams.tables.table_form import TableForm
from rosenblatt.io.streams.tables.table_rows import TablePart, reading_options, table_rows
from rosenblatt.tables.text_counts import TextCounts

MOST_ROWS = 2**16
"""That are read at a time."""
_BYTES = 2**24  # about as many of them, unpacked


class _Batch(NamedTuple):
    """Rows that follow each other, and how many are before them in the file."""

    table: pa.Table
    n_before: int


class _TableFile(Protocol):
    """An open file of tables."""

    @property
    def schema(self) -> pa.Schema:
        """Its columns."""

    def batches(self, start: int) -> Iterator[_Batch]:
        """Yield the rows after the first ones."""

    def groups_within(self, n_rows: int) -> int:
        """Return how many groups the first rows have."""

    def share(self, n_rows: int) -> float:
        """Return about what share of the file the first rows are, for whoever waits."""


class _Parquet:
    """A Parquet file: its row groups, large ones in parts, several small ones together."""

    def __init__(self, file: pa.NativeFile, most_rows: int) -> None:
        self._file = open_parquet(file)
        groups = [self._file.metadata.row_group(k) for k in range(self._file.num_row_groups)]
        self._sizes = [(group.num_rows, group.total_byte_size) for group in groups]
        self._ends = list(accumulate(n_rows for n_rows, _ in self._sizes))
        self._most_rows = most_rows
        self.schema = self._file.schema_arrow

    def batches(self, start: int) -> Iterator[_Batch]:
        """Yield the rows after the first ones."""
        group = bisect_right(self._ends, start)
        while group < len(self._sizes):
            n_before = self._ends[group] - self._sizes[group][0]
            n_groups = self._together(group)
            n_rows, n_bytes = self._sizes[group]
            size = _rows_at_a_time(n_rows, n_bytes, self._most_rows)
            if n_groups > 1:
                tables = iter([self._file.read_row_groups(list(range(group, group + n_groups)))])
            else:
                batches = self._file.iter_batches(size, row_groups=[group])
                tables = (pa.Table.from_batches([batch]) for batch in batches)
            for table in tables:
                skipped = min(max(start - n_before, 0), table.num_rows)
                if skipped < table.num_rows:
                    yield _Batch(table.slice(skipped), n_before + skipped)
                n_before += table.num_rows
            group += n_groups

    def groups_within(self, n_rows: int) -> int:
        """Return how many row groups the first rows have."""
        return bisect_right(self._ends, n_rows)

    def share(self, n_rows: int) -> float:
        """Return what share of all rows the first ones are."""
        return n_rows / self._ends[-1]

    def _together(self, group: int) -> int:
        """Return how many row groups, from one on, are small enough to be read together."""
        n_rows = n_bytes = 0
        for k, (own_rows, own_bytes) in enumerate(self._sizes[group:]):
            n_rows, n_bytes = n_rows + own_rows, n_bytes + own_bytes
            if n_rows > self._most_rows or n_bytes > _BYTES:
                return max(k, 1)
        return len(self._sizes) - group


class _Arrow:
    """An Arrow file: its batches, large ones in parts, several small ones together."""

    def __init__(self, file: pa.NativeFile, most_rows: int) -> None:
        self._file = pa_ipc.open_file(file)
        self._ends: list[int] = []
        self._most_rows = most_rows
        self.schema = self._file.schema

    def batches(self, start: int) -> Iterator[_Batch]:
        """Yield the rows after the first ones."""
        self._ends = []
        held, n_before = self.schema.empty_table(), start
        for k in range(self._file.num_record_batches):
            table = pa.Table.from_batches([self._file.get_batch(k)])
            if k == 0:
                size = _rows_at_a_time(table.num_rows, table.nbytes, self._most_rows)
            end = (self._ends[-1] if self._ends else 0) + table.num_rows
            self._ends.append(end)
            if end > start:
                held = pa.concat_tables([held, table.slice(max(0, start - end + table.num_rows))])
            while held.num_rows >= size:
                yield _Batch(held.slice(0, size), n_before)
                held, n_before = held.slice(size), n_before + size
        if held.num_rows:
            yield _Batch(held, n_before)

    def groups_within(self, n_rows: int) -> int:
        """Return how many of the batches that were read the first rows have."""
        return bisect_right(self._ends, n_rows)

    def share(self, n_rows: int) -> float:
        """Return about what share of all batches the first rows have."""
        return self.groups_within(n_rows) / self._file.num_record_batches


def _rows_at_a_time(n_rows: int, n_bytes: int, most: int) -> int:
    return max(1, min(most, _BYTES * n_rows // max(n_bytes, 1))) if n_rows else most


class _RowCuts(NamedTuple):
    """Where rows of a file can be cut: after each of them."""

    source: int
    groups_within: Callable[[int], int]

    def after(self, line: int) -> Position:
        """Return the position after a row."""
        return Position(self.source, self.groups_within(line), line)


class ArrowParts:
    """The samples of Parquet or Arrow files, batch by batch."""

    def __init__(
        self, sources: Sequence[Source], kind: str, reading: Reading, most_rows: int = MOST_ROWS
    ) -> None:
        self._sources, self._reading, self._most_rows = sources, reading, most_rows
        self._open = _Parquet if kind == "parquet" else _Arrow
        self._arrangements: dict[int, Arrangement] = {}

    @property
    def is_typed(self) -> bool:
        """Whether the files themselves say what their columns hold."""
        return True

    @property
    def options(self) -> dict[str, object]:
        """What the parts depend on beside the sources."""
        return {**reading_options(self._reading), "most_rows": self._most_rows}

    def arrangement(self, source: int) -> Arrangement:
        """Return how the columns of a source are arranged."""
        if source not in self._arrangements:
            with self._opened(source) as file:
                self._arrange(source, file)
        return self._arrangements[source]

    def form(self) -> tuple[TableForm, bool]:
        """Return that nothing need be known, but the kind of labels where there is no model."""
        return TableForm({}), self._reading.expect is not None

    def check_labels(self, source: int, labels: TextCounts) -> None:
        """Do nothing: such a file says what its first row is."""

    def works(
        self, start: Position, form: TableForm
    ) -> Generator[Callable[[], TablePart | None], None, None]:
        """Yield what makes samples of one batch after another, from a position on."""
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

    def _batches(self, source: int, file: _TableFile, start: int) -> Generator[_Batch, None, None]:
        with _named(self._sources[source].name):
            for batch in file.batches(start):
                # Arrow looks at no offset, index or text before it is used, then in a wrong place.
                batch.table.validate(full=True)
                yield batch

    def _part(self, batch: _Batch, end: Position, n_read: int, cuts: _RowCuts) -> TablePart:
        own = self._arrangements[end.source]
        table, first = batch.table, batch.n_before + 1
        rows, n_unlabelled = table_rows(
            table.select(own_columns(table.schema)),
            own,
            self.arrangement(0).features,
            np.arange(first, first + table.num_rows),
            end.source,
            needs_labels=self._reading.needs_labels,
        )
        return Part(rows, end, n_read, n_unlabelled, cuts)

    def _arrange(self, source: int, file: _TableFile) -> None:
        name, schema = self._sources[source].name, file.schema
        columns = pa.schema([schema.field(k) for k in own_columns(schema)])
        own = arranged(name, columns, self._reading)
        if source > 0:
            check_same_columns(name, own, self._sources[0].name, self.arrangement(0))
        self._arrangements[source] = own

    @contextmanager
    def _opened(self, source: int) -> Iterator[_TableFile]:
        """Open a file; raise if it has changed when it is closed."""
        place = self._sources[source]
        place.keep()  # which makes another place of standard input
        before = place.identity()
        with closing(place.open_at_random()) as file:
            with _named(place.name):
                opened = self._open(file, self._most_rows)
            yield opened
        if place.identity() != before:
            raise InputError(f"{place.name}: it has changed while it was read")


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Name the file in what Arrow says of it."""
    try:
        yield
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise InputError(f"{name}: cannot be read ({str(error).splitlines()[0]:.200})") from error
