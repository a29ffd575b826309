"""A shard of samples in files: where they are, never the samples; and how a worker goes over them."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np

from rosenblatt.cluster.engines.engine import Answer, Work
from rosenblatt.cluster.files.plan import Plan
from rosenblatt.core.types import Counts
from rosenblatt.io.blocks.block import Block, SampleForm
from rosenblatt.io.blocks.block_reader import BlockReader
from rosenblatt.io.samples.table import Table
from rosenblatt.training.shards.dealing import shard_visits


class Visited(NamedTuple):
    """Samples of some blocks, and the order of visits to them."""

    table: Table
    order: Counts


class Chunk(NamedTuple):
    """Samples of some blocks, and their numbers among all samples."""

    table: Table
    numbers: Counts


@dataclass(frozen=True)
class FileShard:
    """Where a shard's samples are, and how they are read: its own blocks, and no others.

    ``first_rows`` has the number, among all samples, of the first one of each block. The ``stretch`` has
    blocks that follow each other in the files: all shards together have all of them.
    """

    key: str
    number: int
    places: tuple[str, ...]
    form: SampleForm
    blocks: tuple[Block, ...]
    first_rows: tuple[int, ...]
    stretch: tuple[Block, ...]

    def open(self) -> "OpenFileShard":
        """Open it where it is worked on."""
        return OpenFileShard(self)


def file_shards(plan: Plan) -> list[FileShard]:
    """Return the shards of a plan."""
    agreement, n_shards = plan.agreement, plan.n_shards
    # Hashed, for places may have secrets in them, and keys may be logged.
    key = hashlib.sha256(f"{plan.digest} {plan.places}".encode()).hexdigest()
    return [
        FileShard(
            f"{key} {number}",
            number,
            plan.places,
            agreement.form,
            plan.blocks_of(number),
            tuple(plan.first_rows[number::n_shards]),
            agreement.blocks[plan.stretch_of(number)],
        )
        for number in range(n_shards)
    ]


class OpenFileShard:
    """A shard whose blocks are read, one after another, whenever there is work.

    Samples that fit into one chunk stay in memory.
    """

    def __init__(self, shard: FileShard) -> None:
        self.number, self.n_features = shard.number, shard.form.n_features
        self._shard, self._blocks = shard, shard.blocks
        self._reader = BlockReader(shard.places, shard.form)
        self._sizes = np.array([block.n_rows for block in self._blocks], dtype=np.int64)
        first = list(islice(self._reader.tables(self._blocks), 2))
        self._only = first[0][0] if len(first) == 1 else None

    def answer(self, work: Work) -> Answer:
        """Return what comes of the work."""
        from rosenblatt.cluster.tasks.all_tasks import TASKS

        return TASKS[work.task](self, work)

    def close(self) -> None:
        """Close the files."""
        self._reader.close()

    def visits(self, order: str, seed: int, epoch: int) -> Iterator[Visited]:
        """Yield the shard's samples in the order of an epoch, from 0."""
        visits, sizes = shard_visits(self._sizes, order, seed, epoch, self.number), self._sizes
        if self._only is not None:
            yield Visited(self._only, visits.numbers(np.cumsum(sizes) - sizes, sizes))
            return
        wanted = [self._blocks[block] for block in visits.blocks.tolist()]
        first_block = first_visit = 0
        for table, blocks in self._reader.tables(wanted):
            own = sizes[visits.blocks[first_block : first_block + len(blocks)]]
            starts, n_visits = np.cumsum(own) - own, int(own.sum())
            within = visits.within[first_visit : first_visit + n_visits]
            yield Visited(table, np.repeat(starts, own) + within)
            first_block, first_visit = first_block + len(blocks), first_visit + n_visits

    def chunks(self) -> Iterator[Chunk]:
        """Yield the shard's samples in the order of the files."""
        firsts, sizes = np.array(self._shard.first_rows, dtype=np.int64), self._sizes
        if self._only is not None:
            yield Chunk(self._only, _numbers(firsts, sizes))
            return
        first = 0
        for table, blocks in self._reader.tables(self._blocks):
            own = slice(first, first + len(blocks))
            yield Chunk(table, _numbers(firsts[own], sizes[own]))
            first += len(blocks)

    def stretch(self) -> Iterator[Table]:
        """Yield samples that follow each other in the files; all shards together have all of them."""
        for table, _ in self._reader.tables(self._shard.stretch):
            yield table


def _numbers(firsts: Counts, sizes: Counts) -> Counts:
    """Return the numbers of the samples of blocks, each of which begins with one of the firsts."""
    before = np.cumsum(sizes) - sizes
    numbers: Counts = np.arange(int(sizes.sum())) + np.repeat(firsts - before, sizes)
    return numbers
