"""What is known of samples in files before any of them is learned from: their blocks, and their form.

A block is a range of one source, of a size that `rosenblatt.training.shards.dealing` says. All of this
travels to the workers, and none of it holds a sample.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sklearn.preprocessing import Normalizer

from rosenblatt.core.types import Counts, Labels
from rosenblatt.io.csv.csv_layout import Layout
from rosenblatt.io.samples.preparation import ColumnOptions
from rosenblatt.io.samples.table import Arrangement, Reading
from rosenblatt.io.streams.line_chunks import LineReading
from rosenblatt.io.streams.tables.row_files import Group
from rosenblatt.io.streams.tables.table_form import TableForm
from rosenblatt.tables.encoder import TableEncoder


@dataclass(frozen=True)
class Block:
    """A range of a source.

    ``source`` is the number of the source. Of text, ``offset`` and ``end`` count bytes as unpacked, of
    Parquet and Arrow files rows as stored; ``line`` is the number of the first line or row, from 1, and
    ``row`` that of the first sample among those of the source, from 0, which has ``n_rows`` in this
    block: of samples without a label only if labels are not needed. ``digest`` is the SHA-256 of the
    bytes, or of the digests of all groups of rows that it touches.

    >>> Block(0, 0, 12, 1, 0, 1, "")
    Block(source=0, offset=0, end=12, line=1, row=0, n_rows=1, digest='')
    """

    source: int
    offset: int
    end: int
    line: int
    row: int
    n_rows: int
    digest: str

    def __hash__(self) -> int:
        # Of all fields it would take longer than much else that is done with a small block.
        return hash((self.source, self.offset))


@dataclass(frozen=True)
class SourceIdentity:
    """What tells a source from another one, or from what it was: its size as stored, and its version.

    The version of a copy on another machine may differ: what is in it is compared by the digests of its
    blocks.
    """

    name: str
    n_bytes: int | None
    version: str
    is_packed: bool = False


@dataclass(frozen=True)
class SourceTable:
    """How a source has its table: how its columns are arranged and, in CSV, how they are written.

    Of Parquet and Arrow files, ``outline`` is the digest of what says where rows are, and ``groups`` has
    all row groups, or batches: no more than those that a block touches are compared when it is read.
    """

    own: Arrangement
    layout: Layout | None = None
    outline: str = ""
    groups: tuple[Group, ...] = ()


@dataclass(frozen=True)
class SampleForm:
    """All that a worker needs to read blocks as samples with labels.

    ``kind`` is that of the files. Of lines, ``lines`` says with ``zero_based``, ``text_labels``
    and ``n_features`` what is agreed on; of tables, ``table``, ``tables`` of all
    sources and ``encoder`` do; without an encoder, X is the table itself, else it has ``n_features``
    columns. The encoder of lines scales rows to length 1. ``sources`` are what was surveyed, in the
    order of their numbers.
    """

    kind: str
    reading: Reading
    lines: LineReading
    n_features: int
    classes: Labels
    sources: tuple[SourceIdentity, ...]
    table: TableForm | None = None
    tables: tuple[SourceTable, ...] = ()
    encoder: TableEncoder | Normalizer | None = None

    @property
    def read_as(self) -> tuple[object, ...]:
        """What the same bytes may be other samples by: how they are read, and encoded."""
        lines, reading = self.lines, self.reading
        return (
            self.kind,
            self.n_features,
            (lines.zero_based, lines.text_labels),
            (reading.decimal, list(reading.missing)),
            [(own.own.label, list(own.own.features)) for own in self.tables],
            None if self.table is None else self.table.to_json(),
            None if self.encoder is None else self.encoder.get_params(),
        )


@dataclass(frozen=True)
class SurveyOptions:
    """What a survey is asked for: how samples are read, and for how many shards.

    ``reading.kind`` is known: who gives several files has asked the first of them.
    """

    reading: Reading = field(default_factory=Reading)
    lines: LineReading = field(default_factory=LineReading)
    columns: ColumnOptions = field(default_factory=ColumnOptions)
    n_shards: int = 1


@dataclass(frozen=True)
class Agreement:
    """What surveys of all sources agree on.

    ``classes`` are sorted, and ``class_counts`` says how many samples have each; both are empty if
    labels are not needed. ``blocks`` are those of all sources, one source after another.
    ``feature_names`` are those of a table's encoded columns, None for lines.
    """

    form: SampleForm
    classes: Labels
    class_counts: Counts
    blocks: tuple[Block, ...]
    n_samples: int
    n_features: int
    n_unlabeled: int
    feature_names: Sequence[str] | None = None

    @property
    def sources(self) -> tuple[SourceIdentity, ...]:
        """What was surveyed, in the order of their numbers."""
        return self.form.sources
