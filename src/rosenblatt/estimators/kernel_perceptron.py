"""The kernel perceptron, with scikit-learn's interface.

Conventions
-----------
Ties: a score of exactly 0 is a mistake for either label, and is predicted as the positive class.

Bias: none; the constant ``coef0`` of the polynomial kernel takes its place.

Many classes: each has its own hypothesis, that class against the rest; they share support samples and
kernel values. With two classes there is one.

Numbers: kernel values and scores are float64, summed in the order of the mistakes. On integers (linear
or polynomial kernel, integer gamma and coef0, values below 2^53) they are exact, and the run is the same
whether the samples come in one table or one by one, dense or sparse. On other numbers the last bits of a
kernel value may depend on the block it was computed in, and during learning a score within rounding
error of 0 may be decided either way. A prediction, however, does not depend on the other samples in the
call: a score whose sign rounding could change is summed again in one fixed order (see
``score_rounding``). ``SEPARATED`` means that every sample was decided in that way, correctly. For your
own kernel function this holds if its values for a pair of samples vary by less than one part in 2^32 of
the largest, whatever tables it is called with.

Streams: samples are visited once and numbered in order of arrival. New classes are added as they appear,
with the same result as if they had been named in the first call.
"""

import math
import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if

from rosenblatt.core.checks import check_choice, number, whole_number
from rosenblatt.core.classes import Classes
from rosenblatt.core.compiling import Stopwatch
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import distinct, named_classes, sign_table
from rosenblatt.core.types import (
    Floats,
    Labels,
    LabelsLike,
    MatrixLike,
    SampleLike,
    Seed,
    Signs,
    WeightsLike,
    is_sparse,
)
from rosenblatt.estimators.common.dual_classifier import DualClassifier, DualLearned, has_samples
from rosenblatt.estimators.common.kernel_parameters import check_kernel, gamma_for
from rosenblatt.estimators.common.learned import Features
from rosenblatt.estimators.common.run import Run
from rosenblatt.estimators.common.validation import (
    Samples,
    as_label,
    classes_of_all,
    generator,
    labeled_samples,
    seed_from,
    weights_of_samples,
)
from rosenblatt.estimators.streaming.new_classes import check_named, with_new_classes
from rosenblatt.estimators.streaming.stream_learning import Chunks
from rosenblatt.kernels.sparse_input import as_csr
from rosenblatt.training.dual.budget_pass import BudgetPass
from rosenblatt.training.dual.dual_pass import DualPass
from rosenblatt.training.dual.dual_scores import KEEPS, scores_of
from rosenblatt.training.dual.expansion import Expansion
from rosenblatt.training.dual.gram import Gram
from rosenblatt.training.dual.support import new_support
from rosenblatt.training.history import Epoch
from rosenblatt.training.loop import ORDERS, Log, orders, train
from rosenblatt.training.outcomes import Outcome
from rosenblatt.training.rules.dual_rule import DualRule, Pass

_MEGABYTE = 1e6


class KernelPerceptron(DualClassifier):
    """The perceptron in the feature space of a kernel, which only needs dot products of samples.

    A hypothesis is the sum of its mistakes, f(x) = Σ ±K(x_t, x); each mistaken sample is added or
    subtracted until no mistake is left. Scores are stored and updated at each visit, so each kernel term
    is added once, however many epochs run.

    Parameters
    ----------
    kernel : {"poly", "rbf", "linear", "precomputed"} or callable, default="poly"
        As in scikit-learn's SVC: (gamma·x·z + coef0)^degree, exp(-gamma·‖x - z‖²), x·z, a matrix
        of kernel values with the training samples instead of X, or a function of two tables that
        returns such a matrix.
    degree : int, default=3
        The degree of the polynomial kernel.
    gamma : {"scale", "auto"}, float or None, default=None
        "scale" is 1 / (n_features · X.var()), "auto" and None are 1 / n_features. Streams do not
        support "scale", because the variance of future samples is unknown.
    coef0 : float, default=1.0
        The constant of the polynomial kernel.
    budget : int or None, default=None
        The largest number of support samples of each halfspace. A mistake beyond it replaces a random
        one, as in the Randomized Budget Perceptron of Cavallanti, Cesa-Bianchi and Gentile (2007). If
        samples have weight 1 and length 1 in the feature space (as with "rbf"), the expected number of
        mistakes is bounded relative to the loss of any function shorter than √budget, even one that
        changes slowly. See ``budget_pass`` for the bound and its proof.
    keep : {"last", "average", "vote"}, default="last"
        The hypothesis that decides: the last one, the average over all visits, or the vote of all
        hypotheses, as in Freund and Schapire (1999). With a budget, only "last".
    max_iter : int, default=100
        The largest number of epochs.
    order : {"cyclic", "shuffle", "random"}, default="shuffle"
        The order of visits in an epoch: as given, a new permutation each time, or drawn with
        replacement. Files are often sorted by class, and then the last class would dominate every
        epoch, so the default shuffles. "cyclic" is the order of the lectures; one such epoch learns the
        same bits as a stream of the same samples.
    random_state : int, RandomState or None, default=0
        The seed of the order and of what a budget forgets. With a number, such as the default, fits are
        reproducible.
    cache_size : float, default=200
        Megabytes for kernel values kept between epochs: those of the first support samples, up
        to this limit. It changes only the time that learning takes.

    Attributes
    ----------
    classes_ : array
        The labels, sorted.
    support_ : array
        The rows of the support samples, in the order of their first mistakes; in a stream, the numbers
        of the samples, counted from 0.
    support_vectors_ : array or CSR matrix
        The support samples; empty if the kernel is precomputed.
    dual_coef_ : array of shape (n_halfspaces, n_support)
        Their coefficients: ``decision_function`` is ``K @ dual_coef_.T`` (for the vote: that of the last
        hypothesis). One halfspace for two classes, otherwise one per class.
    sequences_ : list of arrays
        The rows of each halfspace's mistakes, in order; not available with a budget, which forgets.
    outcome_ : Outcome
        Why learning stopped.
    n_mistakes_ : int
        Updates in all epochs and halfspaces.
    n_iter_ : int
        Epochs, plus later calls of `partial_fit`: the length of the history.
    history_ : History
        One record per epoch or call of `partial_fit`.
    gamma_ : float
        The value of gamma as a number.
    n_kernel_terms_ : int
        The number of kernel values computed by learning.

    Examples
    --------
    >>> from rosenblatt import KernelPerceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["same", "other", "other", "same"]
    >>> p = KernelPerceptron(kernel="poly", degree=2, gamma=1, coef0=1).fit(X, y)
    >>> print(p.outcome_)
    SEPARATED: no mistake is left, so every sample seen is on the correct side
    >>> p.predict(X), p.n_mistakes_
    (array(['same', 'other', 'other', 'same'], dtype='<U5'), 21)
    >>> p.support_, p.dual_coef_
    (array([2, 3, 1, 0]), array([[-5.,  4., -5.,  7.]]))
    """

    def __init__(
        self,
        *,
        kernel: Any = "poly",
        degree: int = 3,
        gamma: Any = None,
        coef0: float = 1.0,
        budget: int | None = None,
        keep: str = "last",
        max_iter: int = 100,
        order: str = "shuffle",
        random_state: Seed = 0,
        cache_size: float = 200,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.budget = budget
        self.keep = keep
        self.max_iter = max_iter
        self.order = order
        self.random_state = random_state
        self.cache_size = cache_size

    def check_parameters(self) -> None:
        """Raise InputError for the first parameter with an invalid value."""
        check_kernel(self.kernel, self.degree, self.gamma, self.coef0)
        if self.budget is not None:
            whole_number("budget", self.budget, 1)
        check_choice("keep", self.keep, KEEPS)
        if self.budget is not None and self.keep != "last":
            raise InputError(
                f"budget={self.budget!r} and keep={self.keep!r} do not go together: a budget forgets "
                "samples that the average or the vote needs; use keep='last'"
            )
        whole_number("max_iter", self.max_iter, 1)
        check_choice("order", self.order, ORDERS)
        generator(self.random_state)
        number("cache_size", self.cache_size, "a number of megabytes of at least 0", least=0.0)

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Learn from all samples until an epoch makes no mistake, or ``max_iter`` epochs have run.

        ``sample_weight`` multiplies the step of each sample's mistakes; samples of weight 0 are skipped.
        """
        with self._lock:
            self.check_parameters()
            X, y, features = self._samples(X, y, reset=True)
            if not has_samples(self) and X.shape[0] != X.shape[1]:
                raise InputError(
                    f"X has shape {X.shape}, but kernel='precomputed' needs a square matrix: the "
                    "kernel of each training sample with every other"
                )
            classes = classes_of_all(y)
            steps = weights_of_samples(sample_weight, len(y))
            signs = _signs(y, classes, steps)
            if not signs.any():
                raise InputError(
                    "sample_weight is zero everywhere: give some sample a weight above zero"
                )
            gamma = gamma_for(self.gamma, X, used=self.kernel in ("poly", "rbf"))
            self._assign(*self._train(self._new(X, classes, features, gamma), X, signs, steps))
        if self.outcome_ is Outcome.BUDGET and self.keep == "last":
            advice = (
                "use keep='average' or 'vote', for which that is an ordinary end"
                if self.budget is None
                else "allow a larger budget"
            )
            warnings.warn(
                f"max_iter={self.max_iter} epochs were not enough; the last one made "
                f"{self.history_[-1].mistakes} mistakes: raise max_iter, or {advice}",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _new(
        self, X: MatrixLike, classes: Classes, features: Features, gamma: float
    ) -> DualLearned:
        """Return the state before the first visit."""
        width = features.count if has_samples(self) else 1
        support, n_halfspaces = new_support(width, sparse=is_sparse(X)), classes.n_halfspaces
        learned = DualLearned(
            classes, features, Expansion(support, n_halfspaces), self._kernel_rule, gamma
        )
        if self.budget is None:
            return learned
        seed = seed_from(generator(self.random_state))
        return replace(learned, budget=int(self.budget), seed=seed)

    def _train(
        self, learned: DualLearned, X: MatrixLike, signs: Signs, steps: Floats
    ) -> tuple[DualLearned, Run]:
        """Run the epochs; return the learned state and the run."""
        cache = float(self.cache_size) * _MEGABYTE if self.max_iter > 1 else 0.0
        passes, gram = self._pass(learned, X, signs, steps, cache)
        log = Log()
        train(
            DualRule(passes, misses_samples=self.order == "random"),
            orders(self.order, len(signs), generator(self.random_state)),
            self.max_iter,
            [log],
        )
        learned = replace(learned, n_terms=gram.n_terms, n_seen=len(signs))
        outcome = log.outcome
        if outcome is Outcome.SEPARATED and self.keep != "last":
            function = self._function_of(learned)
            scores = scores_of(function, X, learned.hypothesis, self.keep)
            if (~(signs * scores > 0.0) & (signs != 0)).any():
                outcome = Outcome.AVERAGED if self.keep == "average" else Outcome.VOTED
        return learned, Run(outcome, log.history)

    def _pass(
        self,
        learned: DualLearned,
        X: MatrixLike,
        signs: Signs,
        steps: Floats,
        cache: float = 0.0,
    ) -> tuple[Pass, Gram]:
        """Return a pass over the samples, and the Gram matrix that counts its kernel terms."""
        hypothesis, function = learned.hypothesis, self._function_of(learned)
        first, budget = learned.n_seen, learned.budget
        gram = Gram(function, X, hypothesis.support, 0.0 if budget else cache)
        if budget is None:
            return DualPass(hypothesis, gram, signs, steps, first=first), gram
        passes = BudgetPass(
            hypothesis, gram, signs, steps, budget=budget, seed=learned.seed, first=first
        )
        return passes, gram

    @available_if(has_samples)
    def partial_fit(
        self,
        X: MatrixLike,
        y: LabelsLike,
        classes: LabelsLike = None,
        sample_weight: WeightsLike = None,
    ) -> Self:
        """Learn from one chunk of a stream: one visit to each sample, in the order given.

        ``classes`` names the classes in advance; otherwise they are added as they appear.
        """
        with self._lock:
            stopwatch = Stopwatch()
            self.check_parameters()
            X, y, features = self._samples(X, y, reset=self._learned is None)
            mistakes = self._learn_chunk(X, y, features, sample_weight, classes)
            learned = self._state
            norm = math.sqrt(
                max(float(learned.hypothesis.squares[learned.classes.used].sum()), 0.0)
            )
            seconds = stopwatch.seconds()
            self.history_.append(Epoch(mistakes, mistakes, None, norm, seconds))
        return self

    @available_if(has_samples)
    def fit_stream(self, chunks: Chunks, *, passes: int = 1, classes: LabelsLike = None) -> Self:
        """Learn from scratch from chunks ``(X, y)`` or ``(X, y, sample_weight)``, in one pass.

        The hypothesis stores samples of the stream, at most ``budget`` per halfspace if given. A second
        pass would number the same samples as new ones.
        """
        if passes != 1:
            raise InputError(
                f"passes={passes!r} is not accepted: KernelPerceptron learns from a stream in one pass; "
                "for more, use fit or a linear learner"
            )
        with self._lock:
            fresh = clone(self)
            for X, y, *weights in chunks:
                fresh.partial_fit(X, y, classes, *weights)
            if fresh._learned is None:
                raise InputError("the stream has no samples: give at least one chunk with some")
            self._assign(fresh._learned, fresh._run)
        return self

    @available_if(has_samples)
    def learn_one(self, x: SampleLike, y: LabelsLike, sample_weight: float | None = None) -> Self:
        """Learn from one sample of a stream, a vector or a sparse row, and its label."""
        with self._lock:
            self.check_parameters()
            X = self._one_row(x)
            self._learn_chunk(X, as_label(y), Features(int(X.shape[1])), sample_weight)
        return self

    def _learn_chunk(
        self,
        X: MatrixLike,
        y: Labels,
        features: Features,
        sample_weight: WeightsLike,
        classes: LabelsLike = None,
    ) -> int:
        """Visit each sample once; return the number of mistakes."""
        steps = weights_of_samples(sample_weight, len(y))
        learned = self._learned
        named = None if classes is None else named_classes(classes)
        if learned is None:
            learned = self._first(X, y, features, named)
        known = learned.classes.labels
        learned = with_new_classes(learned, y)
        if named is not None:
            check_named(learned.classes.labels, known, named)
            learned = with_new_classes(learned, named, "classes")
        if learned.budget != self.budget:
            raise InputError(
                f"budget={self.budget!r} differs from the start of the stream: {learned.budget!r}"
            )
        learned = replace(learned, hypothesis=learned.hypothesis.branch())
        passes, gram = self._pass(learned, X, _signs(y, learned.classes, steps), steps)
        every = np.ones(learned.classes.n_halfspaces, dtype=np.bool_)
        mistakes = passes.visit(np.arange(len(y)), every)
        n_terms, n_seen = learned.n_terms + gram.n_terms, learned.n_seen + len(y)
        self._assign_stream_state(replace(learned, n_terms=n_terms, n_seen=n_seen))
        return int(mistakes[learned.classes.used].sum())

    def _first(
        self, X: MatrixLike, y: Labels, features: Features, named: Labels | None
    ) -> DualLearned:
        """Return the state before the first sample of a stream."""
        if isinstance(self.gamma, str) and self.gamma == "scale" and self.kernel in ("poly", "rbf"):
            raise InputError(
                "gamma='scale' needs the variance of all samples, which is unknown in a stream: "
                "use a number, 'auto' or None"
            )
        classes = Classes(distinct(y), is_open=True) if named is None else Classes(named)
        gamma = gamma_for(None if self.gamma == "scale" else self.gamma, X)
        return self._new(X, classes, features, gamma)

    def _samples(self, X: MatrixLike, y: LabelsLike, *, reset: bool) -> Samples:
        accept = "csr" if has_samples(self) else False
        samples = labeled_samples(self, X, y, accept_sparse=accept, reset=reset)
        return samples._replace(X=as_csr(samples.X)) if is_sparse(samples.X) else samples


def _signs(y: Labels, classes: Classes, steps: Floats) -> Signs:
    """Return the side of each sample in each halfspace, 0 for samples of weight 0, which are skipped."""
    signs = sign_table(y, classes.positives, classes.n_halfspaces)
    signs[steps == 0.0] = 0
    return signs
