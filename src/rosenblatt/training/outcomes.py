"""Why learning stopped, with the sentence that explains it to the user."""

from enum import Enum


class Outcome(Enum):
    """Why learning stopped.

    >>> print(Outcome.SEPARATED)
    SEPARATED: no mistake is left, so every sample seen is on the correct side
    """

    SEPARATED = "no mistake is left, so every sample seen is on the correct side"
    AVERAGED = "the average of all weights makes the predictions; it misclassifies some samples"
    VOTED = (
        "an epoch made no mistake, but the vote of all hypotheses, which makes the predictions, still "
        "misclassifies some samples"
    )
    BUDGET = "mistakes were left when the epoch limit was reached"
    MIXED = (
        "mistakes were left when the epoch limit was reached; the weights were mixed from those of "
        "shards that learned in parallel"
    )
    INSEPARABLE = "no weights can put every sample on the correct side, and a few samples prove it"
    CYCLING = (
        "an epoch ended with the weights of an earlier one, so the epochs between them would repeat "
        "forever"
    )
    MAXIMUM = "the margin is the largest possible, up to the given tolerance"
    STOPPED = "a callback stopped the run before an epoch without a mistake"
    STREAM = "samples are learned as they arrive: a stream has no last epoch"

    @property
    def sentence(self) -> str:
        """The sentence that explains this outcome."""
        return str(self.value)

    def __str__(self) -> str:
        return f"{self.name}: {self.value}"
