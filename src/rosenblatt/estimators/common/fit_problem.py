"""A validated batch to learn from, and its results: weights, ledger, margins, cycles."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

import numpy as np

from rosenblatt.certificates.digest import Digest
from rosenblatt.core.classes import Classes
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Floats, Labels, MatrixLike
from rosenblatt.estimators.common.learned import Features, Learned
from rosenblatt.training.cycle import Cycle
from rosenblatt.training.deciders.average import Average
from rosenblatt.training.deciders.keep import KeepingBlocks
from rosenblatt.training.deciders.vote_counts import poll
from rosenblatt.training.deciders.vote_record import Votes
from rosenblatt.training.ledger import Ledger, joined
from rosenblatt.training.margins import Interval, joint_interval, proved_interval
from rosenblatt.training.panel import Panel
from rosenblatt.training.rules.perceptron_rule import errs

_NO_VISITS = np.zeros(0, dtype=np.int64)


@dataclass
class FitProblem:
    """The samples, the panel of halfspaces that learn from them, and where they started.

    ``X`` and ``y`` are the validated samples and labels; y may be a matrix of 0 and 1. ``epochs`` yields
    the orders of visits; shards draw their own from ``seed``. ``part``, unless None, holds the ascending
    numbers of the samples to learn from. ``keeping``, unless None, runs the passes and keeps a pocket or
    a vote. ``margin`` is the score up to which a visit is an update.
    """

    X: MatrixLike
    y: Labels
    classes: Classes
    features: Features
    panel: Panel
    start: Floats
    rate: float
    epochs: Iterator[Counts] = field(default_factory=lambda: repeat(_NO_VISITS))
    seed: int = 0
    part: Counts | None = None
    keeping: KeepingBlocks | None = None
    margin: float = 0.0

    def learned(self, *, is_over: bool) -> Learned:
        """Return the state learned so far; unless learning ``is_over``, its arrays are copies."""
        panel = self.panel
        weights, drift, visits = panel.weights, panel.drift, panel.visits
        if not is_over or self.part is not None:  # otherwise no one else changes the arrays
            weights, visits = weights.copy(), visits.copy()
            drift = None if drift is None else drift.copy()
        return Learned(
            classes=self.classes,
            features=self.features,
            weights=weights,
            visits=visits,
            updates=panel.updates.copy(),
            mistakes=panel.mistakes.copy(),
            origin=np.zeros(self.features.count + 1),
            rate=self.rate,
            kept=self.keeping.kept() if self.keeping else None if drift is None else Average(drift),
            margin=self.margin,
        )

    def ledger(self, *, fit_intercept: bool, order: str, keep: str, shards: int) -> Ledger:
        """Return the record of all mistakes."""
        panel = self.panel
        sequences = panel.sequences
        return Ledger(
            classes=self.classes.labels,
            mistake_counts=self._own(panel.counts),
            sequences=None if sequences is None else [self._places(one) for one in sequences],
            steps=self._steps(),
            start=self.start,
            eta0=self.rate,
            fit_intercept=fit_intercept,
            joint=panel.problem.own is not None,
            multilabel=self.classes.multilabel,
            order=order,
            keep=keep,
            digest=None if sequences is None or len(panel) > 1 else self._digest(),
            margin=self.margin,
            shards=shards,
        )

    def _digest(self) -> Digest | None:
        """Return the digest of the samples and their sides, or None if float64 cannot represent them."""
        X, signs = self.X, self.panel.problem.signs[:, 0]
        if self.part is not None:
            X, signs = X[self.part], signs[self.part]
        try:
            return Digest.of(X, signs)
        except InputError:  # numbers that float64 cannot represent
            return None

    def margins(self) -> list[Interval]:
        """Return proved intervals for the maximum margin of each halfspace, or for the joint one."""
        if self.panel.problem.own is not None:
            return [joint_interval(self.panel, self.start)]
        return [proved_interval(self.panel, k, self.start[k]) for k in range(len(self.panel))]

    @property
    def cycles(self) -> list[Cycle | None]:
        """One cycle or None per halfspace; classes that learn jointly share one."""
        cycles = self.panel.cycles
        return cycles if self.panel.problem.own is None else cycles[:1]

    def errs(self, weights: Floats) -> bool:
        """Return whether other weights than the panel's misclassify any sample."""
        return errs(self.panel.problem, weights)

    def outvotes(self, votes: Votes) -> bool:
        """Return whether a vote misclassifies any sample."""
        problem = self.panel.problem
        sides = np.sign(poll(votes, problem.rows, problem.tie, slice(None)))
        decided = np.where(sides == 0, problem.tie, sides)
        return bool(((problem.signs != 0) & (decided != problem.signs)).any())

    def _steps(self) -> Floats:
        """Return the steps of each halfspace, stored once if all halfspaces have the same."""
        problem, height = self.panel.problem, len(self.panel)
        if problem.own is not None:
            factors = np.where(problem.own >= 0, problem.factors[problem.own, 1], 0.0)
            return np.broadcast_to(problem.steps * factors, (height, len(problem)))
        if (problem.factors == 1.0).all():
            steps = problem.steps
            if steps.strides != (0,) and (steps == 1.0).all():
                steps = np.broadcast_to(1.0, len(steps))
            steps = self._own(steps)
            return np.broadcast_to(steps, (height, len(steps)))
        return np.array([self._own(problem.steps_of(k)) for k in range(height)])

    def _own(self, by_sample: Any) -> Any:
        """Select the samples to learn from in the last axis of an array."""
        if self.part is None:
            return by_sample
        if by_sample.strides[-1] == 0:  # one value for all samples
            return by_sample[..., : len(self.part)]
        return by_sample.take(self.part, axis=-1)

    def _places(self, sequence: list[Counts]) -> Counts:
        """Convert mistakes from sample numbers to positions in ``part``."""
        mistaken = joined(sequence)
        return mistaken if self.part is None else np.searchsorted(self.part, mistaken)
