"""A panel: halfspaces that are learned in one reading of the samples, and what they have learned."""

from copy import copy
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from rosenblatt.core.types import Counts, Flags, Floats, Marks, Signs
from rosenblatt.kernels.epochs.panel_types import ENERGY, MASS, MISTAKES, new_tallies
from rosenblatt.training.cycle import Cycle
from rosenblatt.training.problem import Problem

_BY_HALFSPACE = (
    "weights",
    "visits",
    "counts",
    "mistakes",
    "mass",
    "energy",
    "clean",
    "inseparable",
    "back_after",
    "turns",
)
"""The arrays of a panel that have one row for each halfspace."""


class Halfspace(NamedTuple):
    """One halfspace of a panel: what it is to learn and has learned so far.

    ``signs`` and ``steps`` say which side each sample belongs to and how far a mistake on it moves the
    weights. ``energy`` is the sum of the squared lengths of all updates: ‖w‖² ≤ ‖w0‖² + energy.
    ``mass`` is the number of mistakes, each with the weight of its sample and, where shards were mixed,
    with its share; ``n_updates`` is how often the weights were rounded.
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

    ``weights`` has one in each row; drift = visits · (weights − average), unless it is None.

    What has happened so far: ``counts[k, i]`` mistakes of halfspace k on sample i, ``mistakes`` in all,
    their ``mass`` and ``energy`` (see ``panel_types``; the ``tallies`` are those of the epochs that were
    visited last), and ``n_roundings`` of the weights beside those of the updates. Of classes that learn
    jointly (see ``joint``) ``counts[r, i]`` is how often sample i was mistaken for class r.

    ``sequences``, where they are recorded, has the samples of each halfspace's mistakes, an array for
    each epoch; of classes that learn jointly it has the samples of all mistakes and, beside them, the
    rivals, for there the sequence matters across classes.

    ``trail``, where a ``trace`` is kept, has the visits of each halfspace's mistakes in the last epoch,
    counted from 0: with the order of visits they say which weights lived for how long.

    ``clean`` says that a halfspace has had an epoch without a mistake, ``inseparable`` that no weights
    can be right about all its samples: neither is visited any more. Nor is one that cycles: ``turns``
    has the two epochs of its `Cycle`, or -1.

    ``mark``, once it is taken, has the weights of an earlier epoch, and ``counts_at_mark`` the counts
    then; ``back_after`` says after which of the epochs visited last a halfspace was back at its mark,
    0 that it is not.
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
        """Which halfspaces are not visited any more."""
        finished: Flags = self.clean | self.inseparable
        # Asked in every epoch: without a mark there are no cycles.
        return finished if self.mark is None else finished | self.cycling

    @property
    def cycling(self) -> Flags:
        """Which halfspaces are back at the weights of an earlier epoch, and will be for ever."""
        cycling: Flags = self.turns[:, 0] >= 0
        return cycling

    @property
    def cycles(self) -> list[Cycle | None]:
        """The cycle of each halfspace that has one."""
        return [Cycle(*turn) if turn[0] >= 0 else None for turn in self.turns.tolist()]

    @property
    def writes_events(self) -> bool:
        """Whether an epoch is to write down each of its mistakes."""
        return self.sequences is not None or self.trail is not None

    @property
    def tally(self) -> Floats:
        """The tally of the last epoch."""
        last: Floats = self.tallies[-1]
        return last

    def add(self, tallies: Floats) -> None:
        """Add what epochs did."""
        self.tallies = tallies
        self.mistakes += tallies[:, MISTAKES].sum(axis=0).astype(np.int64)
        # One after the other, so that the bits are those of single epochs.
        for total, row in ((self.mass, MASS), (self.energy, ENERGY)):
            total[:] = np.cumsum(np.vstack([total, tallies[:, row]]), axis=0)[-1]

    def take(self, problem: Problem) -> None:
        """Go on with other samples, on which nobody has been mistaken yet."""
        self.problem = problem
        self.counts = np.zeros((len(self), len(problem)), dtype=np.int32)

    def take_mark(self) -> None:
        """Remember the weights, which must be written back, and the counts, of those that go on."""
        if self.mark is None:
            self.mark, self.counts_at_mark = self.weights.copy(), self.counts.copy()
            return
        learning = ~self.finished
        self.mark[learning] = self.weights[learning]
        self.counts_at_mark[learning] = self.counts[learning]

    def part(self, columns: slice) -> "Panel":
        """View some of the halfspaces as a panel."""
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
        """Return halfspace k as it is now."""
        return Halfspace(
            weights=self.weights[k],
            signs=self.problem.signs[:, k],
            steps=self.problem.steps_of(k),
            counts=self.counts[k],
            energy=float(self.energy[k]),
            clean=bool(self.clean[k]),
            mass=float(self.mass[k]),
            n_updates=int(self.mistakes[k]) + self.n_roundings,
        )
