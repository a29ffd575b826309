"""Tables in chunks: CSV, Parquet and Arrow files of any size, with the same columns.

Chunks have the types of the whole table: which columns of a CSV file are text, and whether labels are
numbers. This is the `TableForm`; it comes from a model, from an earlier reading, or from a pass over all
samples. The pass starts from what the first lines look like, and restarts if later lines contradict
that. (The first lines alone decide whether text is numbers with decimal commas.)
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Protocol

from rosenblatt.core.errors import InputError
from rosenblatt.io.samples.table import Arrangement, Reading, Table
from rosenblatt.io.sources.file_kind import ARROW_BEGINNINGS, HEAD, file_kind
from rosenblatt.io.sources.source import Source
from rosenblatt.io.streams.byte_pieces import PIECE
from rosenblatt.io.streams.read_ahead import run_ahead
from rosenblatt.io.streams.regrouping import by_bytes, by_rows
from rosenblatt.io.streams.stream_position import BEGINNING, Position
from rosenblatt.io.streams.tables.arrow_parts import ArrowParts
from rosenblatt.io.streams.tables.csv_parser import QuotesChangedError
from rosenblatt.io.streams.tables.csv_parts import CsvParts
from rosenblatt.io.streams.tables.row_files import MOST_ROWS
from rosenblatt.io.streams.tables.row_tables import RowTables
from rosenblatt.io.streams.tables.table_form import FormChangedError, TableForm
from rosenblatt.io.streams.tables.table_labels import LabelCounts, TableLabels, joined_labels
from rosenblatt.io.streams.tables.table_rows import TablePart, joined_rows
from rosenblatt.tables.text_counts import TextCounts


class PartReader(Protocol):
    """A reader of the parts of one kind of tables."""

    @property
    def is_typed(self) -> bool:
        """Whether the files themselves store column types."""

    @property
    def options(self) -> Mapping[str, object]:
        """The options that the parts depend on, as JSON."""

    def arrangement(self, source: int) -> Arrangement:
        """Return the columns of a source."""

    def form(self) -> tuple[TableForm, bool]:
        """Return the form as far as it is known, and whether it is certain."""

    def check_labels(self, source: int, labels: TextCounts) -> None:
        """Raise InputError if the labels of a source show that its header was misread."""

    def tasks(
        self, start: Position, form: TableForm
    ) -> Generator[Callable[[], TablePart], None, None]:
        """Yield tasks that read one part each, from a position on; see `ChunkReader.chunks`."""


class TableChunks:
    """Reads tables in chunks.

    ``form`` is set once it is known; afterward ``label_texts`` has the labels of all samples, if any.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        parts: PartReader,
        reading: Reading,
        chunk_rows: int | None = None,
    ) -> None:
        self._sources, self._parts, self._reading = sources, parts, reading
        self._chunk_rows = chunk_rows
        names = [source.name for source in sources]
        self._row_tables = RowTables(names, parts.arrangement, reading, parts.is_typed)
        self._guess: TableForm | None = None
        self.form: TableForm | None = None
        self.label_texts: TableLabels | None = None
        self.n_read = self.n_unlabeled = 0

    @property
    def options(self) -> dict[str, object]:
        """The options that the chunks depend on."""
        return {**self._parts.options, "chunk_rows": self._chunk_rows}

    @property
    def found(self) -> dict[str, object]:
        """The facts detected about the samples; None: not yet."""
        return {"form": None if self.form is None else self.form.to_json()}

    @property
    def labels(self) -> LabelCounts | None:
        """The labels of all samples, or None if not known yet."""
        if self.label_texts is None or self.form is None or self.form.label_kind is None:
            return None
        return self.label_texts.counted(self.form.label_kind)

    def arrangement(self, source: int) -> Arrangement:
        """Return the columns of a source."""
        return self._parts.arrangement(source)

    def take(self, found: Mapping[str, object]) -> None:
        """Adopt what another reader of the same samples detected."""
        form = found.get("form")
        if isinstance(form, Mapping):
            self.form = TableForm.from_json(form)

    def chunks(self, start: Position = BEGINNING) -> Generator[Table, None, None]:
        """Yield the samples, starting at a position.

        Raise `QuotesChangedError` if quotes turn out to be apostrophes after the first chunk; the next
        call then reads them correctly.
        """
        if self.form is None:
            form, is_known = self._parts.form()
            if is_known:
                self.form = replace(form, label_kind="text")
            else:
                self._detect()
        assert self.form is not None
        has_yielded, is_done = False, False
        while not is_done:
            try:
                with closing(self._read(start, self.form)) as parts:
                    for table in self._tables(parts, start.rows, self.form.label_kind):
                        has_yielded = True
                        yield table
                is_done = True
            except QuotesChangedError as error:
                self.form = replace(self.form, apostrophes=self.form.apostrophes | {error.source})
                if has_yielded or not self._sources[error.source].is_repeatable:
                    raise

    def survey(
        self, watch: Callable[[TablePart], None] | None = None
    ) -> Generator[Table, None, None]:
        """Yield all samples, without labels; at the end, the form is known.

        Raise `FormChangedError` if the form was guessed wrong: then call this again. ``watch`` is called
        with each part before its samples are yielded.
        """
        if not all(source.is_repeatable for source in self._sources):
            raise InputError(
                f"{self._sources[0].name}: learning from a table reads it more than once, but this can "
                "be read only once; give a file"
            )
        form = self._parts.form()[0] if self._guess is None else self._guess
        facts = _SurveyFacts(self._sources, finds_all_misfits=self._guess is not None, watch=watch)
        try:
            with closing(self._read(BEGINNING, form)) as parts:
                yield from self._tables(facts.watched(parts), 0, None)
        except QuotesChangedError as error:
            self._guess = replace(form, apostrophes=form.apostrophes | {error.source})
            raise FormChangedError from error
        if facts.misfits:
            self._guess = form.with_texts(facts.misfits)
            raise FormChangedError
        for source, labels in facts.labels.items():
            self._parts.check_labels(source, labels.texts)
        self.label_texts = facts.all_labels()
        kind = None if self.label_texts is None else self.label_texts.kind()
        self.form = replace(form, label_kind=kind)

    def check_labeled(self) -> None:
        """Raise InputError if a survey found samples, but none with a label."""
        if self.n_unlabeled and (self.label_texts is None or not self.label_texts.texts.n_cells):
            raise InputError(
                f"{self._sources[0].name}: no sample has a label; choose another label column"
            )

    def start_from(self, form: TableForm) -> None:
        """Let the survey start from the form of other sources."""
        self._guess = form

    def place_of(self, row: int, before: Position) -> str:
        """Return the place of a sample; ``before`` is the beginning of a chunk before it."""
        form = self.form or self._guess or self._parts.form()[0]
        with closing(self._read(before, form)) as parts:
            for table in self._tables(parts, before.rows, None):
                if row < table.end.rows:
                    row_in_chunk = row - (table.end.rows - table.n_samples)
                    return table.place(self._sources[before.source].name, row_in_chunk)
        return f"sample {row + 1}"

    def _detect(self) -> None:
        while self.form is None:
            try:
                for _ in self.survey():
                    pass
            except FormChangedError:
                continue
        self.check_labeled()

    def _read(self, start: Position, form: TableForm) -> Generator[TablePart, None, None]:
        with closing(run_ahead(self._parts.tasks(start, form))) as parts:
            yield from parts

    def _tables(
        self, parts: Iterator[TablePart], n_rows: int, kind: str | None
    ) -> Generator[Table, None, None]:
        """Yield chunks, which begin after ``n_rows`` samples, with labels if their kind is given."""
        self.n_unlabeled, size = 0, self._chunk_rows
        counted = self._counted(parts)
        for chunk in by_bytes(counted) if size is None else by_rows(counted, size, joined_rows):
            n_rows += len(chunk.rows)
            self.n_read = chunk.n_read
            end = replace(chunk.end, rows=n_rows)
            yield self._row_tables.table(chunk.rows, kind, end, chunk.n_unlabeled)

    def _counted(self, parts: Iterator[TablePart]) -> Iterator[TablePart]:
        for part in parts:
            self.n_unlabeled += part.n_unlabeled
            yield part


class _SurveyFacts:
    """The labels and misfits that a survey found.

    A survey stops at the first misfits, unless it ``finds_all_misfits``.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        *,
        finds_all_misfits: bool,
        watch: Callable[[TablePart], None] | None,
    ) -> None:
        self._sources, self._finds_all_misfits, self._watch = sources, finds_all_misfits, watch
        self.labels: dict[int, TableLabels] = {}
        self.misfits: set[str] = set()

    def watched(self, parts: Iterator[TablePart]) -> Iterator[TablePart]:
        """Yield the parts until the first misfits."""
        for part in parts:
            self.misfits |= part.rows.misfits
            if self.misfits and not self._finds_all_misfits:
                return
            if not self.misfits:
                self._add(part)
                yield part

    def _add(self, part: TablePart) -> None:
        if self._watch is not None:
            self._watch(part)
        labels, source = part.rows.table_labels(), part.end.source
        if labels is not None:
            earlier = self.labels.get(source, labels._replace(texts=TextCounts.none()))
            self.labels[source] = earlier.joined(labels, self._sources[source].name)

    def all_labels(self) -> TableLabels | None:
        """Return the labels of all sources."""
        return joined_labels(list(self.labels.values()))


def table_reader(
    sources: Sequence[Source],
    kind: str,
    reading: Reading,
    *,
    chunk_rows: int | None = None,
    has_digests: bool = False,
    piece_size: int = PIECE,
    most_rows: int = MOST_ROWS,
) -> TableChunks:
    """Return a reader of tables of a kind, "csv", "parquet" or "arrow", in chunks.

    CSV is read in pieces of about ``piece_size`` bytes, other files in batches of at most ``most_rows``
    rows; a chunk has ``chunk_rows`` samples if that is given.
    """
    for source in sources[1:]:
        other_kind = file_kind(source.name, source.head(HEAD), reading.kind)
        if other_kind != kind:
            raise InputError(
                f"{source.name}: this file has the kind {other_kind}, but {sources[0].name} has the "
                f"kind {kind}; give files of one kind"
            )
    if kind in ARROW_BEGINNINGS.values():
        parts: PartReader = ArrowParts(sources, kind, reading, most_rows)
        return TableChunks(sources, parts, reading, chunk_rows)
    parts = CsvParts(
        sources,
        reading,
        piece_size=piece_size,
        has_digests=has_digests,
        has_cuts=chunk_rows is not None,
    )
    return TableChunks(sources, parts, reading, chunk_rows)
