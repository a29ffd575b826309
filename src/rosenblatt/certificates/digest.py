"""Digests identify the data of a certificate: a SHA-256 of its numbers and labels, in any storage.

The hashed bytes: for dense data the values row by row; for sparse data the row pointers, the columns and
the values of the compressed rows; then the samples' classes as int32 codes. Everything is little endian,
indices are int64, and -0.0 becomes 0.0. Each of these streams is split into blocks of about 4 MiB, at
positions that depend on the shape only. The digest is the SHA-256 of a header (format, storage, type,
shape, labels) and of the SHA-256 of every block, so it does not depend on the number of threads.

The hashed bytes determine the data: numbers that a type cannot represent have no digest of that type,
and no such digest matches them. (All NaNs count as one number.)
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rosenblatt.certificates.label_codes import class_texts
from rosenblatt.certificates.stored_samples import DType, Samples, chunk_ranges
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import LabelsLike, MatrixLike, Numbers

_BLOCK_BYTES = 1 << 22
_CACHE_BYTES = 1 << 18
_SINGLE_THREAD_BYTES = 1 << 23

_INDEX: DType = np.dtype("<i8")
"""The type in which row pointers and columns are hashed."""
_CODE: DType = np.dtype("<i4")
"""The type in which the samples' classes are hashed."""


@dataclass(frozen=True)
class Digest:
    """The hash of a data set's numbers and labels, and how they were stored.

    >>> digest = Digest.of([[0.0, 1.0], [2.0, 0.0]], ["no", "yes"])
    >>> digest.sha256[:16], digest.storage, digest.dtype, digest.n_samples, digest.n_features
    ('3bc48b6a97ba2542', 'dense', 'float64', 2, 2)
    """

    sha256: str
    storage: str
    dtype: str
    n_samples: int
    n_features: int

    @classmethod
    def of(cls, X: MatrixLike, y: LabelsLike) -> "Digest":
        """Return the digest of samples, dense or sparse, and their labels.

        >>> Digest.of([[1]], ["a"]) == Digest.of([[1.0]], ["a"])
        True
        """
        return cls.of_samples(Samples.of(X, y))

    @classmethod
    def of_samples(cls, samples: Samples) -> "Digest":
        """Return the digest of samples that have already been read."""
        storage, dtype = samples.storage, samples.dtype
        sha256 = _sha256(samples, storage, dtype)
        assert sha256 is not None  # their own type represents them
        return cls(sha256, storage, dtype.name, samples.n_samples, samples.n_features)

    def matches(self, X: MatrixLike, y: LabelsLike) -> bool:
        """Return whether X and y are this data: the same numbers and labels, in any storage.

        >>> import numpy as np, scipy.sparse as sp
        >>> digest = Digest.of([[0.0, 1.0], [2.0, 0.0]], [0, 1])
        >>> digest.matches(sp.csr_array([[0, 1], [2, 0]]), np.array([0.0, 1.0]))
        True
        >>> digest.matches([[0.0, 1.0], [2.0, 0.0]], [1, 0])
        False
        """
        try:
            return self.matches_samples(Samples.of(X, y))
        except InputError:
            return False

    def matches_samples(self, samples: Samples) -> bool:
        """Return whether samples that have already been read are this data."""
        # Compared as text: a damaged digest may contain anything, and must simply not match.
        if repr((self.n_samples, self.n_features)) != repr((samples.n_samples, samples.n_features)):
            return False
        if str(self.storage) not in ("dense", "sparse"):
            return False
        if str(self.dtype) not in ("float32", "float64"):
            return False
        return _sha256(samples, str(self.storage), np.dtype(str(self.dtype))) == str(self.sha256)


class _Stream(NamedTuple):
    """Rows to be hashed: ``take(start, stop)`` returns some, or None if the type cannot hold them."""

    length: int
    row_bytes: int
    take: Callable[[int, int], Numbers | None]

    @property
    def block_length(self) -> int:
        """The number of rows in a block."""
        return max(1, _BLOCK_BYTES // self.row_bytes)

    def pieces(self, start: int, stop: int) -> Iterator[Numbers | None]:
        """Yield the rows from start to stop in pieces that fit into the cache."""
        for first, last in chunk_ranges(stop - start, _CACHE_BYTES // self.row_bytes):
            yield self.take(start + first, start + last)


def _sha256(samples: Samples, storage: str, dtype: DType) -> str | None:
    """Return the hash of the samples, or None if the type cannot represent their numbers."""
    hashes = _block_hashes(_streams(samples, storage, dtype))
    fitting = [block for block in hashes if block is not None]
    if len(fitting) < len(hashes):
        return None
    header = {
        "format": "rosenblatt-digest",
        "version": 1,
        "storage": storage,
        "dtype": dtype.name,
        "shape": [samples.n_samples, samples.n_features],
        "labels": class_texts(samples.classes),
    }
    whole = hashlib.sha256(json.dumps(header, sort_keys=True).encode() + b"\0")
    for block in fitting:
        whole.update(block)
    return whole.hexdigest()


def _streams(samples: Samples, storage: str, dtype: DType) -> list[_Stream]:
    codes = _flat(samples.codes, _CODE)
    if storage == "sparse":
        indptr, indices, values = samples.compressed()
        return [_flat(indptr, _INDEX), _flat(indices, _INDEX), _flat(values, dtype), codes]
    return [_dense_rows(samples, dtype), codes]


def _dense_rows(samples: Samples, dtype: DType) -> _Stream:
    def rows(start: int, stop: int) -> Numbers | None:
        return _canonical(samples.dense(start, stop), dtype)

    return _Stream(samples.n_samples, max(1, samples.n_features * dtype.itemsize), rows)


def _flat(numbers: Numbers, dtype: DType) -> _Stream:
    def items(start: int, stop: int) -> Numbers | None:
        return _canonical(numbers[start:stop], dtype)

    return _Stream(len(numbers), dtype.itemsize, items)


def _canonical(numbers: Numbers, dtype: DType) -> Numbers | None:
    """Return the numbers in the form that is hashed, or None if the type cannot represent them."""
    little = dtype.newbyteorder("<")
    if dtype.kind == "i":
        return np.ascontiguousarray(numbers, dtype=little)
    if dtype == np.float32 and numbers.dtype != np.float32:
        with np.errstate(all="ignore"):
            narrow = numbers.astype(np.float32)
        if not np.array_equal(narrow, numbers.astype(np.float64)):
            return None
        numbers = narrow
    # Adding zero makes -0.0 positive and changes no other number.
    canonical = np.add(numbers, dtype.type(0.0), dtype=dtype, casting="unsafe")
    return np.ascontiguousarray(canonical, dtype=little)


def _block_hashes(streams: list[_Stream]) -> list[bytes | None]:
    blocks = [
        (stream, start, stop)
        for stream in streams
        for start, stop in chunk_ranges(stream.length, stream.block_length)
    ]
    if sum(stream.length * stream.row_bytes for stream in streams) <= _SINGLE_THREAD_BYTES:
        return [_block_hash(*block) for block in blocks]
    with ThreadPoolExecutor(max(2, min(8, os.cpu_count() or 2))) as pool:
        return list(pool.map(lambda block: _block_hash(*block), blocks))


def _block_hash(stream: _Stream, start: int, stop: int) -> bytes | None:
    """Return the hash of one block, or None if the type cannot represent its numbers."""
    block = hashlib.sha256()
    for piece in stream.pieces(start, stop):
        if piece is None:
            return None
        block.update(piece.reshape(-1).data)
    return block.digest()
