"""What a claim is about: which weights and which margin, in words, and which vectors of the data.

Without an intercept only hyperplanes through the origin are spoken of: where none of them separates the
samples, one with an intercept still may, and it may have a larger margin than the largest of theirs.
Separating is strict throughout: where the hulls of two classes touch, nothing separates them.

Every sample x is extended by a constant, 1 with an intercept and 0 without. One class against all
others: z is the extended sample, negated for the others. All classes jointly (Kesler's construction):
there are as many blocks of weights as classes, and each sample has one z for each rival class, the
extended sample in the block of its own class minus the same in the block of the rival.

The augmented margin of weights w is the least w·z over the length of w; the affine margin leaves the
constant's weight out of the length.
"""

from typing import NamedTuple

from rosenblatt.certificates.digest import Digest
from rosenblatt.certificates.display import shown
from rosenblatt.certificates.label_codes import Label, class_texts
from rosenblatt.certificates.stored_samples import Samples
from rosenblatt.core.errors import InputError

MARGINS = ("augmented", "affine")


class Scope(NamedTuple):
    """The weights and the margin of a claim: the first entries of every certificate.

    ``positive`` is the class that is separated from the rest (None: all classes jointly), ``constant``
    1 with an intercept and 0 without, ``margin`` is "augmented" or "affine". ``has_rest`` says whether
    there are other classes: where all samples are of one, they are to be on one side of a hyperplane
    through the origin (to negate a sample and its label is to ask the same question).

    >>> scope = Scope("yes", 0.0, "augmented")
    >>> print(scope.inseparable)
    no hyperplane through the origin strictly separates 'yes' from all other samples
    >>> print(scope.margin_name)
    the maximum margin (through the origin)
    """

    positive: Label | None
    constant: float
    margin: str
    has_rest: bool = True

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
        if not self.has_rest:
            return f"a {self.planes} puts every sample strictly on its positive side"
        return f"a {self.planes} separates {shown(self.positive)} from all other samples"

    @property
    def inseparable(self) -> str:
        """The claim that none of these weights does."""
        if self.is_joint:
            return f"{self.vectors} cannot give every sample's own class a score above all others"
        if not self.has_rest:
            return f"no {self.planes} puts every sample strictly on its positive side"
        return f"no {self.planes} strictly separates {shown(self.positive)} from all other samples"

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


class Setting(NamedTuple):
    """The data, the class that is positive (None: all classes jointly), the constant and the margin."""

    samples: Samples
    positive: int | None
    constant: int
    margin: str

    @property
    def n_blocks(self) -> int:
        """How many blocks of weights there are: one, or one for each class."""
        return 1 if self.positive is not None else len(self.samples.classes)

    @property
    def width(self) -> int:
        """The number of weights in a block: one for each feature, and the constant's."""
        return self.samples.n_features + 1

    def describe_column(self, place: int) -> str:
        """Name a coordinate of the vectors z."""
        block, column = divmod(place, self.width)
        name = f"column {column}" if column < self.width - 1 else "the constant"
        return name if self.positive is not None else f"{name} of {self.describe_class(block)}"

    def describe_class(self, code: int) -> str:
        """Name a class."""
        return f"class {shown(self.samples.classes[code])}"


def setting_of(
    samples: Samples,
    digest: object,
    classes: object,
    positive: object,
    constant: object,
    margin: object,
) -> Setting | str:
    """Return the setting that a certificate describes, or what is false in the description."""
    false = _margin_falsehood(positive, constant, margin)
    if false is not None:
        return false
    assert isinstance(constant, int | float)
    assert isinstance(margin, str)
    if not isinstance(digest, Digest) or not digest.matches_samples(samples):
        return "the data is not the data that this certificate speaks of: its digest differs"
    known = class_texts(samples.classes)
    if _texts(classes) != known:
        return "the classes of the certificate are not those of the data"
    if positive is None:
        if len(known) < 2:
            return "the data has fewer than two classes, so none has a rival"
        return Setting(samples, None, int(constant), margin)
    text = _texts((positive,))
    if text is None or text[0] not in known:
        return f"the data has no class {shown(positive)}, which the certificate takes as positive"
    return Setting(samples, known.index(text[0]), int(constant), margin)


def _margin_falsehood(positive: object, constant: object, margin: object) -> str | None:
    """Return why there is no such margin, if so."""
    if not isinstance(margin, str) or margin not in MARGINS:
        return f"the margin is {shown(margin)}, which is neither 'augmented' nor 'affine'"
    if not isinstance(constant, int | float) or constant not in (0, 1):
        return f"the constant is {shown(constant)}, which is neither 0 nor 1"
    if margin == "affine" and (constant == 0 or positive is None):
        return "there is no affine margin without an intercept, nor for all classes jointly"
    return None


def _texts(labels: object) -> list[str] | None:
    if not isinstance(labels, tuple):
        return None
    try:
        return class_texts(labels)
    except InputError:
        return None


def listed(rows: list[int]) -> str:
    """Name rows in a sentence.

    >>> listed([3]), listed([3, 9, 12]), listed(list(range(40)))
    ('row 3', 'rows 3, 9 and 12', 'rows 0, 1, 2, 3 and 36 others')
    """
    if len(rows) == 1:
        return f"row {rows[0]}"
    if len(rows) > 5:
        return f"rows {', '.join(map(str, rows[:4]))} and {len(rows) - 4} others"
    return f"rows {', '.join(map(str, rows[:-1]))} and {rows[-1]}"
