"""Streams of samples: any number of sources in chunks, from the beginning or from a position."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Protocol

from rosenblatt.core.errors import InputError
from rosenblatt.io.samples.table import Reading, Table
from rosenblatt.io.sources.file_kind import HEAD, file_kind
from rosenblatt.io.sources.source import Source, sources_of
from rosenblatt.io.streams.line_chunks import LineChunks, LineReading
from rosenblatt.io.streams.stream_position import BEGINNING, Position
from rosenblatt.io.streams.table_chunks import TableChunks, table_reader


class ChunkReader(Protocol):
    """A reader of one kind of samples: lines of text, or tables."""

    @property
    def n_read(self) -> int:
        """The stored bytes of all sources read so far."""

    @property
    def n_unlabeled(self) -> int:
        """The number of unlabeled samples left out since the first chunk."""

    @property
    def options(self) -> Mapping[str, object]:
        """The options that the chunks depend on, as JSON."""

    @property
    def found(self) -> Mapping[str, object]:
        """The facts detected about the samples, as JSON."""

    def take(self, found: Mapping[str, object], /) -> None:
        """Adopt what another reader of the same samples detected."""

    def chunks(self, start: Position) -> Generator[Table, None, None]:
        """Yield the samples from a position on; another reader can resume at the end of any chunk."""


class Stream:
    """Samples in chunks; each iteration reads the sources again, if they are repeatable.

    Memory does not grow with the sources.
    """

    def __init__(self, sources: Sequence[Source], reader: ChunkReader) -> None:
        self.sources, self.reader = sources, reader

    def __iter__(self) -> Iterator[Table]:
        return self.chunks()

    @property
    def name(self) -> str:
        """The names of the sources, for messages."""
        return " ".join(source.name for source in self.sources)

    @property
    def is_table(self) -> bool:
        """Whether chunks are tables, whose columns must be encoded as numbers."""
        return isinstance(self.reader, TableChunks)

    @property
    def n_bytes(self) -> int | None:
        """The total stored size of the sources in bytes, or None if unknown."""
        sizes = [source.n_bytes for source in self.sources]
        known = [size for size in sizes if size is not None]
        return sum(known) if len(known) == len(sizes) else None

    @property
    def n_read(self) -> int:
        """The number of stored bytes read so far."""
        return self.reader.n_read

    @property
    def is_repeatable(self) -> bool:
        """Whether all sources can be read more than once."""
        return all(source.is_repeatable for source in self.sources)

    def chunks(self, start: Position = BEGINNING) -> Generator[Table, None, None]:
        """Yield the samples from a position on, which must be the end of a chunk of the same sources."""
        n_chunks = 0
        with closing(self.reader.chunks(start)) as chunks:
            for table in chunks:
                n_chunks += 1
                yield table
        if n_chunks == 0 and start == BEGINNING:
            raise no_samples_error(self.name, self.reader.n_unlabeled)


def no_samples_error(name: str, n_unlabeled: int) -> InputError:
    """Return the error for sources without samples, or without labeled ones."""
    what = "labeled samples" if n_unlabeled else "samples"
    return InputError(f"{name}: there are no {what}; give at least one")


def kind_of(sources: Sequence[Source], reading: Reading | None = None) -> str:
    """Return the kind in ``reading``, or detect it from the first source that is not blank."""
    reading = reading or Reading()
    heads = ((source, source.head(HEAD, waits=False)) for source in sources)
    first, head = next((pair for pair in heads if pair[1].strip()), (sources[0], b""))
    if not head:
        raise InputError(f"{first.name}: the file is empty; give at least one sample")
    kind = file_kind(first.name, head, reading.kind)
    reading.check_kind(first.name, kind)
    return kind


def open_stream(
    paths: Sequence[str | Path],
    reading: Reading | None = None,
    lines: LineReading | None = None,
) -> Stream:
    """Open files, patterns, URLs, or "-" for standard input, as one stream of samples.

    ``reading`` has the options for tables; ``lines`` those for libsvm text, and the chunk size of both.
    """
    reading, lines = reading or Reading(), lines or LineReading()
    sources = sources_of(paths)
    if not sources:
        raise InputError("there are no files to read; give at least one")
    kind = kind_of(sources, reading)
    if kind == "libsvm":
        return Stream(sources, LineChunks(sources, lines))
    reader = table_reader(
        sources,
        kind,
        reading,
        chunk_rows=lines.chunk_rows,
        has_digests=lines.has_digests,
        piece_size=lines.piece_size,
    )
    return Stream(sources, reader)
