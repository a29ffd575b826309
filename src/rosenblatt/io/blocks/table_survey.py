"""The survey of one source of a table, made in one or two passes.

The types of CSV columns are guessed from the first lines of the source; if later lines contradict the
guess, the pass is repeated. The form that all sources agree on, and what columns become, is decided
when all surveys are combined.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

from rosenblatt.io.blocks.block import Block, SourceIdentity, SourceTable, SurveyOptions
from rosenblatt.io.blocks.surveyed_source import shared_source, source_identity
from rosenblatt.io.blocks.tables.row_block_finder import RowBlockFinder, are_blocks
from rosenblatt.io.blocks.text_block_finder import TextBlockFinder
from rosenblatt.io.samples.preparation import ColumnOptions, new_encoder, reading_of
from rosenblatt.io.samples.table import Reading
from rosenblatt.io.sources.source import Source
from rosenblatt.io.streams.encoding_pass import SurveyPass
from rosenblatt.io.streams.regrouping import Cuts
from rosenblatt.io.streams.table_chunks import PartReader, TableChunks
from rosenblatt.io.streams.tables.arrow_parts import ArrowParts
from rosenblatt.io.streams.tables.csv_parts import CsvParts
from rosenblatt.io.streams.tables.row_files import RowFile, errors_naming, open_rows
from rosenblatt.io.streams.tables.table_form import FormChangedError, TableForm
from rosenblatt.io.streams.tables.table_labels import TableLabels
from rosenblatt.io.streams.tables.table_rows import TablePart
from rosenblatt.tables.encoder import TableEncoder
from rosenblatt.tables.table_facts import TableFacts
from rosenblatt.tables.text_kind import TextKind


@dataclass(frozen=True)
class TableStart:
    """The start of a survey: the assumed form, and an unfitted encoder.

    ``kinds`` are the known kinds of text columns.
    """

    form: TableForm
    encoder: TableEncoder
    kinds: Mapping[str, TextKind] = field(default_factory=dict)


@dataclass(frozen=True)
class TableSurvey:
    """The survey of one source of a table.

    ``form`` is the result of starting from ``start``. ``facts`` describe the columns, ``labels`` the
    labels; None: there are no samples.
    """

    number: int
    path: str
    kind: str
    identity: SourceIdentity
    blocks: tuple[Block, ...]
    table: SourceTable
    start: TableStart
    form: TableForm
    labels: TableLabels | None
    facts: TableFacts | None
    n_samples: int
    n_unlabeled: int


def survey_table(
    path: str, number: int, kind: str, options: SurveyOptions, start: TableStart | None = None
) -> TableSurvey:
    r"""Survey a source of a table of a kind, "csv", "parquet" or "arrow".

    ``start`` comes from other sources.

    >>> path = getfixture("tmp_path") / "data.csv"
    >>> _ = path.write_text("age,class\n20,a\n40,b\n")
    >>> survey = survey_table(str(path), 0, "csv", SurveyOptions())
    >>> survey.form.kinds, survey.labels.texts.values.to_pylist(), survey.facts.n_rows
    ({'age': 'number'}, ['a', 'b'], 2)
    """
    source = shared_source(path)
    state = source.state()
    reading = reading_of(options.reading, options.columns)
    own: _CsvSource | _RowSource
    if kind == "csv":
        own = _CsvSource(source, number, reading, options.lines.piece_size)
    else:
        own = _RowSource(source, number, reading, kind, options.n_shards)
    reader = TableChunks([source], own.parts, reading)
    if start is None:
        start = _start(source.name, own.parts, options.columns)
    reader.start_from(start.form)
    facts = _collected_facts(SurveyPass(source.name, reader), start, own)
    assert reader.form is not None
    blocks, table = own.found(reader.form)
    return TableSurvey(
        number,
        path,
        kind,
        source_identity(source, state, is_packed=own.is_packed),
        blocks,
        table,
        start,
        reader.form,
        reader.label_texts,
        facts,
        sum(block.n_rows for block in blocks),
        reader.n_unlabeled,
    )


def _start(name: str, parts: PartReader, options: ColumnOptions) -> TableStart:
    """Return the start of a survey that knows no other source."""
    own, form = parts.arrangement(0), parts.form()[0]
    return TableStart(form, new_encoder(name, own.columns, own.features, options))


def _collected_facts(
    survey: SurveyPass, start: TableStart, own: "_CsvSource | _RowSource"
) -> TableFacts | None:
    """Collect the facts about the columns of a source, and its blocks."""
    while True:
        facts = None
        survey = SurveyPass(survey.name, survey.reader)
        own.begin()
        try:
            for columns in survey.columns(own.add):
                if facts is None:
                    facts = start.encoder.new_facts(
                        columns.column_names, kinds=start.kinds, is_part=True
                    )
                facts.add(columns)
        except FormChangedError:
            continue
        for column in [] if facts is None else facts.columns:
            if column.fault is not None:
                column.fault = survey.named(column.fault)
        return facts


class _CsvSource:
    """Finds the blocks of a CSV file."""

    def __init__(self, source: Source, number: int, reading: Reading, piece_size: int) -> None:
        self.parts = CsvParts([source], reading, piece_size=piece_size, has_cuts=True)
        with source.open() as file:
            self.is_packed = file.is_packed
        self._number = number
        self.begin()

    def begin(self) -> None:
        """Start from the beginning of the file."""
        self._finder = TextBlockFinder(self._number)

    def add(self, part: TablePart) -> None:
        """Add the next part."""
        assert isinstance(part.cuts, Cuts)
        self._finder.add(part.cuts.piece, part.rows.lines, part.cuts.ends)

    def found(self, form: TableForm) -> tuple[tuple[Block, ...], SourceTable]:
        """Return all blocks, and the table in the file."""
        layout, own, _ = self.parts.parser(0, form).beginning
        return self._finder.blocks(), SourceTable(own, layout)


class _RowSource:
    """Finds the blocks of a Parquet or Arrow file."""

    is_packed = False

    def __init__(
        self, source: Source, number: int, reading: Reading, kind: str, n_shards: int
    ) -> None:
        self.parts = ArrowParts([source], kind, reading)
        self._source, self._number, self._kind = source, number, kind
        with self._opened() as rows:
            groups = rows.group_sizes()
        self._groups = groups if are_blocks(groups, n_shards) else None
        self.begin()

    def begin(self) -> None:
        """Start from the beginning of the file."""
        self._finder = RowBlockFinder(self._number, self._groups)

    def add(self, part: TablePart) -> None:
        """Add the next part."""
        self._finder.add(part.rows.lines - 1)

    def found(self, form: TableForm) -> tuple[tuple[Block, ...], SourceTable]:
        """Return all blocks, and the table in the file."""
        del form
        with self._opened() as rows:
            groups = tuple(rows.group(k) for k in range(rows.n_groups))
            table = SourceTable(self.parts.arrangement(0), None, rows.outline_digest(), groups)
        return self._finder.blocks(groups), table

    @contextmanager
    def _opened(self) -> Iterator[RowFile]:
        with closing(self._source.open_seekable()) as file, errors_naming(self._source.name):
            yield open_rows(file, self._kind)
