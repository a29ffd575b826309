"""What a run proves, or what can be proved about it: one certificate a halfspace, or a joint one."""

from functools import cached_property
from typing import Any

import numpy as np

from rosenblatt.certificates import HullIntersection
from rosenblatt.core.types import Signs
from rosenblatt.estimators.common.fit_problem import FitProblem
from rosenblatt.estimators.common.run import Certificate
from rosenblatt.separability.question import Question, ask
from rosenblatt.separability.results.result import Separation
from rosenblatt.separability.results.verdicts import Verdict
from rosenblatt.separability.results.zero_sums import joint_zero_sum, zero_sum
from rosenblatt.separability.separate import (
    prove_joint_weights,
    prove_weights,
    separate_class,
    separate_jointly,
)


def rules_out(certificate: Certificate | None, signs: Signs, tie: int) -> bool:
    """Say whether a proof about strict separation rules out every halfspace, its ties being right.

    The proof is a combination of signed samples that is zero. Where a score of 0 has the sign ``tie``
    (0: it is a mistake, or a margin is required), a sample of that sign may have it; the combination
    contradicts itself only if one of its samples has the other sign, and a score beside 0.
    """
    if not isinstance(certificate, HullIntersection):
        return False
    return bool((signs[certificate.rows] != tie).any())


class Proofs:
    """Decides about the halfspaces of a panel that have not separated their samples yet.

    Samples that a halfspace does not see, their weight being 0, are left out. Of a matrix of labels each
    column is a question of its own, with the labels 0 and 1.
    """

    def __init__(self, batch: FitProblem, *, fit_intercept: bool) -> None:
        self._batch = batch
        self._fit_intercept = fit_intercept
        self._separations: dict[int, Separation] = {}
        self._asked: tuple[tuple[int | None, bytes], Question] | None = None

    def take_cycles(self) -> None:
        """Let the mistakes of a full turn prove that nothing separates, where no update was rounded."""
        panel = self._batch.panel
        for k in np.flatnonzero(panel.cycling).tolist():
            if k not in self._separations and self._can_ask(k):
                seen = panel.problem.signs[:, k] != 0
                turn = (panel.counts[k] - panel.counts_at_mark[k])[seen]
                steps = panel.problem.steps_of(k)[seen]
                proof = zero_sum(self._question(k), self._positive(k), turn, steps)
                if proof is not None:
                    self._separations[k] = proof

    def decide(self) -> None:
        """Find out which halfspaces are inseparable, and tell them."""
        panel, problem = self._batch.panel, self._batch.panel.problem
        self.take_cycles()
        for k in range(len(panel)):
            if not panel.clean[k] and self._can_ask(k):
                signs = problem.signs[:, k][problem.signs[:, k] != 0]
                found = self._separations.get(k) or self._separate(k)
                tie = problem.tie if problem.required == 0.0 else 0
                panel.inseparable[k] = rules_out(found.certificate, signs, tie)

    def certificates(self, *, asked: bool = True) -> list[Certificate | None]:
        """Return one certificate for each halfspace: of its own weights where they separate.

        If nobody ``asked``, only what is known without looking for it.
        """
        if asked:
            return [self._certificate(k) for k in range(len(self._batch.panel))]
        known = (self._separations.get(k) for k in range(len(self._batch.panel)))
        return [None if one is None else one.certificate for one in known]

    def conflicts(self) -> list[str]:
        """Return, in words, which samples contradict each other."""
        return [
            conflict.sentence
            for separation in self._separations.values()
            for conflict in separation.conflicts
        ]

    def _certificate(self, k: int) -> Certificate | None:
        halfspace = self._batch.panel.halfspace(k)
        proof: Certificate | None = None
        if halfspace.clean and self._can_ask(k):
            taking_part = (halfspace.counts * halfspace.steps)[halfspace.signs != 0]
            proof = prove_weights(
                self._question(k), self._positive(k), halfspace.weights, taking_part
            )
            if proof is None:  # floats cannot tell how far apart the samples are
                self._separate(k)
        if proof is None and k in self._separations:
            proof = self._separations[k].certificate
        return proof

    def _separate(self, k: int) -> Separation:
        self._separations[k] = separate_class(self._question(k), self._positive(k))
        return self._separations[k]

    def _can_ask(self, k: int) -> bool:
        """Say whether a halfspace sees its own label, and another, or no other, through the origin."""
        labels = np.unique(self._seen(k)[1])
        return self._positive(k) in labels and (len(labels) > 1 or not self._fit_intercept)

    def _question(self, k: int) -> Question:
        """Return what is asked about a halfspace; those with the same samples and labels share it."""
        seen = self._batch.panel.problem.signs[:, k] != 0
        key = (k if self._batch.classes.multilabel else None, seen.tobytes())
        if self._asked is None or self._asked[0] != key:
            self._asked = key, ask(*self._seen(k), fit_intercept=self._fit_intercept)
        return self._asked[1]

    def _positive(self, k: int) -> Any:
        classes = self._batch.classes
        return 1 if classes.multilabel else classes.positives[k]

    def _seen(self, k: int) -> tuple[Any, Any]:
        batch, seen = self._batch, self._batch.panel.problem.signs[:, k] != 0
        y = batch.y[:, k] if batch.classes.multilabel else batch.y
        return (batch.X, y) if seen.all() else (batch.X[seen], y[seen])


class JointProofs:
    """Decides about classes that learn jointly, as `Proofs` does about halfspaces: one certificate.

    Samples of weight 0 are left out, and so are the classes of which no sample is left.
    """

    def __init__(self, batch: FitProblem, *, fit_intercept: bool) -> None:
        problem = batch.panel.problem
        assert problem.own is not None
        self._panel = batch.panel
        self._fit_intercept = fit_intercept
        self._separation: Separation | None = None
        self._seen = np.flatnonzero(problem.own >= 0)
        self._steps = problem.steps * problem.factors[problem.own, 1]
        self._X, self._y = batch.X[self._seen], batch.y[self._seen]
        self._present = np.isin(batch.classes.labels, self._y)

    def take_cycles(self) -> None:
        """Let the mistakes of a full turn prove that nothing separates, where no update was rounded."""
        panel = self._panel
        if panel.cycling.all() and self._separation is None and self._present.sum() > 1:
            turn = (panel.counts - panel.counts_at_mark)[np.ix_(self._present, self._seen)]
            self._separation = joint_zero_sum(self._question, turn, self._steps[self._seen])

    def decide(self) -> None:
        """Find out whether all classes are inseparable, and tell them."""
        self.take_cycles()
        if self._present.sum() > 1:
            found = self._separation or self._separate()
            self._panel.inseparable[:] = found.verdict is Verdict.INSEPARABLE

    def certificates(self, *, asked: bool = True) -> list[Certificate | None]:
        """Return one certificate: of the learned weights where they separate, if that was asked."""
        proof: Certificate | None = None
        if asked and self._panel.clean.all() and self._present.sum() > 1:
            taking_part = (self._panel.counts * self._steps)[np.ix_(self._present, self._seen)]
            weights = self._panel.weights[self._present]
            proof = prove_joint_weights(self._question, weights, taking_part)
            if proof is None:  # floats cannot tell how far apart the samples are
                self._separate()
        if proof is None and self._separation is not None:
            proof = self._separation.certificate
        return [proof]

    def conflicts(self) -> list[str]:
        """Return, in words, which samples contradict each other."""
        conflicts = () if self._separation is None else self._separation.conflicts
        return [conflict.sentence for conflict in conflicts]

    def _separate(self) -> Separation:
        self._separation = separate_jointly(self._question)
        return self._separation

    @cached_property
    def _question(self) -> Question:
        return ask(self._X, self._y, fit_intercept=self._fit_intercept)
