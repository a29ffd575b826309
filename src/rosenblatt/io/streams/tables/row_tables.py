"""Making tables of samples from chunks or blocks: typed labels, and places of samples."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from rosenblatt.core.errors import InputError, quoted
from rosenblatt.core.types import Labels
from rosenblatt.io.samples.label_column import label_fault, typed_labels
from rosenblatt.io.samples.sample_places import places_in_sources
from rosenblatt.io.samples.table import Arrangement, Reading, Table
from rosenblatt.io.streams.stream_position import BEGINNING, Position
from rosenblatt.io.streams.tables.table_rows import TableRows


@dataclass(frozen=True)
class RowTables:
    """Makes tables of samples from sources with these names.

    ``arrangement`` returns the columns of a source; ``is_typed`` says whether the files themselves store
    column types.
    """

    names: Sequence[str]
    arrangement: Callable[[int], Arrangement]
    reading: Reading
    is_typed: bool

    def table(
        self,
        rows: TableRows,
        kind: str | None,
        end: Position = BEGINNING,
        n_unlabeled: int = 0,
    ) -> Table:
        """Return samples as a table, with labels if their kind is given."""
        own = self.arrangement(int(rows.sources[0]))
        table = Table(
            rows.X,
            None,
            places_in_sources(
                self.names, rows.sources, rows.lines, "row" if self.is_typed else "line"
            ),
            own.columns,
            own.has_names,
            own.label_name,
            -1 if own.label is None else own.label + 1,
            n_unlabeled=n_unlabeled,
            is_typed=self.is_typed,
            end=end,
        )
        if kind is None or rows.labels is None:
            return table
        return replace(table, y=self._labels(table, rows, kind))

    def _labels(self, table: Table, rows: TableRows, kind: str) -> Labels:
        texts, codes = rows.label_texts()
        expect = self.reading.expect
        if expect is not None and expect.classes.dtype.kind == "b":
            texts = capitalized(texts)
        fault = label_fault(texts, kind)
        if fault is not None:
            code, reason = fault
            row = int(np.argmax(codes == code))
            place = table.place(self.names[rows.sources[row]], row)
            raise InputError(f"{place}: the label {quoted(texts[code].as_py())} {reason}")
        return typed_labels(texts, kind)[codes]


def capitalized(texts: pa.Array) -> pa.Array:
    """Write boolean labels as True and False, like the classes of a model.

    >>> capitalized(pa.array(["TRUE", "x"])).to_pylist()
    ['True', 'x']
    """
    values = texts.to_pylist()
    return pa.array(
        [text.capitalize() if text.lower() in ("true", "false") else text for text in values],
        pa.string(),
    )
