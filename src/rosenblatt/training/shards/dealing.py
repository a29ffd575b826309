"""Which shard has which samples, and in which order a shard visits them.

Samples are dealt in blocks, round robin: block b belongs to shard b modulo the number of shards. The
first 512 blocks have one sample; after that a block has about 1/256 of the samples before it, rounded to
a power of two, and at most `MOST`. So the number of samples need not be known, a file that is sorted by
class leaves no shard with only one class, small data is dealt sample by sample, and large data in blocks
that are worth a read of their own.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.core.checks import check_choice
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts

MOST = 4096
"""The most samples in a block."""
_PARTS = 256


def block_size(start: int) -> int:
    """Return how many samples the block that begins with sample ``start`` has, unless the data ends.

    >>> [block_size(n) for n in (0, 511, 512, 1024, 10**9)]
    [1, 1, 2, 4, 4096]
    """
    return min(MOST, 1 << max(0, (start // _PARTS).bit_length() - 1))


def block_starts(n_samples: int) -> Counts:
    """Return the first sample of each block, followed by the number of samples.

    >>> block_starts(3)
    array([0, 1, 2, 3])
    >>> np.diff(block_starts(1025))[[0, 511, 512, 767, -1]]
    array([1, 1, 2, 2, 1])
    """
    starts, start = [], 0
    while start < n_samples:
        size = block_size(start)
        end = min(n_samples, 2 * max(start, _PARTS) if size < MOST else n_samples)
        starts.append(np.arange(start, end, size))
        start = end
    return np.concatenate([*starts, [n_samples]]).astype(np.int64)


def check_shards(n_shards: int, n_samples: int, n_blocks: int | None = None) -> None:
    """Raise InputError if some shard would have no samples."""
    if n_blocks is None:
        n_blocks = len(block_starts(n_samples)) - 1
    if n_shards > n_blocks:
        raise InputError(
            f"shards={n_shards} is more than {n_samples} samples can be dealt to: use at most {n_blocks}"
        )


def block_numbers(samples: Counts) -> Counts:
    """Return the block of each sample.

    >>> block_numbers(np.array([0, 511, 512, 513, 514, 1024, 2**20, 2**20 + 4096]))
    array([   0,  511,  512,  512,  513,  768, 3328, 3329])
    """
    doublings = np.frexp((samples // _PARTS).astype(np.float64))[1].astype(np.int64) - 1
    power = np.clip(doublings, 0, MOST.bit_length() - 1)
    # A power begins with sample 256·2**power, and 256 blocks after the one before it.
    numbers: Counts = _PARTS * power + ((samples - (_PARTS << power)) >> power) + _PARTS
    return numbers


class Visits(NamedTuple):
    """An epoch of a shard: its ``blocks`` in the order of visits; blocks are visited one at a time.

    ``within`` has, for every visit, the index of its sample in its block.
    """

    blocks: Counts
    within: Counts

    def numbers(self, starts: Counts, sizes: Counts) -> Counts:
        """Return the sample of every visit, given the first samples and sizes of the shard's blocks."""
        found: Counts = np.repeat(starts[self.blocks], sizes[self.blocks]) + self.within
        return found


def shard_visits(sizes: Counts, order: str, seed: int, epoch: int, shard: int) -> Visits:
    """Return the visits of a shard's epoch, given the sizes of its blocks.

    In the order "cyclic" blocks and samples keep their order; in the order "shuffle" the blocks, and the
    samples within each, are shuffled for each epoch (counted from 0) and shard.

    >>> shard_visits(np.array([1, 2]), "cyclic", 0, 0, 0)
    Visits(blocks=array([0, 1]), within=array([0, 0, 1]))
    >>> visits = shard_visits(np.array([1, 2]), "shuffle", 2, 0, 1)
    >>> visits
    Visits(blocks=array([1, 0]), within=array([1, 0, 0]))
    >>> visits.numbers(np.array([3, 7]), np.array([1, 2]))
    array([8, 7, 3])
    """
    check_choice("order", order, ["cyclic", "shuffle"])
    blocks = np.arange(len(sizes))
    rng = None if order == "cyclic" else epoch_generator(seed, epoch, shard)
    if rng is not None:
        blocks = rng.permutation(len(sizes))
        sizes = sizes[blocks]
    ends = np.cumsum(sizes)
    within = np.arange(sizes.sum()) - np.repeat(ends - sizes, sizes)
    if rng is not None:
        many = sizes > 1  # skip the many blocks of one sample
        for start, end in zip((ends - sizes)[many].tolist(), ends[many].tolist(), strict=True):
            rng.shuffle(within[start:end])
    return Visits(blocks, within)


def epoch_generator(seed: int, epoch: int, shard: int) -> np.random.RandomState:
    """Return the random generator of one epoch of one shard.

    RandomState gives the same numbers in all versions of NumPy, and workers may have different ones.
    """
    seeds = np.random.SeedSequence([seed, epoch, shard])
    return np.random.RandomState(np.random.MT19937(seeds))
