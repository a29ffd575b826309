"""Winnow: weights that are multiplied, not added to; for many features of which few matter.

Conventions
-----------
Decision: positive if w·x ≥ threshold, so a score (the threshold taken away) of exactly 0 is
positive. It is decided by the exact sign, in learning as in `predict`.

Start: every weight is 1, the threshold is the number of features: the form in which Blum's bound is
stated.

Weights: the learned state is one exponent for each feature, what it was promoted less what it was
demoted, and the weight is promotion**exponent. So a promotion and a demotion cancel exactly for
every promotion, with promotion 2 and features of 0 and 1 all weights are exact, and a weight that
is too small for float64 counts as 0 but is not forgotten. A weight of a feature with values 0 and 1
never exceeds promotion · threshold, for it is promoted only while it is below the threshold; where
the threshold is below 1/promotion it never exceeds 1, where it starts. Should any weight reach 1e150
(values between 0 and 1, balanced weights, sample weights), that is an error, and nothing is learned.

Streams: rows have one number of features, and so one threshold; a stream of dicts would bring new
features at any time, and none is learned from. The weight of a sample multiplies its step, that is the
change of the exponents.

Features: 0 and 1, or any value between: then an update multiplies by promotion**x, and
`bounds.winnow_entropy_bound` holds; the older bounds are for 0 and 1. Only active features, those
that are not 0, are looked at and changed.

Balanced: each feature has two weights, promotion**exponent and its inverse, and their difference
counts, so it can be negative. Values may be from -1 to 1, the constant 1 is a feature like all
others, all differences start from 0, and so does the threshold: then scaling all weights changes no
decision, and these are the decisions of the normalised (exponentiated gradient) form, whose bound
is `bounds.balanced_winnow_mistake_bound`.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.core.checks import check_choice, number, whole_number
from rosenblatt.core.classes import Classes
from rosenblatt.core.constants import LARGEST
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import merged_classes
from rosenblatt.core.types import Floats, Labels, Seed
from rosenblatt.estimators.common.learned import Features, Learned
from rosenblatt.estimators.common.validation import generator
from rosenblatt.estimators.streaming.online import OnlineClassifier
from rosenblatt.kernels.epochs.online_rules import Growth
from rosenblatt.kernels.epochs.ordered_sums import BALANCED, ELIMINATION, HALVING
from rosenblatt.kernels.rows import CSRRows, Rows
from rosenblatt.training.loop import ORDERS
from rosenblatt.training.problem import Problem
from rosenblatt.training.rules.online_rule import Arrays
from rosenblatt.training.rules.winnow_rule import Exponents, WinnowRule

_VARIANTS = {"halving": HALVING, "elimination": ELIMINATION, "balanced": BALANCED}


class Winnow(OnlineClassifier):
    """Double the weights of the active features on a missed positive, halve them on a false one.

    A disjunction of r of n features is learned with at most 2 + 3·r·(1 + lg n) mistakes, in any
    order, where the perceptron may make a number proportional to n; see ``rosenblatt.bounds`` for
    this and wider targets.

    Parameters
    ----------
    promotion : float, default=2.0
        What a weight is multiplied by on a positive sample that was missed, and divided by on a
        negative one that was not. For targets "at least r of k features": 1 + 1/(2·r).
    threshold : float or None, default=None
        What the score must reach. None is the number of features, or 0 for balanced weights.
    variant : {"halving", "elimination", "balanced"}, default="halving"
        A demotion divides by the promotion; or sets to 0, for good, which is right for disjunctions
        only, and without wrong labels; or there are two weights for each feature, see above.
    max_iter : int, default=1000
        The largest number of epochs.
    order : {"cyclic", "shuffle", "random"}, default="shuffle"
        The order of visits in an epoch: as given, a new permutation each time, or drawn with
        repetition. Shuffled by default, for files are often sorted by class, and then the last class
        seen has the last word in every epoch. "cyclic" is the order of the lectures, and the one in
        which an epoch is a stream of the same samples, bit for bit.
    random_state : int, RandomState or None, default=0
        Seeds the order: with a number, as by default, a fit can be repeated.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (n_halfspaces, n_features) and (n_halfspaces,)
        The weights, and the threshold with a minus.
    classes_ : array
        The labels, sorted: of two, the greater one is positive.
    outcome_ : Outcome
        Why learning stopped.
    n_iter_ : int
        Epochs run and calls of `partial_fit` since: the length of the history.
    n_mistakes_ : int
        Mistakes made, all epochs and all halfspaces, each one an update.
    history_ : History
        One record for each epoch (or call of `partial_fit`).

    References
    ----------
    N. Littlestone, Learning quickly when irrelevant attributes abound, Machine Learning 2 (1988);
    A. Blum, On-line algorithms in machine learning (1998).

    Examples
    --------
    >>> from rosenblatt import Winnow
    >>> X = [[1, 0, 0, 1], [0, 0, 1, 1], [0, 1, 0, 0], [0, 0, 0, 1]]
    >>> w = Winnow().fit(X, [1, 0, 1, 0])  # the first feature or the second
    >>> w.n_mistakes_, w.coef_, w.intercept_
    (3, array([[2., 4., 1., 2.]]), array([-4.]))
    >>> w.predict([[0, 0, 1, 1], [0, 1, 1, 0]])
    array([0, 1])
    """

    ties = "positive"
    _kept_kinds = (Exponents,)
    fit_intercept = True

    def __init__(
        self,
        *,
        promotion: float = 2.0,
        threshold: float | None = None,
        variant: str = "halving",
        max_iter: int = 1000,
        order: str = "shuffle",
        random_state: Seed = 0,
    ) -> None:
        self.promotion = promotion
        self.threshold = threshold
        self.variant = variant
        self.max_iter = max_iter
        self.order = order
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.variant != "balanced"
        return tags

    def check_parameters(self) -> None:
        """Raise, naming it, for the first parameter whose value is not accepted."""
        number("promotion", self.promotion, "a number above 1, up to 1e10", above=1.0, most=1e10)
        check_choice("variant", self.variant, list(_VARIANTS))
        if self.threshold is not None:
            accepted = "None or a finite number"
            number("threshold", self.threshold, accepted, above=-LARGEST, below=LARGEST)
        if self.threshold is not None and self.threshold <= 0 and self.variant != "balanced":
            raise InputError(
                f"threshold={self.threshold!r} is not accepted: use a number above 0, for no score is "
                "below 0, or variant='balanced'"
            )
        whole_number("max_iter", self.max_iter, 1)
        check_choice("order", self.order, ORDERS)
        generator(self.random_state)

    def _check_values(self, rows: Rows) -> None:
        """Raise, naming its place, for the first value that is out of range."""
        least = -1.0 if self.variant == "balanced" else 0.0
        strange = rows.values < least
        if not strange.any():
            strange = rows.values > 1.0
        if not strange.any():
            return
        place = np.argwhere(strange)[0]
        if isinstance(rows, CSRRows):
            i = int(np.searchsorted(rows.indptr, place[0], side="right")) - 1
            j, value = int(rows.indices[place[0]]), rows.values[place[0]]
        else:
            i, j = place.tolist()
            value = rows.values[i, j]
        what = "Negative values in data: X has" if value < least == 0.0 else "X has"
        raise InputError(
            f"{what} {value.item()!r} in row {i}, column {j}, but variant={self.variant!r} learns "
            f"from values from {least:g} to 1: scale the features to that range, or make them 0 and 1"
        )

    def _growth(self, n_features: int) -> Growth:
        threshold = self.threshold
        if threshold is None:
            threshold = 0.0 if self.variant == "balanced" else n_features
        return Growth(float(self.promotion), _VARIANTS[self.variant], float(threshold))

    def _start(self, features: Features, classes: Classes) -> Learned:
        growth = self._growth(features.count)
        origin = np.full(features.count + 1, 0.0 if self.variant == "balanced" else 1.0)
        origin[-1] = -growth.threshold
        learned = Learned.new(classes, features, origin)
        return replace(learned, kept=Exponents(np.zeros_like(learned.weights), growth))

    def _shortfall(self) -> str:
        if self.variant == "balanced":
            return super()._shortfall()
        return (
            f"{self.n_iter_} epochs were not enough, the last one made {self.history_[-1].mistakes} "
            f"updates: variant={self.variant!r} learns only weights of at least 0, which may "
            "never separate the samples even if they are separable, so use variant='balanced', or raise "
            f"max_iter={self.max_iter}"
        )

    def _admitted(self, learned: Learned, labels: Labels, place: str = "y") -> Learned:
        known = learned.classes.labels
        if len(known) == 2 and not learned.classes.is_open:
            new = np.setdiff1d(merged_classes(known, labels, place), known).tolist()
            if new:
                raise InputError(
                    f"{place} contains {new[0]!r}, but the one halfspace that Winnow has learned, for "
                    f"the classes {known.tolist()!r}, cannot be turned round to make room: name all in "
                    "the first call of partial_fit, or none"
                )
        return super()._admitted(learned, labels, place)

    def _beside(self, learned: Learned) -> Floats:
        return _exponents(learned).exponents

    def _with_beside(self, learned: Learned, beside: Floats | None) -> Exponents:
        assert beside is not None
        return Exponents(beside, _exponents(learned).growth)

    def _rule(
        self, learned: Learned, problem: Problem, arrays: Arrays, *, misses_samples: bool = False
    ) -> WinnowRule:
        growth = self._growth(learned.features.count)
        if growth != _exponents(learned).growth:
            raise InputError(
                f"promotion={self.promotion!r}, threshold={self.threshold!r} and "
                f"variant={self.variant!r} are not what the stream began with, but its weights are "
                "powers of one promotion: begin again"
            )
        return WinnowRule(problem, arrays, growth, misses_samples=misses_samples)


def _exponents(learned: Learned) -> Exponents:
    assert isinstance(learned.kept, Exponents)
    return learned.kept
