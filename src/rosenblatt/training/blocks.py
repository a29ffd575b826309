"""A panel learned in one pass: its halfspaces in blocks, one for each thread.

Every block has memory of its own for its weights, laid out for the samples at hand: see
``panel_layout``. All threads read the same samples. A block is no larger than pays: beyond, it is better
to read the samples again. Halfspaces have nothing to do with each other, so the result does not depend
on how they are split. Classes that learn jointly do: they are one block.
"""

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.core.errors import not_finite, too_long
from rosenblatt.core.threads import share_out
from rosenblatt.core.types import Counts, Floats, Signs
from rosenblatt.kernels.epochs.joint import learn_jointly
from rosenblatt.kernels.epochs.one_vs_rest import learn_epochs, learn_panel
from rosenblatt.kernels.epochs.panel_layout import most_vectors, new_panel, new_shadow, vectors_of
from rosenblatt.kernels.epochs.panel_types import Memory, Record, Samples, Tally, Task, new_tally
from rosenblatt.kernels.simd.sparse_lanes import n_lanes
from rosenblatt.training.panel import Panel

# If this share of the visits leaves a doubt, a float32 shadow costs more than it saves.
_DOUBTFUL = 0.1

_NO_EVENTS = np.zeros(0, dtype=np.int64)
_NO_DRIFT = np.zeros((0, 0))


class Block(NamedTuple):
    """Some halfspaces of a panel: their numbers, and memory for their learning."""

    columns: Counts
    norms: Floats
    signs: Signs
    with_zeros: bool
    memory: Memory
    events: Counts


def new_block(panel: Panel, columns: Counts, n_visits: int) -> Block:
    """Return a block with copies of the halfspaces' weights; an epoch has at most ``n_visits``."""
    problem, chosen = panel.problem, _as_slice(columns)
    rows = problem.rows
    weights = new_panel(rows, panel.weights[chosen])
    drift = _NO_DRIFT if panel.drift is None else new_panel(rows, panel.drift[chosen])
    events = _NO_EVENTS
    if panel.writes_events:
        events = np.empty(n_visits * len(columns), dtype=np.int64)
    signs, with_zeros = problem.signs, not bool(problem.signs.all())
    lanes = n_lanes(len(columns))
    if not lanes == len(columns) == len(panel):
        signs = np.zeros((len(signs), lanes), dtype=np.int8)
        signs[:, : len(columns)] = problem.signs[:, chosen]
    # Each block has its own: two threads that write to the same place wait for each other.
    norms = problem.norms if len(columns) == len(panel) else problem.norms.copy()
    memory = Memory(weights, drift, new_shadow(rows, weights))
    return Block(columns, norms, signs, with_zeros, memory, events)


def _as_slice(columns: Counts) -> Any:
    """Return columns that follow each other as a slice, which is faster to take."""
    first, last = int(columns[0]), int(columns[-1])
    return slice(first, last + 1) if last - first == len(columns) - 1 else columns


def visit_block(
    panel: Panel, block: Block, order: Counts, epoch_tallies: Tally | None = None
) -> tuple[int, int]:
    """Let the halfspaces of a block visit the samples in order: once more than there are tallies.

    Returned are the number of epochs, and of mistakes in the last one.
    """
    problem = panel.problem
    task = Task(
        block.signs, problem.steps, problem.masses, problem.factors, problem.tie, block.with_zeros
    )
    samples = Samples(problem.rows, block.norms)
    record = Record(panel.visits, panel.counts, panel.tally, block.events)
    n_epochs = 1
    if epoch_tallies is not None:
        n_epochs, n_events, stuck_at = learn_epochs(
            samples, task, order, block.columns, block.memory, record, epoch_tallies
        )
    elif problem.own is None:
        n_events, stuck_at = learn_panel(samples, task, order, block.columns, block.memory, record)
    else:
        n_events, stuck_at = learn_jointly(samples, task, problem.own, order, block.memory, record)
    if stuck_at >= 0:
        raise not_finite(stuck_at)
    return int(n_epochs), int(n_events)


def write_back(panel: Panel, block: Block) -> None:
    """Write what a block has learned back to the panel."""
    rows, height, chosen = panel.problem.rows, len(block.columns), _as_slice(block.columns)
    panel.weights[chosen] = vectors_of(rows, block.memory.weights, height)
    if panel.drift is not None:
        panel.drift[chosen] = vectors_of(rows, block.memory.drift, height)


class Blocks:
    """Takes all halfspaces of a panel over the samples in one pass."""

    def __init__(self, panel: Panel, n_jobs: int = 1) -> None:
        self._panel = panel
        self._n_jobs = n_jobs
        self._blocks: list[Block] = []

    def visit(self, order: Counts, most: int = 1) -> int:
        """Let the halfspaces that are still learning visit the samples in order; return how often.

        It is once, or several times until one of them makes no mistake.
        """
        panel = self._panel
        self._choose(len(order))
        if panel.trail is not None:
            panel.trail[:] = [_NO_EVENTS] * len(panel)
        n_epochs = 1
        if len(self._blocks) == 1:
            epoch_tallies = self._new_tallies(most)
            found = [visit_block(panel, self._blocks[0], order, epoch_tallies)]
            n_epochs = found[0][0]
        else:
            works = [partial(visit_block, panel, block, order) for block in self._blocks]
            found = share_out(works, self._n_jobs)
        panel.add_epochs(n_epochs - 1)
        for n, (block, (_, n_mistakes)) in enumerate(zip(self._blocks, found, strict=True)):
            panel.add(block.columns)
            doubts = int(panel.tally.doubt[block.columns].sum())
            if doubts > _DOUBTFUL * len(order):
                memory = block.memory._replace(shadow=block.memory.weights)
                self._blocks[n] = block._replace(memory=memory)
            if panel.writes_events:
                self._record(block.events[:n_mistakes], order)
        if not math.isfinite(panel.energy.sum()):
            raise too_long()
        return n_epochs

    def _new_tallies(self, most: int) -> Tally | None:
        """Return room for the tallies of all epochs but the last, if there may be several."""
        panel = self._panel
        if most == 1 or panel.problem.own is not None or panel.writes_events:
            return None
        if len(panel.epoch_tallies.mistakes) != most - 1:
            panel.epoch_tallies = new_tally(most - 1, len(panel))
        panel.epoch_tallies.squares[:] = panel.tally.squares  # of those that do not learn any more
        panel.epoch_tallies.mistakes[:] = 0
        return panel.epoch_tallies

    def write_back(self) -> None:
        """Write what was learned back to the panel."""
        share_out([partial(write_back, self._panel, block) for block in self._blocks], self._n_jobs)

    def _choose(self, n_visits: int) -> None:
        """Split the halfspaces that are still learning, if they are not the ones of before."""
        learning = np.flatnonzero(~self._panel.finished)
        if len(learning) == sum(len(block.columns) for block in self._blocks):
            return
        self.write_back()
        works = [
            partial(new_block, self._panel, columns, n_visits)
            for columns in np.array_split(learning, self._n_blocks(len(learning)))
        ]
        self._blocks = share_out(works, self._n_jobs)

    def _n_blocks(self, n_learning: int) -> int:
        if self._panel.problem.own is not None:
            return 1
        width = self._panel.weights.shape[1]
        fewest = -(-n_learning // most_vectors(self._panel.problem.rows, n_learning, width))
        n_threads = min(self._n_jobs, n_learning)
        return -(-fewest // n_threads) * n_threads  # so that none has one more than another

    def _record(self, events: Counts, order: Counts) -> None:
        sequences, trail = self._panel.sequences, self._panel.trail
        visits, columns = np.divmod(events, len(self._panel))
        if self._panel.problem.own is not None:
            assert sequences is not None
            samples, rivals = sequences
            samples.append(order[visits])
            rivals.append(columns)
            return
        for k in np.unique(columns):
            own = visits[columns == k]
            if sequences is not None:
                sequences[k].append(order[own])
            if trail is not None:
                trail[k] = own
