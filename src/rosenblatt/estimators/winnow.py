"""Winnow: multiplicative updates, for many features of which few matter.

Conventions
-----------
Decision: positive if w·x ≥ threshold, so a score (w·x minus the threshold) of exactly 0 is positive.
The exact sign decides, in learning and in `predict`.

Start: every weight is 1 and the threshold is the number of features, as in Blum's bound.

Weights: the learned state is one exponent per feature, its promotions minus its demotions, and the
weight is promotion**exponent. So a promotion and a demotion cancel exactly; with promotion 2 and
features of 0 and 1 all weights are exact; and a weight too small for float64 counts as 0 but keeps its
exponent. The weight of a feature with values 0 and 1 never exceeds promotion · threshold, because it is
promoted only while it is below the threshold; if the threshold is below 1/promotion, it never exceeds
its start, 1. If any weight reaches 1e150 (possible with values between 0 and 1, balanced weights or
sample weights), learning fails with an error and changes nothing.

Streams: the threshold depends on the number of features, so streams of dicts, which may bring new
features at any time, are not supported. A sample's weight multiplies its step: the change of the
exponents.

Features: 0 and 1, or any value between: an update then multiplies by promotion**x, and
`bounds.winnow_entropy_bound` holds; the older bounds are for 0 and 1. Only active features, those
that are not 0, are read and changed.

Balanced: each feature has two weights, promotion**exponent and its inverse, and their difference is
used, so it can be negative. Values may be from -1 to 1, the constant 1 is a feature like all others, and
all differences and the threshold start from 0: scaling all weights then changes no decision, and the
decisions are those of the normalized (exponentiated gradient) form, whose bound is
`bounds.balanced_winnow_mistake_bound`.
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
    """Double the weights of active features on a false negative, halve them on a false positive.

    A disjunction of r of n features is learned with at most 2 + 3·r·(1 + lg n) mistakes, in any order;
    the perceptron may make a number proportional to n. See ``rosenblatt.bounds`` for this and wider
    targets.

    Parameters
    ----------
    promotion : float, default=2.0
        The factor that a weight is multiplied by on a false negative, and divided by on a false
        positive. For targets "at least r of k features" use 1 + 1/(2·r).
    threshold : float or None, default=None
        The value that w·x must reach. None is the number of features, or 0 for balanced weights.
    variant : {"halving", "elimination", "balanced"}, default="halving"
        "halving": a demotion divides by the promotion. "elimination": a demotion sets the weight to 0
        permanently, which is right only for disjunctions without wrong labels. "balanced": each feature
        has two weights, see above.
    max_iter : int, default=1000
        The largest number of epochs.
    order : {"cyclic", "shuffle", "random"}, default="shuffle"
        The order of visits in an epoch: as given, a new permutation each time, or drawn with
        replacement. Files are often sorted by class, and then the last class would dominate every
        epoch, so the default shuffles. "cyclic" is the order of the lectures; one such epoch learns the
        same bits as a stream of the same samples.
    random_state : int, RandomState or None, default=0
        The seed of the order. With a number, such as the default, fits are reproducible.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (n_halfspaces, n_features) and (n_halfspaces,)
        The weights, and minus the threshold.
    classes_ : array
        The labels, sorted; of two, the greater one is positive.
    outcome_ : Outcome
        Why learning stopped.
    n_iter_ : int
        Epochs, plus later calls of `partial_fit`: the length of the history.
    n_mistakes_ : int
        Mistakes in all epochs and halfspaces; each is an update.
    history_ : History
        One record per epoch or call of `partial_fit`.

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
        """Raise InputError for the first parameter with an invalid value."""
        number("promotion", self.promotion, "a number above 1, up to 1e10", above=1.0, most=1e10)
        check_choice("variant", self.variant, list(_VARIANTS))
        if self.threshold is not None:
            accepted = "None or a finite number"
            number("threshold", self.threshold, accepted, above=-LARGEST, below=LARGEST)
        if self.threshold is not None and self.threshold <= 0 and self.variant != "balanced":
            raise InputError(
                f"threshold={self.threshold!r} is not accepted: use a number above 0, because no "
                "score is below 0, or variant='balanced'"
            )
        whole_number("max_iter", self.max_iter, 1)
        check_choice("order", self.order, ORDERS)
        generator(self.random_state)

    def _check_values(self, rows: Rows) -> None:
        """Raise InputError, naming row and column, for the first value that is out of range."""
        least = -1.0 if self.variant == "balanced" else 0.0
        is_bad = rows.values < least
        if not is_bad.any():
            is_bad = rows.values > 1.0
        if not is_bad.any():
            return
        place = np.argwhere(is_bad)[0]
        if isinstance(rows, CSRRows):
            i = int(np.searchsorted(rows.indptr, place[0], side="right")) - 1
            j, value = int(rows.indices[place[0]]), rows.values[place[0]]
        else:
            i, j = place.tolist()
            value = rows.values[i, j]
        what = "Negative values in data: X has" if value < least == 0.0 else "X has"
        raise InputError(
            f"{what} {value.item()!r} in row {i}, column {j}, but variant={self.variant!r} needs "
            f"values from {least:g} to 1: make them 0 and 1, or scale each row to length 1"
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

    def _unfinished_warning(self) -> str:
        if self.variant == "balanced":
            return super()._unfinished_warning()
        return (
            f"{self.n_iter_} epochs were not enough; the last one made {self.history_[-1].mistakes} "
            f"updates: variant={self.variant!r} learns only weights of at least 0, which may never "
            "separate even separable samples; use variant='balanced', or raise "
            f"max_iter={self.max_iter}"
        )

    def _with_new_classes(self, learned: Learned, labels: Labels, place: str = "y") -> Learned:
        known = learned.classes.labels
        if len(known) == 2 and not learned.classes.is_open:
            new = np.setdiff1d(merged_classes(known, labels, place), known).tolist()
            if new:
                raise InputError(
                    f"{place} contains {new[0]!r}, but Winnow has learned one halfspace for the classes "
                    f"{known.tolist()!r}, which cannot be extended: name all classes in the first call "
                    "of partial_fit, or none"
                )
        return super()._with_new_classes(learned, labels, place)

    def _extra_array(self, learned: Learned) -> Floats:
        return _exponents(learned).exponents

    def _kept_from(self, learned: Learned, extra: Floats | None) -> Exponents:
        assert extra is not None
        return Exponents(extra, _exponents(learned).growth)

    def _rule(
        self, learned: Learned, problem: Problem, arrays: Arrays, *, misses_samples: bool = False
    ) -> WinnowRule:
        growth = self._growth(learned.features.count)
        if growth != _exponents(learned).growth:
            raise InputError(
                f"promotion={self.promotion!r}, threshold={self.threshold!r} and "
                f"variant={self.variant!r} differ from the start of the stream, whose weights are "
                "powers of one promotion: start again with fit or a clone"
            )
        return WinnowRule(problem, arrays, growth, misses_samples=misses_samples)


def _exponents(learned: Learned) -> Exponents:
    assert isinstance(learned.kept, Exponents)
    return learned.kept
