"""Reading blocks of CSV files."""

from collections.abc import Callable, Generator, Sequence
from functools import partial

from rosenblatt.io.blocks.block import Block, SampleForm
from rosenblatt.io.blocks.block_texts import BlockText, BlockTexts, read_groups
from rosenblatt.io.blocks.surveyed_source import changed
from rosenblatt.io.streams.byte_pieces import PIECE, Piece, whole_lines
from rosenblatt.io.streams.tables.csv_beginning import Beginning
from rosenblatt.io.streams.tables.csv_parser import CsvParser, Parsed
from rosenblatt.io.streams.tables.table_rows import NO_ROWS, TableRows, joined_rows, table_rows

# Larger blocks are read in pieces, so that only their samples are in memory at once.
_LARGE = 4 * PIECE


class CsvBlocks:
    """Reads blocks of CSV files."""

    def __init__(self, paths: Sequence[str], form: SampleForm) -> None:
        self._texts = BlockTexts(paths, form.sources)
        self.sources = self._texts.sources
        self._form = form
        self._features = form.tables[0].arrangement.features
        self._parsers: dict[object, CsvParser] = {}
        self._compared: set[Block] = set()

    def tasks(
        self, blocks: Sequence[Block]
    ) -> Generator[tuple[Sequence[Block], Callable[[], TableRows]], None, None]:
        """Yield blocks that are read together, with the task that reads them."""
        self._texts.copy(blocks)
        for group in read_groups(blocks, key=lambda block: self._parser_key(block.source)):
            texts = [
                self._texts.text(block, compares=block not in self._compared) for block in group
            ]
            yield group, partial(self._rows, self._parser(group[0].source), group, texts)

    def mark_checked(self, blocks: Sequence[Block]) -> None:
        """Skip the digests of these blocks from now on."""
        self._compared.update(blocks)

    def close(self) -> None:
        """Close the sources."""
        self._texts.close()

    def _rows(
        self, parser: CsvParser, blocks: Sequence[Block], texts: Sequence[BlockText]
    ) -> TableRows:
        """Read the samples of blocks; runs on a thread."""
        if len(blocks) > 1:
            pieces = [
                _without_lines_above(
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
            raise changed(name, f"column {min(misfits)} has become text")
        own = parser.beginning.arrangement
        return table_rows(columns, own, self._features, lines, sources, needs_labels=True)[0]

    def _parser(self, source: int) -> CsvParser:
        """Return the parser of a source, shared by sources with the same layout."""
        key = self._parser_key(source)
        if key not in self._parsers:
            own, form = self._form.tables[source], self._form
            assert own.layout is not None
            assert form.table is not None
            self._parsers[key] = CsvParser(
                Beginning(own.layout, own.arrangement),
                form.table,
                form.reading,
                lambda number: self.sources[number].name,
            )
        return self._parsers[key]

    def _parser_key(self, source: int) -> object:
        """Return a key that is equal for sources with the same layout and columns."""
        table = self._form.tables[source]
        arrangement, layout = table.arrangement, table.layout
        assert layout is not None
        marks = layout.lines_above, layout.delimiter, layout.quote
        return (*marks, arrangement.label, tuple(arrangement.columns), tuple(arrangement.features))


def _without_lines_above(parser: CsvParser, piece: Piece) -> Piece:
    """Remove the lines above the samples of a source from its first piece."""
    above = max(0, parser.layout.lines_above - (piece.line - 1))
    start = 0
    for _ in range(above):
        start = piece.data.index(b"\n", start) + 1
    return piece._replace(data=piece.data[start:], line=piece.line + above)
