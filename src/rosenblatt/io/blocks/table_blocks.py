"""Reading blocks of tables, encoded as numbers, in any order."""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial

import numpy as np

from rosenblatt.io.blocks.block import Block, SampleForm
from rosenblatt.io.blocks.surveyed_source import changed
from rosenblatt.io.blocks.tables.csv_blocks import CsvBlocks
from rosenblatt.io.blocks.tables.row_blocks import RowBlocks
from rosenblatt.io.samples.preparation import encoded
from rosenblatt.io.samples.table import Table
from rosenblatt.io.streams.read_ahead import run_ahead
from rosenblatt.io.streams.tables.row_tables import RowTables
from rosenblatt.io.streams.tables.table_rows import TableRows

Samples = tuple[Table, Sequence[Block]]
"""Samples, and the blocks that have them."""


class TableBlockReader:
    """Reads blocks of tables, ahead on threads."""

    def __init__(self, paths: Sequence[str], form: SampleForm) -> None:
        is_text = form.kind == "csv"
        self._rows = CsvBlocks(paths, form) if is_text else RowBlocks(paths, form)
        self._form = form
        names, own = [source.name for source in form.sources], form.tables[0].arrangement
        self._row_tables = RowTables(names, lambda _: own, form.reading, not is_text)

    def tables(self, blocks: Sequence[Block]) -> Generator[Samples, None, None]:
        """Yield the samples of blocks; see `BlockReader`."""
        numbers = sorted({block.source for block in blocks})
        self._rows.sources.check(numbers)
        with closing(run_ahead(self._tasks(blocks))) as made:
            yield from made
        self._rows.sources.check(numbers)  # nothing changed while reading

    def close(self) -> None:
        """Close the sources."""
        self._rows.close()

    def _tasks(self, blocks: Sequence[Block]) -> Generator[Callable[[], Samples], None, None]:
        with closing(self._rows.tasks(blocks)) as tasks:
            for group, read in tasks:
                yield partial(self._samples, group, read)

    def _samples(self, blocks: Sequence[Block], read: Callable[[], TableRows]) -> Samples:
        """Read the samples of blocks; runs on a thread."""
        rows, form = read(), self._form
        self._check(rows, blocks)
        assert form.table is not None
        assert form.encoder is not None
        table = self._row_tables.table(rows, form.table.label_kind)
        name = form.sources[blocks[0].source].name
        table = replace(table, X=encoded(name, table, form.encoder.transform))
        self._rows.mark_checked(blocks)
        return table, blocks

    def _check(self, rows: TableRows, blocks: Sequence[Block]) -> None:
        """Raise InputError unless each block has as many samples as in the survey."""
        begins = np.array([(block.source, block.line) for block in blocks]).T
        order = np.lexsort(begins[::-1])
        sources, lines = begins[:, order]
        # The position of each sample's block in this order.
        positions = np.zeros(len(rows), np.int64)
        for source in np.unique(sources).tolist():
            own = rows.sources == source
            first = int(np.searchsorted(sources, source))
            found = np.searchsorted(lines[sources == source], rows.lines[own], side="right")
            positions[own] = first + found - 1
        counts = np.bincount(positions, minlength=len(blocks)).tolist()
        for number, count in zip(order.tolist(), counts, strict=True):
            block = blocks[number]
            if count != block.n_rows:
                how = (
                    f"the block at line {block.line} had {block.n_rows} samples, now it has {count}"
                )
                raise changed(self._form.sources[block.source].name, how)
