"""The base of kernel learners: hypotheses in dual form and their decisions."""

import copy
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.core.classes import Classes
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Floats, Labels, MatrixLike, SampleLike, is_sparse
from rosenblatt.estimators.common.estimator import Estimator
from rosenblatt.estimators.common.kernel_parameters import kernel_function
from rosenblatt.estimators.common.learned import Features
from rosenblatt.estimators.common.lock import locked
from rosenblatt.estimators.common.run import Reported
from rosenblatt.estimators.common.validation import as_sample, validated
from rosenblatt.kernels.finite import check_sample
from rosenblatt.kernels.rows import as_rows
from rosenblatt.kernels.sparse_input import as_csr
from rosenblatt.training.dual.dual_scores import coefficients_of, scores_of
from rosenblatt.training.dual.expansion import Expansion
from rosenblatt.training.dual.kernel_functions import KernelFunction
from rosenblatt.training.history import History
from rosenblatt.training.outcomes import Outcome

_KERNEL = ("kernel", "degree", "gamma", "coef0")


def has_samples(estimator: Any) -> bool:
    """Return whether the estimator takes samples, not kernel values, as streams require."""
    return not (isinstance(estimator.kernel, str) and estimator.kernel == "precomputed")


@dataclass(frozen=True)
class DualLearned:
    """The learned state in dual form: a sum of kernel terms for each halfspace.

    ``kernel`` holds the kernel's parameters at the start of learning, ``gamma`` its gamma as a number;
    ``n_seen`` counts the samples, ``n_terms`` the computed kernel values. ``budget``, unless None, is
    the largest number of mistakes kept per halfspace; ``seed`` decides which are forgotten.
    """

    classes: Classes
    features: Features
    hypothesis: Expansion
    kernel: tuple[Any, ...]
    gamma: float
    n_seen: int = 0
    n_terms: int = 0
    budget: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if not (type(self.n_seen) is int and 0 <= self.n_seen < 2**53):
            raise ValueError("the count of samples is not a valid number")
        if not (type(self.n_terms) is int and 0 <= self.n_terms < 2**62):
            raise ValueError("the count of kernel terms is not a valid number")
        kernel = self.kernel
        if (
            not isinstance(kernel, tuple)
            or len(kernel) != len(_KERNEL)
            or not all(isinstance(value, str | int | float) or callable(value) for value in kernel)
        ):
            raise ValueError("the kernel parameters are invalid")
        precomputed = isinstance(kernel[0], str) and kernel[0] == "precomputed"
        width = 1 if precomputed else self.features.count
        if type(self.seed) is not int or self.seed < 0:
            raise ValueError("the seed is not a whole number of at least 0")
        if self.budget is not None and (type(self.budget) is not int or self.budget < 1):
            raise ValueError("the budget is not a whole number of at least 1")
        most = np.inf if self.budget is None else self.budget
        fits = (
            isinstance(self.hypothesis, Expansion)
            and len(self.hypothesis.visits) == self.classes.n_halfspaces
            and self.hypothesis.support.n_features == width
            and isinstance(self.gamma, float)  # a whole number may be too large for float64
            and 0.0 < self.gamma < np.inf
            and bool((self.hypothesis.kept_counts <= most).all())
        )
        if not fits:
            raise ValueError("the hypothesis does not fit the classes or the features")

    def opened(self) -> Self:
        """Return the state of a closed stream, extended to accept new classes.

        With two classes, the first one's hypothesis is minus the second one's.
        """
        n_classes = len(self.classes)
        sources, signs = [*range(n_classes), -1], [1] * (n_classes + 1)
        if n_classes == 2:
            sources, signs = [0, 0, -1], [-1, 1, 1]
        return replace(
            self,
            classes=replace(self.classes, is_open=True),
            hypothesis=self.hypothesis.started_from(sources, signs),
        )

    def started_from(self, sources: Counts, classes: Classes) -> Self:
        """Return the state for other classes, each starting as a copy of one of these."""
        hypothesis = self.hypothesis.started_from(sources.tolist())
        return replace(self, classes=classes, hypothesis=hypothesis)


class DualClassifier(ClassifierMixin, Estimator[DualLearned]):
    """Abstract: a classifier that learns a sum of kernel terms for each halfspace."""

    kernel: Any
    degree: int
    gamma: Any
    coef0: float
    budget: int | None
    keep: str
    outcome_ = Reported[Outcome]("Why learning stopped.")
    history_ = Reported[History]("One record per epoch or call of `partial_fit`.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = has_samples(self)
        tags.input_tags.pairwise = not has_samples(self)
        return tags

    def __getstate__(self) -> Any:
        with self._lock:
            state = super().__getstate__()
            if state.get("_fixed") is not None:  # hypotheses grow, so a copy needs its own
                state["_fixed"] = copy.deepcopy(state["_fixed"])
            return state

    @property
    def _used(self) -> slice:
        """The halfspaces that decide."""
        return self._state.classes.used

    @property
    def classes_(self) -> Labels:
        """The labels, sorted."""
        return self._state.classes.labels

    @property
    def gamma_(self) -> float:
        """The value of gamma as a number."""
        return self._state.gamma

    @property
    def n_kernel_terms_(self) -> int:
        """The number of kernel values computed by learning."""
        return self._state.n_terms

    def _one_row(self, x: SampleLike) -> Any:
        """Return one sample as a matrix of one row."""
        X = as_sample(x)
        check_sample(as_rows(X, 0.0))
        learned = self._learned
        if learned is not None and X.shape[1] != learned.features.count:
            raise InputError(
                f"the sample has {X.shape[1]} features, but {type(self).__name__} is expecting "
                f"{learned.features.count} features as input"
            )
        return X

    @property
    def _kernel_rule(self) -> tuple[Any, ...]:
        """The kernel's parameters in comparable form: a gamma of None is "auto"."""
        gamma = "auto" if self.gamma is None else self.gamma
        gamma = gamma if isinstance(gamma, str) else float(gamma)
        return self.kernel, int(self.degree), gamma, float(self.coef0)

    @property
    def _function(self) -> KernelFunction:
        """The kernel function; raise InputError if it differs from that of the learned hypothesis."""
        return self._function_of(self._state)

    def _function_of(self, learned: DualLearned) -> KernelFunction:
        now = self.kernel, self.degree, self.gamma, self.coef0
        for name, value, new, old in zip(
            _KERNEL, now, self._kernel_rule, learned.kernel, strict=True
        ):
            if new != old:
                raise InputError(
                    f"{name}={value!r} differs from the start of learning, {old!r}, and terms of two "
                    "kernels cannot be added: set it back, or start again with fit or a clone"
                )
        return kernel_function(self.kernel, self.degree, learned.gamma, self.coef0)

    @locked
    def decision_function(self, X: MatrixLike) -> Floats:
        """Return one score per sample or, with more than two classes, per sample and class."""
        check_is_fitted(self)
        accept = "csr" if has_samples(self) else False
        X = validated(self, X, accept_sparse=accept)
        X = as_csr(X) if is_sparse(X) else X
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    @locked
    def predict(self, X: MatrixLike) -> Labels:
        """Return the label of each sample: by the sign of the score (0 is positive), or the highest."""
        scores = self.decision_function(X)
        return self.classes_[self._chosen(scores.reshape(len(scores), -1))]

    @locked
    def predict_one(self, x: SampleLike) -> Any:
        """Return the label of one sample, a vector or a sparse row; None before learning."""
        if self._learned is None:
            return None
        return self.classes_.item(int(self._chosen(self._scores(self._one_row(x)))[0]))

    def _scores(self, X: MatrixLike) -> Floats:
        return scores_of(self._function, X, self._state.hypothesis, self._kept, self._used)

    def _chosen(self, scores: Floats) -> Counts:
        """Return the number of the class that each row of scores selects."""
        if len(self.classes_) == 2:
            return (scores[:, 0] >= 0.0).astype(np.int64)
        return np.asarray(scores.argmax(axis=1), dtype=np.int64)

    @property
    def _kept(self) -> str:
        """The hypothesis that decides: with a budget, only the last one is known."""
        return self.keep if self._state.budget is None else "last"

    @property
    def _places(self) -> Counts:
        """The positions of the support samples of the deciding halfspaces."""
        return self._state.hypothesis.places_in(self._used)

    @property
    def support_(self) -> Counts:
        """The rows of the support samples."""
        return np.asarray(self._state.hypothesis.rows.view()[self._places], dtype=np.int64)

    @property
    def support_vectors_(self) -> Any:
        """The support samples."""
        if not has_samples(self):
            return np.empty((0, 0))
        return self._state.hypothesis.support.take(self._places).copy()

    @property
    def dual_coef_(self) -> Floats:
        """The coefficients of the support samples."""
        return coefficients_of(self._state.hypothesis, self._kept)[self._used][:, self._places]

    @property
    def sequences_(self) -> list[Counts]:
        """The rows of each halfspace's mistakes, in order."""
        hypothesis = self._state.hypothesis
        if self._state.budget is not None:
            raise AttributeError(
                "sequences_ is not available with a budget, which forgets mistakes"
            )
        used = range(len(hypothesis.visits))[self._used]
        return [hypothesis.sequence(k) for k in used]

    @property
    def n_mistakes_(self) -> int:
        """Updates in all halfspaces together."""
        return int(self._state.hypothesis.mistake_counts[self._used].sum())

    def check_learned(self) -> None:
        """Raise ValueError unless the learned state fits the parameters."""
        learned, run = self._learned, self._run
        if not isinstance(learned, DualLearned) or learned.budget != self.budget:
            raise ValueError(f"budget={self.budget!r} differs from the start of learning")
        if run is not None and not isinstance(run.history, History | None):
            raise ValueError("this is not the history of a KernelPerceptron")
