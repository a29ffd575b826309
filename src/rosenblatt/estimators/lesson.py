"""A batch that is about to be learned, and what can be said of it afterwards."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.estimators.targets import Panel
from rosenblatt.ledger import Ledger, joined
from rosenblatt.loop import Halfspace, Problem
from rosenblatt.margins import Interval, proved_interval
from rosenblatt.typing import Counts, Floats, Labels


@dataclass
class Lesson:
    """The samples, the halfspaces (rows of ``panel``, learned in place) and where they started.

    ``X`` and ``y`` are the samples and labels as they came in through the door.
    """

    X: Any
    y: Labels

    classes: Labels
    problem: Problem
    halfspaces: list[Halfspace]
    epochs: Iterator[Counts]
    panel: Panel
    start: Floats
    origin: Floats
    scales: Floats
    unit: float

    def state(self) -> dict[str, Any]:
        """Return the attributes that make an estimator ready to predict, as of now."""
        return {
            "classes_": self.classes,
            "_weights": self.panel.weights.copy(),
            "_drift": None if self.panel.drift is None else self.panel.drift.copy(),
            "_visits": np.array([halfspace.visits for halfspace in self.halfspaces]),
            "_unit": self.unit,
            "_open": False,
        }

    def ledger(self, *, fit_intercept: bool) -> Ledger:
        """Return the record of all mistakes."""
        recorded = [joined(h.sequence) for h in self.halfspaces if h.sequence is not None]
        return Ledger(
            classes=self.classes,
            mistake_counts=_stacked([h.counts for h in self.halfspaces]),
            sequences=recorded or None,
            steps=_stacked([h.steps for h in self.halfspaces]),
            start=self.start,
            eta0=self.unit,
            fit_intercept=fit_intercept,
        )

    def intervals(self) -> list[Interval]:
        """Return what the run proves about the maximum margin of each halfspace."""
        return [
            proved_interval(self.problem.rows, halfspace, self.scales, start)
            for halfspace, start in zip(self.halfspaces, self.start, strict=True)
        ]


def _stacked(arrays: list[Any]) -> Any:
    """Return the arrays as rows of one, without a copy where there is one row."""
    return arrays[0][None] if len(arrays) == 1 else np.array(arrays)
