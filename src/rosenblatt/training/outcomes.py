"""Why learning stopped: each outcome carries the sentence that the user reads."""

from enum import Enum


class Outcome(Enum):
    """Why learning stopped.

    >>> print(Outcome.SEPARATED)
    SEPARATED: no mistake is left, so every sample seen is on its right side
    """

    SEPARATED = "no mistake is left, so every sample seen is on its right side"
    AVERAGED = (
        "an epoch made no mistake, but the average of all weights, which is what decides, still makes "
        "some"
    )
    VOTED = (
        "an epoch made no mistake, but the vote of all hypotheses, which is what decides, still makes "
        "some"
    )
    BUDGET = (
        "the last epoch allowed still made mistakes: the data may need more epochs, "
        "or may not be separable at all"
    )
    MIXED = (
        "the last epoch allowed still made mistakes; the weights were mixed from those of shards that "
        "learned side by side"
    )
    INSEPARABLE = (
        "no weights can have every sample on its right side (without an intercept: no hyperplane "
        "through the origin can), and the certificate names samples that prove it"
    )
    CYCLING = (
        "an epoch ended with the weights of an earlier one, so the epochs between them would come again "
        "for ever"
    )
    MAXIMUM = (
        "no hyperplane (without an intercept: none through the origin) has a larger margin, to the "
        "tolerance asked for"
    )
    STOPPED = "a callback asked to stop before an epoch without a mistake"
    STREAM = "samples are learned as they arrive: a stream has no last epoch"

    @property
    def sentence(self) -> str:
        """The sentence that explains this outcome."""
        return str(self.value)

    def __str__(self) -> str:
        return f"{self.name}: {self.value}"
