"""CSV in pieces of whole lines, which are parsed separately."""

import hashlib
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial

import pyarrow as pa

from rosenblatt.core.errors import InputError
from rosenblatt.io.csv.column_types import guessed_types, known_types, needs_points
from rosenblatt.io.csv.csv_checks import check_header
from rosenblatt.io.samples.table import Arrangement, Reading, check_same_columns
from rosenblatt.io.sources.source import Source
from rosenblatt.io.streams.byte_pieces import LONGEST_LINE, PIECE, Piece, pieces
from rosenblatt.io.streams.regrouping import Cuts, Part
from rosenblatt.io.streams.stream_position import Position
from rosenblatt.io.streams.tables.csv_beginning import Beginning, found_beginning
from rosenblatt.io.streams.tables.csv_parser import CsvParser
from rosenblatt.io.streams.tables.table_form import TableForm
from rosenblatt.io.streams.tables.table_rows import (
    NO_ROWS,
    TablePart,
    reading_options,
    table_rows,
)
from rosenblatt.tables.cells import texts_of
from rosenblatt.tables.text_counts import TextCounts

# With many thousand columns, the cost per piece is high, so a piece should have several lines.
_LINES_PER_PIECE = 16


class CsvParts:
    """Reads CSV files, piece by piece."""

    def __init__(
        self,
        sources: Sequence[Source],
        reading: Reading,
        *,
        piece_size: int = PIECE,
        has_digests: bool = False,
        has_cuts: bool = False,
    ) -> None:
        self._sources, self._reading = sources, reading
        self._size, self._has_digests, self._has_cuts = piece_size, has_digests, has_cuts
        self._beginnings: dict[int, Beginning] = {}

    @property
    def is_typed(self) -> bool:
        """Whether the files themselves store column types."""
        return False

    @property
    def options(self) -> dict[str, object]:
        """The options that the parts depend on."""
        return {
            **reading_options(self._reading),
            "piece_size": self._size,
            "has_digests": self._has_digests,
        }

    def arrangement(self, source: int) -> Arrangement:
        """Return the columns of a source."""
        return self._beginning(source).arrangement

    def parser(self, source: int, form: TableForm) -> CsvParser:
        """Return a parser for pieces of a source."""
        beginning = self._beginning(source)
        if source in form.apostrophes:
            beginning = beginning._replace(layout=beginning.layout._replace(quote='"'))
        return CsvParser(beginning, form, self._reading, lambda k: self._sources[k].name)

    def form(self) -> tuple[TableForm, bool]:
        """Guess the form from the beginning of the first source; it is certain if a model gives it."""
        try:
            return self._guessed_form(), self._reading.expect is not None
        except pa.ArrowInvalid as error:
            layout, _, head = self._beginning(0)
            parser, fault = self.parser(0, TableForm({})), str(error).splitlines()[0]
            parser.explain(Piece(head, 0, 0, 1), layout.lines_above, fault)

    def _guessed_form(self) -> TableForm:
        name, (layout, own, head) = self._sources[0].name, self._beginning(0)
        types = known_types(name, layout, self._reading)
        if types is None:
            types = guessed_types(name, layout, self._reading, head)
        names = dict(zip(layout.features, own.features, strict=True))
        form = TableForm.of_types({names[k]: kind for k, kind in types.items()})
        if self._reading.decimal == ".":
            return form
        cells = self.parser(0, form).cells(head, {}, layout.lines_above)
        pointed = [
            name for k, name in names.items() if needs_points(texts_of(cells.column(k)).values)
        ]
        return replace(form, with_points=frozenset(pointed))

    def check_labels(self, source: int, labels: TextCounts) -> None:
        """Raise InputError if the labels of a source show that its first line was misread."""
        name, layout = self._sources[source].name, self._beginning(source).layout
        known = labels.values.to_pylist()
        check_header(name, layout, known, labels.counts, self._reading.expect)

    def tasks(
        self, start: Position, form: TableForm
    ) -> Generator[Callable[[], TablePart], None, None]:
        """Yield tasks that parse one piece each, from a position on."""
        digest = hashlib.sha256() if self._has_digests else None
        wide = _LINES_PER_PIECE * len(self._beginning(0).head.partition(b"\n")[0])
        size = max(self._size, min(wide, LONGEST_LINE)) if wide > PIECE else self._size
        with closing(pieces(self._sources, start, size, digest)) as read:
            for piece in read:
                yield partial(self._part, form, piece)

    def _part(self, form: TableForm, piece: Piece) -> TablePart:
        """Parse the samples of a piece; runs on a thread."""
        layout, own, _ = self._beginning(piece.source)
        n_lines = piece.data.count(b"\n") + (not piece.data.endswith(b"\n"))
        offset = piece.offset + len(piece.data)
        end = Position(piece.source, offset, piece.line - 1 + n_lines, digest=piece.digest)
        parsed = self.parser(piece.source, form).parsed([piece])
        if parsed is None:
            return Part(NO_ROWS, end, piece.n_read, 0, self._cuts(piece))
        columns, lines, sources, misfits = parsed
        rows, n_unlabeled = table_rows(
            columns,
            own,
            self._beginning(0).arrangement.features,
            lines,
            sources,
            needs_labels=self._reading.needs_labels,
        )
        # Without a model, all labels are checked together later.
        is_checked = self._reading.expect is not None and (layout.has_header or piece.offset == 0)
        if is_checked and own.label is not None:  # also if labels are not needed
            labels = TextCounts.of(texts_of(columns.column(own.label)))
            self.check_labels(piece.source, labels)
        rows = replace(rows, misfits=misfits)
        return Part(rows, end, piece.n_read, n_unlabeled, self._cuts(piece))

    def _cuts(self, piece: Piece) -> Cuts | None:
        """Return the positions where a piece can be cut, after each LF, if requested."""
        if not self._has_cuts:
            return None
        if piece.data.count(b"\r") != piece.data.count(b"\r\n"):
            raise InputError(
                f"{self._sources[piece.source].name}, line {piece.line}: from here on lines end with CR "
                "alone, which chunks of a fixed size do not support; end lines with LF"
            )
        return Cuts(piece)

    def _beginning(self, source: int) -> Beginning:
        if source not in self._beginnings:
            found = found_beginning(self._sources[source], self._reading)
            if source > 0:
                names = self._sources[source].name, self._sources[0].name
                check_same_columns(
                    names[0], found.arrangement, names[1], self._beginning(0).arrangement
                )
            self._beginnings[source] = found
        return self._beginnings[source]
