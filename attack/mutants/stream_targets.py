"""Streams of libsvm lines in pieces and chunks of any size, and the binary cache of such chunks."""

import io
import json
import struct
import tempfile
import zlib
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from attack.data import Label
from attack.mutants.target import Mutant, Seeds, Target
from attack.mutants.text_targets import libsvm_seeds, wrong_libsvm_line
from attack.strict import Reading, RefusalError, is_same, libsvm_samples

Chunk = tuple[dict[str, Any], list[Label] | None, list[float] | None]
"""The rows of a chunk, its labels and its weights."""


def read_stream(path: Path, mutant: Mutant) -> Any:
    """Return all samples of a file, read in pieces and chunks that are drawn."""
    stream = opened(path, piece_size=16 + mutant.draw % 97, chunk_rows=mutant.draw % 5 or None)
    rows, labels, places = [], [], []
    for table in stream:
        rows += rows_of(table.X)
        labels += table.y.tolist()
        places += table.places_of(np.arange(table.n_samples))
    return Reading(rows, 0, labels), places


def opened(path: Path, **options: Any) -> Any:
    """Return a stream of the file; indices are as written, and labels are texts."""
    from rosenblatt.io.samples.table import Reading
    from rosenblatt.io.streams.line_chunks import LineReading
    from rosenblatt.io.streams.sample_stream import open_stream

    lines = LineReading(**{"zero_based": True, "text_labels": True, **options})
    return open_stream([path], Reading(kind="libsvm"), lines)


def rows_of(X: Any) -> list[dict[int, Any]]:
    """Return the rows of a matrix as dicts; a column that comes twice is not lost."""
    parts = [slice(*pair) for pair in pairwise(X.indptr.tolist())]
    pairs = [list(zip(X.indices[p].tolist(), X.data[p].tolist(), strict=True)) for p in parts]
    return [dict(row) if len(dict(row)) == len(row) else {-1: row} for row in pairs]


def wrong_stream(mutant: Mutant, found: tuple[Reading, list[str]]) -> str:
    """Return what is wrong: the samples are those of the lines, and it is known on which they are."""
    lines = mutant.content.decode("utf-8-sig", "surrogateescape").split("\n")
    try:
        samples = libsvm_samples(lines)
    except RefusalError:
        return f"{found} was read"
    reading = Reading([row for _, row in samples], 0, [label for label, _ in samples])
    numbers = [k for k, line in enumerate(lines, start=1) if line.partition("#")[0].split()]
    if found[1] != [f"line {number}" for number in numbers]:
        return f"the samples are said to be on {found[1]}, not on {numbers}"
    return "" if is_same(found[0], reading) else f"{found[0]}, not {reading}"


@cache
def cache_seeds() -> Seeds:
    """Return caches; what they say of where they come from is the same in every run."""
    from rosenblatt.io.streams.binary_cache import new_cache

    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data"
        target = path.with_name("cache")
        for k, content in enumerate(libsvm_seeds()):
            path.write_bytes(content)
            with new_cache(target, {"sources": [["data", "70 bytes, modified 7"]]}) as writer:
                for table in opened(path, chunk_rows=2 + k, text_labels=k % 2 == 1 or None):
                    writer.add(table, table.end.offset)
            found.append(target.read_bytes())
    return found


def read_cache(path: Path, _: Mutant) -> Any:
    """Return what a cache was made from, and its chunks."""
    from rosenblatt.io.streams.binary_cache import cache_origin, cached_blocks

    return cache_origin(path), [
        (
            *(rows_of(table.X), table.X.shape, table.X.sum(), table.y.tolist(), table.weights),
            *(table.first_index, table.n_unlabelled, table.end, n_read),
        )
        for table, n_read in cached_blocks(path)
    ]


@cache
def whole_cache(k: int) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cache"
        path.write_bytes(cache_seeds()[k])
        return read_cache(path, Mutant(b"", k, 0))


def wrong_cache(mutant: Mutant, found: Any) -> str:
    """Return what is wrong: there is a checksum of everything."""
    same = repr(found) == repr(whole_cache(mutant.seed))
    return "" if same else f"a change was not noticed: {found!r:.500}"


def forge_cache(content: bytes) -> bytes:
    """Return a cache with the checksums that fit what it says now, as far as it says anything."""
    try:
        return forged(io.BytesIO(content))
    except (struct.error, ValueError, OverflowError, MemoryError):
        return content


def forged(file: io.BytesIO) -> bytes:
    magic, version, length, _ = struct.unpack("<16sIII4x", file.read(32))
    header = file.read(length)
    json.loads(header)
    found = struct.pack("<16sIII4x", magic, version, len(header), zlib.crc32(header)) + header
    n_blocks, n_rows, whole = 0, 0, 0
    while True:
        tag, checksum, length, own = struct.unpack("<4sIQQ", file.read(24))
        content = file.read(min(length, 1 << 20))
        if tag == b"END.":
            content = struct.pack("<QQI4x", n_blocks, n_rows, whole)
            return found + struct.pack("<4sIQQ", tag, zlib.crc32(content), 24, 0) + content
        checksum = zlib.crc32(content)
        n_blocks, n_rows = n_blocks + 1, n_rows + own
        whole = zlib.crc32(struct.pack("<I", checksum), whole)
        found += struct.pack("<4sIQQ", tag, checksum, len(content), own) + content


def nothing_wrong(_: Mutant, __: Any) -> str:
    """Return nothing: whoever can write checksums can write other samples, but these were read."""
    return ""


STREAMS = Target("libsvm streams", 40, libsvm_seeds, read_stream, wrong_stream, wrong_libsvm_line)
CACHES = Target("sample caches", 60, cache_seeds, read_cache, wrong_cache)
FORGED_CACHES = Target(
    "forged sample caches", 40, cache_seeds, read_cache, nothing_wrong, repair=forge_cache
)
