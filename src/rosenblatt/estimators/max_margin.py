"""The hyperplane with the largest margin, with scikit-learn's contract.

Conventions
-----------
Margin: "affine" is the distance of the nearest samples from the hyperplane, the bias being free, as in
support vector machines; "augmented" that of the extended samples, as in the perceptron's theorem.

Scale: the nearest samples have the scores +1 and -1, so that the margin is one over the length of the
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
from rosenblatt.estimators.common.validation import classes_of_all, labelled
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
        MAXIMUM.
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
    rosenblatt.separability.results.conflicts.ConflictError: there is no margin to maximise, for no \
hyperplane strictly separates 'out' from all other samples: rows 0 and 2 of label 'in' and row 1 of \
label 'out' cross: 1/2·row 0 + 1/2·row 2 is the same point as row 1
    """

    ties = "mistake"
    _new_history = list
    margin_ = Reported[Interval | list[Interval]](
        "The interval that contains the largest margin.", "margins", one_or_many=True
    )
    certificate_ = Reported[Certificate | list[Certificate]](
        "The proof that the margin is in that interval.", "certificates", one_or_many=True
    )
    support_ = Reported[Counts]("The rows that decide the margin.")
    dual_coef_ = Reported[Floats]("How much each of them counts.")

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
        """Raise, naming it, for the first parameter whose value is not accepted."""
        check_flag("fit_intercept", self.fit_intercept)
        check_choice("margin", self.margin, MARGINS)
        between("tolerance", self.tolerance, 0, 1)
        time_limit("time_limit", self.time_limit)

    def fit(self, X: MatrixLike, y: LabelsLike) -> Self:
        """Find the hyperplane, or one for each class, with the largest margin."""
        with self._lock:
            self.check_parameters()
            X, y, features = labelled(self, X, y)
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
            learned = replace(
                Learned.new(classes, features, np.zeros(features.count + 1)),
                weights=np.array([_canonical(one) for one in separations]),
            )
            _check_sides(learned, X, y)
            support, dual_coef = _support(separations, y, classes)
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
                f"there is no margin to maximise, for {separation.scope.inseparable}",
                separation.conflicts[0],
            )
        if separation.verdict is Verdict.UNDECIDED:
            raise InputError(
                f"it could not be decided whether {separation.scope.separable}: "
                f"its margin would be in {separation.margin}; allow more than "
                f"time_limit={self.time_limit!r} seconds"
            )
        return separation


def _check_sides(learned: Learned, X: MatrixLike, y: LabelsLike) -> None:
    """Raise unless the weights, rounded to floats, still have every sample on its side."""
    rows = as_rows(X, 1.0)
    positives = learned.classes.positives.tolist()
    for weights, positive in zip(learned.weights, positives, strict=True):
        if count_mistakes(rows, signs_for(y, positive), 0, weights):
            raise InputError(
                f"the largest margin of {positive!r} is so small that the hyperplane, rounded to "
                "float64, has a sample on its wrong side: `separate` gives it in whole numbers"
            )


def _support(separations: list[Separation], y: Labels, classes: Classes) -> tuple[Counts, Floats]:
    """Return the rows that decide the margins, and how much each counts for each halfspace."""
    support = np.unique(np.concatenate([one.support for one in separations]))
    dual_coef = np.zeros((len(separations), len(support)))
    for k, (one, positive) in enumerate(zip(separations, classes.positives, strict=True)):
        combination = _hyperplane(one).combination or {}
        total = sum(combination.values())
        places = np.searchsorted(support, np.array(list(combination)))
        shares = np.array([count / total for count in combination.values()])
        signs = signs_for(y[support[places]], positive)
        dual_coef[k, places] = signs * shares / one.margin.upper**2
    return support, dual_coef


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
