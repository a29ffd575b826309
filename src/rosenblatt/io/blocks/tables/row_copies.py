"""Rows that are kept in a file of this machine, because to decode them again would take long."""

import tempfile
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.ipc as pa_ipc

from rosenblatt.core.errors import InputError
from rosenblatt.io.blocks.block import Block
from rosenblatt.io.sources.temporary_copy import nameless_file


class RowCopies:
    """Rows of blocks, several small ones together, as streams of Arrow's own."""

    def __init__(self) -> None:
        self._written = nameless_file()
        self._places: list[tuple[int, int]] = []
        self._homes: dict[Block, tuple[int, int]] = {}

    def __contains__(self, block: Block) -> bool:
        return block in self._homes

    def add(self, name: str, blocks: Sequence[Block], table: pa.Table) -> None:
        """Keep the rows of blocks of a file of this name, one block after another."""
        # A dictionary would be written whole for every few rows.
        table = pa.Table.from_arrays([_plain(own) for own in table.columns], table.column_names)
        options = pa_ipc.IpcWriteOptions(compression="lz4")
        try:
            start = self._written.seek(0, 2)
            with pa_ipc.new_stream(self._written, table.schema, options=options) as stream:
                stream.write_table(table)
        except OSError as error:
            raise InputError(
                f"{name}: its rows cannot be copied to {tempfile.gettempdir()} ({error}); make room "
                "there, or name another folder with TMPDIR"
            ) from error
        n_rows = 0
        for block in blocks:
            self._homes[block] = len(self._places), n_rows
            n_rows += block.end - block.offset
        self._places.append((start, self._written.tell() - start))

    def home(self, block: Block) -> tuple[int, int]:
        """Return the number of the rows that have those of a block, and where among them it begins."""
        return self._homes[block]

    def rows(self, number: int) -> pa.Table:
        """Return rows that were kept together."""
        start, size = self._places[number]
        self._written.seek(start)
        return pa_ipc.open_stream(self._written.read(size)).read_all().combine_chunks()

    def close(self) -> None:
        """Let the copies go."""
        self._homes.clear()
        self._written.close()


def _plain(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    return cells.cast(cells.type.value_type) if pa.types.is_dictionary(cells.type) else cells
