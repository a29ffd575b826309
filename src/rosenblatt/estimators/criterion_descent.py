"""Gradient descent on the perceptron criterion, with scikit-learn's contract.

Conventions
-----------
Criterion: E(w) = −Σ y·w·x over the mistaken samples, a sum and not a mean; see ``training.descent``.

Steps: each one looks at all samples, and takes w to w − η·g(w), with the gradient g(w) = −Σ y·x over the
mistaken ones. A step on a single sample is the perceptron's update: with a fixed rate `learn_one` has
the same bits as that of `Perceptron`. The bias is a constant feature of value 1.

Rate: with ``schedule="fixed"`` every step has the rate eta0, with "decaying" step t = 1, 2, 3, … has
eta0/√t. The gradient does not depend on the length of w, so from a zero start eta0 cancels exactly, and
changes nothing but the scale of the weights. From any other start it is the ratio of eta0 to the length
of the start that counts: see docs/criterion.md for what too small and too large ones do.

Ties: a score of exactly 0 adds nothing to E; under ``ties="mistake"`` its −y·x is part of the gradient,
so that a zero start can be left. The first step from there is Σ y·x over all samples.

Many classes: each has a halfspace of its own, that class against the rest, and goes its own way down;
one that has no mistake left makes no more steps. Of a matrix of labels every column is a halfspace.
"""

import warnings
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.core.checks import check_choice, check_flag, not_negative, rate, whole
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import distinct
from rosenblatt.core.types import (
    Floats,
    Labels,
    LabelsLike,
    MatrixLike,
    SampleLike,
    Seed,
    WeightsLike,
)
from rosenblatt.estimators.common.linear_classifier import tie_sign
from rosenblatt.estimators.common.lock import alone
from rosenblatt.estimators.common.targets import Samples, targets
from rosenblatt.estimators.common.validation import (
    admitted,
    check_labels,
    check_weights,
    generator,
    start_weights,
    weights_of_samples,
)
from rosenblatt.estimators.streaming.stream import StreamClassifier
from rosenblatt.kernels.rows import Rows, as_rows
from rosenblatt.training.descent import SCHEDULES, Descent, Step
from rosenblatt.training.outcomes import Outcome


class CriterionDescent(StreamClassifier):
    """The perceptron criterion, minimised by gradient descent on all samples at once.

    It stops when no sample is mistaken, when the gradient is no longer than ``tol``, or at ``max_iter``.
    Whether a sample is mistaken is decided by the exact sign of its score.

    Separable samples are separated by any fixed rate: with n samples of margin γ and radius R, at most
    n·(R/γ)² steps lead from zero weights to weights without a mistake. A gradient of 0 with mistakes
    left proves that nothing separates them, for the mistaken samples' y·x then sum to 0. Where nothing
    separates them, not even with scores of 0, the criterion has its least value, 0, at w = 0 only, and
    is a poor guide: the weights wander about (fixed rate) or shrink towards 0 (decaying rate).

    Parameters
    ----------
    eta0 : float, default=1.0
        The learning rate. From a zero start it changes nothing but the scale of the weights.
    schedule : {"fixed", "decaying"}, default="fixed"
        The rate of step t: eta0, or eta0/√t.
    tol : float, default=0.0
        Stop when the gradient is no longer than this.
    max_iter : int, default=1000
        The largest number of steps.
    fit_intercept : bool, default=True
        Learn an intercept: the weight of a constant feature of value 1.
    start : {"zero", "random"}, default="zero"
        The weights before the first step; random is a direction drawn uniformly, of length 1.
    ties : {"mistake", "positive", "negative"}, default="mistake"
        What a score of exactly 0 stands for.
    random_state : int, RandomState or None, default=None
        Seeds the start.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (n_halfspaces, n_features) and (n_halfspaces,)
        The weights: one halfspace for two classes, else one a class, or one a label.
    classes_ : array
        The labels, sorted; of a matrix of labels, the numbers of its columns.
    multilabel_ : bool
        Whether y was a matrix of labels; then `predict` returns one too.
    outcome_ : Outcome
        SEPARATED, STATIONARY (a short gradient, but mistakes left), BUDGET or STREAM.
    n_iter_ : int
        Steps made by `fit`, the last look included, and calls of `partial_fit` since: the length of the
        history.
    n_mistakes_ : int
        Mistaken samples, summed over all steps and all halfspaces.
    history_ : list of Step
        For each step the criterion, the length of the gradient, the mistakes and the length of the
        weights before the step, its rate, and the seconds it took.

    Examples
    --------
    >>> from rosenblatt import CriterionDescent
    >>> X = [[1, 1], [1, -1], [0, -1], [-1, -1], [-1, 1], [0, 1]]
    >>> d = CriterionDescent().fit(X, [1, 1, 1, -1, -1, -1], coef_init=[0, 0], intercept_init=1)
    >>> d.coef_, d.intercept_
    (array([[ 3., -1.]]), array([0.]))
    >>> [(step.criterion, step.mistakes) for step in d.history_]
    [(3.0, 3), (2.0, 2), (0.0, 0)]
    >>> print(d.outcome_)
    SEPARATED: an epoch made no mistake, so every sample seen is on its right side
    """

    multiclass = "one-vs-rest"
    class_weight = None
    unit_length = False
    keep = "last"
    history_: list[Step]

    def __init__(
        self,
        *,
        eta0: float = 1.0,
        schedule: str = "fixed",
        tol: float = 0.0,
        max_iter: int = 1000,
        fit_intercept: bool = True,
        start: str = "zero",
        ties: str = "mistake",
        random_state: Seed = None,
    ) -> None:
        self.eta0 = eta0
        self.schedule = schedule
        self.tol = tol
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.start = start
        self.ties = ties
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Raise, naming it, for the first parameter whose value is not accepted."""
        rate("eta0", self.eta0)
        check_choice("schedule", self.schedule, SCHEDULES)
        not_negative("tol", self.tol)
        whole("max_iter", self.max_iter, 1)
        check_flag("fit_intercept", self.fit_intercept)
        check_choice("start", self.start, ["zero", "random"])
        tie_sign(self.ties)
        generator(self.random_state)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def fit(
        self,
        X: MatrixLike,
        y: LabelsLike,
        coef_init: WeightsLike = None,
        intercept_init: WeightsLike = None,
        sample_weight: WeightsLike = None,
    ) -> Self:
        """Go down until no sample is mistaken, the gradient is short, or ``max_iter`` steps are made.

        ``coef_init`` and ``intercept_init`` are the weights to start from. ``sample_weight`` says how
        often each sample counts in the criterion; a sample of weight 0 is not seen.
        """
        with self._all_or_nothing():
            self.check_parameters()
            X, y = admitted(self, X, y)
            classes = np.arange(y.shape[1]) if y.ndim == 2 else distinct(y)
            if len(classes) < 2:
                raise InputError(
                    f"y has one class only, {classes.tolist()[0]!r}: learning needs at least two classes"
                )
            self._begin_stream(y, None if y.ndim == 2 else classes)
            if coef_init is not None or intercept_init is not None:
                self._weights = self._given_start(coef_init, intercept_init)
            descent = self._descent(as_rows(X, self._constant), y, sample_weight)
            if not descent.signs.any(axis=1).all():
                raise InputError(
                    "sample_weight is zero everywhere: give some sample a weight above zero"
                )
            history: list[Step] = []
            while len(history) < self.max_iter and not descent.finished.all():
                history.append(descent.step(slice(None)))
            self._conclude(descent, history)
        if self.outcome_ is not Outcome.SEPARATED:
            self._warn()
        return self

    @alone
    def partial_fit(
        self,
        X: MatrixLike,
        y: LabelsLike,
        classes: LabelsLike = None,
        sample_weight: WeightsLike = None,
    ) -> Self:
        """Make one step on a chunk of a stream.

        ``classes``, in the first call, names all classes beforehand; without it classes are learned as
        they turn up, and have the same weights as if they had been named.
        """
        self.check_parameters()
        with self._all_or_nothing():
            first = not hasattr(self, "classes_")
            X, y = admitted(self, X, y, reset=first)
            if first:
                self._begin_stream(y, classes)
            step = self._step(as_rows(X, self._constant), y, sample_weight)
        self._record(step)
        return self

    @alone
    def learn_one(self, x: SampleLike, y: LabelsLike, sample_weight: float | None = None) -> Self:
        """Make one step on one sample, a vector or a sparse row; it is not recorded in the history."""
        self._learn_carefully(x, y, sample_weight)
        return self

    def check_state(self) -> None:
        """Raise unless the learned state, wherever it came from, hangs together."""
        super().check_state()
        history = getattr(self, "history_", [])
        if not isinstance(history, list) or not all(isinstance(step, Step) for step in history):
            raise ValueError("a history that is no list of steps")
        if hasattr(self, "classes_") and self._drift is not None:
            raise ValueError("an average, which a descent does not keep")

    def _begin_stream(self, y: Labels, classes: LabelsLike) -> None:
        super()._begin_stream(y, classes)
        self.history_ = []

    def _samples(
        self, rows: Rows, y: Labels, sample_weight: WeightsLike, classes: Labels
    ) -> Samples:
        del rows  # their lengths do not matter
        weights = weights_of_samples(sample_weight, len(y))
        ones: Floats = np.broadcast_to(1.0, len(y))
        return Samples(y, weights, ones, weights, np.ones(len(classes)))

    def _given_start(self, coef_init: WeightsLike, intercept_init: WeightsLike) -> Floats:
        """Return the given start in units of the learning rate."""
        start = start_weights(
            coef_init,
            intercept_init,
            len(self._weights),
            self.n_features_in_,
            intercept=self.fit_intercept,
        )
        start = start / float(self.eta0) + 0.0  # no -0.0: dense updates would turn it into 0.0
        check_weights(start, self.eta0)
        return start

    def _descent(self, rows: Rows, y: Labels, sample_weight: WeightsLike) -> Descent:
        """Return the descent on these samples from the weights so far, which are copied."""
        samples = self._samples(rows, y, sample_weight, self.classes_)
        goal = targets(samples, self.classes_, self._positives, len(self._weights))
        return Descent(
            rows,
            np.ascontiguousarray(goal.signs.T),
            goal.steps,
            tie_sign(self.ties),
            self._weights.copy(),
            self._visits.copy(),
            self._unit,
            schedule=self.schedule,
            tol=float(self.tol),
        )

    def _step(self, rows: Rows, y: Labels, sample_weight: WeightsLike) -> Step:
        """Make one step on the samples of a stream; only the state is set, not the history."""
        if self.multilabel_:
            check_labels(y, len(self.classes_))
        else:
            self._admit(y)
        in_unit = self._unit / self.eta0  # from the unit so far to today's
        self._weights = self._weights * in_unit + 0.0
        check_weights(self._weights, self.eta0)
        self._unit = float(self.eta0)
        descent = self._descent(rows, y, sample_weight)
        step = descent.step(self._used)
        self._keep(descent)
        self.outcome_ = Outcome.STREAM
        return step

    def _learn_rows(self, rows: Rows, y: Labels, sample_weight: WeightsLike) -> int:
        return self._step(rows, y, sample_weight).mistakes

    def _learn_features(self, x: dict[Any, Any], y: LabelsLike, sample_weight: WeightsLike) -> None:
        del x, y, sample_weight
        raise InputError(
            f"the sample is a dict, from which {type(self).__name__} does not learn: give a vector or a "
            "sparse row"
        )

    def _keep(self, descent: Descent) -> None:
        self._weights, self._visits = descent.weights, descent.visits
        self._mistakes = self._mistakes + descent.totals

    def _record(self, step: Step) -> None:
        if not hasattr(self, "history_"):  # a model file may leave it out
            self.history_ = []
        self.history_.append(step)
        self.n_iter_ = len(self.history_)

    def _conclude(self, descent: Descent, history: list[Step]) -> None:
        """Set the learned state."""
        self._keep(descent)
        self.history_ = history
        self.n_iter_ = len(history)
        if descent.clean.all():
            self.outcome_ = Outcome.SEPARATED
        elif descent.finished.all():
            self.outcome_ = Outcome.STATIONARY
        else:
            self.outcome_ = Outcome.BUDGET

    def _warn(self) -> None:
        """Warn of mistakes that are left."""
        last = self.history_[-1]
        if self.outcome_ is Outcome.STATIONARY:
            text = (
                f"the gradient is no longer than tol={self.tol!r}, but {last.mistakes} mistakes are "
                "left: lower tol if it is above 0; at 0, it seems that nothing separates these samples, "
                "which `separate` can prove"
            )
        else:
            text = (
                f"max_iter={self.max_iter} steps were not enough, the last one found {last.mistakes} "
                "mistakes: raise max_iter, or find out with `separate` whether the data is separable at "
                "all, for if it is not, no number of steps is enough"
            )
        warnings.warn(text, ConvergenceWarning, stacklevel=3)
