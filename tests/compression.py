"""The compression formats that are read."""

import bz2
import gzip
from collections.abc import Callable

import pyarrow as pa
import pytest

Pack = Callable[[bytes], bytes]


def zstd(content: bytes) -> bytes:
    packed = pa.BufferOutputStream()
    with pa.CompressedOutputStream(packed, "zstd") as stream:
        stream.write(content)
    return packed.getvalue().to_pybytes()


every_pack = pytest.mark.parametrize(
    "pack", [gzip.compress, bz2.compress, zstd], ids=["gzip", "bzip2", "zstd"]
)
