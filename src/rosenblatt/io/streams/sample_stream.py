"""Samples of any number of sources, in chunks, from the beginning or from where somebody has stopped."""

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
    """What reads samples of one kind: lines of text, or tables."""

    @property
    def n_read(self) -> int:
        """How many bytes of all sources, as stored, were taken for the chunks so far."""

    @property
    def n_unlabeled(self) -> int:
        """How many samples were left out so far, since the first of the chunks, having no label."""

    @property
    def options(self) -> Mapping[str, object]:
        """What the chunks depend on beside the sources, as JSON has it."""

    @property
    def found(self) -> Mapping[str, object]:
        """What was found out about the samples on the way, as JSON has it."""

    def take(self, found: Mapping[str, object], /) -> None:
        """Take over what another reader of the same samples has found out."""

    def chunks(self, start: Position) -> Generator[Table, None, None]:
        """Yield the samples from a position on; at the end of each chunk another reader may go on."""


class Stream:
    """Samples in chunks, which are read again whenever somebody iterates, if the sources can be.

    The memory that it takes does not grow with the sources.
    """

    def __init__(self, sources: Sequence[Source], reader: ChunkReader) -> None:
        self.sources, self.reader = sources, reader

    def __iter__(self) -> Iterator[Table]:
        return self.chunks()

    @property
    def name(self) -> str:
        """What the sources are called in messages."""
        return " ".join(source.name for source in self.sources)

    @property
    def is_table(self) -> bool:
        """Whether chunks are tables, whose columns are to become numbers."""
        return isinstance(self.reader, TableChunks)

    @property
    def n_bytes(self) -> int | None:
        """How many bytes all sources have, as stored; None if that is not known."""
        sizes = [source.n_bytes for source in self.sources]
        known = [size for size in sizes if size is not None]
        return sum(known) if len(known) == len(sizes) else None

    @property
    def n_read(self) -> int:
        """How many of these bytes were taken for the chunks so far."""
        return self.reader.n_read

    @property
    def is_repeatable(self) -> bool:
        """Whether all sources can be read more than once."""
        return all(source.is_repeatable for source in self.sources)

    def chunks(self, start: Position = BEGINNING) -> Generator[Table, None, None]:
        """Yield the samples from a position on; it must be the end of a chunk of the same sources."""
        n_chunks = 0
        with closing(self.reader.chunks(start)) as chunks:
            for table in chunks:
                n_chunks += 1
                yield table
        if n_chunks == 0 and start == BEGINNING:
            raise no_sample(self.name, self.reader.n_unlabeled)


def no_sample(name: str, n_unlabeled: int) -> InputError:
    """Return the error of sources that have no sample but, perhaps, some without a label."""
    what = "sample with a label" if n_unlabeled else "sample"
    return InputError(f"{name}: there is no {what}; give at least one")


def kind_of(sources: Sequence[Source], wanted: str = "auto") -> str:
    """Return what kind of samples sources have: the first that is not blank tells."""
    heads = ((source, source.head(HEAD, waits=False)) for source in sources)
    first, head = next(((one, own) for one, own in heads if own.strip()), (sources[0], b""))
    if not head:
        raise InputError(f"{first.name}: there is nothing in it; give at least one sample")
    return file_kind(first.name, head, wanted)


def open_stream(
    places: Sequence[str | Path],
    reading: Reading | None = None,
    lines: LineReading | None = None,
) -> Stream:
    """Return the samples of files, patterns, URLs, or "-" for standard input, as a stream.

    ``reading`` says how tables are read, ``lines`` how lines of index:value pairs are, and how large the
    chunks of both.
    """
    reading, lines = reading or Reading(), lines or LineReading()
    sources = sources_of(places)
    if not sources:
        raise InputError("there is nothing to read; give at least one file")
    kind = kind_of(sources, reading.kind)
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
