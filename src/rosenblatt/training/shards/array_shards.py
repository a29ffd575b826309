"""Shards of samples in memory, each of which learns on its own thread if there are enough.

All shards read the same samples and count mistakes in one array: no sample belongs to two shards.
"""

from functools import partial

import numpy as np

from rosenblatt.core.threads import run_in_threads
from rosenblatt.core.types import Counts, Flags, Floats
from rosenblatt.training.blocks import Blocks
from rosenblatt.training.panel import Panel
from rosenblatt.training.shards.dealing import block_starts, epoch_generator, shard_visits
from rosenblatt.training.shards.mixing import ShardEpoch


class ArrayShards:
    """The samples of a panel, dealt to shards.

    With ``order="random"`` a shard draws as many samples as it has, with replacement.
    """

    def __init__(self, panel: Panel, n_shards: int, order: str, seed: int, n_jobs: int = 1) -> None:
        starts = block_starts(len(panel.problem))
        self._n_jobs = n_jobs
        self._shards = [
            _Shard(panel, number, starts[number:-1:n_shards], np.diff(starts)[number::n_shards])
            for number in range(n_shards)
        ]
        self._order = order
        self._seed = seed

    def run_round(self, epoch: int, weights: Floats, finished: Flags) -> list[ShardEpoch]:
        """Run one epoch of all shards: see `RunRound`."""
        works = [
            partial(shard.run, self._order, self._seed, epoch, weights, finished)
            for shard in self._shards
        ]
        return run_in_threads(works, self._n_jobs)


class _Shard:
    """One shard: a copy of the panel's halfspaces that learns alone for an epoch."""

    def __init__(self, mixture: Panel, number: int, starts: Counts, sizes: Counts) -> None:
        self._number = number
        self._starts = starts
        self._sizes = sizes
        drift = None if mixture.drift is None else np.zeros_like(mixture.drift)
        self._panel = Panel(mixture.problem, mixture.weights.copy(), drift)
        self._panel.counts = mixture.counts
        self._blocks = Blocks(self._panel)
        self._samples: Counts | None = None

    def run(
        self, order: str, seed: int, epoch: int, weights: Floats, finished: Flags
    ) -> ShardEpoch:
        """Run one epoch on the shard's samples."""
        panel, blocks = self._panel, self._blocks
        visits = self._visits(order, seed, epoch)
        blocks.start_from(weights)
        panel.clean[:] = finished
        panel.tallies = np.zeros_like(panel.tallies)
        if len(visits):
            blocks.visit(visits)
            blocks.write_back()
        return ShardEpoch(panel.weights, panel.drift, panel.visits, panel.tally)

    def _visits(self, order: str, seed: int, epoch: int) -> Counts:
        if order == "shuffle":
            visits = shard_visits(self._sizes, order, seed, epoch, self._number)
            return visits.numbers(self._starts, self._sizes)
        if self._samples is None:
            visits = shard_visits(self._sizes, "cyclic", 0, 0, self._number)
            self._samples = visits.numbers(self._starts, self._sizes)
        if order == "cyclic" or len(self._samples) == 0:
            return self._samples
        rng = epoch_generator(seed, epoch, self._number)
        return self._samples[rng.randint(len(self._samples), size=len(self._samples))]
