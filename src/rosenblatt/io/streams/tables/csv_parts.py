"""CSV in pieces of whole lines, each of which Arrow parses by itself, with the types that are known.

Every line of a piece is accounted for, as in a file that is read whole: see ``csv_file``.
"""

import hashlib
import io
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import NamedTuple, NoReturn

import numpy as np
import pyarrow as pa

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts
from rosenblatt.io.csv.column_types import (
    HEAD,
    feature_names,
    guessed_types,
    known_types,
    needs_points,
    with_points,
)
from rosenblatt.io.csv.csv_checks import check_decimal_comma, check_header, explain
from rosenblatt.io.csv.csv_layout import Layout, find_layout, split_line, unquoted
from rosenblatt.io.csv.csv_parsing import Types, arrow_bytes, parse, read_as
from rosenblatt.io.csv.line_count import LineCount, lines_in
from rosenblatt.io.samples.table import Arrangement, Reading, check_same_columns
from rosenblatt.io.sources.source import BYTE_ORDER_MARK, Source
from rosenblatt.io.streams.byte_pieces import LONGEST_LINE, PIECE, Piece, pieces
from rosenblatt.io.streams.regrouping import Cuts, Part
from rosenblatt.io.streams.stream_position import Position
from rosenblatt.io.streams.tables.table_form import TableForm
from rosenblatt.io.streams.tables.table_rows import TablePart, reading_options, table_rows
from rosenblatt.tables.cells import is_text, texts_of
from rosenblatt.tables.text_counts import TextCounts

# The beginning of a file is looked at until it has so many lines, or bytes.
_LINES_LOOKED_AT = 200
_MOST_LOOKED_AT = 2**22
# With many thousand columns, each piece costs much beside what its lines do.
_LINES_IN_PIECE = 16


class QuotesChangedError(InputError):
    """What looked like quotes in a source are apostrophes."""

    def __init__(self, source: int, piece: str) -> None:
        super().__init__(
            f"{piece}: from here on ' does not go around whole fields, as it does in the first lines; "
            'quote fields with "'
        )
        self.source = source


class _Beginning(NamedTuple):
    """How a source is laid out, and its first lines."""

    layout: Layout
    own: Arrangement
    head: bytes


class CsvParts:
    """The samples of CSV files, piece by piece."""

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
        self._beginnings: dict[int, _Beginning] = {}

    @property
    def is_typed(self) -> bool:
        """Whether the files themselves say what their columns hold."""
        return False

    @property
    def options(self) -> dict[str, object]:
        """What the parts depend on beside the sources."""
        return {
            **reading_options(self._reading),
            "piece_size": self._size,
            "has_digests": self._has_digests,
        }

    def arrangement(self, source: int) -> Arrangement:
        """Return how the columns of a source are arranged."""
        return self._beginning(source).own

    def form(self) -> tuple[TableForm, bool]:
        """Return what the columns are by the first source's beginning, and whether that is certain."""
        try:
            return self._guessed_form(), self._reading.expect is not None
        except pa.ArrowInvalid as error:
            layout, _, head = self._beginning(0)
            fault = str(error).splitlines()[0]
            self._explain(Piece(head, 0, 0, 1), layout, layout.lines_above, fault)

    def _guessed_form(self) -> TableForm:
        name, (layout, own, head) = self._sources[0].name, self._beginning(0)
        types = known_types(name, layout, self._reading)
        if types is None:
            types = guessed_types(name, layout, self._reading, head)
        names = dict(zip(layout.features, own.features, strict=True))
        form = TableForm.of_types({names[k]: kind for k, kind in types.items()})
        if self._reading.decimal == ".":
            return form
        cells = self._parsed(head, layout, {}, layout.lines_above)
        pointed = [
            name for k, name in names.items() if needs_points(texts_of(cells.column(k)).values)
        ]
        return replace(form, with_points=frozenset(pointed))

    def check_labels(self, source: int, labels: TextCounts) -> None:
        """Raise if the labels of a source say that its first line may be a header, or a sample."""
        name, layout = self._sources[source].name, self._beginning(source).layout
        known = labels.values.to_pylist()
        check_header(name, layout, known, labels.counts, self._reading.expect)

    def works(
        self, start: Position, form: TableForm
    ) -> Generator[Callable[[], TablePart | None], None, None]:
        """Yield what parses one piece after another, from a position on."""
        digest = hashlib.sha256() if self._has_digests else None
        wide = _LINES_IN_PIECE * len(self._beginning(0).head.partition(b"\n")[0])
        size = max(self._size, min(wide, LONGEST_LINE)) if wide > PIECE else self._size
        with closing(pieces(self._sources, start, size, digest)) as read:
            for piece in read:
                yield partial(self._part, form, piece)

    def _part(self, form: TableForm, piece: Piece) -> TablePart | None:
        """Return the samples of a piece; a thread does this, ahead of the others."""
        layout, own, _ = self._beginning(piece.source)
        if piece.source in form.apostrophes:
            layout = layout._replace(quote='"')
        above = max(0, layout.lines_above - (piece.line - 1))
        count = lines_in(piece.data, layout.delimiter, layout.quote)
        if not count.can_be_split:
            if layout.quote == "'":
                name = self._sources[piece.source].name
                raise QuotesChangedError(piece.source, f"{name}, line {piece.line}")
            self._explain(piece, layout, above, "a quote or a NUL byte is out of place")
        has_header = layout.has_header and 0 < above <= len(piece.data.splitlines())
        if count.lines == has_header:
            return None
        columns, wrong = self._columns(piece, layout, form, own, above)
        if columns.num_rows != count.lines - has_header:
            fault = (
                f"{columns.num_rows:,} samples were read, but {count.lines - has_header:,} lines"
            )
            self._explain(piece, layout, above, f"{fault} have one")
        rows, n_unlabelled = table_rows(
            columns,
            own,
            self._beginning(0).own.features,
            _sample_lines(piece, count, above),
            piece.source,
            needs_labels=self._reading.needs_labels,
        )
        # without a model all labels are looked at, later
        is_asked = self._reading.expect is not None and (layout.has_header or piece.offset == 0)
        if is_asked and own.label is not None:  # also where labels are not needed
            labels = TextCounts.of(texts_of(columns.column(own.label)))
            self.check_labels(piece.source, labels)
        n_lines = piece.data.count(b"\n") + (not piece.data.endswith(b"\n"))
        offset = piece.offset + len(piece.data)
        end = Position(piece.source, offset, piece.line - 1 + n_lines, digest=piece.digest)
        rows = replace(rows, misfits=wrong)
        return Part(rows, end, piece.n_read, n_unlabelled, self._cuts(piece))

    def _cuts(self, piece: Piece) -> Cuts | None:
        """Return where a piece can be cut, if it may be: after LF."""
        if not self._has_cuts:
            return None
        if piece.data.count(b"\r") != piece.data.count(b"\r\n"):
            raise InputError(
                f"{self._sources[piece.source].name}, line {piece.line}: from here on lines end with CR "
                "alone, which is not read in chunks of a number of samples; end them with LF"
            )
        return Cuts(piece)

    def _columns(
        self, piece: Piece, layout: Layout, form: TableForm, own: Arrangement, above: int
    ) -> tuple[pa.Table, frozenset[str]]:
        """Return the columns of a piece, and which of them are text although they should not be."""
        names = dict(zip(layout.features, own.features, strict=True))
        types = {k: form.type_of(name) for k, name in names.items()}
        try:
            columns, wrong = read_as(
                lambda types: self._parsed(piece.data, layout, types, above), types
            )
        except pa.ArrowInvalid as error:
            self._explain(piece, layout, above, str(error).splitlines()[0])
        if form.with_points:
            pointed = [
                with_points(cells)
                if names.get(k) in form.with_points and is_text(cells.type)
                else cells
                for k, cells in enumerate(columns.columns)
            ]
            columns = pa.Table.from_arrays(pointed, columns.column_names)
        return columns, frozenset(names[k] for k in wrong)

    def _parsed(self, data: bytes, layout: Layout, types: Types, above: int) -> pa.Table:
        if data.startswith(BYTE_ORDER_MARK):
            # Arrow would skip it, in every piece; it is the file's first bytes that were skipped.
            data, above = b"\n" + data, above + (above > 0)
        # Other threads parse other pieces meanwhile: one is enough for each.
        return parse(
            arrow_bytes(data),
            layout,
            self._reading,
            types,
            block=len(data) + 1,
            lines_above=above,
            use_threads=False,
        )

    def _explain(self, piece: Piece, layout: Layout, above: int, otherwise: str) -> NoReturn:
        lines = islice(enumerate(_text_lines(piece.data), start=piece.line), above, None)
        explain(self._sources[piece.source].name, lines, layout, otherwise)

    def _beginning(self, source: int) -> _Beginning:
        if source not in self._beginnings:
            found = self._found_beginning(self._sources[source])
            if source > 0:
                names = self._sources[source].name, self._sources[0].name
                check_same_columns(names[0], found.own, names[1], self._beginning(0).own)
            self._beginnings[source] = found
        return self._beginnings[source]

    def _found_beginning(self, source: Source) -> _Beginning:
        begin = _first_bytes(source)
        layout = find_layout(source.name, _text_lines(begin), self._reading)
        if not lines_in(begin, layout.delimiter, layout.quote).can_be_split:
            # these were apostrophes
            layout = find_layout(source.name, _text_lines(begin), self._reading, '"')
        features = feature_names(source.name, layout, self._reading)
        own = Arrangement(layout.names, layout.has_header, layout.label, features)
        lines = list(islice(enumerate(_text_lines(begin), start=1), layout.lines_above, None))
        number, first = next(((n, line) for n, line in lines if line.strip("\r\n")), (0, ""))
        if not number:
            raise InputError(f"{source.name}: there is a header but no sample below it")
        place = f"{source.name}, line {number}"
        fields = split_line(place, first, layout.delimiter, layout.quote)
        if layout.label is not None and layout.label < len(fields):
            label = unquoted(fields[layout.label], layout.quote)
            check_decimal_comma(source.name, layout, label, lines)
        longest = max(map(len, begin.splitlines()), default=0)
        end = begin.find(b"\n", max(HEAD, 2 * longest)) + 1 or len(begin)
        return _Beginning(layout, own, begin[:end])


def _first_bytes(source: Source) -> bytes:
    """Return the first lines of a source."""
    size = 2 * HEAD
    while True:
        head = source.head(size)
        if len(head) < size or size >= LONGEST_LINE:
            return head
        n_lines = head.count(b"\n")
        if n_lines >= _LINES_LOOKED_AT or (n_lines and size >= _MOST_LOOKED_AT):
            return head[: head.rindex(b"\n") + 1]
        size *= 2


def _text_lines(data: bytes) -> Iterator[str]:
    """Return lines, each with its end; bytes that are not UTF-8 become lone surrogates."""
    return io.TextIOWrapper(
        io.BytesIO(data), encoding="utf-8", errors="surrogateescape", newline=""
    )


def _sample_lines(piece: Piece, count: LineCount, above: int) -> Counts:
    """Return the line of each sample of a piece."""
    if not count.has_blank:
        first = piece.line + above
        return np.arange(first, first + count.lines - (above > 0))
    lines = enumerate(piece.data.splitlines(), start=piece.line)
    return np.array([number for number, line in islice(lines, above, None) if line])
