"""What a decision says: each verdict carries the sentence that the user reads."""

from enum import Enum


class Verdict(Enum):
    """Whether a hyperplane separates the classes.

    >>> print(Verdict.SEPARABLE)
    SEPARABLE: a hyperplane has every sample strictly on its own side
    """

    SEPARABLE = "a hyperplane has every sample strictly on its own side"
    INSEPARABLE = "no hyperplane can have every sample strictly on its own side"
    UNDECIDED = (
        "neither a separating hyperplane nor a proof that there is none was found within the limits"
    )

    @property
    def sentence(self) -> str:
        """The sentence that explains this verdict."""
        return str(self.value)

    def __str__(self) -> str:
        return f"{self.name}: {self.value}"
