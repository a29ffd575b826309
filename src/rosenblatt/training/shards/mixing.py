"""Weights learned in shards: iterative parameter mixing.

The samples are dealt to shards (see ``dealing``). In each epoch every shard starts from the same weights
and learns alone; then the shards' weights are mixed, halfspace by halfspace, each shard's in proportion
to its updates on that halfspace, and the next epoch starts from the mixture. If the samples of a
halfspace have margin γ and radius R, and an update is a visit with y·w·x ≤ b, then with k_s updates of
shard s among k of the halfspace in an epoch

    Σ over epochs of Σ_s (k_s / k)·k_s ≤ (R² + 2b)/γ²,

so it is updated in at most (R² + 2b)/γ² epochs, and S shards together make at most S times that many
updates: each adds γ to u·w and at most R² + 2b to ‖w‖², and ‖·‖² of a mixture is at most the mixture of
the ‖·‖². R.
McDonald, K. Hall, G. Mann, Distributed training strategies for the structured perceptron (2010), theorem
3. Halfspaces are independent, so each has the run that it would have alone: one that made no update in
an epoch keeps its weights, has all samples on the correct side, and is no longer visited. Classes that
learn jointly are one long weight vector: each shard has one share, based on all its updates.

The theorem holds however the samples are dealt, even differently in each epoch. Besides the order of
visits, the result depends only on the number of shards: not on which worker runs them, nor on which
finishes first, because they are mixed in their order.

An average is over all visits of all shards, each counted once: a shard that begins an epoch with
weights w and ends it, m visits later, with v and a drift d (see ``panel``) adds m·v - d to the sum of
all weights that were used.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from rosenblatt.core.errors import update_too_large
from rosenblatt.core.types import Counts, Flags, Floats
from rosenblatt.kernels.epochs.panel_types import ENERGY, MASS, MISTAKES, SQUARES, UPDATES
from rosenblatt.training.panel import Panel


class ShardEpoch(NamedTuple):
    """The result of one epoch of one shard.

    ``weights`` has one row per halfspace, at the end of the epoch. ``visits`` counts the epoch's visits
    by halfspace, and ``drift`` is visits · (weights - average of the epoch's weights), or None if no
    averages are kept. A finished halfspace has no visits and keeps its weights. ``tally`` has the rows
    of ``panel_types`` and one column per halfspace. ``missed`` counts the samples that were
    misclassified before they were learned from, if that is turned on.
    """

    weights: Floats
    drift: Floats | None
    visits: Counts
    tally: Floats
    missed: int = 0


RunRound = Callable[[int, Floats, Flags], Sequence[ShardEpoch]]
"""Runs one epoch of all shards, given its number (from 0), the weights, and which are finished.

It does not change its arguments, and returns the results in the order of the shards.
"""


class Shards:
    """Passes of a panel over samples in shards, which ``run_round`` runs; mixes their weights.

    The panel itself needs no samples. ``n_epochs`` is the number of earlier epochs. ``missed`` counts
    the samples that the shards misclassified before they learned from them.
    """

    def __init__(self, panel: Panel, run_round: RunRound, *, n_epochs: int = 0) -> None:
        self._panel = panel
        self._run_round = run_round
        self._n_epochs = n_epochs
        self.missed = 0

    def visit(self, _order: Counts, _max_epochs: int = 1, /) -> int:
        """Run one epoch of every shard, each in its own order, and mix their weights."""
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
        """Add up the shards' tallies."""
        panel = self._panel
        panel.tally[:] = np.sum([shard.tally for shard in shards], axis=0)
        panel.tally[SQUARES] = [float(np.square(row).sum()) for row in panel.weights]
        panel.updates += panel.tally[UPDATES].astype(np.int64)
        panel.mistakes += panel.tally[MISTAKES].astype(np.int64)
        panel.energy += panel.tally[ENERGY]
        if not math.isfinite(panel.energy.sum()):
            raise update_too_large()

    def _average(self, mixture: Floats, shards: Sequence[ShardEpoch], visited: Counts) -> None:
        """Set the drift so that w - drift/visits is the average of all weights used so far."""
        panel, drift = self._panel, self._panel.drift
        before = panel.visits.copy()
        panel.visits += np.sum([shard.visits for shard in shards], axis=0)
        if drift is None:
            return
        # One at a time, so that only a few vectors are in memory.
        for k in visited.tolist():
            total = before[k] * panel.weights[k] - drift[k]
            for shard in shards:
                assert shard.drift is not None
                total = total + (shard.visits[k] * shard.weights[k] - shard.drift[k])
            drift[k] = panel.visits[k] * mixture[k] - total


def _shares(shards: Sequence[ShardEpoch], *, jointly: bool) -> Floats:
    """Return each shard's share of each halfspace's updates, 0 for halfspaces without updates."""
    updates = np.array([shard.tally[UPDATES] for shard in shards])
    if jointly:
        updates = np.broadcast_to(updates.sum(axis=1, keepdims=True), updates.shape)
    total = updates.sum(axis=0)
    shares: Floats = updates / np.where(total == 0.0, 1.0, total)
    return shares


def _mixture(weights: Floats, shards: Sequence[ShardEpoch], shares: Floats) -> Floats:
    """Return the shards' weights, weighted by their shares and added in their order.

    A halfspace without an update keeps its weights.
    """
    mixture = weights.copy()
    for k in np.flatnonzero(shares.any(axis=0)).tolist():
        mixed = mixture[k]
        mixed[:] = 0.0
        for shard, share in zip(shards, shares[:, k].tolist(), strict=True):
            if share:
                mixed += share * shard.weights[k]
    return mixture
