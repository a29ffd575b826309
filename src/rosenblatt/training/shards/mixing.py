"""Weights learned in shards: iterative parameter mixing.

The samples are dealt out to shards (see ``dealing``). In each epoch every shard starts from the same
weights and learns alone; then the shards' weights are mixed, halfspace by halfspace, each shard's in
proportion to the mistakes that it made on that halfspace, and the mixture is where the next epoch
starts. If the samples of a halfspace have margin γ and radius R, then with k_s mistakes of shard s among
k of the halfspace in an epoch

    Σ over epochs of Σ_s (k_s / k)·k_s ≤ R²/γ²,

so it makes a mistake in at most R²/γ² epochs, and on S shards together at most S·R²/γ² of them: R.
McDonald, K. Hall, G. Mann, Distributed training strategies for the structured perceptron (2010), theorem
3. Halfspaces have nothing to do with each other, so each has the run that it would have alone: one that
made no mistake in an epoch keeps its weights, all samples are on their right side, and it is not visited
any more. Classes that learn jointly are one long weight vector: each shard has one share, by all its
mistakes.

The theorem holds however the samples are dealt out, and whether or not that is done anew in each epoch.
Beside the order of visits, the result depends on the number of shards, and on nothing else: not on who
runs them, nor on which of them answers first, for they are mixed in their order.

An average is one over all visits of all shards, each counted once: a shard that begins an epoch with
weights w and ends it, m visits later, with v and a drift of d of its own (see ``panel``) adds m·v - d to
the sum of all weights that were used.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from rosenblatt.core.errors import update_too_large
from rosenblatt.core.types import Counts, Flags, Floats
from rosenblatt.kernels.epochs.panel_types import ENERGY, MASS, MISTAKES, SQUARES
from rosenblatt.training.panel import Panel


class ShardEpoch(NamedTuple):
    """What came of one epoch of one shard.

    ``weights`` has a row for each halfspace, as they are at the end. ``visits`` are those of the epoch,
    by halfspace, and ``drift``, unless no averages are kept, is visits · (weights - average of the
    epoch's weights). A halfspace that is finished has no visits and the weights that it came with.
    ``tally`` has the rows of ``panel_types`` and a column for each halfspace. ``missed`` counts the
    samples that were put in a wrong class before they were learned from, where somebody asks.
    """

    weights: Floats
    drift: Floats | None
    visits: Counts
    tally: Floats
    missed: int = 0


RunRound = Callable[[int, Floats, Flags], Sequence[ShardEpoch]]
"""Runs one epoch of all shards, from the epoch's number (from 0), the weights, and which are finished.

It changes neither of them, and answers in the order of the shards.
"""


class Shards:
    """Takes a panel over the samples in shards, which somebody else runs, and mixes what they learn.

    The panel need not have a sample. ``n_epochs`` says how many epochs it has had before. ``missed``
    counts the samples that the shards have put in a wrong class.
    """

    def __init__(self, panel: Panel, run_round: RunRound, *, n_epochs: int = 0) -> None:
        self._panel = panel
        self._run_round = run_round
        self._n_epochs = n_epochs
        self.missed = 0

    def visit(self, _order: Counts, _most: int = 1, /) -> int:
        """Let every shard visit its samples once, in an order of its own, and mix what they learned."""
        panel, finished = self._panel, self._panel.finished
        shards = self._run_round(self._n_epochs, panel.weights, finished)
        self._n_epochs += 1
        self.missed += sum(shard.missed for shard in shards)
        shares = _shares(shards, jointly=panel.problem.own is not None)
        mixture = _mixture(panel.weights, shards, shares)
        for shard, share in zip(shards, shares, strict=True):
            panel.mass += share * shard.tally[MASS]
        self._average(mixture, shards, np.flatnonzero(~finished))
        panel.weights[:] = mixture
        panel.n_roundings += len(shards) + 2
        self._record(shards)
        return 1

    def write_back(self) -> None:
        """Do nothing: the panel is up to date after every epoch."""

    def _record(self, shards: Sequence[ShardEpoch]) -> None:
        """Add up what the shards did."""
        panel = self._panel
        panel.tally[:] = np.sum([shard.tally for shard in shards], axis=0)
        panel.tally[SQUARES] = [float(np.square(row).sum()) for row in panel.weights]
        panel.mistakes += panel.tally[MISTAKES].astype(np.int64)
        panel.energy += panel.tally[ENERGY]
        if not math.isfinite(panel.energy.sum()):
            raise update_too_large()

    def _average(self, mixture: Floats, shards: Sequence[ShardEpoch], visited: Counts) -> None:
        """Let the drift be such that w - drift/visits is the average of all weights used so far."""
        panel, drift = self._panel, self._panel.drift
        before = panel.visits.copy()
        panel.visits += np.sum([shard.visits for shard in shards], axis=0)
        if drift is None:
            return
        # One after the other: each takes no more memory than a few vectors.
        for k in visited.tolist():
            total = before[k] * panel.weights[k] - drift[k]
            for shard in shards:
                assert shard.drift is not None
                total = total + (shard.visits[k] * shard.weights[k] - shard.drift[k])
            drift[k] = panel.visits[k] * mixture[k] - total


def _shares(shards: Sequence[ShardEpoch], *, jointly: bool) -> Floats:
    """Return each shard's share of the mistakes on each halfspace, 0 where there are none."""
    mistakes = np.array([shard.tally[MISTAKES] for shard in shards])
    if jointly:
        mistakes = np.broadcast_to(mistakes.sum(axis=1, keepdims=True), mistakes.shape)
    total = mistakes.sum(axis=0)
    shares: Floats = mistakes / np.where(total == 0.0, 1.0, total)
    return shares


def _mixture(weights: Floats, shards: Sequence[ShardEpoch], shares: Floats) -> Floats:
    """Return the weights of the shards by their shares, added in their order.

    A halfspace without a mistake keeps its weights. A share of 0 would add nothing.
    """
    mixture = weights.copy()
    for k in np.flatnonzero(shares.any(axis=0)).tolist():
        mixed = mixture[k]
        mixed[:] = 0.0
        for shard, share in zip(shards, shares[:, k].tolist(), strict=True):
            if share:
                mixed += share * shard.weights[k]
    return mixture
