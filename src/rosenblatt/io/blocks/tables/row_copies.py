"""Local copies of rows that would be slow to decode again."""

import tempfile
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.ipc as pa_ipc

from rosenblatt.core.errors import InputError
from rosenblatt.io.blocks.block import Block
from rosenblatt.io.sources.temporary_copy import nameless_file


class RowCopies:
    """The rows of blocks, several small ones together, as Arrow streams in a temporary file."""

    def __init__(self) -> None:
        self._written = nameless_file()
        self._ranges: list[tuple[int, int]] = []
        self._locations: dict[Block, tuple[int, int]] = {}

    def __contains__(self, block: Block) -> bool:
        return block in self._locations

    def add(self, name: str, blocks: Sequence[Block], table: pa.Table) -> None:
        """Copy the rows of blocks, which are concatenated in a table; the name is for messages."""
        # Whole dictionaries would be written with every few rows.
        table = pa.Table.from_arrays([_plain(own) for own in table.columns], table.column_names)
        options = pa_ipc.IpcWriteOptions(compression="lz4")
        try:
            start = self._written.seek(0, 2)
            with pa_ipc.new_stream(self._written, table.schema, options=options) as stream:
                stream.write_table(table)
        except OSError as error:
            raise InputError(
                f"{name}: its rows cannot be copied to {tempfile.gettempdir()} ({error}); free "
                "space there, or set TMPDIR to another folder"
            ) from error
        n_rows = 0
        for block in blocks:
            self._locations[block] = len(self._ranges), n_rows
            n_rows += block.end - block.offset
        self._ranges.append((start, self._written.tell() - start))

    def location(self, block: Block) -> tuple[int, int]:
        """Return the number of the copy that has a block, and the block's first row in it."""
        return self._locations[block]

    def rows(self, number: int) -> pa.Table:
        """Return the rows of a copy."""
        start, size = self._ranges[number]
        self._written.seek(start)
        return pa_ipc.open_stream(self._written.read(size)).read_all().combine_chunks()

    def close(self) -> None:
        """Delete the copies."""
        self._locations.clear()
        self._written.close()


def _plain(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    return cells.cast(cells.type.value_type) if pa.types.is_dictionary(cells.type) else cells
