"""Chunks of libsvm text: parsed ahead on threads, joined in order.

The first piece of text that has samples decides, whatever the chunk size, whether indices begin at 0 or
at 1, and whether labels are whole numbers or text.
"""

import hashlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import partial

from rosenblatt.core.checks import check_flag, whole_number
from rosenblatt.core.errors import InputError
from rosenblatt.io.samples.libsvm_file import MOST_FEATURES, check_largest_index
from rosenblatt.io.samples.table import Table
from rosenblatt.io.sources.source import Source
from rosenblatt.io.streams.byte_pieces import PIECE, Piece, pieces
from rosenblatt.io.streams.line_tables import LineTables, is_whole
from rosenblatt.io.streams.read_ahead import run_ahead
from rosenblatt.io.streams.regrouping import Cuts, Part, by_bytes, by_rows
from rosenblatt.io.streams.sample_rows import SampleRows, joined, parsed_rows
from rosenblatt.io.streams.stream_position import BEGINNING, Position

SamplePart = Part[SampleRows]

_LIMITS = {"chunk_rows": None, "n_features": 2**31 - 1}


@dataclass(frozen=True)
class LineReading:
    """Options for reading samples from lines.

    ``zero_based`` says whether indices begin at 0, ``text_labels`` whether labels are text, not whole
    numbers; None: detect it. Labels are not checked unless ``needs_labels``. Positions have digests if
    ``has_digests``. All chunks have ``n_features`` columns, or as many as they need. With ``for_model``,
    a model gives all of these; labels of a chunk are then whole numbers if all of them are, because they
    are compared with the model's as text.
    """

    chunk_rows: int | None = None
    zero_based: bool | None = None
    text_labels: bool | None = None
    needs_labels: bool = True
    has_digests: bool = False
    piece_size: int = PIECE
    n_features: int | None = None
    for_model: bool = False

    def __post_init__(self) -> None:
        for name in ("zero_based", "text_labels"):
            if getattr(self, name) is not None:
                check_flag(name, getattr(self, name))
        for name, most in _LIMITS.items():
            if getattr(self, name) is not None:
                whole_number(name, getattr(self, name), 1, most)


class LineChunks:
    """Reads libsvm text in chunks."""

    n_unlabeled = 0  # every line has a label

    def __init__(self, sources: Sequence[Source], reading: LineReading) -> None:
        self._sources, self._reading = sources, reading
        self._names = [source.name for source in sources]
        self.zero_based, self.text_labels = reading.zero_based, reading.text_labels
        self.n_read = 0

    @property
    def options(self) -> dict[str, object]:
        """The options that the chunks depend on."""
        return {"kind": "libsvm", **asdict(self._reading)}

    @property
    def found(self) -> dict[str, object]:
        """The facts detected about the samples; None: not yet."""
        return {"zero_based": self.zero_based, "text_labels": self.text_labels}

    def take(self, found: Mapping[str, object]) -> None:
        """Adopt what another reader of the same samples detected."""
        zero_based, text_labels = found.get("zero_based"), found.get("text_labels")
        if isinstance(zero_based, bool) and isinstance(text_labels, bool):
            self.zero_based, self.text_labels = zero_based, text_labels

    def chunks(self, start: Position = BEGINNING) -> Generator[Table, None, None]:
        """Yield the samples, starting at a position."""
        if start != BEGINNING:
            self._detect()
        with closing(run_ahead(self._tasks(start))) as parts:
            checked = self._detecting(parts)
            size = self._reading.chunk_rows
            made = by_bytes(checked) if size is None else by_rows(checked, size, joined)
            n_rows = start.rows
            for chunk in made:
                n_rows += len(chunk.rows)
                self.n_read = chunk.n_read
                end = replace(chunk.end, rows=n_rows)
                yield self._tables().table(chunk.rows, end)

    def _tasks(self, start: Position) -> Generator[Callable[[], SamplePart], None, None]:
        digest = hashlib.sha256() if self._reading.has_digests else None
        size = self._reading.piece_size
        # Chunk ends and what is detected must not depend on how fast standard input arrives; for a
        # model neither matters.
        is_open = self._reading.chunk_rows is None or None in (self.zero_based, self.text_labels)
        waits = is_open and not self._reading.for_model
        found = pieces(self._sources, start, size, digest, waits=waits)
        with closing(found) as read:
            for piece in read:
                yield partial(self._part, piece)

    def _part(self, piece: Piece) -> SamplePart:
        """Parse the samples of a piece; runs on a thread."""
        name = self._names[piece.source]
        rows, n_lines = parsed_rows(piece.data, name, piece.source, piece.line)
        if self._reading.n_features is None:
            self._check_largest_index(rows)
        end = Position(
            piece.source,
            piece.offset + len(piece.data),
            piece.line - 1 + n_lines,
            digest=piece.digest,
        )
        cuts = None if self._reading.chunk_rows is None else Cuts(piece)
        return Part(rows, end, piece.n_read, 0, cuts)

    def _detect(self) -> None:
        """Read the first piece of text that has samples, unless everything is known."""
        if self.zero_based is not None and self.text_labels is not None:
            return
        if not all(source.is_repeatable for source in self._sources):
            raise InputError(
                f"{self._sources[0].name}: to resume from a position, set zero_based and text_labels to "
                "what the first reading detected"
            )
        with closing(self._tasks(BEGINNING)) as tasks:
            for part in self._detecting(task() for task in tasks):
                if len(part.rows):
                    return

    def _detecting(self, parts: Iterator[SamplePart]) -> Iterator[SamplePart]:
        """Yield the parts; the first one with samples sets the options still unknown."""
        for part in parts:
            if self.zero_based is None and len(part.rows):
                self.zero_based = bool((part.rows.indices == 0).any())
            if self.text_labels is None and len(part.rows):
                self.text_labels = not is_whole(part.rows.labels).all()
            yield part

    def _tables(self) -> LineTables:
        reading = self._reading
        return LineTables(
            self._names,
            self.zero_based,
            self.text_labels,
            reading.n_features,
            needs_labels=reading.needs_labels,
            for_model=reading.for_model,
        )

    def _check_largest_index(self, rows: SampleRows) -> None:
        """Raise InputError if a model would have far more weights than there are bytes."""
        if not len(rows.indices) or rows.indices.max() <= MOST_FEATURES:
            return
        sizes = [source.n_bytes or 0 for source in self._sources]
        row = rows.row_of(int(rows.indices.argmax()))
        place = f"{self._names[rows.sources[row]]}, line {rows.lines[row]}"
        check_largest_index(place, int(rows.indices.max()), sum(sizes))
