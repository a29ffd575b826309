"""Open Parquet and Arrow (Feather) files: rows in groups, few of them in memory at a time."""

import hashlib
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from typing import NamedTuple, Protocol

import pyarrow as pa
import pyarrow.ipc as pa_ipc

from rosenblatt.core.errors import InputError
from rosenblatt.io.samples.arrow_file import open_parquet
from rosenblatt.io.streams.byte_pieces import Hash

MOST_ROWS = 2**16
"""The most rows that are read at a time."""
_BYTES = 2**24  # about the most bytes read at a time, decompressed
_HASHED = 2**20
_VALUE = 8
_FOOTER = 8  # the last bytes of a Parquet file: how long its footer is, and PAR1


class Batch(NamedTuple):
    """Consecutive rows, and the number of rows before them in the file."""

    table: pa.Table
    n_before: int


class Group(NamedTuple):
    """A row group of a Parquet file, or a batch of an Arrow file: its rows and approximate size.

    ``digest`` is the SHA-256 of a row group's stored bytes, column by column, or of a batch's
    decompressed values, including its dictionaries.
    """

    n_rows: int
    n_bytes: int
    digest: str = ""


class RowFile(Protocol):
    """An open file of rows."""

    @property
    def schema(self) -> pa.Schema:
        """The schema of the columns."""

    @property
    def n_groups(self) -> int:
        """The number of groups of rows."""

    def batches(self, start: int) -> Iterator[Batch]:
        """Yield the rows after the first ``start`` rows."""

    def groups_within(self, n_rows: int) -> int:
        """Return the number of groups that end within the first ``n_rows`` rows."""

    def share(self, n_rows: int) -> float:
        """Return the approximate share of the file in its first ``n_rows`` rows, to show progress."""

    def group_sizes(self) -> list[Group]:
        """Return all groups, without digests."""

    def group(self, number: int) -> Group:
        """Return a group with its digest; all of it must have been read before."""

    def parts_of(self, number: int) -> Iterator[pa.Table]:
        """Yield the rows of a group, in small parts if possible."""

    def outline_digest(self) -> str:
        """Return the SHA-256 of the metadata: the types and positions of the rows."""


class ParquetRows:
    """A Parquet file: its row groups, large ones in parts, several small ones together."""

    def __init__(self, file: pa.NativeFile, most_rows: int = MOST_ROWS) -> None:
        self._stored = file
        self._file = open_parquet(file)
        groups = [self._file.metadata.row_group(k) for k in range(self._file.num_row_groups)]
        self._groups = [Group(group.num_rows, group.total_byte_size) for group in groups]
        self._ends = list(accumulate(group.n_rows for group in self._groups))
        self._most_rows = most_rows
        self.schema = self._file.schema_arrow
        self.n_groups = len(self._groups)

    def batches(self, start: int) -> Iterator[Batch]:
        """Yield the rows after the first ``start`` rows."""
        group = bisect_right(self._ends, start)
        while group < self.n_groups:
            n_before = self._ends[group] - self._groups[group].n_rows
            n_groups = self._n_groups_to_read(group)
            if n_groups > 1:
                together = list(range(group, group + n_groups))
                tables = iter([self._file.read_row_groups(together)])
            else:
                tables = self.parts_of(group)
            for table in tables:
                skipped = min(max(start - n_before, 0), table.num_rows)
                if skipped < table.num_rows:
                    yield Batch(table.slice(skipped), n_before + skipped)
                n_before += table.num_rows
            group += n_groups

    def groups_within(self, n_rows: int) -> int:
        """Return the number of row groups that end within the first ``n_rows`` rows."""
        return bisect_right(self._ends, n_rows)

    def share(self, n_rows: int) -> float:
        """Return the share of the first ``n_rows`` rows among all rows."""
        return n_rows / self._ends[-1]

    def group_sizes(self) -> list[Group]:
        """Return all row groups, without digests."""
        return self._groups

    def group(self, number: int) -> Group:
        """Return a row group with its digest; all of it must have been read before.

        Arrow aborts the process if asked for the position of a column whose metadata is damaged.
        """
        group = self._file.metadata.row_group(number)
        digest = hashlib.sha256()
        for k in range(group.num_columns):
            column = group.column(k)
            start = column.data_page_offset
            if column.has_dictionary_page and column.dictionary_page_offset is not None:
                start = min(start, column.dictionary_page_offset)
            self._hash(digest, start, column.total_compressed_size)
        # A column with few distinct values is far smaller in the file than in memory.
        n_rows, n_bytes, _ = self._groups[number]
        n_bytes = max(n_bytes, _VALUE * n_rows * group.num_columns)
        return Group(n_rows, n_bytes, digest.hexdigest())

    def parts_of(self, number: int) -> Iterator[pa.Table]:
        """Yield the rows of a row group, in parts."""
        size = _rows_at_a_time(*self._groups[number][:2], self._most_rows)
        for batch in self._file.iter_batches(size, row_groups=[number]):
            yield pa.Table.from_batches([batch])

    def outline_digest(self) -> str:
        """Return the SHA-256 of the footer, which has the metadata."""
        end = self._stored.size()
        length = int.from_bytes(self._stored.read_at(_FOOTER, end - _FOOTER)[:4], "little")
        digest = hashlib.sha256()
        self._hash(digest, max(0, end - _FOOTER - length), min(length + _FOOTER, end))
        return digest.hexdigest()

    def _hash(self, digest: Hash, start: int, n_bytes: int) -> None:
        end = start + n_bytes
        while start < end and (data := self._stored.read_at(min(_HASHED, end - start), start)):
            digest.update(data)
            start += len(data)

    def _n_groups_to_read(self, group: int) -> int:
        """Return how many row groups, starting at ``group``, are small enough to read together."""
        n_rows = n_bytes = 0
        for k, own in enumerate(self._groups[group:]):
            n_rows, n_bytes = n_rows + own.n_rows, n_bytes + own.n_bytes
            if n_rows > self._most_rows or n_bytes > _BYTES:
                return max(k, 1)
        return self.n_groups - group


class ArrowRows:
    """An Arrow file: its batches, large ones in parts, several small ones together."""

    def __init__(self, file: pa.NativeFile, most_rows: int = MOST_ROWS) -> None:
        self._file = pa_ipc.open_file(file)
        self._ends: list[int] = []
        self._most_rows = most_rows
        self.schema = self._file.schema
        self.n_groups = self._file.num_record_batches

    def batches(self, start: int) -> Iterator[Batch]:
        """Yield the rows after the first ``start`` rows."""
        self._ends = []
        held, n_before = self.schema.empty_table(), start
        end = size = 0
        for k in range(self.n_groups):
            (table,) = self.parts_of(k)
            size = size or _rows_at_a_time(table.num_rows, table.nbytes, self._most_rows)
            end += table.num_rows
            self._ends.append(end)
            if end > start:
                held = pa.concat_tables([held, table.slice(max(0, start - end + table.num_rows))])
            while held.num_rows >= size:
                yield Batch(held.slice(0, size), n_before)
                held, n_before = held.slice(size), n_before + size
        if held.num_rows:
            yield Batch(held, n_before)

    def groups_within(self, n_rows: int) -> int:
        """Return the number of batches read that end within the first ``n_rows`` rows."""
        return bisect_right(self._ends, n_rows)

    def share(self, n_rows: int) -> float:
        """Return the share of batches that end within the first ``n_rows`` rows."""
        return self.groups_within(n_rows) / self.n_groups

    def group_sizes(self) -> list[Group]:
        """Read all batches; return their sizes, without digests."""
        tables = (table for k in range(self.n_groups) for table in self.parts_of(k))
        return [Group(table.num_rows, table.nbytes) for table in tables]

    def group(self, number: int) -> Group:
        """Read a batch; return its size and digest."""
        digest = hashlib.sha256()
        (table,) = self.parts_of(number)
        for column in table.columns:
            for chunk in column.chunks:
                _hash_values(digest, chunk)
        return Group(table.num_rows, table.nbytes, digest.hexdigest())

    def parts_of(self, number: int) -> Iterator[pa.Table]:
        """Yield the rows of a batch, as one part: Arrow cannot read less."""
        yield pa.Table.from_batches([self._file.get_batch(number)])

    def outline_digest(self) -> str:
        """Return the SHA-256 of the schema and the number of batches."""
        digest = hashlib.sha256(self.schema.serialize().to_pybytes())
        digest.update(b"%d" % self.n_groups)
        return digest.hexdigest()


def _hash_values(digest: Hash, cells: pa.Array) -> None:
    """Add the memory of cells to a digest, each buffer after its length."""
    digest.update(b"%d %d " % (len(cells), cells.null_count))
    for buffer in cells.buffers():
        digest.update(b"-" if buffer is None else b"%d " % len(memoryview(buffer)))
        if buffer is not None:
            digest.update(memoryview(buffer))
    if pa.types.is_dictionary(cells.type):
        _hash_values(digest, cells.dictionary)


def open_rows(file: pa.NativeFile, kind: str, most_rows: int = MOST_ROWS) -> RowFile:
    """Return a reader for an open file of a kind, "parquet" or "arrow"."""
    return ParquetRows(file, most_rows) if kind == "parquet" else ArrowRows(file, most_rows)


def _rows_at_a_time(n_rows: int, n_bytes: int, most: int) -> int:
    return max(1, min(most, _BYTES * n_rows // max(n_bytes, 1))) if n_rows else most


@contextmanager
def errors_naming(name: str) -> Iterator[None]:
    """Turn errors of Arrow into an `InputError` that names the file."""
    try:
        yield
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise InputError(f"{name}: cannot be read ({str(error).splitlines()[0]:.200})") from error
