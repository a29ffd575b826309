"""What the user is told when a fit ends without having separated the samples.

Nothing, where an average, a pocket or a vote decides: they are made for samples that nothing separates,
and to use up the epochs is their ordinary end. The outcome says how it ended.
"""

import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from rosenblatt.certificates import HullIntersection
from rosenblatt.training.outcomes import Outcome


def warn(learner: Any, stacklevel: int) -> None:
    """Warn, ``stacklevel`` frames above the caller, if the last weights of a fit make mistakes."""
    if learner.keep != "last":
        return
    if learner.outcome_ is Outcome.INSEPARABLE:
        text = (
            f"{_cannot_be_separated(learner)}, for {learner.conflicts_[0]}: the weights are those after "
            f"{learner.n_iter_} epochs; keep='average' gives better ones on such data"
        )
        warnings.warn(text, ConvergenceWarning, stacklevel=stacklevel + 1)
    if learner.outcome_ is Outcome.CYCLING:
        text = (
            f"{learner.state[1].first_cycle}; the weights are those after {learner.n_iter_} epochs, and "
            "keep='average' gives better ones on such data"
        )
        warnings.warn(text, ConvergenceWarning, stacklevel=stacklevel + 1)
    if learner.outcome_ in (Outcome.BUDGET, Outcome.MIXED):
        last = learner.history_[-1]
        what = f"made {last.mistakes}" if last.mistakes else f"missed {last.training_mistakes}"
        text = (
            f"max_iter={learner.max_iter} epochs were not enough, the last one {what} mistakes: "
            "raise max_iter, or find out with certify=True whether the data is separable at all, "
            "for if it is not, no number of epochs is enough, and keep='average' serves better"
        )
        warnings.warn(text, ConvergenceWarning, stacklevel=stacklevel + 1)


def _cannot_be_separated(learner: Any) -> str:
    """Return what is proved to be impossible: the first such proof is that of the first conflict."""
    certificates = learner.certificate_
    if not isinstance(certificates, list):
        certificates = [certificates]
    k = next(k for k, proof in enumerate(certificates) if isinstance(proof, HullIntersection))
    sentence: str = certificates[k].scope.inseparable
    return f"of label {learner.classes_[k]}, {sentence}" if learner.multilabel_ else sentence
