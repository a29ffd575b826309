"""Reading and parsing blocks of lines in any order."""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts
from rosenblatt.io.blocks.block import Block, SampleForm
from rosenblatt.io.blocks.block_texts import BlockText, BlockTexts, joined_text, read_groups
from rosenblatt.io.blocks.surveyed_source import changed
from rosenblatt.io.samples.table import Table
from rosenblatt.io.streams.byte_pieces import PIECE, line_count, whole_lines
from rosenblatt.io.streams.line_tables import LineTables
from rosenblatt.io.streams.read_ahead import run_ahead
from rosenblatt.io.streams.sample_rows import SampleRows, joined, parsed_rows
from rosenblatt.tables.scaling import unit_rows

# Larger blocks are read in pieces, so that only their samples are in memory at once.
_LARGE = 4 * PIECE

Samples = tuple[Table, Sequence[Block]]
"""Samples, and the blocks that have them."""


class LineBlockReader:
    """Reads blocks of lines, ahead on threads."""

    def __init__(self, paths: Sequence[str], form: SampleForm) -> None:
        self._texts = BlockTexts(paths, form.sources)
        names, lines = [source.name for source in form.sources], form.lines
        self._tables = LineTables(names, lines.zero_based, lines.text_labels, lines.n_features)
        self._is_scaled = form.encoder is not None
        self._compared: set[Block] = set()

    def tables(self, blocks: Sequence[Block]) -> Generator[Samples, None, None]:
        """Yield the samples of blocks; see `BlockReader`."""
        numbers = sorted({block.source for block in blocks})
        self._texts.sources.check(numbers)
        self._texts.copy(blocks)
        with closing(run_ahead(self._tasks(blocks))) as made:
            yield from made
        self._texts.sources.check(numbers)  # nothing changed while reading

    def close(self) -> None:
        """Close the sources."""
        self._texts.close()

    def _tasks(self, blocks: Sequence[Block]) -> Generator[Callable[[], Samples], None, None]:
        for group in read_groups(blocks):
            texts = [
                self._texts.text(block, compares=block not in self._compared) for block in group
            ]
            yield partial(self._samples, group, texts)

    def _samples(self, blocks: Sequence[Block], texts: Sequence[BlockText]) -> Samples:
        """Read the samples of blocks; runs on a thread."""
        if len(blocks) == 1:
            rows, counts = self._rows_of_one(blocks[0], texts[0])
        else:
            rows, counts = self._rows_of_several(blocks, texts)
        wrong = np.flatnonzero(counts != [block.n_rows for block in blocks])
        for k in wrong.tolist():
            block, n_rows = blocks[k], counts[k]
            how = f"the block at line {block.line} had {block.n_rows} samples, now it has {n_rows}"
            raise changed(texts[k].name, how)
        self._compared.update(blocks)
        table = self._tables.table(rows)
        return (replace(table, X=unit_rows(table.X)) if self._is_scaled else table), blocks

    def _rows_of_one(self, block: Block, text: BlockText) -> tuple[SampleRows, Counts]:
        """Read a block of any size; return its samples and their number."""
        parts = [
            self._parsed(data, text.name, block.source, line)
            for data, line in whole_lines(text, block.line, _LARGE)
        ]
        rows = joined(parts)
        return rows, np.array([len(rows)])

    def _rows_of_several(
        self, blocks: Sequence[Block], texts: Sequence[BlockText]
    ) -> tuple[SampleRows, Counts]:
        """Parse small blocks together; return their samples and the number of each."""
        data, begins = joined_text(texts)
        try:
            rows = self._parsed(data, texts[0].name, 0, 0)
        except InputError:
            for block, text, pair in zip(blocks, texts, pairwise(begins), strict=True):
                self._parsed(
                    data[slice(*pair)], text.name, block.source, block.line
                )  # names the line
            raise
        n_lines = np.array([block.n_rows for block in blocks])
        if len(rows) != n_lines.sum() or rows.lines[-1] + 1 != len(
            rows
        ):  # some lines have no sample
            n_lines = np.array([line_count(data[slice(*pair)]) for pair in pairwise(begins)])
        starts = np.concatenate([[0], np.cumsum(n_lines)])
        owners = np.searchsorted(starts, rows.lines, side="right") - 1
        sources = np.array([block.source for block in blocks], np.int32)
        lines = np.array([block.line for block in blocks]) - starts[:-1]
        rows = replace(rows, sources=sources[owners], lines=rows.lines + lines[owners])
        return rows, np.bincount(owners, minlength=len(blocks))

    def _parsed(self, data: bytes, name: str, source: int, line: int) -> SampleRows:
        try:
            rows, _ = parsed_rows(data, name, source, line)
        except InputError as error:  # the survey found no error
            raise changed(name, str(error)) from error
        return rows
