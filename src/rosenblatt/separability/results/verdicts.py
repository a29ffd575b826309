"""The three verdicts, and their sentences."""

from enum import Enum

from rosenblatt.certificates.scope import Scope


class Verdict(Enum):
    """Whether weights of the requested kind separate the classes.

    The kind is all hyperplanes, only those through the origin (``fit_intercept=False``), or one weight
    vector per class. A verdict alone does not know which; ``within`` names it.

    >>> print(Verdict.SEPARABLE)
    SEPARABLE: some weights of the requested kind put every sample strictly on its own side
    >>> Verdict.INSEPARABLE.within(Scope("yes", 0.0, "augmented"))
    'no hyperplane through the origin puts every sample strictly on its own side'
    """

    SEPARABLE = "some weights of the requested kind put every sample strictly on its own side"
    INSEPARABLE = "no weights of the requested kind put every sample strictly on its own side"
    UNDECIDED = (
        "within the limits, the search found neither separating weights of the requested kind nor a "
        "proof that none exist"
    )

    @property
    def sentence(self) -> str:
        """The sentence for this verdict without a scope."""
        return str(self.value)

    def within(self, scope: Scope) -> str:
        """Return the sentence about the weights in a scope."""
        if self is Verdict.UNDECIDED:
            if scope.is_joint:
                return f"the search could not decide within the limits whether {scope.separable}"
            return (
                f"within the limits, the search found neither a separating {scope.planes} nor a proof "
                "that none exists"
            )
        if scope.is_joint:
            return scope.separable if self is Verdict.SEPARABLE else scope.inseparable
        if self is Verdict.SEPARABLE and scope.has_others:
            return f"a separating {scope.planes} exists"
        which = "a" if self is Verdict.SEPARABLE else "no"
        side = "its own side" if scope.has_others else "its positive side"
        return f"{which} {scope.planes} puts every sample strictly on {side}"

    def __str__(self) -> str:
        return f"{self.name}: {self.value}"
