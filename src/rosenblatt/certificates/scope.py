"""The subject of a certificate: which weights, which margin, and which vectors of the data.

Without an intercept a certificate is about hyperplanes through the origin only: even if none of them
separates the samples, a hyperplane with an intercept may, and it may have a larger margin. Separation is
always strict: if the convex hulls of two classes touch, nothing separates them.

Every sample x is extended by a constant, 1 with an intercept and 0 without. One class against all
others: z is the extended sample, negated for the others. All classes jointly (Kesler's construction):
there is one block of weights per class, and each sample has one z per rival class, with the extended
sample in the block of its own class and its negative in the block of the rival.

The augmented margin of weights w is the smallest w·z divided by the length of w; the affine margin
leaves the constant's weight out of the length.
"""

from typing import NamedTuple

from rosenblatt.certificates.digest import Digest
from rosenblatt.certificates.display import short_repr
from rosenblatt.certificates.label_codes import Label, class_texts
from rosenblatt.certificates.stored_samples import Samples
from rosenblatt.core.errors import InputError

MARGINS = ("augmented", "affine")


class Scope(NamedTuple):
    """Which weights and which margin a certificate is about.

    ``positive`` is the class to be separated from all others (None: all classes jointly), ``constant``
    is 1 with an intercept and 0 without, ``margin`` is "augmented" or "affine". ``has_others`` is False
    if all samples have one class: then they should be on one side of a hyperplane through the origin
    (negating a sample and its label leads to the same question).

    >>> scope = Scope("yes", 0.0, "augmented")
    >>> print(scope.inseparable)
    no hyperplane through the origin strictly separates 'yes' from all other samples
    >>> print(scope.margin_name)
    the maximum margin (through the origin)
    """

    positive: Label | None
    constant: float
    margin: str
    has_others: bool = True

    @property
    def is_joint(self) -> bool:
        """Whether this is about all classes jointly."""
        return self.positive is None

    @property
    def has_intercept(self) -> bool:
        """Whether this is about all hyperplanes, not only those through the origin."""
        return self.constant != 0

    @property
    def planes(self) -> str:
        """The kind of hyperplane, as a noun.

        >>> Scope("yes", 1.0, "affine").planes, Scope("yes", 0.0, "augmented").planes
        ('hyperplane', 'hyperplane through the origin')
        """
        return "hyperplane" if self.has_intercept else "hyperplane through the origin"

    @property
    def vectors(self) -> str:
        """The weights for all classes jointly, as a noun.

        >>> Scope(None, 0.0, "augmented").vectors
        'one weight vector and no intercept per class'
        """
        return f"one weight vector and {'one' if self.has_intercept else 'no'} intercept per class"

    @property
    def separable(self) -> str:
        """The claim that such weights separate the samples."""
        if self.is_joint:
            return f"{self.vectors} can give every sample's own class the strictly highest score"
        if not self.has_others:
            return f"a {self.planes} puts every sample strictly on its positive side"
        return f"a {self.planes} separates {short_repr(self.positive)} from all other samples"

    @property
    def inseparable(self) -> str:
        """The claim that no such weights separate the samples."""
        if self.is_joint:
            return f"{self.vectors} cannot give every sample's own class the strictly highest score"
        if not self.has_others:
            return f"no {self.planes} puts every sample strictly on its positive side"
        return f"no {self.planes} strictly separates {short_repr(self.positive)} from all other samples"

    @property
    def margin_kind(self) -> str:
        """The kind of margin, as an adjective.

        >>> Scope("yes", 1.0, "affine").margin_kind, Scope(None, 0.0, "augmented").margin_kind
        ('affine', 'joint, through the origin')
        """
        kind = self.margin if self.has_intercept else "through the origin"
        return f"joint, {kind}" if self.is_joint else kind

    @property
    def margin_name(self) -> str:
        """The maximum margin, as a noun for sentences."""
        return f"the maximum margin ({self.margin_kind})"


class Setting(NamedTuple):
    """The data, the positive class (None: all classes jointly), the constant and the margin."""

    samples: Samples
    positive: int | None
    constant: int
    margin: str

    @property
    def n_blocks(self) -> int:
        """The number of blocks of weights: one, or one per class."""
        return 1 if self.positive is not None else len(self.samples.classes)

    @property
    def width(self) -> int:
        """The number of weights in a block: one per feature, and the constant's."""
        return self.samples.n_features + 1

    def describe_column(self, coordinate: int) -> str:
        """Name a coordinate of the vectors z."""
        block, column = divmod(coordinate, self.width)
        name = f"column {column}" if column < self.width - 1 else "the constant"
        return name if self.positive is not None else f"{name} of {self.describe_class(block)}"

    def describe_class(self, code: int) -> str:
        """Name a class."""
        return f"class {short_repr(self.samples.classes[code])}"


def setting_of(
    samples: Samples,
    digest: object,
    classes: object,
    positive: object,
    constant: object,
    margin: object,
) -> Setting | str:
    """Return the setting that a certificate describes, or a sentence about what is wrong with it."""
    false = _margin_falsehood(positive, constant, margin)
    if false is not None:
        return false
    assert isinstance(constant, int | float)
    assert isinstance(margin, str)
    if not isinstance(digest, Digest) or not digest.matches_samples(samples):
        return "this certificate is about other data: the digests differ"
    known = class_texts(samples.classes)
    if _texts(classes) != known:
        return "the classes of the certificate are not those of the data"
    if positive is None:
        if len(known) < 2:
            return "the data has fewer than two classes, so no class has a rival"
        return Setting(samples, None, int(constant), margin)
    text = _texts((positive,))
    if text is None or text[0] not in known:
        return f"the data has no class {short_repr(positive)}, the certificate's positive class"
    return Setting(samples, known.index(text[0]), int(constant), margin)


def _margin_falsehood(positive: object, constant: object, margin: object) -> str | None:
    """Return why there is no such margin, or None."""
    if not isinstance(margin, str) or margin not in MARGINS:
        return f"the margin is {short_repr(margin)}, which is neither 'augmented' nor 'affine'"
    if not isinstance(constant, int | float) or constant not in (0, 1):
        return f"the constant is {short_repr(constant)}, which is neither 0 nor 1"
    if margin == "affine" and (constant == 0 or positive is None):
        return "there is no affine margin without an intercept or for all classes jointly"
    return None


def _texts(labels: object) -> list[str] | None:
    if not isinstance(labels, tuple):
        return None
    try:
        return class_texts(labels)
    except InputError:
        return None


def row_list(rows: list[int]) -> str:
    """Name rows in a sentence.

    >>> row_list([3]), row_list([3, 9, 12]), row_list(list(range(40)))
    ('row 3', 'rows 3, 9 and 12', 'rows 0, 1, 2, 3 and 36 others')
    """
    if len(rows) == 1:
        return f"row {rows[0]}"
    if len(rows) > 5:
        return f"rows {', '.join(map(str, rows[:4]))} and {len(rows) - 4} others"
    return f"rows {', '.join(map(str, rows[:-1]))} and {rows[-1]}"
