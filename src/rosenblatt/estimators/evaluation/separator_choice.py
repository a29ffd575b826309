"""The choice between the default learner's average and a separating hyperplane, if one exists.

If the labels follow almost exactly from the columns, the hyperplane with the largest margin is much
better; otherwise it often fits noise. So both are learned from four fifths of the samples, and the
hyperplane is kept if it is better on the others, beyond chance.
"""

from typing import Any, NamedTuple

from rosenblatt.core.digits import counted
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Labels, LabelsLike, MatrixLike
from rosenblatt.estimators.evaluation.default_learner import is_default
from rosenblatt.estimators.evaluation.held_out import FEWEST, Comparison, Split
from rosenblatt.estimators.max_margin import MaxMargin


class Choice(NamedTuple):
    """Whether the separator was kept, why, and the comparison on held-out samples, if any.

    >>> print(Choice(False, "it separates all samples, too", None))
    the average of all weights: it separates all samples, too
    """

    is_separator: bool
    reason: str
    comparison: Comparison | None

    def facts(self) -> dict[str, object]:
        """Return the choice for JSON."""
        found = {} if self.comparison is None else self.comparison._asdict()
        return {"separator": self.is_separator, **found, "sentence": str(self)}

    def __str__(self) -> str:
        kept = "the average of all weights"
        if self.is_separator:
            kept = "the separator with the largest margin"
        return f"{kept}: {self.reason}"


def may_give_way(learner: Any) -> bool:
    """Return whether a better separator may replace a learner: not one that counts errors otherwise."""
    return (
        is_default(learner)
        and learner.keep == "average"
        and learner.ties == "mistake"
        and learner.class_weight is None
    )


def choose(
    learner: Any,
    X: MatrixLike,
    y: LabelsLike,
    split: Split | None,
    predicted: Labels | None,
    seconds: float,
) -> tuple[Any, Labels | None, Choice]:
    """Return the better model, learned from all samples, its held-out predictions, and the choice.

    ``predicted`` are the held-out predictions of the ``learner``. Samples too few to hold any out decide
    themselves. Each hyperplane may take so many
    ``seconds``.
    """
    separator = MaxMargin(fit_intercept=learner.fit_intercept, time_limit=seconds)
    comparison, instead = None, None
    try:
        if split is None or predicted is None:
            errors = int((learner.predict(X) != y).sum())
            is_better = errors > 0 and len(y) < FEWEST
            reason = "it separates all samples, too"
            if errors:
                reason = f"the average misclassifies {errors:,} of the {len(y):,} samples"
                reason += (
                    "" if is_better else ", but none were held out to compare it with the separator"
                )
        else:
            instead = split.predicted(separator)
            comparison = split.compared(predicted, instead)
            is_better = comparison.is_better
            reason = (
                f"on {comparison.samples:,} held-out rows, the separator corrects "
                f"{counted(comparison.corrected, 'error')} of the average and adds "
                f"{comparison.added:,}" + ("" if is_better else ", no better than chance")
            )
        if is_better:
            separator.fit(X, y)
            separator.time_limit = None  # it depends on the machine, and is over
            return separator, instead, Choice(True, reason, comparison)
    except InputError:  # the time limit, or a margin too small for floats
        reason = (
            "the separator with the largest margin could not be computed in the time of the run"
        )
    return learner, predicted, Choice(False, reason, comparison)
