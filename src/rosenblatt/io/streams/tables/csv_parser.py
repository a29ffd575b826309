"""Pieces of CSV, which Arrow parses with the types that are known, and accounts for every line of.

A file that is read whole is read in the same way: see ``csv_file``.
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
    """What looked like quotes in a source are apostrophes."""

    def __init__(self, source: int, place: str) -> None:
        super().__init__(
            f"{place}: from here on ' does not go around whole fields, as it does in the first lines; "
            'quote fields with "'
        )
        self.source = source


class Parsed(NamedTuple):
    """The columns of pieces, the line and the source of each row, and what is text unexpectedly."""

    columns: pa.Table
    lines: Counts
    sources: NDArray[np.int32]
    misfits: frozenset[str]


class _Counted(NamedTuple):
    """A piece, its lines, and how many of them are above its samples, of which there are so many."""

    piece: Piece
    found: LineCount
    above: int
    n_rows: int


@dataclass(frozen=True)
class CsvParser:
    """Parses pieces of sources that are laid out alike; ``name_of`` gives a source's name."""

    beginning: Beginning
    form: TableForm
    reading: Reading
    name_of: Callable[[int], str]

    @property
    def layout(self) -> Layout:
        """How the sources are laid out."""
        return self.beginning.layout

    def parsed(self, pieces: Sequence[Piece]) -> Parsed | None:
        """Return what is in pieces, one after another; None if there is no sample.

        There may be lines above the samples only if the piece is the first of its source, and alone.
        """
        counted = [one for piece in pieces if (one := self._counted(piece)).n_rows]
        if not counted:
            return None
        try:
            columns, misfits = self._columns(_joined(counted), counted[0].above)
        except pa.ArrowInvalid as error:
            self._explain(counted, str(error).splitlines()[0])
        n_rows = sum(one.n_rows for one in counted)
        if columns.num_rows != n_rows:
            fault = f"{columns.num_rows:,} rows were read from {n_rows:,} lines"
            self._explain(counted, fault)
        sources = [np.full(one.n_rows, one.piece.source, np.int32) for one in counted]
        lines = np.concatenate([_sample_lines(one) for one in counted])
        return Parsed(columns, lines, np.concatenate(sources), misfits)

    def explain(self, piece: Piece, above: int, otherwise: str) -> NoReturn:
        """Raise the error that names the first wrong line of a piece."""
        lines = islice(enumerate(text_lines(piece.data), start=piece.line), above, None)
        explain(self.name_of(piece.source), lines, self.layout, otherwise)

    def cells(self, data: bytes, types: Types, above: int) -> pa.Table:
        """Return the columns of text, below some lines, as these types."""
        if data.startswith(BYTE_ORDER_MARK):
            # Arrow would skip it, in every piece; it is the file's first bytes that were skipped.
            data, above = b"\n" + data, above + (above > 0)
        # Other threads parse other pieces meanwhile: one is enough for each.
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
        """Return the columns of text, and which of them are text although they should not be."""
        features = self.beginning.own.features
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
        for one in counted[:-1]:
            self.parsed([one.piece])  # raises if it is this one
        self.explain(counted[-1].piece, counted[-1].above, otherwise)


def _joined(counted: Sequence[_Counted]) -> bytes:
    """Return the text of pieces one after another."""
    if len(counted) == 1:
        return counted[0].piece.data
    texts = (one.piece.data for one in counted)
    return b"".join(text if text.endswith(b"\n") else text + b"\n" for text in texts)


def _sample_lines(one: _Counted) -> Counts:
    """Return the line of each sample of a piece."""
    piece, found, above, _ = one
    if not found.has_blank:
        first = piece.line + above
        return np.arange(first, first + found.lines - (above > 0))
    lines = enumerate(piece.data.splitlines(), start=piece.line)
    return np.array([number for number, line in islice(lines, above, None) if line])
