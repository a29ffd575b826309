"""The hyperplane with the largest margin, with scikit-learn's contract.

Conventions
-----------
Margin: "affine" is the distance of the nearest samples from the hyperplane, the bias being free, as in
support vector machines; "augmented" that of the extended samples, as in the perceptron's theorem.

Scale: the nearest samples have the scores +1 and -1, so that the margin is one over the length of the
coefficients.

Streams: ALMA approximates the largest (augmented) margin of the samples scaled to unit length, one visit
at a time; see `signs.enlarge_margin` for what is guaranteed.
"""

from typing import Any, Self

import numpy as np

from rosenblatt.certificates import SeparatingHyperplane
from rosenblatt.certificates.scope import MARGINS
from rosenblatt.core.checks import between, check_choice, check_flag, time_limit
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import distinct, joined, named_classes, positive_classes, signs_for
from rosenblatt.core.types import Counts, Floats, LabelLike, LabelsLike, MatrixLike
from rosenblatt.estimators.common.linear_classifier import HalfspaceClassifier
from rosenblatt.estimators.common.validation import labelled
from rosenblatt.kernels.rows import as_rows
from rosenblatt.kernels.signs import count_mistakes, enlarge_margin
from rosenblatt.separability.problem import Question, ask
from rosenblatt.separability.result import Separation
from rosenblatt.separability.search import Round
from rosenblatt.separability.separate import separate_class
from rosenblatt.separability.verdicts import Verdict
from rosenblatt.training.margins import Interval
from rosenblatt.training.outcomes import Outcome


class MaxMargin(HalfspaceClassifier):
    """The separating hyperplane that is furthest from the samples.

    Where no hyperplane separates the samples, `fit` raises an error that names samples which prove it.
    More than two classes are each separated from the rest. Without an intercept both are said of
    hyperplanes through the origin only.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Allow any hyperplane, not only those through the origin.
    margin : {"affine", "augmented"}, default="affine"
        What is maximised; without an intercept both are the same, the margin through the origin.
    tolerance : float, default=1e-6
        How closely the margin is found, as a part of it.
    time_limit : float or None, default=None
        Seconds for each halfspace, after which `fit` gives up with an error.
    alpha : float, default=0.1
        For streams: aim at a margin of 1 - alpha times the largest.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (n_halfspaces, n_features) and (n_halfspaces,)
        The hyperplanes.
    margin_ : Interval, or a list of one for each class when there are more than two
        The interval that contains the largest margin.
    support_ : array
        The rows that decide it: with any of them alone moved, the hyperplane may change.
    dual_coef_ : array of shape (n_halfspaces, n_support)
        How much each of them counts: ``coef_ = dual_coef_ @ X[support_]``, to the tolerance.
    certificate_ : SeparatingHyperplane, or a list of one for each class
        The proof that the margin is in that interval.
    outcome_ : Outcome
        MAXIMUM, or STREAM.
    history_ : list of Round
        The steps of the search.
    n_corrections_ : int
        For streams: how often the weights were changed.

    Examples
    --------
    >>> from rosenblatt import MaxMargin
    >>> m = MaxMargin().fit([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    >>> m.coef_.round(9), m.intercept_.round(9)
    (array([[0.5, 0.5]]), array([-2.]))
    >>> print(m.margin_)
    [1.41421, 1.41422]
    >>> m.support_, m.dual_coef_.round(9)
    (array([0, 2]), array([[ 0.25, -0.25]]))
    >>> MaxMargin().fit([[0], [1], [2]], ["in", "out", "in"])
    Traceback (most recent call last):
    ...
    rosenblatt.core.errors.InputError: there is no margin to maximise, for no hyperplane strictly \
separates 'out' from the rest: rows 0 and 2 of label 'in' and row 1 of label 'out' cross: \
1/2·row 0 + 1/2·row 2 is the same point as row 1
    """

    ties = "mistake"
    margin_: Interval | list[Interval]
    support_: Counts
    dual_coef_: Floats
    certificate_: Any
    outcome_: Outcome
    history_: list[Round]
    _stream: Floats

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        margin: str = "affine",
        tolerance: float = 1e-6,
        time_limit: float | None = None,
        alpha: float = 0.1,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.margin = margin
        self.tolerance = tolerance
        self.time_limit = time_limit
        self.alpha = alpha

    def check_parameters(self) -> None:
        """Raise, naming it, for the first parameter whose value is not accepted."""
        check_flag("fit_intercept", self.fit_intercept)
        check_choice("margin", self.margin, MARGINS)
        between("tolerance", self.tolerance, 0, 1)
        time_limit("time_limit", self.time_limit)
        between("alpha", self.alpha, 0, 1)

    def fit(self, X: MatrixLike, y: LabelsLike) -> Self:
        """Find the hyperplane, or one for each class, with the largest margin."""
        with self._all_or_nothing():
            self.check_parameters()
            X, y = labelled(self, X, y)
            classes = distinct(y)
            if len(classes) < 2:
                raise InputError(
                    f"y has one class only, {classes.tolist()[0]!r}: "
                    "learning needs at least two classes"
                )
            positives = positive_classes(classes).tolist()
            question = ask(
                X,
                y,
                fit_intercept=self.fit_intercept,
                margin=self.margin if self.fit_intercept else "augmented",
                tolerance=self.tolerance,
                time_limit=self.time_limit,
            )
            separations = [self._separated(question, label) for label in positives]
            self.classes_ = classes
            self._set_weights(np.array([_canonical(one) for one in separations]))
            self._check_sides(X, y)
            self._set_support(separations, y)
            self.outcome_ = Outcome.MAXIMUM
            self.history_ = [step for one in separations for step in one.history_]
            intervals = [one.margin for one in separations]
            certificates = [one.certificate for one in separations]
            self.margin_ = intervals[0] if len(intervals) == 1 else intervals
            self.certificate_ = certificates[0] if len(certificates) == 1 else certificates
            self.__dict__.pop("_stream", None)
        return self

    def partial_fit(self, X: MatrixLike, y: LabelsLike, classes: LabelsLike = None) -> Self:
        """Learn from one chunk of a stream: one visit to each sample, in the order given.

        The first call names all classes. A stream does not go on from `fit`: it begins anew.
        """
        self.check_parameters()
        with self._all_or_nothing():
            first = not hasattr(self, "_stream")
            X, y = labelled(self, X, y, reset=first)
            if first:
                self._begin_stream(classes)
            strangers = np.setdiff1d(joined(self.classes_, y), self.classes_)
            if len(strangers):
                raise InputError(
                    f"y contains {strangers.tolist()[0]!r}, "
                    "which is none of the classes of the first call"
                )
            rows = as_rows(X, self._constant)
            panel, stream = self._weights / self._stream[:, :1], self._stream.copy()
            for weights, state, positive in zip(
                panel, stream, positive_classes(self.classes_), strict=True
            ):
                order = np.arange(len(y))
                enlarge_margin(rows, signs_for(y, positive), order, self.alpha, weights, state)
            self._weights, self._stream = panel * stream[:, :1], stream
            self.outcome_ = Outcome.STREAM
        return self

    def check_state(self) -> None:
        """Raise unless the learned state, wherever it came from, hangs together."""
        super().check_state()
        stream = getattr(self, "_stream", None)
        if stream is None:
            return
        fits = stream.shape == (len(self._weights), 3) and stream.dtype == np.float64
        if not fits or not (np.isfinite(stream).all() and (stream >= [1e-150, 0.0, 1.0]).all()):
            raise ValueError("a stream that does not fit the weights")

    @property
    def n_corrections_(self) -> int:
        """How often the weights of a stream were changed, all halfspaces together."""
        return int(self._stream[:, 2].sum()) - len(self._stream)

    def _separated(self, question: Question, positive: LabelLike) -> Separation:
        separation = separate_class(question, positive)
        if separation.verdict is Verdict.INSEPARABLE:
            raise InputError(
                f"there is no margin to maximise, for {separation.scope.inseparable}: "
                f"{separation.conflicts[0]}"
            )
        if separation.verdict is Verdict.UNDECIDED:
            raise InputError(
                f"it could not be decided whether {separation.scope.separable}: "
                f"its margin would be in {separation.margin}; allow more than "
                f"time_limit={self.time_limit!r} seconds"
            )
        return separation

    def _set_weights(self, weights: Floats) -> None:
        """Set the state that deciding needs."""
        self._weights = weights
        self._drift = None
        self._visits = np.zeros(len(weights), dtype=np.int64)
        self._mistakes = np.zeros(len(weights), dtype=np.int64)
        self._origin = np.zeros(weights.shape[1])
        self._unit = 1.0
        self._open = False

    def _check_sides(self, X: MatrixLike, y: LabelsLike) -> None:
        """Raise unless the weights, rounded to floats, still have every sample on its side."""
        rows = as_rows(X, 1.0)
        for weights, positive in zip(
            self._weights, positive_classes(self.classes_).tolist(), strict=True
        ):
            if count_mistakes(rows, signs_for(y, positive), 0, weights):
                raise InputError(
                    f"the largest margin of {positive!r} is so small that the hyperplane, rounded to "
                    "float64, has a sample on its wrong side: `separate` gives it in whole numbers"
                )

    def _set_support(self, separations: list[Separation], y: LabelsLike) -> None:
        self.support_ = np.unique(np.concatenate([one.support for one in separations]))
        self.dual_coef_ = np.zeros((len(separations), len(self.support_)))
        for k, (one, positive) in enumerate(
            zip(separations, positive_classes(self.classes_), strict=True)
        ):
            combination = _hyperplane(one).combination or {}
            total = sum(combination.values())
            places = np.searchsorted(self.support_, np.array(list(combination)))
            shares = np.array([count / total for count in combination.values()])
            signs = signs_for(y[self.support_[places]], positive)
            self.dual_coef_[k, places] = signs * shares / one.margin.upper**2

    def _begin_stream(self, classes: LabelsLike) -> None:
        if classes is None:
            raise InputError("classes is missing: the first partial_fit must name all classes")
        known = named_classes(classes, 2)
        for name in self._state():
            if name not in ("n_features_in_", "feature_names_in_"):
                delattr(self, name)
        self.classes_ = known
        n_halfspaces = len(positive_classes(known))
        self._set_weights(np.zeros((n_halfspaces, self.n_features_in_ + 1)))
        self._stream = np.tile([1.0, 0.0, 1.0], (n_halfspaces, 1))


def _hyperplane(separation: Separation) -> SeparatingHyperplane:
    assert isinstance(separation.certificate, SeparatingHyperplane)
    return separation.certificate


def _canonical(separation: Separation) -> Floats:
    """Return the weights, scaled so that the nearest samples have the scores +1 and -1."""
    certificate = _hyperplane(separation)
    assert separation.coef is not None
    assert separation.intercept is not None
    weights = np.append(separation.coef, separation.intercept)
    measured = weights[:-1] if certificate.margin == "affine" else weights
    return np.asarray(weights / (float(np.linalg.norm(measured)) * separation.margin.lower))
