"""What is known of a data set's separability, with the certificate that proves it."""

from dataclasses import dataclass, field
from fractions import Fraction

from rosenblatt.certificates import HullIntersection, SeparatingHyperplane
from rosenblatt.certificates.label_codes import Label
from rosenblatt.certificates.scope import Scope
from rosenblatt.core.html import html_table
from rosenblatt.core.types import Counts, Floats, Labels
from rosenblatt.separability.results.conflicts import Conflict
from rosenblatt.separability.results.result_text import joint_lines, separation_lines
from rosenblatt.separability.results.verdicts import Verdict
from rosenblatt.separability.search import Round
from rosenblatt.training.margins import Interval


@dataclass(frozen=True, eq=False, kw_only=True)
class Separation:
    """Whether a hyperplane separates two classes, or one from the rest, or many jointly.

    Attributes
    ----------
    scope : Scope
        Which weights the verdict speaks of (without an intercept, only hyperplanes through the origin),
        and which margin of theirs.
    verdict : Verdict
        SEPARABLE, INSEPARABLE or UNDECIDED.
    margin : Interval
        The interval that contains the maximum margin; [0, 0] when nothing separates.
    squared_margin : Fraction or None
        The square of the maximum margin as a rational number, where the search ended in whole numbers.
    radius : float
        The length of the longest sample, constant included, rounded up; jointly, √2 times that, for a
        sample is then in the blocks of two classes.
    mistake_bound : int or None
        The most mistakes that the perceptron from zero weights, with or without an intercept as in the
        scope, can make in any order of visits: (radius / margin)², with the augmented margin of the
        certificate's weights (also where the affine one was asked for), or the one through the origin.
        None unless the data is separable.
    certificate : SeparatingHyperplane, HullIntersection or None
        The proof of the verdict, which anyone can check; None when undecided.
    coef, intercept : array and float, or None
        The separating hyperplane, in floats. Jointly for many classes: one row, and one intercept, for
        each. Where the certificate has whole numbers these are roundings of them, and by a margin of
        1e-16 of the radius a rounding may miss a side: the certificate is what is proved.
    support : array
        The rows that decide the upper end of the margin, or that prove the inseparability.
    conflicts : tuple of Conflict
        Samples that contradict each other, in words; the first is what the certificate proves.
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
    history_: list[Round] = field(default_factory=list)

    @property
    def sentence(self) -> str:
        """The verdict as a sentence about the weights that were asked about."""
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


@dataclass(frozen=True, eq=False)
class Separations:
    """Whether many classes can be separated: each from the rest, and all jointly.

    ``joint`` asks for one weight vector for each class such that every sample's own class has the
    highest score; ``by_class`` has, for each class, the separation from all others. Where every class
    can be separated from the rest the classes are jointly separable, but not the other way round.
    Without an intercept all of this is about hyperplanes through the origin.
    """

    classes: Labels
    by_class: dict[Label, Separation]
    joint: Separation

    @property
    def verdict(self) -> Verdict:
        """The verdict on all classes jointly."""
        return self.joint.verdict

    def __str__(self) -> str:
        return str(self.joint)

    def __repr__(self) -> str:
        single = ", ".join(f"{label!r}: {one.verdict.name}" for label, one in self.by_class.items())
        which = _restriction(self.joint.scope)
        return f"<jointly {self.joint.verdict.name}{which}; each from the rest {{{single}}}>"

    def _repr_html_(self) -> str:
        return html_table(
            f"Separability of {len(self.classes):,} classes",
            [],
            list(joint_lines(self).items()),
            list,
        )


def _restriction(scope: Scope) -> str:
    return "" if scope.has_intercept else " through the origin"
