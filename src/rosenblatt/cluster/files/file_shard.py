"""A shard of samples in files: where they are, never the samples; and how a worker goes over them."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
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
from rosenblatt.training.shards.dealing import block_visits

Within = Mapping[int, Counts | None]
"""The order of visits to the samples of each block, by its number in the shard; None: as they are."""


class Visited(NamedTuple):
    """Samples of some blocks, and the order of visits to them, unless it is theirs."""

    table: Table
    order: Counts | None


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
        self._places = {block: place for place, block in enumerate(self._blocks)}
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
        within = dict(block_visits(self._sizes, order, seed, epoch, self.number))
        if self._only is not None:
            starts = np.cumsum(self._sizes) - self._sizes
            yield Visited(self._only, _order(within, list(within), starts))
            return
        for table, blocks in self._reader.tables([self._blocks[place] for place in within]):
            places = [self._places[block] for block in blocks]
            own = self._sizes[places]
            starts = np.zeros(len(self._sizes), dtype=np.int64)
            starts[places] = np.cumsum(own) - own
            yield Visited(table, _order(within, places, starts))

    def chunks(self) -> Iterator[Chunk]:
        """Yield the shard's samples in the order of the files."""
        firsts = self._shard.first_rows
        if self._only is not None:
            yield Chunk(self._only, _numbers(firsts, self._sizes))
            return
        for table, blocks in self._reader.tables(self._blocks):
            places = [self._places[block] for block in blocks]
            yield Chunk(table, _numbers([firsts[place] for place in places], self._sizes[places]))

    def stretch(self) -> Iterator[Table]:
        """Yield samples that follow each other in the files; all shards together have all of them."""
        for table, _ in self._reader.tables(self._shard.stretch):
            yield table


def _order(within: Within, places: Sequence[int], starts: Counts) -> Counts | None:
    """Return the order of visits to the samples of blocks whose first samples are at the starts."""
    parts = []
    for place in places:
        visits = within[place]
        if visits is None:  # as all others
            return None
        parts.append(visits + starts[place])
    return np.concatenate(parts)


def _numbers(firsts: Sequence[int], sizes: Counts) -> Counts:
    """Return the numbers of the samples of blocks, each of which begins with one of the firsts."""
    before = np.cumsum(sizes) - sizes
    numbers: Counts = np.arange(int(sizes.sum())) + np.repeat(np.asarray(firsts) - before, sizes)
    return numbers
