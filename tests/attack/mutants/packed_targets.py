"""Compressed text, Parquet and Arrow files, whose own readers may fail in any way."""

import bz2
import gzip
import io
import zlib
from functools import cache
from pathlib import Path
from typing import Any

from attack.mutants.target import Mutant, Seeds, Target
from attack.mutants.text_targets import answer, libsvm_seeds
from attack.strict import Reading, is_same, readings


@cache
def packed_seeds() -> Seeds:
    import pyarrow as pa

    found = []
    for content in libsvm_seeds():
        sink = pa.BufferOutputStream()
        with pa.CompressedOutputStream(sink, "zstd") as stream:
            stream.write(content)
        found += [
            gzip.compress(content, mtime=0),
            bz2.compress(content),
            sink.getvalue().to_pybytes(),
        ]
    return found


def read_packed(path: Path, _: Mutant) -> Reading:
    return answer(path, "libsvm", None)


def wrong_packed(mutant: Mutant, found: Reading) -> str:
    """Check that the content was read correctly; gzip and bzip2 have checksums."""
    try:
        content = unpacked(mutant.content)
    except (OSError, EOFError, zlib.error) as error:
        return f"the file cannot be decompressed: {error}"
    expected = readings(content, "libsvm", None)
    return "" if any(is_same(found, one) for one in expected) else f"{found}, not {expected}"


def unpacked(content: bytes) -> bytes:
    """Return the content of a compressed or plain file."""
    import pyarrow as pa

    if content.startswith(b"\x1f\x8b"):
        return gzip.decompress(content)
    if content.startswith(b"BZh"):
        return bz2.open(io.BytesIO(content)).read()
    if content.startswith(b"\x28\xb5\x2f\xfd"):
        with pa.CompressedInputStream(pa.BufferReader(content), "zstd") as stream:
            return stream.read()
    return content


@cache
def arrow_seeds() -> Seeds:
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    table = pa.table(
        {
            "size": [0.5, 1.5, None, -2.0, 3.25, 7.0],
            "count": pa.array([1, 2, 3, 4, 5, 6], pa.int32()),
            "color": ["red", "blue", "red", None, "green", "blue"],
            "kind": pa.array(["M", "R", "M", "R", "M", "R"]).dictionary_encode(),
        }
    )
    found = []
    for compression in ("none", "snappy", "zstd"):
        sink = io.BytesIO()
        pyarrow.parquet.write_table(table, sink, compression=compression)
        found.append(sink.getvalue())
    for compression in ("uncompressed", "lz4", "zstd"):
        sink = io.BytesIO()
        pyarrow.feather.write_feather(table, sink, compression=compression)
        found.append(sink.getvalue())
    return found


def read_arrow(path: Path, _: Mutant) -> Any:
    """Read a file; its samples must also be encodable."""
    from rosenblatt.io import read
    from rosenblatt.io.samples.preparation import ColumnOptions, prepared

    table = read(path)
    prepared(str(path), table, ColumnOptions())
    return table


def wrong_table(_: Mutant, table: Any) -> str:
    """Check that the result is a table; without a checksum, its content may have changed."""
    n_labels = -1 if table.y is None else len(table.y.tolist())
    return "" if n_labels == len(table.X.to_pylist()) else f"{n_labels} labels"


PACKED = Target("packed files", 50, packed_seeds, read_packed, wrong_packed)
ARROW = Target("Arrow files", 40, arrow_seeds, read_arrow, wrong_table)
