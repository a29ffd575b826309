"""Certificates of a run: one per halfspace, or a joint one."""

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
    """Return whether a proof against strict separation also holds for the learner's rule for ties.

    The proof is a combination of signed samples that is zero. If ``tie`` is 1 or -1, samples of that
    sign are right at a score of 0 (if 0, a tie is a mistake or a margin is required). The combination
    is then a contradiction only if one of its samples has the other sign and so needs a nonzero score.
    """
    if not isinstance(certificate, HullIntersection):
        return False
    return bool((signs[certificate.rows] != tie).any())


class Proofs:
    """Decides whether halfspaces that have not separated their samples yet can do so.

    Samples of weight 0 in a halfspace are left out. Each column of a matrix of labels is a separate
    question, with the labels 0 and 1.
    """

    def __init__(self, batch: FitProblem, *, fit_intercept: bool) -> None:
        self._batch = batch
        self._fit_intercept = fit_intercept
        self._separations: dict[int, Separation] = {}
        self._last_question: tuple[tuple[int | None, bytes], Question] | None = None

    def prove_from_cycles(self) -> None:
        """Use the mistakes of a full cycle as a proof of inseparability, if no update was rounded."""
        panel = self._batch.panel
        for k in np.flatnonzero(panel.cycling).tolist():
            if k not in self._separations and self._can_decide(k):
                seen = panel.problem.signs[:, k] != 0
                cycle = (panel.counts[k] - panel.counts_at_mark[k])[seen]
                steps = panel.problem.steps_of(k)[seen]
                proof = zero_sum(self._question(k), self._positive(k), cycle, steps)
                if proof is not None:
                    self._separations[k] = proof

    def decide(self) -> None:
        """Decide which halfspaces are inseparable, and mark them."""
        panel, problem = self._batch.panel, self._batch.panel.problem
        self.prove_from_cycles()
        for k in range(len(panel)):
            if not panel.clean[k] and self._can_decide(k):
                signs = problem.signs[:, k][problem.signs[:, k] != 0]
                found = self._separations.get(k) or self._separate(k)
                tie = problem.tie if problem.required == 0.0 else 0
                panel.inseparable[k] = rules_out(found.certificate, signs, tie)

    def certificates(self, *, search: bool = True) -> list[Certificate | None]:
        """Return one certificate per halfspace, from its learned weights if they separate.

        Without ``search``, return only the certificates that are known already.
        """
        if search:
            return [self._certificate(k) for k in range(len(self._batch.panel))]
        known = (self._separations.get(k) for k in range(len(self._batch.panel)))
        return [None if one is None else one.certificate for one in known]

    def conflicts(self) -> list[str]:
        """Return sentences that name samples which contradict each other."""
        return [
            conflict.sentence
            for separation in self._separations.values()
            for conflict in separation.conflicts
        ]

    def _certificate(self, k: int) -> Certificate | None:
        halfspace = self._batch.panel.halfspace(k)
        proof: Certificate | None = None
        if halfspace.clean and self._can_decide(k):
            weighted_counts = (halfspace.counts * halfspace.steps)[halfspace.signs != 0]
            proof = prove_weights(
                self._question(k), self._positive(k), halfspace.weights, weighted_counts
            )
            if proof is None:  # the floats are too coarse to prove a margin
                self._separate(k)
        if proof is None and k in self._separations:
            proof = self._separations[k].certificate
        return proof

    def _separate(self, k: int) -> Separation:
        self._separations[k] = separate_class(self._question(k), self._positive(k))
        return self._separations[k]

    def _can_decide(self, k: int) -> bool:
        """Return whether a halfspace has samples of its own label and, with an intercept, of others."""
        labels = np.unique(self._seen(k)[1])
        return self._positive(k) in labels and (len(labels) > 1 or not self._fit_intercept)

    def _question(self, k: int) -> Question:
        """Return the separability question of a halfspace; equal samples and labels share one."""
        seen = self._batch.panel.problem.signs[:, k] != 0
        key = (k if self._batch.classes.multilabel else None, seen.tobytes())
        if self._last_question is None or self._last_question[0] != key:
            self._last_question = key, ask(*self._seen(k), fit_intercept=self._fit_intercept)
        return self._last_question[1]

    def _positive(self, k: int) -> Any:
        classes = self._batch.classes
        return 1 if classes.multilabel else classes.positives[k]

    def _seen(self, k: int) -> tuple[Any, Any]:
        batch, seen = self._batch, self._batch.panel.problem.signs[:, k] != 0
        y = batch.y[:, k] if batch.classes.multilabel else batch.y
        return (batch.X, y) if seen.all() else (batch.X[seen], y[seen])


class JointProofs:
    """Does for classes that learn jointly what `Proofs` does for halfspaces, with one certificate.

    Samples of weight 0 are left out, and so are classes without samples.
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

    def prove_from_cycles(self) -> None:
        """Use the mistakes of a full cycle as a proof of inseparability, if no update was rounded."""
        panel = self._panel
        if panel.cycling.all() and self._separation is None and self._present.sum() > 1:
            cycle = (panel.counts - panel.counts_at_mark)[np.ix_(self._present, self._seen)]
            self._separation = joint_zero_sum(self._question, cycle, self._steps[self._seen])

    def decide(self) -> None:
        """Decide whether the classes are inseparable, and mark them."""
        self.prove_from_cycles()
        if self._present.sum() > 1:
            found = self._separation or self._separate()
            self._panel.inseparable[:] = found.verdict is Verdict.INSEPARABLE

    def certificates(self, *, search: bool = True) -> list[Certificate | None]:
        """Return one certificate; ``search`` is as in `Proofs`."""
        proof: Certificate | None = None
        if search and self._panel.clean.all() and self._present.sum() > 1:
            weighted_counts = (self._panel.counts * self._steps)[np.ix_(self._present, self._seen)]
            weights = self._panel.weights[self._present]
            proof = prove_joint_weights(self._question, weights, weighted_counts)
            if proof is None:  # the floats are too coarse to prove a margin
                self._separate()
        if proof is None and self._separation is not None:
            proof = self._separation.certificate
        return [proof]

    def conflicts(self) -> list[str]:
        """Return sentences that name samples which contradict each other."""
        conflicts = () if self._separation is None else self._separation.conflicts
        return [conflict.sentence for conflict in conflicts]

    def _separate(self) -> Separation:
        self._separation = separate_jointly(self._question)
        return self._separation

    @cached_property
    def _question(self) -> Question:
        return ask(self._X, self._y, fit_intercept=self._fit_intercept)
