"""The samples of blocks of CSV, as they are written."""

from collections.abc import Callable, Generator, Sequence
from functools import partial

from rosenblatt.io.blocks.block import Block, SampleForm
from rosenblatt.io.blocks.block_texts import BlockText, BlockTexts, together
from rosenblatt.io.blocks.surveyed_source import changed
from rosenblatt.io.streams.byte_pieces import PIECE, Piece, whole_lines
from rosenblatt.io.streams.tables.csv_beginning import Beginning
from rosenblatt.io.streams.tables.csv_parser import CsvParser, Parsed
from rosenblatt.io.streams.tables.table_rows import NO_ROWS, TableRows, joined_rows, table_rows

# The text of a block that has more bytes is not held whole, only its samples are.
_LARGE = 4 * PIECE


class CsvBlocks:
    """Reads blocks of CSV files."""

    def __init__(self, places: Sequence[str], form: SampleForm) -> None:
        self._texts = BlockTexts(places, form.sources)
        self.sources = self._texts.sources
        self._form = form
        self._features = form.tables[0].own.features
        self._parsers: dict[object, CsvParser] = {}
        self._compared: set[Block] = set()

    def tasks(
        self, blocks: Sequence[Block]
    ) -> Generator[tuple[Sequence[Block], Callable[[], TableRows]], None, None]:
        """Yield blocks that are read together, and what reads them."""
        self._texts.copy(blocks)
        for some in together(blocks, alike=lambda block: self._alike(block.source)):
            texts = [
                self._texts.text(block, compares=block not in self._compared) for block in some
            ]
            yield some, partial(self._rows, self._parser(some[0].source), some, texts)

    def has_read(self, blocks: Sequence[Block]) -> None:
        """Know that blocks are what they were."""
        self._compared.update(blocks)

    def close(self) -> None:
        """Close the sources."""
        self._texts.close()

    def _rows(
        self, parser: CsvParser, blocks: Sequence[Block], texts: Sequence[BlockText]
    ) -> TableRows:
        """Return the samples of blocks; a thread does this, ahead of the others."""
        if len(blocks) > 1:
            pieces = [
                _below(
                    parser, Piece(text.read(block.end - block.offset), block.source, 0, block.line)
                )
                for block, text in zip(blocks, texts, strict=True)
            ]
            return self._labeled(parser, parser.parsed(pieces))
        (block,), (text,) = blocks, texts
        parts = [
            self._labeled(parser, parser.parsed([Piece(data, block.source, 0, line)]))
            for data, line in whole_lines(text, block.line, _LARGE)
        ]
        return joined_rows([part for part in parts if len(part)] or [NO_ROWS])

    def _labeled(self, parser: CsvParser, parsed: Parsed | None) -> TableRows:
        if parsed is None:
            return NO_ROWS
        columns, lines, sources, misfits = parsed
        if misfits:
            name = self.sources[int(sources[0])].name
            raise changed(name, f"column {min(misfits)} was not text")
        own, needs_labels = parser.beginning.own, self._form.reading.needs_labels
        return table_rows(columns, own, self._features, lines, sources, needs_labels=needs_labels)[
            0
        ]

    def _parser(self, source: int) -> CsvParser:
        """Return what parses the blocks of a source, and of those that are laid out alike."""
        alike = self._alike(source)
        if alike not in self._parsers:
            own, form = self._form.tables[source], self._form
            assert own.layout is not None
            assert form.table is not None
            self._parsers[alike] = CsvParser(
                Beginning(own.layout, own.own),
                form.table,
                form.reading,
                lambda number: self.sources[number].name,
            )
        return self._parsers[alike]

    def _alike(self, source: int) -> object:
        """Return what sources that are laid out alike have in common."""
        own, layout = self._form.tables[source].own, self._form.tables[source].layout
        assert layout is not None
        signs = layout.lines_above, layout.delimiter, layout.quote
        return (*signs, own.label, tuple(own.columns), tuple(own.features))


def _below(parser: CsvParser, piece: Piece) -> Piece:
    """Return a piece without the lines that are above the samples of its source."""
    above = max(0, parser.layout.lines_above - (piece.line - 1))
    start = 0
    for _ in range(above):
        start = piece.data.index(b"\n", start) + 1
    return piece._replace(data=piece.data[start:], line=piece.line + above)
