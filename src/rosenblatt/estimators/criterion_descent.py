"""Gradient descent on the perceptron criterion, with scikit-learn's contract.

Conventions
-----------
Criterion: E(w) = −Σ y·w·x over the mistaken samples, a sum and not a mean; see ``criterion_rule``.

Steps: each one looks at all samples, and takes w to w − η·g(w), with the gradient g(w) = −Σ y·x over the
mistaken ones. A step on a single sample is the perceptron's update: with a fixed rate `learn_one` has
the same bits as that of `Perceptron`. The bias is a constant feature of value 1.

Rate: with ``schedule="fixed"`` every step has the rate eta0, with "decaying" step t = 1, 2, 3, … has
eta0/√t. The gradient does not depend on the length of w, so from a zero start eta0 cancels exactly, and
changes nothing but the scale of the weights. From any other start it is the ratio of eta0 to the length
of the start that counts: see docs/topics/criterion.md for what too small and too large ones do.

Ties: a score of exactly 0 adds nothing to E; under ``ties="mistake"`` its −y·x is part of the gradient,
so that a zero start can be left. The first step from there is Σ y·x over all samples.

Many classes: each has a halfspace of its own, that class against the rest, and goes its own way down;
one that has no mistake left makes no more steps. Of a matrix of labels every column is a halfspace.
"""

import warnings
from dataclasses import replace
from itertools import repeat
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.core.checks import check_choice, check_flag, not_negative, rate, whole
from rosenblatt.core.classes import Classes
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats, LabelsLike, MatrixLike, Seed, WeightsLike
from rosenblatt.estimators.common.learned import Features, Learned
from rosenblatt.estimators.common.linear_classifier import tie_sign
from rosenblatt.estimators.common.run import Run
from rosenblatt.estimators.common.validation import (
    admitted,
    check_weights,
    classes_of_all,
    generator,
    origin_weights,
    start_weights,
    weights_of_samples,
)
from rosenblatt.estimators.streaming.chunk import Chunk
from rosenblatt.estimators.streaming.stream import StreamClassifier
from rosenblatt.kernels.rows import as_rows
from rosenblatt.training.loop import Log, train
from rosenblatt.training.outcomes import Outcome
from rosenblatt.training.problem import Weighting, new_problem
from rosenblatt.training.rules.criterion_rule import SCHEDULES, Descent, Step


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
    SEPARATED: no mistake is left, so every sample seen is on its right side
    """

    _new_history = list

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
        with self._lock:
            self.check_parameters()
            X, y, features = admitted(self, X, y)
            learned = self._start(features, classes_of_all(y))
            if coef_init is not None or intercept_init is not None:
                shape, eta0 = learned.weights.shape, float(self.eta0)
                start = start_weights(
                    coef_init, intercept_init, shape, intercept=self.fit_intercept, eta0=eta0
                )
                learned = replace(learned, weights=start)
            chunk = Chunk(as_rows(X, self._constant), y, sample_weight, features)
            descent = self._descent(learned, chunk)
            if not descent.sees_samples:
                raise InputError(
                    "sample_weight is zero everywhere: give some sample a weight above zero"
                )
            log = Log(history=[])
            train(descent, repeat(np.arange(len(y))), self.max_iter, [log])
            self._assign(_after(learned, descent), Run(log.outcome, log.history))
        if self.outcome_ is not Outcome.SEPARATED:
            self._warn()
        return self

    def _start(self, features: Features, classes: Classes) -> Learned:
        rng, eta0 = generator(self.random_state), float(self.eta0)
        origin = origin_weights(
            self.start, features.count, rng, intercept=self.fit_intercept, eta0=eta0
        )
        return Learned.new(classes, features, origin, eta0)

    def _state_for(self, chunk: Chunk, classes: LabelsLike) -> Learned:
        learned = super()._state_for(chunk, classes).rescaled(float(self.eta0))
        check_weights(learned.weights, self.eta0)
        return learned

    def _visit(self, learned: Learned, chunk: Chunk) -> tuple[Learned, Step]:
        """Make one step on the samples."""
        descent = self._descent(learned, chunk)
        descent.visit()
        return _after(learned, descent), descent.last_step(learned.classes.used, 0.0)

    def _descent(self, learned: Learned, chunk: Chunk) -> Descent:
        """Return the descent on some samples from the weights so far, which are copied."""
        weights = weights_of_samples(chunk.sample_weight, len(chunk.y))
        ones: Floats = np.broadcast_to(1.0, len(chunk.y))
        weighting = Weighting(weights, ones, np.ones(len(learned.classes)))
        return Descent(
            new_problem(chunk.rows, chunk.y, learned.classes, weighting, tie=tie_sign(self.ties)),
            learned.weights.copy(),
            learned.visits.copy(),
            learned.rate,
            schedule=self.schedule,
            tol=float(self.tol),
        )

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


def _after(learned: Learned, descent: Descent) -> Learned:
    mistakes = learned.mistakes + descent.mistakes
    return replace(learned, weights=descent.weights, visits=descent.visits, mistakes=mistakes)
