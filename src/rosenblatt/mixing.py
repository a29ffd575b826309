"""Halfspaces learned in shards: iterative parameter mixing.

The samples are cut into shards. In each epoch every shard starts from the same weights and learns alone,
on a thread of its own; then the shards' weights are mixed, each in proportion to its mistakes, and the
mixture is where the next epoch starts. If the samples have margin γ and radius R, then with k_s mistakes
of shard s among k in an epoch

    Σ over epochs of Σ_s (k_s / k)·k_s ≤ R²/γ²,

so at most R²/γ² epochs have a mistake, and S shards together make at most S·R²/γ² of them: R. McDonald,
K. Hall, G. Mann, Distributed training strategies for the structured perceptron (2010), theorem 3. An
epoch without a mistake leaves the weights as they were, so then all samples are on their right side.

The result depends on the number of shards, and on nothing else.

An average is one over all visits of all shards, each counted once: a shard that begins an epoch with
weights w and ends it, m visits later, with v and a drift of d of its own (see ``panel``) adds m·v - d to
the sum of all weights that were used.
"""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from rosenblatt.blocks import new_block, visit_block
from rosenblatt.errors import too_long
from rosenblatt.layout import vectors_of
from rosenblatt.panel import Panel, Problem
from rosenblatt.typing import Counts, Floats


class Shards:
    """Teaches a panel of one halfspace, several shards of the samples at a time."""

    def __init__(self, problem: Problem, panel: Panel, n_shards: int) -> None:
        self._panel = panel
        self._shards = [_Shard(problem, panel) for _ in range(n_shards)]

    def visit(self, order: Counts) -> None:
        """Let every shard visit its part of the order, and mix what they learned."""
        panel, shards = self._panel, self._shards
        parts = np.array_split(order, len(shards))
        with ThreadPoolExecutor(len(shards)) as threads:
            waiting = [
                threads.submit(shard.visit, part) for shard, part in zip(shards, parts, strict=True)
            ]
        for one in waiting:
            one.result()
        total = sum(len(shard.mistaken) for shard in shards)
        mixture = np.zeros_like(panel.weights) if total else panel.weights
        for shard in shards:
            share = len(shard.mistaken) / total if total else 0.0
            mixture = mixture + share * shard.weights
            self._record(shard, share)
        self._average(mixture)
        panel.weights[:] = mixture
        panel.tally.mistakes[:] = total
        panel.tally.squares[:] = float((mixture * mixture).sum())
        panel.tally.exact[:] = sum(shard.panel.tally.exact[0] for shard in shards)
        panel.n_roundings += len(shards) + 2  # so many roundings, at most
        if not math.isfinite(panel.energy.sum()):
            raise too_long()

    def settle(self) -> None:
        """Do nothing: the panel is up to date after every epoch."""

    def _record(self, shard: "_Shard", share: float) -> None:
        panel = self._panel
        np.add.at(panel.counts[0], shard.mistaken, 1)
        tally = shard.panel.tally
        panel.mistakes += tally.mistakes
        panel.mass += share * tally.mass
        panel.energy += tally.energy

    def _average(self, mixture: Floats) -> None:
        """Let the drift be such that w - drift/visits is the average of all weights used so far."""
        panel, before = self._panel, int(self._panel.visits[0])
        panel.visits[:] = before + sum(shard.visits for shard in self._shards)
        if panel.drift is not None:
            total = before * panel.weights - panel.drift
            for shard in self._shards:
                total = total + (shard.visits * shard.weights - shard.drift)
            panel.drift[:] = panel.visits[0] * mixture - total


class _Shard:
    """One shard: a copy of the halfspace that learns alone for an epoch.

    After it, ``mistaken`` has the samples of its mistakes, first to last.
    """

    def __init__(self, problem: Problem, mixture: Panel) -> None:
        self._problem = problem
        self._mixture = mixture
        drift = None if mixture.drift is None else np.zeros_like(mixture.drift)
        self.panel = Panel(
            mixture.weights.copy(),
            mixture.signs,
            mixture.steps,
            mixture.masses,
            mixture.factors,
            drift,
            record=True,
        )
        self.mistaken: Counts = np.zeros(0, dtype=np.int64)

    @property
    def weights(self) -> Floats:
        return self.panel.weights

    @property
    def drift(self) -> Floats:
        assert self.panel.drift is not None
        return self.panel.drift

    @property
    def visits(self) -> int:
        return int(self.panel.visits[0])

    def visit(self, order: Counts) -> None:
        """Learn from the samples in order, starting from the mixture's weights."""
        panel, rows = self.panel, self._problem.rows
        panel.visits[:] = 0
        panel.counts[0, self.mistaken] = 0
        panel.weights[:] = self._mixture.weights
        if panel.drift is not None:
            panel.drift[:] = 0.0
        block = new_block(self._problem, panel, np.zeros(1, dtype=np.int64), len(order))
        n_mistakes = visit_block(self._problem, panel, block, order)
        self.mistaken = order[block.events[:n_mistakes]]
        panel.weights[:] = vectors_of(rows, block.weights, 1)
        if panel.drift is not None:
            panel.drift[:] = vectors_of(rows, block.drift, 1)
