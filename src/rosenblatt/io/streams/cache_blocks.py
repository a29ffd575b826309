"""A chunk of sparse samples as bytes, and back; see ``binary_cache`` for the file that they are in.

    numbers of samples, of values and of columns, first index, samples left out, position, bytes read
    labels     int64, or texts of one length in UTF-32; none if there are none
    indptr     int32
    indices    int32
    values     float32 if all of them are exact so, else float64; none if all are 1
    weights    float64; none if all are 1

Numbers are little-endian, and each array begins at a multiple of 8 bytes.
"""

import struct
import sys
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.core.types import Numbers
from rosenblatt.io.samples.sample_places import row_places
from rosenblatt.io.samples.table import Table
from rosenblatt.io.streams.stream_position import Position

_FACTS = struct.Struct("<10q3Bx1I32s")
_INTEGERS, _TEXTS = 1, 2
_SINGLES, _DOUBLES = 1, 2


class BlockError(ValueError):
    """Bytes that are not a chunk."""


class _Facts(NamedTuple):
    """What is known of a chunk before its arrays."""

    n_rows: int
    n_values: int
    n_features: int
    first_index: int
    n_unlabelled: int
    source: int
    offset: int
    line: int
    rows: int
    n_read: int
    label_kind: int
    value_kind: int
    has_weights: int
    label_width: int
    digest: bytes

    @property
    def end(self) -> Position:
        digest = self.digest.hex() if any(self.digest) else ""
        return Position(self.source, self.offset, self.line, self.rows, digest)

    def kinds(self) -> list[tuple[int, str]]:
        """Return how many elements the arrays have, and of what type; raise if there is none such."""
        try:
            labels = {0: "", _INTEGERS: "<i8", _TEXTS: f"<U{self.label_width}"}[self.label_kind]
            values = {0: "", _SINGLES: "<f4", _DOUBLES: "<f8"}[self.value_kind]
            np.dtype(labels or "<i8")
        except (KeyError, TypeError) as error:  # a text may be too wide for NumPy
            raise BlockError from error
        return [
            (self.n_rows if labels else 0, labels or "<i8"),
            (self.n_rows + 1, "<i4"),
            (self.n_values, "<i4"),
            (self.n_values if values else 0, values or "<f8"),
            (self.n_rows if self.has_weights else 0, "<f8"),
        ]


class Block(NamedTuple):
    """A chunk from a cache, and how many bytes of its sources were read for it."""

    table: Table
    n_read: int


def packed(table: Table, n_read: int) -> list[bytes | memoryview]:
    """Return a chunk as bytes, in several parts."""
    X, y = table.X, table.y
    label_kind = 0 if y is None else _INTEGERS if y.dtype.kind == "i" else _TEXTS
    values = _smallest(X.data)
    end = table.end
    facts = _Facts(
        *(X.shape[0], X.nnz, X.shape[1], table.first_index, table.n_unlabelled),
        *(end.source, end.offset, end.line, end.rows, n_read),
        label_kind,
        {0: 0, 4: _SINGLES, 8: _DOUBLES}[0 if values is None else values.itemsize],
        table.weights is not None,
        0 if y is None or label_kind == _INTEGERS else y.dtype.itemsize // 4,
        bytes.fromhex(end.digest),
    )
    parts: list[bytes | memoryview] = [_FACTS.pack(*facts)]
    for array, (size, kind) in zip(
        (y, X.indptr, X.indices, values, table.weights), facts.kinds(), strict=True
    ):
        if size:
            content = np.ascontiguousarray(array, dtype=kind).view(np.uint8)
            parts += [content.data, bytes(-len(content) % 8)]
    return parts


def unpacked_block(content: bytearray) -> Block:
    """Return the chunk that some bytes are, as views of them; raise BlockError if they are none."""
    if len(content) < _FACTS.size:
        raise BlockError
    facts = _Facts(*_FACTS.unpack_from(content))
    kinds = facts.kinds()
    sizes = [size * np.dtype(kind).itemsize for size, kind in kinds]
    if min(facts[:10]) < 0 or _FACTS.size + sum(map(_padded, sizes)) != len(content):
        raise BlockError
    arrays: list[Numbers] = []
    at = _FACTS.size
    for (size, kind), n_bytes in zip(kinds, sizes, strict=True):
        arrays.append(np.frombuffer(content, kind, size, at))
        at += _padded(n_bytes)
    labels, indptr, indices, values, weights = arrays
    _check_rows(facts, indptr, indices)
    if facts.label_kind == _TEXTS and labels.view("<u4").max(initial=0) > sys.maxunicode:
        raise BlockError
    data = values.astype(np.float64, copy=False) if facts.value_kind else np.ones(facts.n_values)
    X = sp.csr_matrix((data, indices, indptr), shape=(facts.n_rows, facts.n_features))
    X.has_canonical_format = True
    table = Table(
        X,
        labels if facts.label_kind else None,
        row_places,
        first_index=facts.first_index,
        n_unlabelled=facts.n_unlabelled,
        weights=weights if facts.has_weights else None,
        end=facts.end,
    )
    return Block(table, facts.n_read)


def _smallest(values: Numbers) -> Numbers | None:
    """Return values in the smallest type that has them all exactly; None if all are 1."""
    if (values == 1.0).all():
        return None
    with np.errstate(over="ignore", under="ignore"):
        singles = values.astype(np.float32)
    return singles if (singles == values).all() else values


def _check_rows(facts: _Facts, indptr: Numbers, indices: Numbers) -> None:
    """Raise unless the arrays are those of a matrix: compiled code does not ask again."""
    is_fit = (
        indptr[0] == 0
        and indptr[-1] == facts.n_values
        and (indptr[1:] >= indptr[:-1]).all()
        and (not len(indices) or (indices.min() >= 0 and indices.max() < facts.n_features))
    )
    if not is_fit:
        raise BlockError


def _padded(n_bytes: int) -> int:
    return n_bytes + -n_bytes % 8
