"""One pass over the samples for a whole panel: its halfspaces are split into blocks, shared by threads.

Each block has its own memory for weights, laid out to suit the samples: see ``panel_layout``. All
threads read the same samples. Beyond a certain block size it is faster to read the samples again.
Halfspaces are independent, so the result does not depend on how they are split. Classes that learn
jointly are not independent: they form one block.
"""

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.core.errors import update_too_large
from rosenblatt.core.threads import run_in_threads
from rosenblatt.core.types import Counts, Flags, Floats, Signs
from rosenblatt.kernels.epochs.joint import learn_jointly
from rosenblatt.kernels.epochs.one_halfspace import learn_halfspace
from rosenblatt.kernels.epochs.one_vs_rest import learn_panel
from rosenblatt.kernels.epochs.panel_layout import most_vectors, new_panel, new_shadow, vectors_of
from rosenblatt.kernels.epochs.panel_types import (
    DOUBT,
    SQUARES,
    Memory,
    Record,
    Samples,
    Task,
    Workspace,
    new_tallies,
    new_workspace,
)
from rosenblatt.kernels.finite import not_finite
from rosenblatt.kernels.simd.sparse_lanes import n_lanes
from rosenblatt.training.panel import Panel
from rosenblatt.training.problem import Problem

# If float32 cannot decide this share of the visits, a float32 shadow costs more than it saves.
_DOUBTFUL = 0.1

_N_COMPARED_FIRST = 64

_NO_EVENTS = np.zeros(1, dtype=np.int64)  # kernels need an array, but do not write to it
_NO_VISITS = np.zeros(0, dtype=np.int64)
_NONE = np.zeros((0, 0))


class Block(NamedTuple):
    """Some halfspaces of a panel: their numbers, and the memory they learn in."""

    columns: Counts
    norms: Floats
    signs: Signs
    is_partial: bool
    memory: Memory
    workspace: Workspace
    events: Counts


def new_block(panel: Panel, columns: Counts, n_visits: int) -> Block:
    """Return a block with copies of the weights; ``n_visits`` is the most visits per epoch."""
    problem, chosen = panel.problem, _as_slice(columns)
    rows = problem.rows
    weights = new_panel(rows, panel.weights[chosen])
    drift = _NONE if panel.drift is None else new_panel(rows, panel.drift[chosen])
    mark = _NONE if panel.mark is None else new_panel(rows, panel.mark[chosen])
    events = _NO_EVENTS
    if panel.writes_events:
        events = np.empty(n_visits * len(columns), dtype=np.int64)
    signs = np.ascontiguousarray(problem.signs[:, chosen])
    # Each block has its own copy: threads that write to the same memory slow each other down.
    norms = problem.norms if len(columns) == len(panel) else problem.norms.copy()
    memory = Memory(weights, drift, new_shadow(rows, weights), mark)
    vectors = vectors_of(rows, weights, len(columns))
    workspace = new_workspace(vectors, n_lanes(len(columns)), memory.shadow.dtype.type)
    return Block(columns, norms, signs, not signs.all(), memory, workspace, events)


def _with_samples(panel: Panel, block: Block) -> Block:
    """Return the block with the panel's current samples; the halfspaces keep their weights."""
    signs = np.ascontiguousarray(panel.problem.signs[:, _as_slice(block.columns)])
    norms, events = panel.problem.norms, block.events
    if panel.writes_events:
        events = np.empty(signs.size, dtype=np.int64)
    return block._replace(norms=norms, signs=signs, is_partial=not signs.all(), events=events)


def _without_shadow(block: Block) -> Block:
    """Return the block without a float32 copy of its weights."""
    memory, workspace = block.memory, block.workspace
    scores = np.zeros(len(workspace.scores))
    return block._replace(
        memory=memory._replace(shadow=memory.weights), workspace=workspace._replace(scores=scores)
    )


def _are_equal(weights: Floats, mark: Floats) -> bool:
    """Return whether two vectors are equal; a few of their numbers usually decide it."""
    some = slice(None, None, max(1, len(weights) // _N_COMPARED_FIRST))
    return np.array_equal(weights[some], mark[some]) and np.array_equal(weights, mark)


def _as_slice(columns: Counts) -> Any:
    """Return consecutive columns as a slice, which indexes faster."""
    first, last = int(columns[0]), int(columns[-1])
    return slice(first, last + 1) if last - first == len(columns) - 1 else columns


def visit_block(
    panel: Panel, block: Block, order: Counts, max_epochs: int = 1
) -> tuple[Floats, int]:
    """Run up to ``max_epochs`` epochs of a block in this order of visits.

    Return the tally of each epoch, and the number of updates in the last one.
    """
    problem, columns, memory, workspace = (
        panel.problem,
        block.columns,
        block.memory,
        block.workspace,
    )
    steps = _one_or_all(problem.steps)
    is_partial, since = block.is_partial, problem.since
    task = Task(
        block.signs, steps, problem.factors, problem.tie, is_partial, since, problem.required
    )
    samples = Samples(problem.rows, block.norms)
    tallies = new_tallies(max_epochs, len(columns))
    record = Record(panel.visits, panel.counts, block.events, tallies)
    if problem.own is not None:
        own = problem.own
        n_epochs, n_events, stuck_at = learn_jointly(
            samples, task, own, order, memory, record, workspace
        )
    elif len(columns) == 1:
        k = int(columns[0])
        n_epochs, n_events, stuck_at = learn_halfspace(
            samples, task, order, k, memory, record, workspace.digits
        )
    else:
        n_epochs, n_events, stuck_at = learn_panel(
            samples, task, order, columns, memory, record, workspace
        )
    if stuck_at >= 0:
        raise not_finite(problem.rows, stuck_at)
    return tallies[:n_epochs], int(n_events)


def _one_or_all(by_sample: Floats) -> Floats:
    """Return a single number if all samples share it in memory, else the whole array."""
    return by_sample[:1].copy() if by_sample.strides == (0,) else by_sample


def write_back(panel: Panel, block: Block) -> None:
    """Copy a block's weights back to the panel."""
    rows, height, chosen = panel.problem.rows, len(block.columns), _as_slice(block.columns)
    panel.weights[chosen] = vectors_of(rows, block.memory.weights, height)
    if panel.drift is not None:
        panel.drift[chosen] = vectors_of(rows, block.memory.drift, height)


class Blocks:
    """Passes of a whole panel over the samples; ``together`` puts all halfspaces in one block."""

    def __init__(self, panel: Panel, n_jobs: int = 1, *, together: bool = False) -> None:
        self._panel = panel
        self._n_jobs = n_jobs
        self._together = together
        self._blocks: list[Block] = []

    def continue_with(self, problem: Problem) -> None:
        """Switch to other samples; the weights keep their layout in memory if possible."""
        if type(problem.rows) is not type(self._panel.problem.rows):  # needs another layout
            self.write_back()
            self._blocks = []
        self._panel.continue_with(problem)
        self._blocks = [_with_samples(self._panel, block) for block in self._blocks]

    def start_from(self, weights: Floats) -> None:
        """Set the weights for the next epoch, and restart the averages."""
        panel = self._panel
        panel.weights[:] = weights
        panel.visits[:] = 0
        if panel.drift is not None:
            panel.drift[:] = 0.0
        for block in self._blocks:
            rows, height = panel.problem.rows, len(block.columns)
            vectors_of(rows, block.memory.weights, height)[:] = weights[_as_slice(block.columns)]
            block.memory.drift[:] = 0.0

    def visit(self, order: Counts, max_epochs: int = 1) -> int:
        """Run up to ``max_epochs`` epochs in this order of visits; return how many were run.

        A block stops early when one of its halfspaces makes no update or is back at its mark.
        """
        panel = self._panel
        self._choose(len(order))
        if panel.trail is not None:
            panel.trail[:] = [_NO_VISITS] * len(panel)
        limit = self._epochs_at_once(max_epochs)
        works = [partial(visit_block, panel, block, order, limit) for block in self._blocks]
        found = run_in_threads(works, self._n_jobs) if len(works) > 1 else [works[0]()]
        n_epochs = max(len(own) for own, _ in found)
        tallies = new_tallies(n_epochs, len(panel))
        tallies[:, SQUARES] = panel.tally[SQUARES]  # for halfspaces that no longer learn
        panel.back_after[:] = 0
        for n, (block, (own, n_updates)) in enumerate(zip(self._blocks, found, strict=True)):
            chosen = _as_slice(block.columns)
            tallies[: len(own), :, chosen] = own
            tallies[len(own) :, SQUARES, chosen] = own[-1, SQUARES]  # this block stopped earlier
            if panel.mark is not None:
                panel.back_after[chosen] = len(own) * self._are_back(block)
            if own[-1, DOUBT].sum() > _DOUBTFUL * len(order):
                self._blocks[n] = _without_shadow(block)
            if panel.writes_events:
                self._record(block.events[:n_updates], order)
        panel.add(tallies)
        if not math.isfinite(panel.energy.sum()):
            raise update_too_large()
        return n_epochs

    def _epochs_at_once(self, max_epochs: int) -> int:
        """Return how many epochs the kernel may run before returning to Python.

        Only one if Python needs the details of each epoch, or if one block could stop early because of
        one of its halfspaces while other blocks continue.
        """
        panel = self._panel
        needs_each_epoch = panel.problem.own is not None or panel.writes_events
        waits = any(len(block.columns) > 1 for block in self._blocks) and (
            len(self._blocks) > 1 or panel.mark is not None
        )
        return 1 if needs_each_epoch or waits else max_epochs

    def _are_back(self, block: Block) -> Flags:
        """Return which halfspaces are back at their mark; joint classes only all together."""
        rows, memory, height = self._panel.problem.rows, block.memory, len(block.columns)
        if memory.mark.size == 0:
            return np.zeros(height, dtype=bool)
        weights, mark = (vectors_of(rows, each, height) for each in (memory.weights, memory.mark))
        back = np.array([_are_equal(*pair) for pair in zip(weights, mark, strict=True)])
        return back if self._panel.problem.own is None else np.full(height, back.all())

    def mark(self) -> None:
        """Save the current weights, to detect a return to them."""
        panel = self._panel
        self.write_back()
        panel.take_mark()
        self._blocks = [
            block._replace(memory=block.memory._replace(mark=block.memory.weights.copy()))
            for block in self._blocks
        ]

    def write_back(self) -> None:
        """Copy all weights back to the panel."""
        run_in_threads(
            [partial(write_back, self._panel, block) for block in self._blocks], self._n_jobs
        )

    def _choose(self, n_visits: int) -> None:
        """Split the halfspaces that are still learning into blocks, if any has stopped."""
        learning = np.flatnonzero(~self._panel.finished)
        if len(learning) == sum(len(block.columns) for block in self._blocks):
            return
        self.write_back()
        works = [
            partial(new_block, self._panel, columns, n_visits)
            for columns in np.array_split(learning, self._n_blocks(len(learning)))
        ]
        self._blocks = run_in_threads(works, self._n_jobs)

    def _n_blocks(self, n_learning: int) -> int:
        if self._panel.problem.own is not None or self._together:
            return 1
        width = self._panel.weights.shape[1]
        fewest = -(-n_learning // most_vectors(self._panel.problem.rows, n_learning, width))
        n_threads = min(self._n_jobs, n_learning)
        # A multiple of the threads, so that all threads get the same number of blocks.
        return min(-(-fewest // n_threads) * n_threads, n_learning)

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
