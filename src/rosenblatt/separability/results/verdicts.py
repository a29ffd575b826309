"""What a decision says: each verdict carries a sentence, which the scope of a question makes exact."""

from enum import Enum

from rosenblatt.certificates.scope import Scope


class Verdict(Enum):
    """Whether weights separate the classes: some of those that were asked about, not of all there are.

    Asked about are hyperplanes, or only those through the origin (``fit_intercept=False``), or one
    weight vector for each class. A verdict by itself does not know which; ``within`` a scope it says so.

    >>> print(Verdict.SEPARABLE)
    SEPARABLE: some of the weights asked about put every sample strictly on its own side
    >>> Verdict.INSEPARABLE.within(Scope("yes", 0.0, "augmented"))
    'no hyperplane through the origin puts every sample strictly on its own side'
    """

    SEPARABLE = "some of the weights asked about put every sample strictly on its own side"
    INSEPARABLE = "none of the weights asked about put every sample strictly on its own side"
    UNDECIDED = (
        "neither weights that separate the samples, of those asked about, nor a proof that there are "
        "none were found within the limits"
    )

    @property
    def sentence(self) -> str:
        """The sentence that explains this verdict."""
        return str(self.value)

    def within(self, scope: Scope) -> str:
        """Return the sentence about the weights that a scope has."""
        if self is Verdict.UNDECIDED:
            if scope.is_joint:
                return f"it was not found out within the limits whether {scope.separable}"
            return (
                f"neither a separating {scope.planes} nor a proof that there is none was found within "
                "the limits"
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
