"""The digest of samples that no single machine holds, from stretches of consecutive ones.

Two passes over each stretch. The first counts: rows, and numbers stored in them (`stretch_facts`). From
the counts follows where each stretch lies among all samples, and so which of its bytes belong to which
block of the digest (`planned`). The second pass hashes the blocks that lie within the stretch
(`stretch_hashes`); of a block that two stretches share each brings its own bytes, at most 4 MiB a stream
and end, packed: so nobody reads what is another's. Whoever has the parts of all joins them
(`joined_digest`), and gets what `Digest.of` says of all samples, wherever they were cut.

Memory: one chunk of samples, and two blocks a stream. (A block of codes is a million samples. To read on
until it ends, as could be done instead, may be to read everything.)
"""

import hashlib
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rosenblatt.certificates.digest import (
    CODE,
    INDEX,
    Digest,
    Stream,
    dense_rows,
    flat,
    joined_hash,
)
from rosenblatt.certificates.label_codes import Label, codes_among, sorted_labels
from rosenblatt.certificates.stored_samples import Compressed, Samples, read_as
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import LabelsLike, MatrixLike

Chunks = Iterable[tuple[MatrixLike, LabelsLike]]
"""Consecutive samples and their labels, some at a time."""


class StretchFacts(NamedTuple):
    """What the samples of a stretch are: how many, how they are stored, which labels they have.

    ``n_stored`` counts what is not zero in sparse rows, and is 0 for dense ones. A stretch without a
    chunk has neither width nor storage.
    """

    n_samples: int = 0
    n_stored: int = 0
    n_features: int | None = None
    storage: str | None = None
    dtype: str | None = None
    classes: tuple[Label, ...] = ()


class Place(NamedTuple):
    """How many samples, and numbers stored in them, come before a stretch."""

    row: int
    stored: int


@dataclass(frozen=True)
class DigestPlan:
    """Where each stretch lies among all samples, and how they are hashed: small, however many.

    Stretch i goes from ``places[i]`` to ``places[i + 1]``.
    """

    storage: str
    dtype: str
    n_features: int
    classes: tuple[Label, ...]
    places: tuple[Place, ...]

    @property
    def lengths(self) -> list[int]:
        """How many rows each stream has."""
        n_samples, n_stored = self.places[-1]
        if self.storage == "sparse":
            return [n_samples + 1, n_stored, n_stored, n_samples]
        return [n_samples, n_samples]

    def starts(self, number: int) -> list[int]:
        """Return where the rows of a stretch begin in each stream; beyond the last, where all end."""
        row, stored = self.places[number]
        if self.storage == "sparse":
            # The first row pointer, 0, is nobody's end: the first stretch has it.
            return [row + (number > 0), stored, stored, row]
        return [row, row]


class StreamPart(NamedTuple):
    """What a stretch has of a stream: hashes of blocks, and bytes of blocks that it shares, packed."""

    hashes: dict[int, bytes]
    shared: dict[int, bytes]


def stretch_facts(chunks: Chunks) -> StretchFacts:
    """Return what is to be known of a stretch before it can be hashed.

    >>> stretch_facts([([[0.0, 1.0]], ["no"]), ([[2.0, 0.0]], ["yes"])])
    StretchFacts(n_samples=2, n_stored=0, n_features=2, storage='dense', dtype='float64', \
classes=('no', 'yes'))
    """
    facts = StretchFacts()
    for X, y in chunks:
        samples = Samples.of(X, y)
        stored = samples.stored
        own = StretchFacts(
            samples.n_samples,
            int(stored.indptr[-1]) if isinstance(stored, Compressed) else 0,
            samples.n_features,
            samples.storage,
            samples.dtype.name,
            samples.classes,
        )
        facts = joined_facts([facts, own])
    return facts


def joined_facts(parts: Sequence[StretchFacts]) -> StretchFacts:
    """Return the facts of stretches as of one; numbers of several types are read as one that holds all.

    >>> joined_facts([StretchFacts(2, 0, 3, "dense", "float32", (0, 1)),
    ...               StretchFacts(1, 0, 3, "dense", "float64", (2,))])[3:]
    ('dense', 'float64', (0, 1, 2))
    """
    widths = sorted({part.n_features for part in parts if part.n_features is not None})
    storages = sorted({part.storage for part in parts if part.storage is not None})
    dtypes = [np.dtype(part.dtype) for part in parts if part.dtype is not None]
    if len(widths) > 1:
        raise InputError(
            f"the samples have {widths[0]} features here and {widths[-1]} there: the same everywhere "
            "are accepted"
        )
    if len(storages) > 1:
        raise InputError("the samples are sparse here and dense there: one of them is accepted")
    return StretchFacts(
        sum(part.n_samples for part in parts),
        sum(part.n_stored for part in parts),
        widths[0] if widths else None,
        storages[0] if storages else None,
        read_as(np.result_type(*dtypes)).name if dtypes else None,
        sorted_labels(label for part in parts for label in part.classes),
    )


def planned(facts: Sequence[StretchFacts]) -> DigestPlan:
    """Return how consecutive stretches are hashed together.

    >>> planned([stretch_facts([([[0.0]], [0])]), stretch_facts([([[1.0], [2.0]], [1, 1])])]).places
    (Place(row=0, stored=0), Place(row=1, stored=0), Place(row=3, stored=0))
    """
    _, _, n_features, storage, dtype, classes = joined_facts(facts)
    if n_features is None or storage is None or dtype is None:
        raise InputError("there are no samples to be hashed: one or more are accepted")
    places = [Place(0, 0)]
    for part in facts:
        row, stored = places[-1]
        places.append(Place(row + part.n_samples, stored + part.n_stored))
    return DigestPlan(storage, dtype, n_features, classes, tuple(places))


def stretch_hashes(chunks: Chunks, plan: DigestPlan, number: int) -> list[StreamPart]:
    """Return what the samples of a stretch, given again, bring to the digest, stream by stream.

    >>> plan = planned([stretch_facts([([[1.0]], ["a"])])])
    >>> [sorted(part.hashes) for part in stretch_hashes([([[1.0]], ["a"])], plan, 0)]
    [[0], [0]]
    """
    stretch = zip(plan.starts(number), plan.starts(number + 1), plan.lengths, strict=True)
    blocks = [_Blocks(*bounds) for bounds in stretch]
    row, stored = plan.places[number]
    dtype = np.dtype(plan.dtype)
    if number == 0 and plan.storage == "sparse":
        blocks[0].take(flat(np.zeros(1, dtype=np.int64), INDEX))
    for X, y in chunks:
        samples = Samples.of(X, y)
        form = (samples.n_features, samples.storage, np.promote_types(samples.dtype, dtype))
        if form != (plan.n_features, plan.storage, dtype):
            raise _changed(number)
        among = codes_among(plan.classes, samples.classes)
        samples = replace(samples, codes=among[samples.codes])
        for block, stream in zip(blocks, _streams(samples, plan, stored), strict=True):
            block.take(stream)
        row += samples.n_samples
        stored += int(samples.stored.indptr[-1]) if isinstance(samples.stored, Compressed) else 0
    if (row, stored) != plan.places[number + 1]:
        raise _changed(number)
    return [block.part() for block in blocks]


def joined_digest(plan: DigestPlan, parts: Sequence[list[StreamPart]]) -> Digest:
    """Return the digest of all samples from what each stretch brings, in their order.

    >>> chunks = [([[0.0, 1.0]], ["no"]), ([[2.0, 0.0]], ["yes"])]
    >>> plan = planned([stretch_facts([chunk]) for chunk in chunks])
    >>> parts = [stretch_hashes([chunk], plan, i) for i, chunk in enumerate(chunks)]
    >>> joined_digest(plan, parts) == Digest.of([[0.0, 1.0], [2.0, 0.0]], ["no", "yes"])
    True
    """
    shape = (plan.places[-1].row, plan.n_features)
    blocks: list[bytes] = []
    for own in zip(*parts, strict=True):
        hashes = {number: found for part in own for number, found in part.hashes.items()}
        shared = sorted({number for part in own for number in part.shared})
        for number in shared:
            bytes_of = (part.shared[number] for part in own if number in part.shared)
            hashes[number] = hashlib.sha256(b"".join(map(zlib.decompress, bytes_of))).digest()
        blocks += [hashes[number] for number in sorted(hashes)]
    sha256 = joined_hash(blocks, plan.storage, plan.dtype, shape, plan.classes)
    return Digest(sha256, plan.storage, plan.dtype, *shape)


def _streams(samples: Samples, plan: DigestPlan, n_before: int) -> list[Stream]:
    """Return what is hashed of some samples; so many stored numbers come before theirs."""
    dtype, codes = np.dtype(plan.dtype), flat(samples.codes, CODE)
    if plan.storage == "dense":
        return [dense_rows(samples, dtype), codes]
    indptr, indices, values = samples.compressed()
    ends = indptr[1:].astype(np.int64) + n_before
    return [flat(ends, INDEX), flat(indices, INDEX), flat(values, dtype), codes]


class _Blocks:
    """The blocks of a stream, of some length, that meet the rows from start to stop, which are taken."""

    def __init__(self, start: int, stop: int, length: int) -> None:
        self._start, self._stop, self._length = start, stop, length
        self._position = start
        self._hashes: dict[int, hashlib._Hash] = {}
        self._shared: dict[int, bytearray] = {}

    def take(self, stream: Stream) -> None:
        """Take the next rows."""
        before, size = self._position, stream.block_length
        cuts = range((before // size + 1) * size, before + stream.length, size)
        for first, last in pairwise([before, *cuts, before + stream.length]):
            number = first // size
            begin, end = number * size, min((number + 1) * size, self._length)
            is_own = self._start <= begin and end <= self._stop
            for piece in stream.pieces(first - before, last - before):
                # Its type holds all that was counted.
                assert piece is not None
                if is_own:
                    self._hashes.setdefault(number, hashlib.sha256()).update(piece.reshape(-1).data)
                else:
                    self._shared.setdefault(number, bytearray()).extend(piece.reshape(-1).data)
        self._position += stream.length

    def part(self) -> StreamPart:
        """Return what the rows that were taken bring."""
        return StreamPart(
            {number: found.digest() for number, found in self._hashes.items()},
            {number: zlib.compress(found, 1) for number, found in self._shared.items()},
        )


def _changed(number: int) -> InputError:
    return InputError(
        f"stretch {number} has other samples than when they were counted: files that stay as they are "
        "are accepted"
    )
