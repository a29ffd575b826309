"""The encoding of a table that comes in chunks, learned in a pass over all of them."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pyarrow as pa

from rosenblatt.core.errors import InputError
from rosenblatt.io.samples.preparation import Wanted, cell_fault, check_columns_left, new_encoder
from rosenblatt.io.samples.table import Table
from rosenblatt.io.streams.sample_stream import Stream
from rosenblatt.io.streams.stream_position import BEGINNING, Position
from rosenblatt.io.streams.table_chunks import TableChunks
from rosenblatt.io.streams.tables.table_form import FormChangedError
from rosenblatt.tables.cells import CellError
from rosenblatt.tables.encoder import TableEncoder


def learn_encoding(stream: Stream, wanted: Wanted) -> TableEncoder:
    """Return the encoder that has learned from all chunks, as it would from the whole table.

    The reader of the stream then knows its form, and the labels. A cell that cannot be used is named by
    its line.
    """
    reader = stream.reader
    if not isinstance(reader, TableChunks):
        raise InputError(f"{stream.name}: this is no table, and has no columns to encode")
    while True:
        survey = _Survey(stream.name, reader)
        try:
            encoder = survey.learned(wanted)
        except FormChangedError:
            continue
        check_columns_left(stream.name, encoder)
        return encoder


@dataclass
class _Survey:
    """A pass over all samples, and where its chunks begin."""

    name: str
    reader: TableChunks
    begins: list[Position] = field(default_factory=lambda: [BEGINNING])

    def learned(self, wanted: Wanted) -> TableEncoder:
        """Return an encoder that has learned from all samples."""
        tables = self._tables()
        first = next(tables, None)
        if first is None:
            raise InputError(f"{self.name}: there is no sample; give at least one")
        encoder = new_encoder(self.name, first, wanted)
        try:
            return encoder.fit_stream(self._columns(first, tables))
        except CellError as error:
            raise cell_fault(self._place(error.row), first, error) from error
        except InputError as error:
            text = str(error)
            raise InputError(
                text if text.startswith(self.name) else f"{self.name}: {text}"
            ) from error

    def _tables(self) -> Iterator[Table]:
        for table in self.reader.survey():
            self.begins.append(table.end)
            yield table

    @staticmethod
    def _columns(first: Table, others: Iterator[Table]) -> Iterator[pa.Table]:
        yield first.X
        for table in others:
            yield table.X

    def _place(self, row: int) -> str:
        """Return where a sample is: its chunk is read again."""
        before = next(begin for begin in reversed(self.begins) if begin.rows <= row)
        return self.reader.place_of(row, before)
