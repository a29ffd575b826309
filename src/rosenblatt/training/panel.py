"""A panel: halfspaces that learn in the same passes over the samples, and their state."""

from copy import copy
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from rosenblatt.core.types import Counts, Flags, Floats, Marks, Signs
from rosenblatt.kernels.epochs.panel_types import ENERGY, MASS, MISTAKES, UPDATES, new_tallies
from rosenblatt.training.cycle import Cycle
from rosenblatt.training.problem import Problem

_BY_HALFSPACE = (
    "weights",
    "visits",
    "counts",
    "updates",
    "mistakes",
    "mass",
    "energy",
    "clean",
    "inseparable",
    "back_after",
    "turns",
)
"""The arrays of a panel with one row per halfspace."""


class Halfspace(NamedTuple):
    """One halfspace of a panel: its task and its state.

    ``signs`` and ``steps`` say which side each sample belongs to and how far a mistake on it moves the
    weights. ``energy`` is the sum of the squared lengths of all updates: ‖w‖² ≤ ‖w0‖² + energy.
    ``mass`` is the number of updates, each multiplied by its sample's weight and, if shards were mixed,
    by the shard's share; ``n_updates`` is how often the weights were rounded.
    """

    weights: Floats
    signs: Signs
    steps: Floats
    counts: Marks
    energy: float
    clean: bool
    mass: float
    n_updates: int


@dataclass
class Panel:
    """The halfspaces of a problem, changed in place as they learn.

    ``weights`` has one row per halfspace; drift = visits · (weights − average), or None.

    History: ``counts[k, i]`` updates of halfspace k on sample i, ``updates`` in total, their ``mass``
    and ``energy``, the ``mistakes`` among them (see ``panel_types``; ``tallies`` are those of the latest
    epochs), and ``n_roundings``, which counts roundings of the weights other than those of the updates.
    If classes learn jointly (see ``joint``), ``counts[r, i]`` is how often sample i did not lead class
    r.

    ``sequences``, if recorded, has the samples of each halfspace's updates, one array per epoch. If
    classes learn jointly, it has the samples of all updates and, as a second list, the rivals: there
    the sequence matters across classes.

    ``trail``, if ``trace`` is set, has the visits of each halfspace's updates in the last epoch,
    counted from 0: with the order of visits they tell how long each weight vector survived.

    ``clean`` marks halfspaces that have had an epoch without an update, ``inseparable`` those whose
    samples no weights can separate; neither are visited again. Nor are those that cycle: ``turns`` has
    the two epochs of a halfspace's `Cycle`, or -1.

    ``mark``, if taken, is a copy of the weights after an earlier epoch, and ``counts_at_mark`` are the
    counts then; ``back_after`` says after which of the latest epochs a halfspace was back at its mark,
    0 if it was not.
    """

    problem: Problem
    weights: Floats
    drift: Floats | None = None
    visits: Counts = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    record: bool = False
    trace: bool = False
    counts: Marks = field(init=False)
    sequences: list[list[Counts]] | None = field(init=False)
    trail: list[Counts] | None = field(init=False)
    updates: Counts = field(init=False)
    mistakes: Counts = field(init=False)
    mass: Floats = field(init=False)
    energy: Floats = field(init=False)
    n_roundings: int = field(init=False, default=0)
    clean: Flags = field(init=False)
    inseparable: Flags = field(init=False)
    tallies: Floats = field(init=False)
    mark: Floats | None = field(init=False, default=None)
    counts_at_mark: Marks = field(init=False)
    back_after: Counts = field(init=False)
    turns: Counts = field(init=False)

    def __post_init__(self) -> None:
        n_samples, height = self.problem.signs.shape
        if not len(self.visits):
            self.visits = np.zeros(height, dtype=np.int64)
        self.counts = np.zeros((height, n_samples), dtype=np.int32)
        n_sequences = height if self.problem.own is None else 2
        self.sequences = [[] for _ in range(n_sequences)] if self.record else None
        self.trail = [np.zeros(0, dtype=np.int64)] * height if self.trace else None
        self.updates = np.zeros(height, dtype=np.int64)
        self.mistakes = np.zeros(height, dtype=np.int64)
        self.mass = np.zeros(height)
        self.energy = np.zeros(height)
        self.clean = np.zeros(height, dtype=bool)
        self.inseparable = np.zeros(height, dtype=bool)
        self.tallies = new_tallies(1, height)
        self.counts_at_mark = np.zeros((height, 0), dtype=np.int32)
        self.back_after = np.zeros(height, dtype=np.int64)
        self.turns = np.full((height, 2), -1)

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def finished(self) -> Flags:
        """Which halfspaces are no longer visited."""
        finished: Flags = self.clean | self.inseparable
        # Called in every epoch, so keep it cheap: without a mark there are no cycles.
        return finished if self.mark is None else finished | self.cycling

    @property
    def cycling(self) -> Flags:
        """Which halfspaces returned to the weights of an earlier epoch and would repeat forever."""
        cycling: Flags = self.turns[:, 0] >= 0
        return cycling

    @property
    def cycles(self) -> list[Cycle | None]:
        """The cycle of each halfspace, or None."""
        return [Cycle(*turn) if turn[0] >= 0 else None for turn in self.turns.tolist()]

    @property
    def writes_events(self) -> bool:
        """Whether epochs record each mistake."""
        return self.sequences is not None or self.trail is not None

    @property
    def tally(self) -> Floats:
        """The tally of the last epoch."""
        last: Floats = self.tallies[-1]
        return last

    def add(self, tallies: Floats) -> None:
        """Add the tallies of some epochs."""
        self.tallies = tallies
        self.updates += tallies[:, UPDATES].sum(axis=0).astype(np.int64)
        self.mistakes += tallies[:, MISTAKES].sum(axis=0).astype(np.int64)
        # Added one by one, so that the bits equal those of single epochs.
        for total, row in ((self.mass, MASS), (self.energy, ENERGY)):
            total[:] = np.cumsum(np.vstack([total, tallies[:, row]]), axis=0)[-1]

    def continue_with(self, problem: Problem) -> None:
        """Switch to other samples, with no updates on them so far."""
        self.problem = problem
        self.counts = np.zeros((len(self), len(problem)), dtype=np.int32)

    def take_mark(self) -> None:
        """Save weights and counts of the halfspaces still learning; write back the weights first."""
        if self.mark is None:
            self.mark, self.counts_at_mark = self.weights.copy(), self.counts.copy()
            return
        learning = ~self.finished
        self.mark[learning] = self.weights[learning]
        self.counts_at_mark[learning] = self.counts[learning]

    def part(self, columns: slice) -> "Panel":
        """Return a view of some halfspaces as a panel."""
        chosen = copy(self)
        for name in _BY_HALFSPACE:
            setattr(chosen, name, getattr(self, name)[columns])
        chosen.problem = self.problem.part(columns)
        chosen.drift = None if self.drift is None else self.drift[columns]
        chosen.sequences = None if self.sequences is None else self.sequences[columns]
        chosen.tallies = self.tallies[:, :, columns]
        chosen.counts_at_mark = self.counts_at_mark[columns]
        return chosen

    def halfspace(self, k: int) -> Halfspace:
        """Return halfspace k in its current state."""
        return Halfspace(
            weights=self.weights[k],
            signs=self.problem.signs[:, k],
            steps=self.problem.steps_of(k),
            counts=self.counts[k],
            energy=float(self.energy[k]),
            clean=bool(self.clean[k]),
            mass=float(self.mass[k]),
            n_updates=int(self.updates[k]) + self.n_roundings,
        )
