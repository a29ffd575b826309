"""Passive-aggressive learning of halfspaces, with scikit-learn's interface.

Conventions
-----------
Loss: max(0, 1 - margin), so a correct sample near the boundary also causes an update, and
``n_mistakes_`` counts updates. A score of 0 predicts the positive class.

Many classes: each has its own halfspace, that class against the rest. Or the classes learn jointly
(``multiclass="joint"``): the margin of a sample is then the lead of its own class over the best other
one, and an update adds τ·x to its own class and subtracts it from that one, with 2·‖x‖² for ‖x‖² in the
formulas for τ. With two classes one halfspace is learned either way.

Intercept: an update of step τ moves it by ``intercept_rate`` · τ, like a constant feature of value
√intercept_rate. With ``length="features"``, ‖x‖, which the step is divided by, excludes that constant:
this is scikit-learn's rule, whose rate is 1.0 for dense samples and 0.01 for sparse ones. With
``length="extended"`` ‖x‖ includes it, and the bounds of `bounds.passive_aggressive_bound` hold for the
extended samples; without an intercept they hold either way.

Short samples: if ‖x‖² is below ``intercept_rate``, a step with ``length="features"`` overshoots by more
than the sample's distance, and PA, or PA-II with a large C, may diverge until an error reports that
float64 overflows; C limits the step of PA-I. With ``length="extended"`` no step overshoots.

Samples of length 0: PA and PA-I cannot move for a sample whose ‖x‖² is 0 in float64, and skip it: zero
rows and, because small squares underflow, rows of values below about 1e-162. Scale such features up.
PA-II moves the intercept for them; with ``length="extended"`` all variants do.

scikit-learn: with ``tol=0`` and its intercept rate, the weights equal those of its
PassiveAggressiveClassifier with ``shuffle=False, tol=None``. That class is deprecated; it decides a
score of exactly 0 the other way.

Sample weights: they multiply C for that sample, so a heavy sample is trusted more but no step
overshoots. PA has no C and trusts all samples equally; samples of weight 0 are skipped.

Bits: scores and lengths are summed in column order, so dense and sparse, float32 and float64 storage of
the same numbers, epochs and streams all give the same weights.
"""

from dataclasses import replace

import numpy as np

from rosenblatt.core.checks import (
    LARGEST_RATE,
    SMALLEST_RATE,
    check_choice,
    check_flag,
    number,
    rate,
    whole_number,
)
from rosenblatt.core.classes import Classes
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats, LabelsLike, Seed
from rosenblatt.estimators.common.learned import Features, Learned
from rosenblatt.estimators.common.validation import generator
from rosenblatt.estimators.streaming.chunk import Chunk
from rosenblatt.estimators.streaming.online import OnlineClassifier
from rosenblatt.estimators.streaming.stream import AUTO
from rosenblatt.kernels.epochs.online_rules import PA, PA_I, PA_II, StepLimits
from rosenblatt.training.deciders.average import Average
from rosenblatt.training.loop import ORDERS
from rosenblatt.training.mean_square import SquaredLengths
from rosenblatt.training.problem import Problem
from rosenblatt.training.rules.online_rule import Arrays
from rosenblatt.training.rules.passive_aggressive_rule import PassiveAggressiveRule

_VARIANTS = {"PA": PA, "PA-I": PA_I, "PA-II": PA_II}


class PassiveAggressive(OnlineClassifier):
    """On each visit, change the weights as little as possible to give the sample a margin of 1.

    ``fit`` stops after an epoch without a loss above ``tol`` if every sample is then on its right side,
    or after ``max_iter`` epochs, which is how most averages end. ``multiclass="joint"`` and ``C="auto"``
    are usually more accurate than the defaults, which `partial_fit` can use from its first call.

    Parameters
    ----------
    variant : {"PA-I", "PA-II", "PA"}, default="PA-I"
        The step: loss/‖x‖², but at most C; loss/(‖x‖² + 1/(2C)); or loss/‖x‖², which trusts every
        label.
    C : float or "auto", default=1.0
        The aggressiveness of PA-I and PA-II: with a small C, a wrong label does less harm. "auto" is 1
        divided by the mean of ‖x‖² + 1 (without an intercept ‖x‖²) over the samples of weight above 0,
        summed exactly; a stream measures its first 1,000 samples, and `partial_fit` needs a number or an
        earlier `fit`.
    fit_intercept : bool, default=True
        Learn an intercept.
    intercept_rate : float, default=1.0
        How far the intercept moves, relative to the step of the weights.
    length : {"features", "extended"}, default="features"
        Whether ‖x‖ includes the constant feature behind the intercept.
    max_iter : int, default=10
        The largest number of epochs.
    tol : float, default=1e-3
        The largest loss that `fit` ignores when it stops; 0 requires an epoch without any update.
    order : {"cyclic", "shuffle", "random"}, default="shuffle"
        The order of visits in an epoch: as given, a new permutation each time, or drawn with
        replacement. Files are often sorted by class, and then the last class would dominate every
        epoch, so the default shuffles. "cyclic" is the order of the lectures; one such epoch learns the
        same bits as a stream of the same samples.
    keep : {"last", "average"}, default="average"
        The weights that decide: those after the last visit, or the average over all visits, which is
        more accurate if the classes overlap, but has to be computed again for each `predict_one`.
    multiclass : {"one-vs-rest", "joint"}, default="one-vs-rest"
        How three or more classes are learned: each against the rest, or jointly, so that every
        sample's own class leads all others by 1. Joint learning from chunks must name all classes in
        its first call.
    random_state : int, RandomState or None, default=0
        The seed of the order. With a number, such as the default, fits are reproducible.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (n_halfspaces, n_features) and (n_halfspaces,)
        The weights: one halfspace for two classes, otherwise one per class.
    classes_ : array
        The labels, sorted.
    C_ : float
        The C in effect: the parameter, or its value if that is "auto".
    outcome_ : Outcome
        Why learning stopped.
    n_iter_ : int
        Epochs, plus later calls of `partial_fit`: the length of the history.
    n_mistakes_ : int
        Updates in all epochs and halfspaces.
    history_ : History
        One record per epoch or call of `partial_fit`.

    References
    ----------
    K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz and Y. Singer, Online passive-aggressive
    algorithms, Journal of Machine Learning Research 7 (2006).

    Examples
    --------
    >>> from rosenblatt import PassiveAggressive
    >>> X, y = [[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], ["far", "far", "near"]
    >>> p = PassiveAggressive().fit(X, y)
    >>> print(p.outcome_)
    SEPARATED: no mistake is left, so every sample seen is on the correct side
    >>> p.predict([[0.0, 0.0], [5.0, 5.0]])
    array(['near', 'far'], dtype='<U4')
    >>> p = PassiveAggressive(variant="PA", fit_intercept=False, keep="last").learn_one([2.0, 0.0], "b")
    >>> p.learn_one([0.0, -1.0], "a").predict_one([0.5, 0.0]), p.coef_
    ('b', array([[0.5, 1. ]]))
    """

    ties = "mistake"
    _kept_kinds = (type(None), Average)

    def __init__(
        self,
        *,
        variant: str = "PA-I",
        C: float | str = 1.0,
        fit_intercept: bool = True,
        intercept_rate: float = 1.0,
        length: str = "features",
        max_iter: int = 10,
        tol: float = 1e-3,
        order: str = "shuffle",
        keep: str = "average",
        multiclass: str = "one-vs-rest",
        random_state: Seed = 0,
    ) -> None:
        self.variant = variant
        self.C = C
        self.fit_intercept = fit_intercept
        self.intercept_rate = intercept_rate
        self.length = length
        self.max_iter = max_iter
        self.tol = tol
        self.order = order
        self.keep = keep
        self.multiclass = multiclass
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Raise InputError for the first parameter with an invalid value."""
        check_choice("variant", self.variant, ["PA-I", "PA-II", "PA"])
        if isinstance(self.C, str):
            check_choice("C", self.C, [AUTO])
        else:
            rate("C", self.C)
        check_flag("fit_intercept", self.fit_intercept)
        rate("intercept_rate", self.intercept_rate)
        check_choice("length", self.length, ["features", "extended"])
        whole_number("max_iter", self.max_iter, 1)
        number("tol", self.tol, "a number from 0 to below 1", least=0.0, below=1.0)
        check_choice("order", self.order, ORDERS)
        check_choice("keep", self.keep, ["last", "average"])
        check_choice("multiclass", self.multiclass, ["one-vs-rest", "joint"])
        generator(self.random_state)

    def _start(self, features: Features, classes: Classes) -> Learned:
        learned = Learned.new(classes, features, np.zeros(features.count + 1))
        drift = np.zeros_like(learned.weights) if self.keep == "average" else None
        learned = replace(learned, kept=self._kept_from(learned, drift))
        return learned if isinstance(self.C, str) else replace(learned, step_limit=float(self.C))

    @property
    def is_measuring(self) -> bool:
        """Whether C is "auto"."""
        return self.C == AUTO

    def measured_value(self, lengths: SquaredLengths) -> float:
        """Return C: 1 divided by the mean squared length of the samples."""
        mean = lengths.mean(self._constant)
        if mean == 0.0:  # no step is possible
            return 1.0
        if not SMALLEST_RATE <= 1.0 / mean <= LARGEST_RATE:
            raise InputError(
                f"the mean squared length of the samples is {mean:g}, too far from 1 for C='auto': "
                "scale them, or give a number"
            )
        return 1.0 / mean

    def _with_measured(self, learned: Learned, value: float) -> Learned:
        return replace(learned, step_limit=value)

    def _state_for(self, chunk: Chunk, classes: LabelsLike) -> Learned:
        if self.is_measuring and self._learned is None:
            raise InputError(
                "C='auto' depends on the mean squared length of all samples: call fit or fit_stream "
                "first, or give partial_fit and learn_one a number"
            )
        learned = super()._state_for(chunk, classes)
        return learned if isinstance(self.C, str) else replace(learned, step_limit=float(self.C))

    @property
    def C_(self) -> float:
        """The C in effect: the parameter, or its measured value if that is "auto"."""
        return self._state.step_limit if isinstance(self.C, str) else float(self.C)

    def _unfinished_warning(self) -> str:
        if self.history_[-1].training_mistakes is None:  # some halfspace still had updates to make
            return super()._unfinished_warning()
        return (
            f"learning stopped at epoch {self.n_iter_} because no update is left to make, but "
            f"variant={self.variant!r} cannot move for rows whose squared length (or C times weight) "
            "is 0 in float64, and misclassifies some of them: leave them out, scale the samples up, or "
            "learn an intercept with length='extended'"
        )

    def _extra_array(self, learned: Learned) -> Floats | None:
        return learned.kept.drift if isinstance(learned.kept, Average) else None

    def _kept_from(self, _learned: Learned, extra: Floats | None) -> Average | None:
        return None if extra is None else Average(extra)

    def _rule(
        self, learned: Learned, problem: Problem, arrays: Arrays, *, misses_samples: bool = False
    ) -> PassiveAggressiveRule:
        if (learned.kept is None) != (self.keep == "last"):
            raise InputError(
                f"keep={self.keep!r} differs from the start of the stream: an average covers all visits"
            )
        rate = float(self.intercept_rate) if self.fit_intercept else 0.0
        counted = rate if self.length == "extended" else 0.0
        limit = learned.step_limit if isinstance(self.C, str) else float(self.C)
        aggression = StepLimits(_VARIANTS[self.variant], limit, rate, counted)
        return PassiveAggressiveRule(
            problem, arrays, aggression, tol=self.tol, misses_samples=misses_samples
        )
