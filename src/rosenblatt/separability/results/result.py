"""The result types of `separate`: a verdict, with the certificate that proves it."""

from dataclasses import dataclass, field
from fractions import Fraction

from rosenblatt.certificates import HullIntersection, SeparatingHyperplane
from rosenblatt.certificates.label_codes import Label
from rosenblatt.certificates.scope import Scope
from rosenblatt.core.html import html_table
from rosenblatt.core.types import Counts, Floats, Labels
from rosenblatt.separability.equal_rows import EqualPairs
from rosenblatt.separability.results.conflicts import Conflict
from rosenblatt.separability.results.result_text import joint_lines, separation_lines
from rosenblatt.separability.results.verdicts import Verdict
from rosenblatt.separability.search import Round
from rosenblatt.training.margins import Interval


@dataclass(frozen=True, eq=False, kw_only=True)
class Separation:
    """Whether a hyperplane separates two classes, one class from all others, or many jointly.

    Attributes
    ----------
    scope : Scope
        Which weights the verdict is about (without an intercept, only hyperplanes through the origin),
        and which margin.
    verdict : Verdict
        SEPARABLE, INSEPARABLE or UNDECIDED.
    margin : Interval
        The interval that contains the maximum margin; [0, 0] if nothing separates.
    squared_margin : Fraction or None
        The square of the maximum margin as a rational number, if the search ended in integers.
    radius : float
        The length of the longest sample, including the constant, rounded up; jointly, √2 times that,
        because a sample is then in the blocks of two classes.
    mistake_bound : int or None
        The most mistakes that the perceptron can make from zero weights, with or without an intercept as
        in the scope, in any order of visits: (radius / margin)², with the augmented margin of the
        certificate's weights (also if you asked for the affine one), or the margin through the origin.
        None unless the data is separable.
    certificate : SeparatingHyperplane, HullIntersection or None
        The proof of the verdict, which anyone can check; None if undecided.
    coef, intercept : array and float, or None
        The separating hyperplane, in floats; jointly, one row and one intercept per class. If the
        certificate has integers, these are rounded, and with a margin of 1e-16 of the radius the rounded
        hyperplane may have a sample on the wrong side: only the certificate is proved.
    support : array
        The rows that decide the upper end of the margin, or that prove inseparability.
    conflicts : tuple of Conflict
        Samples that contradict each other; the certificate proves the first conflict.
    equal_pairs : EqualPairs or None
        If equal samples have different labels: in how many pairs, and how many to expect by chance.
    history_ : list of Round
        The steps of the search.
    """

    scope: Scope
    verdict: Verdict
    margin: Interval
    squared_margin: Fraction | None = None
    radius: float
    mistake_bound: int | None = None
    certificate: SeparatingHyperplane | HullIntersection | None = None
    coef: Floats | None = None
    intercept: Floats | float | None = None
    support: Counts
    conflicts: tuple[Conflict, ...] = ()
    equal_pairs: EqualPairs | None = None
    history_: list[Round] = field(default_factory=list)

    @property
    def sentence(self) -> str:
        """The verdict as a sentence about the weights in the scope."""
        return self.verdict.within(self.scope)

    def __str__(self) -> str:
        return f"{self.verdict.name}: {self.sentence}"

    def __repr__(self) -> str:
        facts = f"{self.scope.margin_name} is in {self.margin}"
        if self.verdict is Verdict.INSEPARABLE:
            facts = str(self.conflicts[0])
        return f"<{self.verdict.name}{_restriction(self.scope)}: {facts}>"

    def _repr_html_(self) -> str:
        return html_table("Separability", [], list(separation_lines(self).items()), list)


@dataclass(frozen=True, eq=False, kw_only=True)
class Separations(Separation):
    """Whether many classes can be separated: each from all others, and all jointly.

    ``joint`` is about one weight vector per class that give every sample's own class the highest score,
    and all attributes of a `Separation`, such as ``verdict`` and ``conflicts``, are its attributes;
    ``by_class`` has each class's separation from all others. If every class can be separated
    from all others, the classes are jointly separable, but not the other way around. Without an
    intercept all of this is about hyperplanes through the origin.
    """

    classes: Labels
    by_class: dict[Label, Separation]
    joint: Separation

    def __repr__(self) -> str:
        single = ", ".join(f"{label!r}: {one.verdict.name}" for label, one in self.by_class.items())
        which = _restriction(self.joint.scope)
        return f"<jointly {self.joint.verdict.name}{which}; per class {{{single}}}>"

    def _repr_html_(self) -> str:
        return html_table(
            f"Separability of {len(self.classes):,} classes",
            [],
            list(joint_lines(self).items()),
            list,
        )


def _restriction(scope: Scope) -> str:
    return "" if scope.has_intercept else " through the origin"
