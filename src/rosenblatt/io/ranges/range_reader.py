"""Ranges of files, each read for a model as a stream of all files has it."""

from collections.abc import Collection, Generator, Sequence
from contextlib import closing

from rosenblatt.core.errors import InputError
from rosenblatt.io.models.model_notes import Trained, stream_for_model
from rosenblatt.io.ranges.file_ranges import ROW_KINDS, FileRange, whole_lines_of
from rosenblatt.io.samples.table import Reading, Table
from rosenblatt.io.sources.source import Source
from rosenblatt.io.streams.byte_pieces import line_count
from rosenblatt.io.streams.line_chunks import LineReading
from rosenblatt.io.streams.sample_stream import Stream
from rosenblatt.io.streams.stream_position import Position
from rosenblatt.io.streams.table_chunks import TableChunks
from rosenblatt.io.streams.tables.csv_parser import QuotesChangedError
from rosenblatt.io.streams.tables.row_files import naming, open_rows


class RangeReader:
    """Reads ranges of the files at some places; ``reading`` says of what kind they are.

    Beside the file of a range, only the first is looked at, whose columns all others have.
    """

    def __init__(self, trained: Trained, places: Sequence[str], reading: Reading) -> None:
        self._trained, self._places, self._reading = trained, places, reading
        self._is_row_file = reading.kind in ROW_KINDS
        self._source = -1
        self._stream: Stream | None = None

    @property
    def n_unlabelled(self) -> int:
        """How many samples of the last range were left out so far, having no label."""
        return 0 if self._stream is None else self._stream.reader.n_unlabelled

    @property
    def n_read(self) -> int:
        """How many bytes of the last range's file, as stored, were taken so far."""
        if self._stream is None:
            return 0
        before = self._stream.sources[: min(self._source, 1)]
        return self._stream.n_read - sum(source.n_bytes or 0 for source in before)

    def chunks(
        self,
        own: FileRange,
        after: Position | None = None,
        apostrophes: Collection[int] = (),
        *,
        is_numbered: bool = True,
    ) -> Generator[Table, None, None]:
        """Yield the samples of a range, or those after a position, the end of a chunk of the same range.

        Lines and rows have their numbers in the file if it ``is_numbered``, which may take a reading of
        all that is before them; else they have others. Sources in ``apostrophes`` have these where
        their beginning looks as if they were quotes: `QuotesChangedError` says which, if others do.
        """
        stream = self._opened(own)
        place = min(own.source, 1)
        if isinstance(stream.reader, TableChunks):
            looked_at = {0: 0, own.source: place}
            known = {looked_at[source] for source in apostrophes if source in looked_at}
            stream.reader.take_apostrophes(known)
        start, stop = self._ends(stream.sources[place], own, place, is_numbered=is_numbered)
        if start == stop:
            return
        try:
            with closing(stream.reader.chunks(after or start, stop)) as tables:
                yield from tables
        except QuotesChangedError as error:
            raise QuotesChangedError(own.source, error.piece) from error

    def _opened(self, own: FileRange) -> Stream:
        """Return a stream of the first file, and of the range's if that is another."""
        if self._stream is None or self._source != own.source:
            # With two places, a message says in which of them a line is, as it does with many.
            places = [*self._places[:1], *self._places[max(own.source, 1) :][:1]]
            # What labels are is not looked for: those of a model are compared as texts.
            lines = LineReading(text_labels=False)
            self._stream = stream_for_model(self._trained, places, self._reading, lines)
            self._source = own.source
        return self._stream

    def _ends(
        self, source: Source, own: FileRange, place: int, *, is_numbered: bool
    ) -> tuple[Position, Position]:
        """Return where a range begins and ends in its source, which has this place in the stream."""
        n_bytes = source.n_bytes
        if n_bytes != own.size:
            raise InputError(
                f"{source.name}: it has {n_bytes} bytes here, and {own.size} where the work was cut in "
                "ranges; give all workers the same files, and begin anew"
            )
        after_all = Position(place + 1)
        if own.is_packed:
            return Position(place), after_all
        if self._is_row_file:
            assert own.stop is not None
            rows = self._n_rows_before(source, own.start) if is_numbered else 0
            return Position(place, own.start, rows), Position(place, own.stop)
        lines = whole_lines_of(source, own)
        if lines is None:
            return after_all, after_all
        begin, end = lines
        # At least as many lines as are above the samples; not more than there are bytes.
        line = _n_lines_before(source, begin) if is_numbered else begin
        return Position(place, begin, line), after_all if end is None else Position(place, end)

    def _n_rows_before(self, source: Source, group: int) -> int:
        with closing(source.open_at_random()) as file, naming(source.name):
            rows = open_rows(file, self._reading.kind)
            return sum(own.n_rows for own in rows.group_sizes()[:group])


def _n_lines_before(source: Source, offset: int) -> int:
    with source.open() as file:
        return sum(line_count(data) for data in file.blocks(offset))
