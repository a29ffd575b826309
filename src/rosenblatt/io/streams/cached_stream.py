"""A stream whose later passes come from a cache of its parsed chunks."""

import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_writable
from rosenblatt.core.types import Counts
from rosenblatt.io.samples.table import Table
from rosenblatt.io.sources.source import Source
from rosenblatt.io.streams.binary_cache import (
    Origin,
    cache_origin,
    cached_blocks,
    is_cache,
    new_cache,
)
from rosenblatt.io.streams.sample_stream import ChunkReader, Stream
from rosenblatt.io.streams.stream_position import BEGINNING, Position


class CachedStream:
    """The chunks of a stream, with the same ends: the first whole pass writes them to a cache.

    A cache that is there already is read if it was made from the same sources in the same way, and
    refused if not. One of standard input, which cannot be compared, is made anew.
    """

    def __init__(self, stream: Stream, path: Path) -> None:
        self.stream, self.path = stream, path
        if stream.is_table:
            raise InputError(
                f"{path}: a cache holds sparse samples, and those of {stream.name} are a table; read "
                "them without a cache"
            )
        own = [source.path for source in stream.sources]
        check_writable(path, "cache", *(path for path in own if path is not None))
        if os.path.lexists(path) and not is_cache(path):
            raise InputError(
                f"{path}: this is not a cache of samples; give another name for the cache"
            )
        self._is_written = False
        self._n_read = 0

    def __iter__(self) -> Iterator[Table]:
        return self.chunks()

    @property
    def sources(self) -> Sequence[Source]:
        """Where the samples come from."""
        return self.stream.sources

    @property
    def reader(self) -> ChunkReader:
        """What reads the sources."""
        return self.stream.reader

    @property
    def is_table(self) -> bool:
        """Whether the chunks are Arrow tables, which have no cache."""
        return self.stream.is_table

    @property
    def hash_bits(self) -> int | None:
        """How many bits of an index are kept, if not all."""
        return self.stream.hash_bits

    @property
    def name(self) -> str:
        """What the sources are called in messages."""
        return self.stream.name

    @property
    def n_bytes(self) -> int | None:
        """How many bytes all sources have, as stored; None if that is not known."""
        return self.stream.n_bytes

    @property
    def n_read(self) -> int:
        """How many of these bytes the chunks so far were made from."""
        return self._n_read

    @property
    def is_repeatable(self) -> bool:
        """Whether there can be more than one pass: the cache can always be read again."""
        return True

    def chunks(self, start: Position = BEGINNING) -> Generator[Table, None, None]:
        """Yield the samples from a position on; see `Stream.chunks`."""
        if self._is_written or (self.stream.is_repeatable and self.path.exists()):
            chunks = self._read(start)
        elif start == BEGINNING:
            chunks = self._written()
        else:
            chunks = self._streamed(start)
        with closing(chunks):
            yield from chunks

    def _written(self) -> Generator[Table, None, None]:
        """Yield the chunks of the stream, and write them."""
        origin = self._origin()
        with (
            new_cache(self.path, origin) as cache,
            closing(self._streamed(BEGINNING)) as chunks,
        ):
            for table in chunks:
                cache.add(table, self._n_read)
                yield table
            if self._origin() != origin:
                raise InputError(f"{self.name}: it has changed while it was read")
        self._is_written = True

    def _streamed(self, start: Position) -> Generator[Table, None, None]:
        with closing(self.stream.chunks(start)) as chunks:
            for table in chunks:
                self._n_read = self.stream.n_read
                yield table

    def _read(self, start: Position) -> Generator[Table, None, None]:
        """Yield the chunks of the cache."""
        if not self._is_written:
            self._check_origin()
        before = start
        with closing(cached_blocks(self.path, start.rows)) as blocks:
            for table, n_read in blocks:
                if table.end.rows - table.n_samples != before.rows:
                    raise InputError(
                        f"{self.path}: no chunk of the cache ends after {before.rows:,} samples; read "
                        "the sources in chunks of the same size as before"
                    )
                self._n_read = n_read
                yield replace(table, places_of=partial(self._places, before))
                before = table.end

    def _places(self, before: Position, samples: Counts) -> list[str]:
        """Return where samples of the chunk after a position are: its text is read again."""
        if not self.stream.is_repeatable:
            return [f"row {before.rows + sample + 1}" for sample in samples.tolist()]
        with closing(self.stream.chunks(before)) as chunks:
            return next(chunks).places_of(samples)

    def _origin(self) -> Origin:
        sources = [[_location(source), source.identity()] for source in self.sources]
        return {"sources": sources, "options": dict(self.stream.reader.options)}

    def _check_origin(self) -> None:
        """Raise unless the cache was made from the same sources, read in the same way."""
        found, own = cache_origin(self.path), self._origin()
        if found.get("sources") != own["sources"]:
            raise InputError(
                f"{self.path}: this cache was not made from {self.name} as it is now; remove the cache, "
                "or give another name for it"
            )
        if found.get("options") != own["options"]:
            raise InputError(
                f"{self.path}: this cache was made from {self.name}, but read with other options; "
                "remove the cache, or give another name for it"
            )


def _location(source: Source) -> str:
    return source.name if source.path is None else os.path.realpath(source.path)
