"""Weights learned in shards: iterative parameter mixing.

The samples are dealt out to shards, each of which gets its share of each class (see `deal`). In each
epoch every shard starts from the same weights and learns alone, on a thread of its own if there are as
many; then the shards' weights are mixed, each in proportion to its mistakes, and the mixture is where
the next epoch starts. If the samples have margin γ and radius R, then with k_s mistakes of shard s among
k in an epoch

    Σ over epochs of Σ_s (k_s / k)·k_s ≤ R²/γ²,

so at most R²/γ² epochs have a mistake, and S shards together make at most S·R²/γ² of them: R. McDonald,
K. Hall, G. Mann, Distributed training strategies for the structured perceptron (2010), theorem 3. An
epoch without a mistake leaves the weights as they were, so then all samples are on their right side.

The theorem holds however the samples are dealt out, and whether or not that is done anew in each epoch.
Beside the order of visits, the result depends on the number of shards, and on nothing else.

An average is one over all visits of all shards, each counted once: a shard that begins an epoch with
weights w and ends it, m visits later, with v and a drift of d of its own (see ``panel``) adds m·v - d to
the sum of all weights that were used.
"""

import math
from functools import partial

import numpy as np

from rosenblatt.core.errors import too_long
from rosenblatt.core.threads import share_out
from rosenblatt.core.types import Counts, Floats, Signs
from rosenblatt.kernels.epochs.panel_layout import vectors_of
from rosenblatt.kernels.epochs.panel_types import ENERGY, MASS, MISTAKES, SQUARES
from rosenblatt.training.blocks import Block, new_block, visit_block, write_back
from rosenblatt.training.panel import Panel


def deal(order: Counts, sides: Signs | Counts, n_shards: int) -> list[Counts]:
    """Return the part of an order of visits that each shard has, with its share of each side.

    ``sides`` says which side, or class, each visit's sample belongs to. A shard has as many visits as
    another, and as many to samples of one side, or one more. Of each side the shards have one stretch of
    the order after the other, so that in the order of the file they read memory in sequence.

    >>> [part.tolist() for part in deal(np.arange(7), np.array([0, 0, 0, 0, 1, 1, 1]), 2)]
    [[0, 1, 4, 5], [2, 3, 6]]
    """
    by_side = np.argsort(sides, kind="stable")
    ends = np.flatnonzero(np.diff(sides[by_side])) + 1
    numbers = np.arange(len(order)) % n_shards
    for stretch in np.split(numbers, ends):
        stretch.sort()  # in place: a view
    shard_of = np.empty_like(numbers)
    shard_of[by_side] = numbers
    return [order[shard_of == n] for n in range(n_shards)]


class Shards:
    """Takes a panel that is one long weight vector over several shards of the samples at a time.

    That is a panel of one halfspace, or of classes that learn jointly.
    """

    def __init__(self, panel: Panel, n_shards: int, n_jobs: int = 1) -> None:
        self._panel = panel
        self._n_jobs = n_jobs
        self._shards = [_Shard(panel) for _ in range(n_shards)]
        problem = panel.problem
        self._sides = problem.signs[:, 0] if problem.own is None else problem.own
        self._order: Counts | None = None
        self._parts: list[Counts] = []

    def visit(self, order: Counts, _most: int = 1) -> int:
        """Let every shard visit its part of the order once, and mix what they learned."""
        panel, shards = self._panel, self._shards
        if order is not self._order:  # in cyclic order all epochs have the same
            self._order, self._parts = order, deal(order, self._sides[order], len(shards))
        works = [partial(one.visit, part) for one, part in zip(shards, self._parts, strict=True)]
        share_out(works, self._n_jobs)
        total = sum(shard.n_mistakes for shard in shards)
        mixture = np.zeros_like(panel.weights) if total else panel.weights
        for shard in shards:
            share = shard.n_mistakes / total if total else 0.0
            mixture = mixture + share * shard.panel.weights
            panel.mass += share * shard.panel.tally[MASS]
        self._average(mixture)
        panel.weights[:] = mixture
        panel.n_roundings += len(shards) + 2
        self._record()
        return 1

    def write_back(self) -> None:
        """Add up the shards' counts; all else is up to date after every epoch."""
        np.sum([shard.panel.counts for shard in self._shards], axis=0, out=self._panel.counts)

    def _record(self) -> None:
        """Add up what the shards did."""
        panel, tallies = self._panel, [shard.panel.tally for shard in self._shards]
        panel.tally[:] = np.sum(tallies, axis=0)
        panel.tally[SQUARES] = (panel.weights * panel.weights).sum(axis=1)
        panel.mistakes += panel.tally[MISTAKES].astype(np.int64)
        panel.energy += panel.tally[ENERGY]
        if not math.isfinite(panel.energy.sum()):
            raise too_long()

    def _average(self, mixture: Floats) -> None:
        """Let the drift be such that w - drift/visits is the average of all weights used so far."""
        panel, before = self._panel, int(self._panel.visits[0])
        seen = [int(shard.panel.visits[0]) for shard in self._shards]
        panel.visits[:] = before + sum(seen)
        if panel.drift is not None:
            total = before * panel.weights - panel.drift
            for shard, visits in zip(self._shards, seen, strict=True):
                total = total + (visits * shard.panel.weights - shard.drift)
            panel.drift[:] = panel.visits[0] * mixture - total


class _Shard:
    """One shard: a copy of the panel that learns alone for an epoch.

    After it, ``n_mistakes`` is the number of its mistakes; its panel has the counts of all epochs.
    """

    def __init__(self, mixture: Panel) -> None:
        self._mixture = mixture
        drift = None if mixture.drift is None else np.zeros_like(mixture.drift)
        self.panel = Panel(mixture.problem, mixture.weights.copy(), drift)
        self.n_mistakes = 0
        self._block: Block | None = None

    @property
    def drift(self) -> Floats:
        """What its weights have ahead of the average of this epoch, times its visits."""
        assert self.panel.drift is not None
        return self.panel.drift

    def visit(self, order: Counts) -> None:
        """Learn from the samples in order, starting from the mixture's weights."""
        panel, rows = self.panel, self.panel.problem.rows
        panel.visits[:] = 0
        height = len(panel)
        if self._block is None:  # it starts from the weights that the panel is a copy of
            self._block = new_block(panel, np.arange(height), len(order))
        block = self._block
        vectors_of(rows, block.memory.weights, height)[:] = self._mixture.weights
        block.memory.drift[:] = 0.0
        panel.tallies, self.n_mistakes = visit_block(panel, block, order)
        write_back(panel, block)
