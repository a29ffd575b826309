"""Later passes over a stream are the first pass again, and no damaged or other cache is believed."""

import errno
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from naive_lines import parse_libsvm
from rosenblatt.core.errors import InputError
from rosenblatt.io import Table
from rosenblatt.io.samples.sample_places import row_places
from rosenblatt.io.sources.source import sources_of
from rosenblatt.io.streams.cache_blocks import BlockError, packed, unpacked_block
from rosenblatt.io.streams.cached_stream import CachedStream
from rosenblatt.io.streams.line_chunks import LineChunks, LineReading
from rosenblatt.io.streams.sample_stream import Stream
from sample_files import written

LINES = ["1 1:1 3:1", "-1", "3 2:0.25", "# x", "-1 7:0.1 9:-0.0", "0 1:1e300", "2 5:1e-45"]


def cached(path: Path, cache: Path, **reading: Any) -> CachedStream:
    sources = sources_of([path])
    reader = LineChunks(sources, "libsvm", parse_libsvm, LineReading(**reading))
    return CachedStream(Stream(sources, reader), cache)


def contents(table: Table) -> tuple[object, ...]:
    X, y = table.X, table.y
    assert X.data.flags.writeable
    assert X.indices.dtype == X.indptr.dtype == np.int32
    places = table.places_of(np.arange(table.n_samples))
    arrays = [X.data.tobytes(), X.indices.tobytes(), X.indptr.tobytes(), X.shape]
    return (*arrays, None if y is None else (y.dtype, y.tolist()), table.end, places)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(st.sampled_from(LINES), max_size=20).filter(lambda own: set(own) > {"# x"}),
    size=st.integers(1, 100),
    chunk_rows=st.none() | st.integers(1, 5),
    digests=st.booleans(),
    texts=st.booleans(),
)
def test_later_passes_are_the_first(
    tmp_path: Path, lines: list[str], size: int, chunk_rows: int | None, digests: bool, texts: bool
) -> None:
    path, cache = written(tmp_path, "\n".join(lines)), tmp_path / "cache"
    cache.unlink(missing_ok=True)
    reading = {
        "piece_size": size,
        "chunk_rows": chunk_rows,
        "has_digests": digests,
        "text_labels": texts,
    }
    stream = cached(path, cache, **reading)
    first = [(contents(chunk), stream.n_read) for chunk in stream]
    assert cache.exists()
    assert [(contents(chunk), stream.n_read) for chunk in stream] == first
    another = cached(path, cache, **reading)
    ends = [chunk.end for chunk in another]
    for k, end in enumerate(ends):
        rest = [(contents(chunk), another.n_read) for chunk in another.chunks(end)]
        assert rest == first[k + 1 :]


def test_a_cache_of_something_else_is_refused(tmp_path: Path) -> None:
    path, cache = written(tmp_path, "1 1:1\n-1 1:2\n"), tmp_path / "cache"
    list(cached(path, cache))
    with pytest.raises(
        InputError, match=r"cache: this cache was made from .*data, but read with ot"
    ):
        list(cached(path, cache, hash_bits=3))
    written(tmp_path, "1 1:1\n-1 1:2\n1 2:3\n")
    with pytest.raises(
        InputError, match=r"cache: this cache was not made from .*data as it is now"
    ):
        list(cached(path, cache))
    with pytest.raises(InputError, match="the cache needs a file of its own"):
        cached(path, path)
    other = written(tmp_path, "mine", "other")
    with pytest.raises(InputError, match="other: this is not a cache of samples"):
        cached(path, other)
    assert other.read_text() == "mine"


def test_damage_is_found(tmp_path: Path) -> None:
    path, cache = written(tmp_path, "1 1:1 3:0.1\n-1 1:2 2:1\n" * 6), tmp_path / "cache"
    reading = {"chunk_rows": 3}
    list(cached(path, cache, **reading))
    whole = cache.read_bytes()
    for k in range(0, len(whole), 11):
        for damaged in (whole[:k], whole[:k] + bytes([whole[k] ^ 64]) + whole[k + 1 :]):
            cache.write_bytes(damaged)
            with pytest.raises(InputError, match=r"cache: (the|this) cache|this is not a cache"):
                list(cached(path, cache, **reading))
    cache.write_bytes(whole + b"x")
    with pytest.raises(InputError, match=r"cache: the cache is damaged or incomplete; remove it"):
        list(cached(path, cache, **reading))


def test_a_number_of_samples_beyond_64_bits_is_damage(tmp_path: Path) -> None:
    path, cache = written(tmp_path, "1 1:1\n-1 1:2\n" * 6), tmp_path / "cache"
    list(cached(path, cache, chunk_rows=3))
    first, *blocks = cache.read_bytes().split(b"ROWS")  # then checksum, length, number of samples
    changed = [block[:12] + b"\xff" * 8 + block[20:] for block in blocks]
    cache.write_bytes(b"ROWS".join([first, *changed]))
    with pytest.raises(InputError, match="the cache is damaged or incomplete"):
        list(cached(path, cache, chunk_rows=3))


@pytest.mark.parametrize(
    "change", [(b"b\0\0\0", b"b\0\0\1"), (b"\1\0\0\0" + bytes(32), b"\1\0\0\x20" + bytes(32))]
)
def test_texts_that_are_none_are_refused_before_they_are_used(change: tuple[bytes, bytes]) -> None:
    """A sign beyond those of Unicode, and a text wider than NumPy has: Python would crash, or raise."""
    table = Table(sp.csr_matrix(np.eye(2)), np.array(["a", "b"]), row_places)
    content = b"".join(packed(table, 0))
    assert unpacked_block(bytearray(content)).table.y.tolist() == ["a", "b"]
    assert change[0] in content
    with pytest.raises(BlockError):
        unpacked_block(bytearray(content.replace(*change)))


def test_who_stops_early_leaves_no_cache(tmp_path: Path) -> None:
    path, cache = written(tmp_path, "1 1:1\n-1 1:2\n" * 50), tmp_path / "cache"
    chunks = cached(path, cache, chunk_rows=3).chunks()
    next(chunks)
    chunks.close()
    assert [one.name for one in tmp_path.iterdir()] == ["data"]


def test_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, cache = written(tmp_path, "1 1:1\n-1 1:2\n" * 50), tmp_path / "cache"

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match=r"cache: cannot be written \(No space left on device\)"):
        list(cached(path, cache))
    assert [one.name for one in tmp_path.iterdir()] == ["data"]
