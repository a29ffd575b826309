"""What a run of halfspaces proves, or what can be proved about it: one certificate for each."""

from typing import Any

import numpy as np

from rosenblatt.certificates import HullIntersection, SeparatingHyperplane
from rosenblatt.estimators.lesson import Lesson
from rosenblatt.labels import positive_classes
from rosenblatt.panel import Halfspace
from rosenblatt.separability.separate import prove_weights, separate_class
from rosenblatt.separability.separation import Separation
from rosenblatt.separability.verdicts import Verdict

Certificate = SeparatingHyperplane | HullIntersection


class Proofs:
    """Decides about the halfspaces of a lesson that have not separated their samples yet.

    Samples that a halfspace does not see, their weight being 0, are left out.
    """

    def __init__(self, lesson: Lesson, *, fit_intercept: bool) -> None:
        self._lesson = lesson
        self._fit_intercept = fit_intercept
        self._separations: dict[int, Separation] = {}

    def decide(self) -> None:
        """Find out which halfspaces are hopeless, and tell them."""
        panel = self._lesson.panel
        for k in range(len(panel)):
            _, y = self._seen(panel.halfspace(k))
            if not panel.clean[k] and len(np.unique(y)) > 1:
                panel.hopeless[k] = self._separate(k).verdict is Verdict.INSEPARABLE

    def certificates(self) -> list[Certificate | None]:
        """Return one certificate for each halfspace: of its own weights where they separate."""
        return [self._certificate(k) for k in range(len(self._lesson.panel))]

    def conflicts(self) -> list[str]:
        """Return, in words, which samples contradict each other."""
        return [
            conflict.sentence
            for separation in self._separations.values()
            for conflict in separation.conflicts
        ]

    def _certificate(self, k: int) -> Certificate | None:
        halfspace = self._lesson.panel.halfspace(k)
        X, y = self._seen(halfspace)
        proof: Certificate | None = None
        if halfspace.clean and len(np.unique(y)) > 1:
            taking_part = (halfspace.counts * halfspace.steps)[halfspace.signs != 0]
            proof = prove_weights(
                X,
                y,
                self._positive(k),
                halfspace.weights,
                taking_part,
                fit_intercept=self._fit_intercept,
            )
            if proof is None:  # floats cannot tell how far apart the samples are
                self._separate(k)
        if proof is None and k in self._separations:
            proof = self._separations[k].certificate
        return proof

    def _separate(self, k: int) -> Separation:
        X, y = self._seen(self._lesson.panel.halfspace(k))
        separation = separate_class(X, y, self._positive(k), fit_intercept=self._fit_intercept)
        self._separations[k] = separation
        return separation

    def _positive(self, k: int) -> Any:
        return positive_classes(self._lesson.classes)[k]

    def _seen(self, halfspace: Halfspace) -> tuple[Any, Any]:
        seen = halfspace.signs != 0
        if seen.all():
            return self._lesson.X, self._lesson.y
        return self._lesson.X[seen], self._lesson.y[seen]
