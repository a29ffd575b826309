"""A shard of samples in files: where they are, and how a worker reads them."""

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


@dataclass(frozen=True)
class FileShard:
    """Where a shard's samples are and how to read them: only its own blocks."""

    key: str
    number: int
    places: tuple[str, ...]
    form: SampleForm
    blocks: tuple[Block, ...]

    def open(self) -> "OpenFileShard":
        """Open the shard on the worker."""
        return OpenFileShard(self)


def file_shards(plan: Plan) -> list[FileShard]:
    """Return the shards of a plan."""
    # Hashed, because places may contain secrets and keys may be logged.
    key = hashlib.sha256(f"{plan.digest} {plan.places}".encode()).hexdigest()
    return [
        FileShard(
            f"{key} {number}",
            number,
            plan.places,
            plan.agreement.form,
            plan.blocks_of(number),
        )
        for number in range(plan.n_shards)
    ]


class OpenFileShard:
    """A shard whose blocks are read again for each task.

    If all samples fit into one chunk, they stay in memory.
    """

    def __init__(self, shard: FileShard) -> None:
        self.number, self.n_features = shard.number, shard.form.n_features
        self._blocks = shard.blocks
        self._reader = BlockReader(shard.places, shard.form)
        self._sizes = np.array([block.n_rows for block in self._blocks], dtype=np.int64)
        first = list(islice(self._reader.tables(self._blocks), 2))
        self._only = first[0][0] if len(first) == 1 else None

    def answer(self, work: Work) -> Answer:
        """Run the task of the work."""
        from rosenblatt.cluster.tasks import TASKS

        return TASKS[work.task](self, work)

    def close(self) -> None:
        """Close the files."""
        self._reader.close()

    def visits(self, order: str, seed: int, epoch: int) -> Iterator[Visited]:
        """Yield the shard's samples in the order of an epoch, counted from 0."""
        visits, sizes = shard_visits(self._sizes, order, seed, epoch, self.number), self._sizes
        if self._only is not None:
            yield Visited(self._only, visits.numbers(np.cumsum(sizes) - sizes, sizes))
            return
        ordered = [self._blocks[block] for block in visits.blocks.tolist()]
        first_block = first_visit = 0
        for table, blocks in self._reader.tables(ordered):
            own = sizes[visits.blocks[first_block : first_block + len(blocks)]]
            starts, n_visits = np.cumsum(own) - own, int(own.sum())
            within = visits.within[first_visit : first_visit + n_visits]
            yield Visited(table, np.repeat(starts, own) + within)
            first_block, first_visit = first_block + len(blocks), first_visit + n_visits

    def tables(self) -> Iterator[Table]:
        """Yield the shard's samples in the order of the files."""
        if self._only is not None:
            yield self._only
            return
        for table, _ in self._reader.tables(self._blocks):
            yield table
