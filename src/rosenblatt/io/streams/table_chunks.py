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
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from rosenblatt.core.errors import InputError, quoted
from rosenblatt.core.types import Counts, Labels
from rosenblatt.io.samples.label_column import label_fault, label_kind, typed_labels
from rosenblatt.io.samples.table import Arrangement, PlacesOf, Reading, Table
from rosenblatt.io.sources.file_kind import ARROW_BEGINNINGS, HEAD, file_kind
from rosenblatt.io.sources.source import Source
from rosenblatt.io.streams.byte_pieces import PIECE
from rosenblatt.io.streams.read_ahead import ahead
from rosenblatt.io.streams.regrouping import Chunk, by_bytes, by_rows
from rosenblatt.io.streams.stream_position import BEGINNING, Position
from rosenblatt.io.streams.tables.arrow_parts import MOST_ROWS, ArrowParts
from rosenblatt.io.streams.tables.csv_parts import CsvParts, QuotesChangedError
from rosenblatt.io.streams.tables.table_form import FormChangedError, TableForm
from rosenblatt.io.streams.tables.table_rows import TablePart, TableRows, joined_rows
from rosenblatt.tables.facts import OF_A_STREAM, exceeds
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

    def works(
        self, start: Position, form: TableForm
    ) -> Generator[Callable[[], TablePart | None], None, None]:
        """Yield what reads one part after another, from a position on."""


class LabelCounts(NamedTuple):
    """The different labels of all samples, sorted, and how many samples have each."""

    classes: Labels
    counts: Counts


class TableChunks:
    """The samples of tables, in chunks.

    ``form`` is what is known of the samples, None until somebody has found out; then ``labels`` are the
    labels of all of them.
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
        self._tried: TableForm | None = None
        self.form: TableForm | None = None
        self.labels: LabelCounts | None = None
        self.n_read = self.n_unlabelled = 0

    @property
    def options(self) -> dict[str, object]:
        """What the chunks depend on beside the sources."""
        return {**self._parts.options, "chunk_rows": self._chunk_rows}

    @property
    def found(self) -> dict[str, object]:
        """What was found out about the samples, None if nothing was yet."""
        return {"form": None if self.form is None else self.form.to_json()}

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
                self._find_out()
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

    def survey(self) -> Generator[Table, None, None]:
        """Yield all samples, without labels, and know the form at the end.

        Raise `FormChangedError` if what was thought of them is wrong: call this again then.
        """
        if not all(source.is_repeatable for source in self._sources):
            raise InputError(
                f"{self._sources[0].name}: to learn from a table it is read more than once, and this "
                "can be read only once; give a file"
            )
        form = self._parts.form()[0] if self._tried is None else self._tried
        seen = _Seen(self._sources, is_patient=self._tried is not None)
        try:
            with closing(self._read(BEGINNING, form)) as parts:
                yield from self._tables(seen.watched(parts), 0, None)
        except QuotesChangedError as error:
            self._tried = replace(form, apostrophes=form.apostrophes | {error.source})
            raise FormChangedError from error
        if seen.misfits:
            self._tried = form.with_texts(seen.misfits)
            raise FormChangedError
        if seen.n_rows == 0 < self.n_unlabelled:
            raise InputError(
                f"{self._sources[0].name}: no sample has a label; say with --label where they are"
            )
        for source, labels in seen.labels.items():
            self._parts.check_labels(source, labels)
        self.form = replace(form, label_kind=seen.label_kind())
        self.labels = seen.label_counts()

    def place_of(self, row: int, before: Position) -> str:
        """Return where a sample is; the position is before it, at the beginning of a chunk."""
        form = self.form or self._tried or self._parts.form()[0]
        with closing(self._read(before, form)) as parts:
            for table in self._tables(parts, before.rows, None):
                if row < table.end.rows:
                    own = row - (table.end.rows - table.n_samples)
                    return table.place(self._sources[before.source].name, own)
        return f"sample {row + 1}"

    def _find_out(self) -> None:
        while self.form is None:
            try:
                for _ in self.survey():
                    pass
            except FormChangedError:
                continue

    def _read(self, start: Position, form: TableForm) -> Generator[TablePart, None, None]:
        with closing(ahead(self._parts.works(start, form))) as parts:
            for part in parts:
                if part is not None:
                    yield part

    def _tables(
        self, parts: Iterator[TablePart], n_rows: int, kind: str | None
    ) -> Generator[Table, None, None]:
        """Yield chunks, with labels of a kind if that is given; so many samples are before them."""
        self.n_unlabelled, size = 0, self._chunk_rows
        counted = self._counted(parts)
        for chunk in by_bytes(counted) if size is None else by_rows(counted, size, joined_rows):
            n_rows += len(chunk.rows)
            self.n_read = chunk.n_read
            yield self._table(chunk._replace(end=replace(chunk.end, rows=n_rows)), kind)

    def _counted(self, parts: Iterator[TablePart]) -> Iterator[TablePart]:
        for part in parts:
            self.n_unlabelled += part.n_unlabelled
            yield part

    def _table(self, chunk: Chunk[TableRows], kind: str | None) -> Table:
        rows = chunk.rows
        own = self._parts.arrangement(int(rows.sources[0]))
        places = self._places(rows)
        table = Table(
            rows.X,
            None,
            places,
            own.columns,
            own.has_names,
            own.label_name,
            -1 if own.label is None else own.label + 1,
            n_unlabelled=chunk.n_unlabelled,
            is_typed=self._parts.is_typed,
            end=chunk.end,
        )
        if kind is None or rows.labels is None:
            return table
        return replace(table, y=self._labels(table, rows, kind))

    def _labels(self, table: Table, rows: TableRows, kind: str) -> Labels:
        texts, codes = rows.label_texts()
        expect = self._reading.expect
        if expect is not None and expect.classes.dtype.kind == "b":
            texts = _capitalized(texts)
        fault = label_fault(texts, kind)
        if fault is not None:
            place, sentence = fault
            row = int(np.argmax(codes == place))
            where = table.place(self._sources[rows.sources[row]].name, row)
            raise InputError(f"{where}: the label {quoted(texts[place].as_py())} {sentence}")
        return typed_labels(texts, kind)[codes]

    def _places(self, rows: TableRows) -> PlacesOf:
        lines, sources = rows.lines, rows.sources
        names, noun = [source.name for source in self._sources], "row" * self._parts.is_typed

        def places_of(samples: Counts) -> list[str]:
            places = [f"{noun or 'line'} {line}" for line in lines[samples].tolist()]
            if len(names) == 1:
                return places
            own = [names[k] for k in sources[samples].tolist()]
            return [f"{name}, {place}" for name, place in zip(own, places, strict=True)]

        return places_of


def _capitalized(texts: pa.Array) -> pa.Array:
    """Return labels of which truth values are True and False, as those of a model are written."""
    values = texts.to_pylist()
    return pa.array(
        [text.capitalize() if text.lower() in ("true", "false") else text for text in values],
        pa.string(),
    )


class _Seen:
    """What a pass over all samples has seen.

    One that is patient goes on after the first misfits, to find the others too.
    """

    def __init__(self, sources: Sequence[Source], *, is_patient: bool) -> None:
        self._sources, self._is_patient = sources, is_patient
        self._stored: pa.DataType | None = None
        self.labels: dict[int, TextCounts] = {}
        self.misfits: set[str] = set()
        self.n_rows = 0

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
        rows, source = part.rows, part.end.source
        self.n_rows += len(rows)
        if rows.labels is None:
            return
        self._stored = rows.stored
        before = self.labels.get(source, TextCounts.none())
        labels = before.joined(rows.label_counts(), 0)
        if exceeds(labels, OF_A_STREAM):
            raise InputError(
                f"{self._sources[source].name}: the label has {len(labels.values):,} different values "
                f"in {labels.n_cells:,} samples, too many for classes; choose another with --label"
            )
        self.labels[source] = labels

    def _all_labels(self) -> TextCounts:
        found = TextCounts.none()
        for labels in self.labels.values():
            found = found.joined(labels, 0)
        return found

    def label_kind(self) -> str | None:
        """Return what all labels are."""
        if self._stored is None:
            return None
        return label_kind(self._all_labels().values, self._stored)

    def label_counts(self) -> LabelCounts | None:
        """Return all labels, sorted."""
        kind = self.label_kind()
        if kind is None:
            return None
        labels = self._all_labels()
        classes, places = np.unique(typed_labels(labels.values, kind), return_inverse=True)
        counts = np.zeros(len(classes), np.int64)
        np.add.at(counts, places, labels.counts)
        return LabelCounts(classes, counts)


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
