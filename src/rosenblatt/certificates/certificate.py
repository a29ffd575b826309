"""The two kinds of certificates: they are saved as JSON and checked against the data.

A certificate holds a solver's result and states what it proves. Checking it needs only the data: every
number is recomputed from the given samples and labels, and no solver is called.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TypedDict, final

import numpy as np

from rosenblatt.certificates.combination import (
    Combination,
    form_falsehood,
    rows_of,
    upper_falsehood,
    zero_falsehood,
)
from rosenblatt.certificates.digest import Digest
from rosenblatt.certificates.float_check import undecided_rows
from rosenblatt.certificates.integer_check import margin_falsehood
from rosenblatt.certificates.json_values import (
    Json,
    encode_combination,
    encode_digest,
    encode_float,
    encode_fraction,
    encode_label,
    encode_weights,
    write,
)
from rosenblatt.certificates.label_codes import Label
from rosenblatt.certificates.rounding import Weights, float_weights, sqrt_down, sqrt_up
from rosenblatt.certificates.scope import Scope, Setting, setting_of
from rosenblatt.certificates.stored_samples import Samples
from rosenblatt.core.digits import digits_down, digits_up, interval_text
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats, LabelsLike, MatrixLike


class Subject(TypedDict):
    """The fields that all certificates share; see `Certificate`."""

    digest: Digest
    classes: tuple[Label, ...]
    positive: Label | None
    constant: float
    margin: str


@dataclass(frozen=True, eq=False, repr=False)
class Certificate(ABC):
    """The common part of all certificates: which data and which vectors they are about.

    Attributes
    ----------
    digest : Digest
        Identifies the samples and labels.
    classes : tuple
        All labels, sorted.
    positive : label or None
        The class on the positive side, with all other classes, if any, on the negative side. None means
        all classes jointly: each sample's own class against every rival.
    constant : float
        The value that extends every sample: 1.0 with an intercept, 0.0 without. Without an intercept the
        certificate is about hyperplanes through the origin only.
    margin : str
        "augmented" if the length of the weights includes the constant's weight, "affine" if not.
    """

    digest: Digest
    classes: tuple[Label, ...]
    positive: Label | None
    constant: float
    margin: str

    @property
    def scope(self) -> Scope:
        """Which weights and which margin the certificate is about."""
        return Scope(self.positive, self.constant, self.margin, has_others=len(self.classes) > 1)

    @property
    @abstractmethod
    def claim(self) -> str:
        """The statement that the certificate proves; true only if `verify` returns True."""

    def verify(self, X: MatrixLike, y: LabelsLike, *, exact: bool = False) -> bool:
        """Return whether everything in this certificate is true of the samples X and labels y."""
        return self.falsehood(X, y, exact=exact) is None

    def falsehood(self, X: MatrixLike, y: LabelsLike, *, exact: bool = False) -> str | None:
        """Return a sentence about the first error found, or None if the certificate is true.

        Floats decide the rows where rounding cannot matter, and integers decide the others;
        ``exact=True`` uses integers only. The answer is the same.
        """
        try:
            samples = Samples.of(X, y)
        except InputError as error:
            return f"the data cannot be read: {error}"
        setting = setting_of(
            samples,
            self.digest,
            self.classes,
            self.positive,
            self.constant,
            self.margin,
        )
        return setting if isinstance(setting, str) else self._claim_falsehood(setting, exact=exact)

    def to_json(self) -> str:
        """Return the certificate as JSON; `from_json` restores it bit for bit."""
        try:
            return write({**self._subject_entries(), **self._claim_entries()})
        except TypeError as error:
            raise InputError(f"the certificate cannot be written ({error})") from error

    def _subject_entries(self) -> dict[str, Json]:
        return {
            "digest": encode_digest(self.digest),
            "classes": [encode_label(label) for label in self.classes],
            "positive": None if self.positive is None else encode_label(self.positive),
            "constant": encode_float(self.constant),
            "margin": self.margin,
        }

    @abstractmethod
    def _claim_falsehood(self, setting: Setting, *, exact: bool) -> str | None: ...

    @abstractmethod
    def _claim_entries(self) -> dict[str, Json]: ...

    def _about(self) -> str:
        return f"{self.digest.n_samples} samples with {self.digest.n_features} features"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Certificate):
            return NotImplemented
        return self is other or (type(self) is type(other) and self.to_json() == other.to_json())

    def __hash__(self) -> int:
        return hash((type(self), self.digest))


@final
@dataclass(frozen=True, eq=False, repr=False)
class SeparatingHyperplane(Certificate):
    """Weights that separate the data, and an interval that contains the square of the maximum margin.

    Attributes
    ----------
    weights : float64 array, or tuple of int
        One per feature, then one for the constant. For all classes jointly: one such block per class,
        in the order of the classes.
    lower_squared : Fraction
        A lower bound on the square of the maximum margin: the weights have a margin this large.
    combination : dict, or None
        How often each row counts in the sum that bounds the margin from above: {row: count}, or
        {(row, index of the rival class): count} for all classes jointly.
    upper_squared : Fraction, or None
        An upper bound on the square of the maximum margin; None without a combination.

    >>> X, y = [[-1, -1], [-1, 1], [1, -1], [1, 1]], ["no", "no", "no", "yes"]
    >>> third = Fraction(1, 3)
    >>> certificate = SeparatingHyperplane(
    ...     Digest.of(X, y), ("no", "yes"), "yes", 1.0, "augmented",
    ...     (1, 1, -1), third, {1: 1, 2: 1, 3: 1}, third)
    >>> certificate.verify(X, y)
    True
    >>> certificate.falsehood(X, ["no", "no", "yes", "yes"])
    'this certificate is about other data: the digests differ'
    >>> certificate.lower, certificate.upper
    (0.5773502691896257, 0.5773502691896258)
    """

    weights: Weights
    lower_squared: Fraction
    combination: Combination | None = None
    upper_squared: Fraction | None = None

    def __post_init__(self) -> None:
        if isinstance(self.weights, np.ndarray):
            weights = self.weights.copy()
            weights.flags.writeable = False
            object.__setattr__(self, "weights", weights)

    @property
    def lower(self) -> float:
        """The lower bound on the maximum margin, rounded down."""
        return sqrt_down(self.lower_squared)

    @property
    def upper(self) -> float:
        """The upper bound on the maximum margin, rounded up; infinity if there is no bound."""
        return np.inf if self.upper_squared is None else sqrt_up(self.upper_squared)

    @property
    def claim(self) -> str:
        """The statement that the certificate proves; true only if `verify` returns True.

        >>> third = Fraction(1, 3)
        >>> digest = Digest.of([[1.0], [-1.0]], [1, 0])
        >>> SeparatingHyperplane(digest, (0, 1), 1, 0.0, "augmented", (1, 0), third).claim
        'a hyperplane through the origin separates 1 from all other samples, and the maximum margin \
(through the origin) is at least 0.57735'
        """
        interval = interval_text(self.lower, self.upper)
        return f"{self.scope.separable}, and {self.scope.margin_name} is {interval}"

    @property
    def coef(self) -> Floats:
        """The features' weights as floats, of shape (1, n_features) or (n_classes, n_features)."""
        return self._panel()[:, :-1]

    @property
    def intercept(self) -> Floats:
        """The term added to each score, of shape (1,) or (n_classes,)."""
        return self.constant * self._panel()[:, -1]

    def _panel(self) -> Floats:
        n_blocks = 1 if self.positive is not None else len(self.classes)
        return float_weights(self.weights).reshape(n_blocks, -1)

    def _claim_falsehood(self, setting: Setting, *, exact: bool) -> str | None:
        false = _weights_falsehood(setting, self.weights) or _bounds_falsehood(
            self.lower_squared, self.combination, self.upper_squared
        )
        if false is not None:
            return false
        if self.combination is not None and self.upper_squared is not None:
            false = form_falsehood(setting, self.combination) or upper_falsehood(
                setting, self.combination, self.upper_squared, exact=exact
            )
            if false is not None:
                return false
        rows = (
            np.arange(setting.samples.n_samples)
            if exact
            else undecided_rows(setting, self.weights, self.lower_squared)
        )
        return margin_falsehood(setting, self.weights, self.lower_squared, rows)

    def _claim_entries(self) -> dict[str, Json]:
        upper = self.upper_squared
        return {
            "claim": "separating hyperplane",
            "weights": encode_weights(self.weights),
            "lower_squared": encode_fraction(self.lower_squared),
            "combination": None
            if self.combination is None
            else encode_combination(self.combination),
            "upper_squared": None if upper is None else encode_fraction(upper),
        }

    def __repr__(self) -> str:
        interval = f"[{digits_down(self.lower)}, {digits_up(self.upper)}]"
        margin = f"{self.scope.margin_name} is in {interval}"
        return f"<SeparatingHyperplane of {self._about()}: {margin}>"


@final
@dataclass(frozen=True, eq=False, repr=False)
class HullIntersection(Certificate):
    """Positive multiples of the vectors to be separated that sum to zero: no hyperplane separates them.

    Without an intercept this is about hyperplanes through the origin only.

    Attributes
    ----------
    combination : dict
        {row: count}, or {(row, index of the rival class): count} for all classes jointly.

    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> xor = HullIntersection(
    ...     Digest.of(X, y), (0, 1), 1, 1.0, "augmented", {0: 1, 1: 1, 2: 1, 3: 1})
    >>> xor.verify(X, y)
    True
    >>> xor.rows
    [0, 1, 2, 3]
    """

    combination: Combination

    @property
    def claim(self) -> str:
        """The statement that the certificate proves; true only if `verify` returns True.

        >>> digest = Digest.of([[1.0], [2.0]], ["no", "yes"])
        >>> HullIntersection(digest, ("no", "yes"), "yes", 0.0, "augmented", {0: 2, 1: 1}).claim
        "no hyperplane through the origin strictly separates 'yes' from all other samples, and 2 rows \
prove it"
        """
        n_rows = len(self.rows)
        prove = "1 row proves it" if n_rows == 1 else f"{n_rows} rows prove it"
        return f"{self.scope.inseparable}, and {prove}"

    @property
    def rows(self) -> list[int]:
        """The rows in the combination, ascending."""
        return rows_of(self.combination)

    def _claim_falsehood(self, setting: Setting, *, exact: bool) -> str | None:
        # Always exact: floats cannot prove that a sum is zero.
        del exact
        return form_falsehood(setting, self.combination) or zero_falsehood(
            setting, self.combination
        )

    def _claim_entries(self) -> dict[str, Json]:
        return {
            "claim": "hull intersection",
            "combination": encode_combination(self.combination),
        }

    def __repr__(self) -> str:
        return (
            f"<HullIntersection of {len(self.combination)} vectors, of {self._about()}: "
            f"{self.scope.inseparable}>"
        )


def _weights_falsehood(setting: Setting, weights: object) -> str | None:
    size = setting.n_blocks * setting.width
    if isinstance(weights, tuple):
        if not all(type(weight) is int for weight in weights):
            return "the weights are a tuple, but not all of them are integers"
    elif not isinstance(weights, np.ndarray) or weights.dtype != np.float64 or weights.ndim != 1:
        return "the weights are neither a one-dimensional float64 array nor a tuple of integers"
    elif not np.isfinite(weights).all():
        return "the weights contain NaN or infinity"
    if len(weights) != size:
        return f"there are {len(weights)} weights, but the data needs {size}"
    # Only a single block has an affine margin.
    counted = weights[:-1] if setting.margin == "affine" else weights
    if np.any(counted) if isinstance(counted, np.ndarray) else any(counted):
        return None
    return "the weights are all zero, so they define no hyperplane"


def _bounds_falsehood(
    lower_squared: object, combination: object, upper_squared: object
) -> str | None:
    if not isinstance(lower_squared, Fraction) or lower_squared <= 0:
        return "the claimed lower bound on the squared margin is not a rational number above 0"
    if (combination is None) != (upper_squared is None):
        return "an upper bound on the margin needs a combination of rows, and the other way around"
    if upper_squared is None:
        return None
    if not isinstance(upper_squared, Fraction):
        return "the claimed upper bound on the squared margin is not a rational number"
    if upper_squared < lower_squared:
        return "the claimed upper bound on the margin is below the claimed lower bound"
    return None
