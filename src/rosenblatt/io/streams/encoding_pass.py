"""Learning the encoding of a chunked table in one pass."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain

import pyarrow as pa

from rosenblatt.core.errors import InputError
from rosenblatt.io.samples.preparation import (
    ColumnOptions,
    cell_fault,
    check_columns_left,
    new_encoder,
)
from rosenblatt.io.streams.sample_stream import Stream
from rosenblatt.io.streams.stream_position import BEGINNING, Position
from rosenblatt.io.streams.table_chunks import TableChunks
from rosenblatt.io.streams.tables.table_form import FormChangedError
from rosenblatt.io.streams.tables.table_rows import TablePart
from rosenblatt.tables.cells import CellError
from rosenblatt.tables.encoder import TableEncoder


def learn_encoding(stream: Stream, options: ColumnOptions) -> TableEncoder:
    """Return an encoder fitted on all chunks, equal to one fitted on the whole table.

    Afterward the reader of the stream knows its form and its labels. An error names the line of the cell
    that caused it.
    """
    reader = stream.reader
    if not isinstance(reader, TableChunks):
        raise InputError(f"{stream.name}: this is not a table, so it has no columns to encode")
    while True:
        try:
            encoder = _fitted(SurveyPass(stream.name, reader), options)
        except FormChangedError:
            continue
        check_columns_left(stream.name, encoder)
        return encoder


def _fitted(survey: "SurveyPass", options: ColumnOptions) -> TableEncoder:
    tables = survey.columns()
    first = next(tables, None)
    if first is None:
        survey.reader.check_labeled()
        raise InputError(f"{survey.name}: there are no samples; give at least one")
    own = survey.reader.arrangement(0)
    encoder = new_encoder(survey.name, own.columns, own.features, options)
    try:
        return encoder.fit_stream(chain([first], tables))
    except InputError as error:
        raise survey.named(error) from error


@dataclass
class SurveyPass:
    """A pass over all samples of tables, which records where its chunks begin."""

    name: str
    reader: TableChunks
    begins: list[Position] = field(default_factory=lambda: [BEGINNING])

    def columns(self, watch: Callable[[TablePart], None] | None = None) -> Iterator[pa.Table]:
        """Yield the features of each chunk; see `TableChunks.survey`."""
        with closing(self.reader.survey(watch)) as tables:
            for table in tables:
                self.begins.append(table.end)
                yield table.X

    def named(self, error: InputError) -> InputError:
        """Add the file to an error, and the place of its cell, which is looked up in the file."""
        if isinstance(error, CellError):
            before = next(begin for begin in reversed(self.begins) if begin.rows <= error.row)
            place = self.reader.place_of(error.row, before)
            return cell_fault(place, error, has_names=self.reader.arrangement(0).has_names)
        text = str(error)
        return InputError(text if text.startswith(self.name) else f"{self.name}: {text}")
