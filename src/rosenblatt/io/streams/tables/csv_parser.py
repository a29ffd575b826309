"""Parsing pieces of CSV with Arrow, given the column types, and checking that no line is lost.

See ``csv_file`` for the same checks on whole files.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, NoReturn

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts
from rosenblatt.io.csv.column_types import with_points
from rosenblatt.io.csv.csv_checks import explain
from rosenblatt.io.csv.csv_layout import Layout
from rosenblatt.io.csv.csv_parsing import Types, arrow_bytes, parse, read_as
from rosenblatt.io.csv.line_count import LineCount, lines_in
from rosenblatt.io.samples.table import Reading
from rosenblatt.io.sources.source import BYTE_ORDER_MARK
from rosenblatt.io.streams.byte_pieces import Piece
from rosenblatt.io.streams.tables.csv_beginning import Beginning, text_lines
from rosenblatt.io.streams.tables.table_form import TableForm
from rosenblatt.tables.cells import is_text


class QuotesChangedError(InputError):
    """The single quotes in a source are apostrophes, not quotes as they first seemed."""

    def __init__(self, source: int, place: str) -> None:
        super().__init__(
            f"{place}: from here on ' does not enclose whole fields, as it does in the first lines; "
            'quote fields with "'
        )
        self.source = source


class Parsed(NamedTuple):
    """The columns of pieces, the line and source of each row, and the columns that must be text."""

    columns: pa.Table
    lines: Counts
    sources: NDArray[np.int32]
    misfits: frozenset[str]


class _Counted(NamedTuple):
    """A piece, its line count, the number of lines above its samples, and the number of samples."""

    piece: Piece
    line_count: LineCount
    above: int
    n_rows: int


@dataclass(frozen=True)
class CsvParser:
    """Parses pieces of sources with the same layout; ``name_of`` returns a source's name."""

    beginning: Beginning
    form: TableForm
    reading: Reading
    name_of: Callable[[int], str]

    @property
    def layout(self) -> Layout:
        """The layout of the sources."""
        return self.beginning.layout

    def parsed(self, pieces: Sequence[Piece]) -> Parsed | None:
        """Parse pieces and join them; return None if there are no samples.

        Only a single first piece of a source may have lines above the samples.
        """
        counted = [own for piece in pieces if (own := self._counted(piece)).n_rows]
        if not counted:
            return None
        try:
            columns, misfits = self._columns(_joined(counted), counted[0].above)
        except pa.ArrowInvalid as error:
            self._explain(counted, str(error).splitlines()[0])
        n_rows = sum(own.n_rows for own in counted)
        if columns.num_rows != n_rows:
            fault = f"{columns.num_rows:,} rows were read from {n_rows:,} lines"
            self._explain(counted, fault)
        sources = [np.full(own.n_rows, own.piece.source, np.int32) for own in counted]
        lines = np.concatenate([_sample_lines(own) for own in counted])
        return Parsed(columns, lines, np.concatenate(sources), misfits)

    def explain(self, piece: Piece, above: int, otherwise: str) -> NoReturn:
        """Raise the error that names the first malformed line of a piece."""
        lines = islice(enumerate(text_lines(piece.data), start=piece.line), above, None)
        explain(self.name_of(piece.source), lines, self.layout, otherwise)

    def cells(self, data: bytes, types: Types, above: int) -> pa.Table:
        """Parse text as columns of these types, skipping the lines ``above``."""
        if data.startswith(BYTE_ORDER_MARK):
            # Arrow would skip it in every piece, but only the one at the file's beginning counts.
            data, above = b"\n" + data, above + (above > 0)
        # One thread per piece is enough: other threads parse other pieces.
        return parse(
            arrow_bytes(data),
            self.layout,
            self.reading,
            types,
            block=len(data) + 1,
            lines_above=above,
            use_threads=False,
        )

    def _counted(self, piece: Piece) -> _Counted:
        layout = self.layout
        above = max(0, layout.lines_above - (piece.line - 1))
        count = lines_in(piece.data, layout.delimiter, layout.quote)
        if not count.can_be_split:
            if layout.quote == "'":
                name = self.name_of(piece.source)
                raise QuotesChangedError(piece.source, f"{name}, line {piece.line}")
            self.explain(piece, above, "there is a stray quote or a NUL byte")
        has_header = layout.has_header and 0 < above <= len(piece.data.splitlines())
        return _Counted(piece, count, above, count.lines - has_header)

    def _columns(self, data: bytes, above: int) -> tuple[pa.Table, frozenset[str]]:
        """Parse text; return its columns, and those that unexpectedly had to be read as text."""
        features = self.beginning.arrangement.features
        names = dict(zip(self.layout.features, features, strict=True))
        types = {k: self.form.type_of(name) for k, name in names.items()}
        columns, wrong = read_as(lambda types: self.cells(data, types, above), types)
        if self.form.with_points:
            pointed = [
                with_points(cells)
                if names.get(k) in self.form.with_points and is_text(cells.type)
                else cells
                for k, cells in enumerate(columns.columns)
            ]
            columns = pa.Table.from_arrays(pointed, columns.column_names)
        return columns, frozenset(names[k] for k in wrong)

    def _explain(self, counted: Sequence[_Counted], otherwise: str) -> NoReturn:
        for own in counted[:-1]:
            self.parsed([own.piece])  # raises if this piece is malformed
        self.explain(counted[-1].piece, counted[-1].above, otherwise)


def _joined(counted: Sequence[_Counted]) -> bytes:
    """Concatenate the text of pieces."""
    if len(counted) == 1:
        return counted[0].piece.data
    texts = (own.piece.data for own in counted)
    return b"".join(text if text.endswith(b"\n") else text + b"\n" for text in texts)


def _sample_lines(counted: _Counted) -> Counts:
    """Return the line of each sample of a piece."""
    piece, count, above, _ = counted
    if not count.has_blank:
        first = piece.line + above
        return np.arange(first, first + count.lines - (above > 0))
    lines = enumerate(piece.data.splitlines(), start=piece.line)
    return np.array([number for number, line in islice(lines, above, None) if line])
