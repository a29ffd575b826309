"""The blocks of surveyed files, and the form of their samples.

A block is a range of one source, of a size that `rosenblatt.training.shards.dealing` determines. These
descriptions are sent to the workers; they contain no samples.
"""

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

    ``source`` is the number of the source. ``offset`` and ``end`` count decompressed bytes of text, or
    rows of Parquet and Arrow files. ``line`` is the number of the first line or row, from 1, and ``row``
    that of the first sample in the source, from 0. ``n_rows`` counts the samples in the block, without
    the unlabeled ones if labels are needed. ``digest`` is the SHA-256 of the bytes, or of the digests of
    all groups of rows that the block overlaps.

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
        # Hashing all fields would take longer than most of the work on a small block.
        return hash((self.source, self.offset))


@dataclass(frozen=True)
class SourceIdentity:
    """Detects whether a source is another one or has changed: its stored size and its version.

    The version of a copy on another machine may differ; its content is compared by block digests.
    """

    name: str
    n_bytes: int | None
    version: str
    is_packed: bool = False


@dataclass(frozen=True)
class SourceTable:
    """The table in a source: its columns and, for CSV, its layout.

    For Parquet and Arrow files, ``outline`` is the digest of the metadata, and ``groups`` has all row
    groups or batches; reading a block compares only those that it overlaps.
    """

    arrangement: Arrangement
    layout: Layout | None = None
    outline: str = ""
    groups: tuple[Group, ...] = ()


@dataclass(frozen=True)
class SampleForm:
    """Everything that a worker needs to read blocks as samples with labels.

    ``kind`` is the kind of the files. ``lines`` has the agreed options of libsvm text; ``table`` and
    ``tables`` are the form and the sources of a table. ``encoder`` turns a table into a matrix with
    ``n_features`` columns, or scales the rows of libsvm text to length 1. ``sources`` are the surveyed
    sources, in order.
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
        """Everything that affects which samples the same bytes become."""
        lines, reading = self.lines, self.reading
        return (
            self.kind,
            self.n_features,
            (lines.zero_based, lines.text_labels),
            (reading.decimal, list(reading.missing)),
            [(table.arrangement.label, list(table.arrangement.features)) for table in self.tables],
            None if self.table is None else self.table.to_json(),
            None if self.encoder is None else self.encoder.get_params(),
        )


@dataclass(frozen=True)
class SurveyOptions:
    """The options of a survey: how to read samples, and the number of shards.

    With several files, ``reading.kind`` is known: it is detected from the first one.
    """

    reading: Reading = field(default_factory=Reading)
    lines: LineReading = field(default_factory=LineReading)
    columns: ColumnOptions = field(default_factory=ColumnOptions)
    n_shards: int = 1


@dataclass(frozen=True)
class Agreement:
    """The combined surveys of all sources.

    ``classes`` are sorted, with their ``class_counts``. ``blocks`` are those of all sources, in order.
    """

    form: SampleForm
    classes: Labels
    class_counts: Counts
    blocks: tuple[Block, ...]
    n_samples: int
    n_features: int
    n_unlabeled: int

    @property
    def sources(self) -> tuple[SourceIdentity, ...]:
        """The surveyed sources, in order."""
        return self.form.sources
