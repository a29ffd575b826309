"""Which weights a claim speaks of, in words: a claim says no more than was proved.

Without an intercept only hyperplanes through the origin are spoken of: where none of them separates the
samples, one with an intercept still may, and it may have a larger margin than the largest of theirs.
Separating is strict throughout: where the hulls of two classes touch, nothing separates them.
"""

from typing import NamedTuple

from rosenblatt.certificates.label_codes import Label
from rosenblatt.certificates.shown import shown


class Scope(NamedTuple):
    """The weights and the margin of a claim: the first entries of every certificate.

    ``positive`` is the class that is separated from the rest (None: all classes jointly), ``constant``
    1 with an intercept and 0 without, ``margin`` is "augmented" or "affine".

    >>> scope = Scope("yes", 0.0, "augmented")
    >>> print(scope.inseparable)
    no hyperplane through the origin strictly separates 'yes' from the rest
    >>> print(scope.margin_name)
    the maximum margin (through the origin)
    """

    positive: Label | None
    constant: float
    margin: str

    @property
    def is_joint(self) -> bool:
        """Whether all classes are spoken of jointly."""
        return self.positive is None

    @property
    def has_intercept(self) -> bool:
        """Whether any hyperplane is spoken of, not only those through the origin."""
        return self.constant != 0

    @property
    def planes(self) -> str:
        """What is spoken of: hyperplanes, or those through the origin.

        >>> Scope("yes", 1.0, "affine").planes, Scope("yes", 0.0, "augmented").planes
        ('hyperplane', 'hyperplane through the origin')
        """
        return "hyperplane" if self.has_intercept else "hyperplane through the origin"

    @property
    def vectors(self) -> str:
        """What is spoken of where all classes are: a weight vector for each, with an intercept or not.

        >>> Scope(None, 0.0, "augmented").vectors
        'one weight vector and no intercept for each class'
        """
        return f"one weight vector and {'one' if self.has_intercept else 'no'} intercept for each class"

    @property
    def separable(self) -> str:
        """The claim that some of these weights separate the samples."""
        if self.is_joint:
            return f"{self.vectors} can give every sample's own class a score above all others"
        return f"a {self.planes} separates {shown(self.positive)} from the rest"

    @property
    def inseparable(self) -> str:
        """The claim that none of these weights does."""
        if self.is_joint:
            return f"{self.vectors} cannot give every sample's own class a score above all others"
        return f"no {self.planes} strictly separates {shown(self.positive)} from the rest"

    @property
    def margin_kind(self) -> str:
        """Which margin is meant.

        >>> Scope("yes", 1.0, "affine").margin_kind, Scope(None, 0.0, "augmented").margin_kind
        ('affine', 'joint, through the origin')
        """
        kind = self.margin if self.has_intercept else "through the origin"
        return f"joint, {kind}" if self.is_joint else kind

    @property
    def margin_name(self) -> str:
        """The maximum of that margin, as sentences name it."""
        return f"the maximum margin ({self.margin_kind})"
