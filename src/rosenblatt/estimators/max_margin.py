"""The hyperplane with the largest margin, with scikit-learn's interface.

Conventions
-----------
Margin: "affine" is the distance of the nearest samples from the hyperplane, with a free bias, as in
support vector machines; "augmented" is that of the extended samples, as in the perceptron's theorem.

Scale: the nearest samples have the scores +1 and -1, so the margin is one over the length of the
coefficients.
"""

from dataclasses import replace
from typing import Self

import numpy as np

from rosenblatt.certificates import SeparatingHyperplane
from rosenblatt.certificates.scope import MARGINS
from rosenblatt.core.checks import between, check_choice, check_flag, time_limit
from rosenblatt.core.classes import Classes
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import signs_for
from rosenblatt.core.types import Counts, Floats, LabelLike, Labels, LabelsLike, MatrixLike
from rosenblatt.estimators.common.learned import Learned
from rosenblatt.estimators.common.linear_classifier import LinearClassifier
from rosenblatt.estimators.common.run import Certificate, Reported, Run
from rosenblatt.estimators.common.validation import classes_of_all, labeled_samples
from rosenblatt.kernels.rows import as_rows
from rosenblatt.kernels.scoring import count_mistakes
from rosenblatt.separability.question import Question, ask
from rosenblatt.separability.results.conflicts import ConflictError
from rosenblatt.separability.results.result import Separation
from rosenblatt.separability.results.verdicts import Verdict
from rosenblatt.separability.separate import separate_class
from rosenblatt.training.margins import Interval
from rosenblatt.training.outcomes import Outcome


class MaxMargin(LinearClassifier):
    """The separating hyperplane with the largest margin.

    If no hyperplane separates the samples, `fit` raises an error that names samples which prove it. With
    more than two classes, each is separated from the rest. Without an intercept, only hyperplanes
    through the origin count.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Allow any hyperplane, not only those through the origin.
    margin : {"affine", "augmented"}, default="affine"
        The margin to maximize; without an intercept both are the margin through the origin.
    tolerance : float, default=1e-6
        The relative width of the interval around the margin.
    time_limit : float or None, default=None
        Seconds per halfspace, after which `fit` raises an error.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (n_halfspaces, n_features) and (n_halfspaces,)
        The hyperplanes.
    margin_ : Interval, or a list with one per class if there are more than two
        The interval that contains the largest margin.
    support_ : array
        The rows that determine the margin: moving any one of them may change the hyperplane.
    dual_coef_ : array of shape (n_halfspaces, n_support)
        The coefficients of these rows: ``coef_ = dual_coef_ @ X[support_]``, up to the tolerance.
    certificate_ : SeparatingHyperplane, or a list with one per class
        The proof that the margin is in that interval.
    outcome_ : Outcome
        Always MAXIMUM.
    history_ : list of Round
        The steps of the search.

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
    rosenblatt.separability.results.conflicts.ConflictError: there is no margin to maximize, because no \
hyperplane strictly separates 'out' from all other samples: rows 0 and 2 with label 'in' and row 1 with \
label 'out' overlap: 1/2·row 0 + 1/2·row 2 is the same point as row 1
    """

    ties = "mistake"
    _new_history = list
    margin_ = Reported[Interval | list[Interval]](
        "The interval that contains the largest margin.", "margins", one_or_many=True
    )
    certificate_ = Reported[Certificate | list[Certificate]](
        "The proof that the margin is in that interval.", "certificates", one_or_many=True
    )
    support_ = Reported[Counts]("The rows that determine the margin.")
    dual_coef_ = Reported[Floats]("The coefficients of the support rows.")

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        margin: str = "affine",
        tolerance: float = 1e-6,
        time_limit: float | None = None,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.margin = margin
        self.tolerance = tolerance
        self.time_limit = time_limit

    def check_parameters(self) -> None:
        """Raise InputError for the first parameter with an invalid value."""
        check_flag("fit_intercept", self.fit_intercept)
        check_choice("margin", self.margin, MARGINS)
        between("tolerance", self.tolerance, 0, 1)
        time_limit("time_limit", self.time_limit)

    def fit(self, X: MatrixLike, y: LabelsLike) -> Self:
        """Find the hyperplane with the largest margin, or one per class."""
        with self._lock:
            self.check_parameters()
            X, y, features = labeled_samples(self, X, y, exact=True)
            classes = classes_of_all(y)
            question = ask(
                X,
                y,
                fit_intercept=self.fit_intercept,
                margin=self.margin if self.fit_intercept else "augmented",
                tolerance=self.tolerance,
                time_limit=self.time_limit,
            )
            separations = [self._separated(question, label) for label in classes.positives.tolist()]
            weights = np.array([_canonical(one) for one in separations])
            if not np.isfinite(weights).all():
                raise _too_small("the weights are not finite")
            learned = replace(
                Learned.new(classes, features, np.zeros(features.count + 1)), weights=weights
            )
            _check_sides(learned, X, y)
            support, dual_coef = _support(separations, y, classes)
            if not np.isfinite(dual_coef).all():
                raise _too_small("the coefficients of the support rows are not finite")
            run = Run(
                Outcome.MAXIMUM,
                history=[step for one in separations for step in one.history_],
                margins=[one.margin for one in separations],
                certificates=[one.certificate for one in separations],
                support=support,
                dual_coef=dual_coef,
            )
            self._assign(learned, run)
        return self

    def _separated(self, question: Question, positive: LabelLike) -> Separation:
        separation = separate_class(question, positive)
        if separation.verdict is Verdict.INSEPARABLE:
            raise ConflictError(
                f"there is no margin to maximize, because {separation.scope.inseparable}",
                separation.conflicts[0],
            )
        if separation.verdict is Verdict.UNDECIDED and self.time_limit is None:
            raise _too_small(f"undecided whether {separation.scope.separable}")
        if separation.verdict is Verdict.UNDECIDED:
            raise InputError(
                f"undecided within time_limit={self.time_limit!r} seconds whether "
                f"{separation.scope.separable} (its margin would be in {separation.margin}): raise the "
                "limit"
            )
        return separation


def _too_small(what: str) -> InputError:
    return InputError(
        f"{what}, because numbers in X are too close to 0 or to each other for float64: multiply X by "
        "a large number"
    )


def _check_sides(learned: Learned, X: MatrixLike, y: LabelsLike) -> None:
    """Raise InputError unless the weights, rounded to floats, still separate the samples."""
    rows = as_rows(X, 1.0)
    positives = learned.classes.positives.tolist()
    for weights, positive in zip(learned.weights, positives, strict=True):
        if count_mistakes(rows, signs_for(y, positive), 0, weights):
            raise InputError(
                f"the largest margin of {positive!r} is so small that rounding the hyperplane to "
                "float64 puts a sample on the wrong side: use `separate`, whose weights are integers"
            )


def _support(separations: list[Separation], y: Labels, classes: Classes) -> tuple[Counts, Floats]:
    """Return the rows that determine the margins, and their coefficients for each halfspace."""
    support = np.unique(np.concatenate([one.support for one in separations]))
    dual_coef = np.zeros((len(separations), len(support)))
    for k, (one, positive) in enumerate(zip(separations, classes.positives, strict=True)):
        combination = _hyperplane(one).combination or {}
        total = sum(combination.values())
        places = np.searchsorted(support, np.array(list(combination)))
        shares = np.array([count / total for count in combination.values()])
        signs = signs_for(y[support[places]], positive)
        with np.errstate(divide="ignore", over="ignore"):
            dual_coef[k, places] = signs * shares / np.float64(one.margin.upper) ** 2
    return support, dual_coef


def _hyperplane(separation: Separation) -> SeparatingHyperplane:
    assert isinstance(separation.certificate, SeparatingHyperplane)
    return separation.certificate


def _canonical(separation: Separation) -> Floats:
    """Return the weights scaled to scores of +1 and -1 for the nearest samples."""
    certificate = _hyperplane(separation)
    assert separation.coef is not None
    assert separation.intercept is not None
    weights = np.append(separation.coef, separation.intercept)
    measured = weights[:-1] if certificate.margin == "affine" else weights
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        return np.asarray(weights / (float(np.linalg.norm(measured)) * separation.margin.lower))
