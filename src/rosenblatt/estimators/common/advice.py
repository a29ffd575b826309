"""Warnings for a fit that did not separate the samples.

There is no warning if an average, a pocket or a vote decides: those are for inseparable samples, and
running all epochs is normal for them. The outcome says why learning stopped.
"""

import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from rosenblatt.certificates import HullIntersection
from rosenblatt.training.outcomes import Outcome


def warn(learner: Any, stacklevel: int) -> None:
    """Warn, ``stacklevel`` frames above the caller, if the last weights still make mistakes."""
    if learner.keep != "last":
        return
    if learner.outcome_ is Outcome.INSEPARABLE:
        text = (
            f"{_proved_sentence(learner)}, because {learner.conflicts_[0]}; the weights are those after "
            f"{learner.n_iter_} epochs; keep='average' averages those of all visits"
        )
        warnings.warn(text, ConvergenceWarning, stacklevel=stacklevel + 1)
    if learner.outcome_ is Outcome.CYCLING:
        text = (
            f"{learner.state[1].first_cycle}; the weights are those after {learner.n_iter_} epochs; "
            "keep='average' averages those of all visits"
        )
        warnings.warn(text, ConvergenceWarning, stacklevel=stacklevel + 1)
    if learner.outcome_ in (Outcome.BUDGET, Outcome.MIXED):
        last = learner.history_[-1]
        what = f"made {last.mistakes}" if last.mistakes else f"left {last.training_mistakes}"
        text = (
            f"max_iter={learner.max_iter} epochs were not enough; the last one {what} mistakes: "
            "raise max_iter, or check with certify=True whether the data is separable; if it is not, "
            "more epochs cannot help"
        )
        warnings.warn(text, ConvergenceWarning, stacklevel=stacklevel + 1)


def _proved_sentence(learner: Any) -> str:
    """Return the sentence that the first proof of inseparability, that of the first conflict, proves."""
    certificates = learner.certificate_
    if not isinstance(certificates, list):
        certificates = [certificates]
    k = next(k for k, proof in enumerate(certificates) if isinstance(proof, HullIntersection))
    sentence: str = certificates[k].scope.inseparable
    return f"label {learner.classes_[k]}: {sentence}" if learner.multilabel_ else sentence
