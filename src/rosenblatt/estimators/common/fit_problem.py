"""A batch that is about to be learned, and what can be said of it afterwards."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.certificates.digest import Digest
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Floats, Labels, MatrixLike
from rosenblatt.estimators.common.keep import Keeper
from rosenblatt.kernels.epochs.joint import count_mistaken
from rosenblatt.training.deciders.vote import Votes
from rosenblatt.training.deciders.vote_counts import poll
from rosenblatt.training.ledger import Ledger, joined
from rosenblatt.training.loop import count_errors
from rosenblatt.training.margins import Interval, joint_interval, proved_interval
from rosenblatt.training.panel import Panel, Problem

_SOME = 1000


@dataclass
class Lesson:
    """The samples, the panel of halfspaces that learn from them, and where they started.

    ``X`` and ``y`` are the samples and labels as they came in through the door, the latter a matrix of 0
    and 1 where a sample may have any number of them; ``part``, unless None, says which of them the
    halfspaces learn from, in ascending order; the ``keeper``, unless None, teaches them and keeps what
    decides.
    """

    X: MatrixLike
    y: Labels
    classes: Labels
    problem: Problem
    panel: Panel
    epochs: Iterator[Counts]
    start: Floats
    origin: Floats
    scales: Floats
    unit: float
    part: Counts | None = None
    keeper: Keeper | None = None

    def state(self) -> dict[str, Any]:
        """Return the attributes that make an estimator ready to predict, as of now."""
        drift = self.panel.drift
        return self._attributes() | {
            "_weights": self.panel.weights.copy(),
            "_drift": None if drift is None else drift.copy(),
            "_visits": self.panel.visits.copy(),
        }

    def result(self) -> dict[str, Any]:
        """Return the same when all is learned: what is this lesson's alone is not copied."""
        if self.part is not None:
            return self.state()
        return self._attributes()

    def _attributes(self) -> dict[str, Any]:
        return {
            "classes_": self.classes,
            "_weights": self.panel.weights,
            "_drift": self.panel.drift,
            "_visits": self.panel.visits,
            "_unit": self.unit,
            "_open": False,
            "multilabel_": self.is_multilabel,
            "_kept": None if self.keeper is None else self.keeper.kept(),
        }

    @property
    def is_multilabel(self) -> bool:
        """Whether a sample may have any number of labels at once."""
        return self.y.ndim == 2

    def ledger(self, *, fit_intercept: bool, order: str, keep: str) -> Ledger:
        """Return the record of all mistakes."""
        panel = self.panel
        sequences = panel.sequences
        return Ledger(
            classes=self.classes,
            mistake_counts=self._own(panel.counts),
            sequences=None if sequences is None else [self._places(one) for one in sequences],
            steps=self._steps(),
            start=self.start,
            eta0=self.unit,
            fit_intercept=fit_intercept,
            joint=panel.own is not None,
            multilabel=self.is_multilabel,
            order=order,
            keep=keep,
            digest=None if sequences is None or len(panel) > 1 else self._digest(),
        )

    def _digest(self) -> Digest | None:
        """Return which samples, and which sides of them, are learned from; None of such as have none."""
        X, signs = self.X, self.panel.signs[:, 0]
        if self.part is not None:
            X, signs = X[self.part], signs[self.part]
        try:
            return Digest.of(X, signs)
        except InputError:  # numbers that float64 does not hold
            return None

    def intervals(self) -> list[Interval]:
        """Return what the run proves about the maximum margin of each halfspace, or the joint one."""
        if self.panel.own is not None:
            return [joint_interval(self.problem.rows, self.panel, self.scales, self.start)]
        return [
            proved_interval(self.problem.rows, self.panel.halfspace(k), self.scales, self.start[k])
            for k in range(len(self.panel))
        ]

    def errs(self, vectors: Floats) -> bool:
        """Say whether weights other than the panel's own are mistaken on some sample."""
        problem, panel = self.problem, self.panel
        if panel.own is not None:
            return bool(count_mistaken(problem.rows, panel.own, vectors))
        return any(
            count_errors(problem, panel.signs[:, k], weights) for k, weights in enumerate(vectors)
        )

    def outvotes(self, votes: Votes) -> bool:
        """Say whether a vote is mistaken on some sample."""
        signs, tie = self.panel.signs, self.problem.tie
        sides = np.sign(poll(votes, self.problem.rows, tie, slice(None)))
        return bool(((signs != 0) & (np.where(sides == 0, tie, sides) != signs)).any())

    def _steps(self) -> Floats:
        """Return the steps of each halfspace; where all are alike they are stored once."""
        panel = self.panel
        if panel.own is not None:
            steps = panel.steps * np.where(panel.own >= 0, panel.factors[panel.own, 1], 0.0)
            return np.broadcast_to(steps, (len(panel), len(steps)))
        if (panel.factors == 1.0).all():
            steps = panel.steps
            if (steps == 1.0).all():
                steps = np.broadcast_to(1.0, len(steps))
            steps = self._own(steps)
            return np.broadcast_to(steps, (len(panel), len(steps)))
        return np.array([self._own(panel.steps_of(k)) for k in range(len(panel))])

    def _own(self, by_sample: Any) -> Any:
        """Return, of an array whose last axis is all samples, those that are learned from."""
        if self.part is None:
            return by_sample
        if by_sample.strides[-1] == 0:  # the same for all
            return by_sample[..., : len(self.part)]
        return by_sample.take(self.part, axis=-1)

    def _places(self, sequence: list[Counts]) -> Counts:
        """Return a sequence of mistakes as places among the samples that are learned from."""
        mistaken = joined(sequence)
        return mistaken if self.part is None else np.searchsorted(self.part, mistaken)


def is_blind(panel: Panel) -> bool:
    """Say whether some halfspace of a panel, or all classes that learn jointly, see no sample."""
    if panel.own is not None:
        return bool((panel.own < 0).all())
    some = panel.signs[:_SOME]  # most often they tell, and to look at all takes its time
    return not bool(some.any(axis=0).all() or panel.signs.any(axis=0).all())
