"""Tables in chunks: CSV, Parquet and Arrow files of any size, of one schema.

What must be known of all samples before one of them can be read as it is in a table that is read whole
(which columns of a CSV file are text, whether labels are numbers) is a `TableForm`. A model knows it,
and so does whoever has read the same files before; else a pass over all samples finds out. That pass
begins with what the first lines look like, and again when later ones show that to be wrong. (Whether
texts are numbers with decimal commas is decided by the first lines.)
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
from rosenblatt.io.streams.read_ahead import ahead
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
    """What reads parts of tables of one kind."""

    @property
    def is_typed(self) -> bool:
        """Whether the files themselves say what their columns hold."""

    @property
    def options(self) -> Mapping[str, object]:
        """What the parts depend on beside the sources, as JSON has it."""

    def arrangement(self, source: int) -> Arrangement:
        """Return how the columns of a source are arranged."""

    def form(self) -> tuple[TableForm, bool]:
        """Return what the columns are as far as is known, and whether that is certain."""

    def check_labels(self, source: int, labels: TextCounts) -> None:
        """Raise if the labels of a source say that it is to be read otherwise."""

    def tasks(
        self, start: Position, form: TableForm
    ) -> Generator[Callable[[], TablePart], None, None]:
        """Yield what reads one part after another, from a position on; see `ChunkReader.chunks`."""


class TableChunks:
    """The samples of tables, in chunks.

    ``form`` is what is known of the samples, None until somebody has found out; then ``label_texts``
    are the labels of all of them, if they have any.
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
        self._made = RowTables(names, parts.arrangement, reading, parts.is_typed)
        self._tried: TableForm | None = None
        self.form: TableForm | None = None
        self.label_texts: TableLabels | None = None
        self.n_read = self.n_unlabeled = 0

    @property
    def options(self) -> dict[str, object]:
        """What the chunks depend on beside the sources."""
        return {**self._parts.options, "chunk_rows": self._chunk_rows}

    @property
    def found(self) -> dict[str, object]:
        """What was found out about the samples, None if nothing was yet."""
        return {"form": None if self.form is None else self.form.to_json()}

    @property
    def labels(self) -> LabelCounts | None:
        """The labels of all samples, once somebody has found out what they are."""
        if self.label_texts is None or self.form is None or self.form.label_kind is None:
            return None
        return self.label_texts.counted(self.form.label_kind)

    def arrangement(self, source: int) -> Arrangement:
        """Return how the columns of a source are arranged."""
        return self._parts.arrangement(source)

    def take(self, found: Mapping[str, object]) -> None:
        """Take over what another reader of the same samples has found out."""
        form = found.get("form")
        if isinstance(form, Mapping):
            self.form = TableForm.from_json(form)

    def chunks(self, start: Position = BEGINNING) -> Generator[Table, None, None]:
        """Yield the samples from a position on.

        Raise `QuotesChangedError` if that turns out after the first chunk; whoever begins again then
        gets what is right.
        """
        if self.form is None:
            form, is_known = self._parts.form()
            if is_known:
                self.form = replace(form, label_kind="text")
            else:
                self._detect()
        assert self.form is not None
        is_begun, is_done = False, False
        while not is_done:
            try:
                with closing(self._read(start, self.form)) as parts:
                    for table in self._tables(parts, start.rows, self.form.label_kind):
                        is_begun = True
                        yield table
                is_done = True
            except QuotesChangedError as error:
                self.form = replace(self.form, apostrophes=self.form.apostrophes | {error.source})
                if is_begun or not self._sources[error.source].is_repeatable:
                    raise

    def survey(
        self, watch: Callable[[TablePart], None] | None = None
    ) -> Generator[Table, None, None]:
        """Yield all samples, without labels, and know the form at the end.

        Raise `FormChangedError` if what was thought of them is wrong: call this again then. Who watches
        gets each part before its samples are there, and whatever else is in it.
        """
        if not all(source.is_repeatable for source in self._sources):
            raise InputError(
                f"{self._sources[0].name}: to learn from a table it is read more than once, and this "
                "can be read only once; give a file"
            )
        form = self._parts.form()[0] if self._tried is None else self._tried
        seen = _Seen(self._sources, is_patient=self._tried is not None, watch=watch)
        try:
            with closing(self._read(BEGINNING, form)) as parts:
                yield from self._tables(seen.watched(parts), 0, None)
        except QuotesChangedError as error:
            self._tried = replace(form, apostrophes=form.apostrophes | {error.source})
            raise FormChangedError from error
        if seen.misfits:
            self._tried = form.with_texts(seen.misfits)
            raise FormChangedError
        for source, labels in seen.labels.items():
            self._parts.check_labels(source, labels.texts)
        self.label_texts = seen.all_labels()
        kind = None if self.label_texts is None else self.label_texts.kind()
        self.form = replace(form, label_kind=kind)

    def check_labeled(self) -> None:
        """Raise if a survey has found samples, but none that has a label."""
        if self.n_unlabeled and (self.label_texts is None or not self.label_texts.texts.n_cells):
            raise InputError(
                f"{self._sources[0].name}: no sample has a label; choose another label column"
            )

    def start_from(self, form: TableForm) -> None:
        """Let a survey begin with what is known of the samples of other sources."""
        self._tried = form

    def place_of(self, row: int, before: Position) -> str:
        """Return where a sample is; the position is before it, at the beginning of a chunk."""
        form = self.form or self._tried or self._parts.form()[0]
        with closing(self._read(before, form)) as parts:
            for table in self._tables(parts, before.rows, None):
                if row < table.end.rows:
                    own = row - (table.end.rows - table.n_samples)
                    return table.place(self._sources[before.source].name, own)
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
        with closing(ahead(self._parts.tasks(start, form))) as parts:
            yield from parts

    def _tables(
        self, parts: Iterator[TablePart], n_rows: int, kind: str | None
    ) -> Generator[Table, None, None]:
        """Yield chunks, with labels of a kind if that is given; so many samples are before them."""
        self.n_unlabeled, size = 0, self._chunk_rows
        counted = self._counted(parts)
        for chunk in by_bytes(counted) if size is None else by_rows(counted, size, joined_rows):
            n_rows += len(chunk.rows)
            self.n_read = chunk.n_read
            end = replace(chunk.end, rows=n_rows)
            yield self._made.table(chunk.rows, kind, end, chunk.n_unlabeled)

    def _counted(self, parts: Iterator[TablePart]) -> Iterator[TablePart]:
        for part in parts:
            self.n_unlabeled += part.n_unlabeled
            yield part


class _Seen:
    """What a pass over all samples has seen.

    One that is patient goes on after the first misfits, to find the others too.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        *,
        is_patient: bool,
        watch: Callable[[TablePart], None] | None,
    ) -> None:
        self._sources, self._is_patient, self._watch = sources, is_patient, watch
        self.labels: dict[int, TableLabels] = {}
        self.misfits: set[str] = set()

    def watched(self, parts: Iterator[TablePart]) -> Iterator[TablePart]:
        """Yield the parts, until there are misfits."""
        for part in parts:
            self.misfits |= part.rows.misfits
            if self.misfits and not self._is_patient:
                return
            if not self.misfits:
                self._add(part)
                yield part

    def _add(self, part: TablePart) -> None:
        if self._watch is not None:
            self._watch(part)
        labels, source = part.rows.table_labels(), part.end.source
        if labels is not None:
            before = self.labels.get(source, labels._replace(texts=TextCounts.none()))
            self.labels[source] = before.joined(labels, self._sources[source].name)

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
    """Return what reads the samples of tables of a kind, "csv", "parquet" or "arrow", in chunks.

    CSV is read in pieces of about ``piece_size`` bytes, other files in batches of at most ``most_rows``
    rows; a chunk has ``chunk_rows`` samples if that is given.
    """
    for source in sources[1:]:
        own = file_kind(source.name, source.head(HEAD), reading.kind)
        if own != kind:
            raise InputError(
                f"{source.name}: this is a file of the kind {own}, and {sources[0].name} is one of the "
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
