"""What a learner of hypotheses in dual form has, and the decisions they make."""

import copy
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import positive_classes
from rosenblatt.core.types import Counts, Floats, Labels, MatrixLike, SampleLike, is_sparse
from rosenblatt.estimators.common.kernel_parameters import kernel_function
from rosenblatt.estimators.common.lock import Locked, alone
from rosenblatt.estimators.common.validation import as_sample, validated
from rosenblatt.kernels.sparse_input import as_csr
from rosenblatt.training.dual.dual_scores import coefficients_of, scores_of
from rosenblatt.training.dual.expansion import Expansion
from rosenblatt.training.dual.forgetron import Forgetron
from rosenblatt.training.dual.functions import KernelFunction
from rosenblatt.training.history import History
from rosenblatt.training.outcomes import Outcome

_KERNEL = ("kernel", "degree", "gamma", "coef0")


def has_samples(estimator: Any) -> bool:
    """Say whether the estimator sees samples, not their kernel values: only then can they stream."""
    return not (isinstance(estimator.kernel, str) and estimator.kernel == "precomputed")


class DualClassifier(Locked, ClassifierMixin, BaseEstimator):
    """Abstract: a classifier whose state is a sum of kernel terms for each halfspace.

    A subclass sets ``classes_``, ``gamma_``, ``_hypothesis`` (the terms of all halfspaces), ``_n_seen``
    (the samples so far), ``_stream`` (the parameters of the kernel that learning began with) and
    ``_open``: an open stream has a halfspace for each class, even for two, and one more for classes yet
    to come.
    """

    kernel: Any
    degree: int
    gamma: Any
    coef0: float
    budget: int | None
    keep: str
    classes_: Labels
    n_features_in_: int
    gamma_: float
    outcome_: Outcome
    n_iter_: int
    history_: History
    n_kernel_terms_: int
    _hypothesis: Expansion | Forgetron
    _n_seen: int
    _open: bool
    _stream: tuple[Any, ...]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = has_samples(self)
        tags.input_tags.pairwise = not has_samples(self)
        return tags

    def __getstate__(self) -> Any:
        with self._lock:
            before: Any = super().__getstate__()
            state = dict(before)
            for name in {"_hypothesis", "history_"} & set(
                state
            ):  # they grow, so a copy needs its own
                state[name] = copy.deepcopy(state[name])
            return state

    def _one_row(self, x: SampleLike) -> Any:
        """Return one sample as a matrix of one row."""
        X = as_sample(x)
        if not np.isfinite(X.data if is_sparse(X) else X).all():
            raise InputError("the sample contains NaN or infinity: give finite values")
        if hasattr(self, "n_features_in_") and X.shape[1] != self.n_features_in_:
            raise InputError(
                f"the sample has {X.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        return X

    @property
    def _kernel_rule(self) -> tuple[Any, ...]:
        """The parameters of the kernel: None and "auto" are the same gamma."""
        gamma = "auto" if self.gamma is None else self.gamma
        gamma = gamma if isinstance(gamma, str) else float(gamma)
        return self.kernel, int(self.degree), gamma, float(self.coef0)

    @property
    def _function(self) -> KernelFunction:
        """The kernel function; raise if it is not the one that the hypothesis was learned with."""
        now = self.kernel, self.degree, self.gamma, self.coef0
        for name, value, new, old in zip(
            _KERNEL, now, self._kernel_rule, self._stream, strict=True
        ):
            if new != old:
                raise InputError(
                    f"{name}={value!r} is not what learning began with: {old!r}, and terms of two "
                    "kernels do not add up: set it back, or begin again with fit or a clone"
                )
        return kernel_function(self.kernel, self.degree, self.gamma_, self.coef0)

    @property
    def _used(self) -> slice:
        """Which halfspaces decide: an open stream has one more, and for two classes two."""
        if not self._open:
            return slice(None)
        n_classes = len(self.classes_)
        return slice(1, 2) if n_classes == 2 else slice(n_classes)

    @alone
    def decision_function(self, X: MatrixLike) -> Floats:
        """Return the scores: one for each sample, or one for each sample and class."""
        check_is_fitted(self)
        accept = "csr" if has_samples(self) else False
        X = validated(self, X, accept_sparse=accept, reset=False)
        X = as_csr(X) if is_sparse(X) else X
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    @alone
    def predict(self, X: MatrixLike) -> Labels:
        """Return the label of each sample: the positive side from 0 on, or the highest score."""
        scores = self.decision_function(X)
        return self.classes_[self._chosen(scores.reshape(len(scores), -1))]

    @alone
    def predict_one(self, x: SampleLike) -> Any:
        """Return the label of one sample, a vector or a sparse row; None before any is learned."""
        if not hasattr(self, "classes_"):
            return None
        return self.classes_.item(int(self._chosen(self._scores(self._one_row(x)))[0]))

    def _scores(self, X: MatrixLike) -> Floats:
        return scores_of(self._function, X, self._hypothesis, self.keep, self._used)

    def _chosen(self, scores: Floats) -> Counts:
        """Return the number of the class with the highest score, or on the right side of 0."""
        if len(self.classes_) == 2:
            return (scores[:, 0] >= 0.0).astype(np.int64)
        return np.asarray(scores.argmax(axis=1), dtype=np.int64)

    @property
    def _places(self) -> Counts:
        """Which support samples the halfspaces that decide are made of."""
        return self._hypothesis.places_in(self._used)

    @property
    def support_(self) -> Counts:
        """The rows of the support samples."""
        return np.asarray(self._hypothesis.rows.view()[self._places], dtype=np.int64)

    @property
    def support_vectors_(self) -> Any:
        """The support samples."""
        if not has_samples(self):
            return np.empty((0, 0))
        return self._hypothesis.support.take(self._places).copy()

    @property
    def dual_coef_(self) -> Floats:
        """The coefficients of the support samples."""
        return coefficients_of(self._hypothesis, self.keep)[self._used][:, self._places]

    @property
    def sequences_(self) -> list[Counts]:
        """For each halfspace the rows of its mistakes."""
        hypothesis = self._hypothesis
        if isinstance(hypothesis, Forgetron):
            raise AttributeError("a budget forgets mistakes: there is no sequence of them")
        used = range(len(hypothesis.visits))[self._used]
        return [hypothesis.sequence(k) for k in used]

    @property
    def n_mistakes_(self) -> int:
        """Updates made, all halfspaces together."""
        return int(self._hypothesis.mistake_counts[self._used].sum())

    @property
    def shrinkage_(self) -> Floats:
        """With a budget, how much each halfspace was shrunk: Σ(1 - φ)."""
        return self._costs(0)

    @property
    def removal_(self) -> Floats:
        """With a budget, what the removals of each halfspace can have cost: ΣΨ."""
        return self._costs(1)

    def _costs(self, which: int) -> Floats:
        if not isinstance(self._hypothesis, Forgetron):
            raise AttributeError("without a budget nothing is shrunk or removed")
        costs = [(memory.shrinkage, memory.removal) for memory in self._hypothesis.memories]
        return np.array(costs)[self._used, which]

    def check_state(self) -> None:
        """Raise unless the learned state, wherever it came from, hangs together."""
        if not hasattr(self, "classes_"):
            return
        if self.classes_.ndim != 1 or (self.classes_[1:] <= self.classes_[:-1]).any():
            raise ValueError("classes that are not sorted")
        if not isinstance(self._open, bool) or not 0 <= self._n_seen < 2**53:
            raise ValueError("a stream that is neither open nor closed")
        if not 0 <= getattr(self, "n_kernel_terms_", -1) < 2**62:
            raise ValueError("no number of kernel terms to go on counting from")
        if not hasattr(self, "_stream"):  # model files did not always have it
            self._stream = self._kernel_rule
        if (
            not isinstance(self._stream, tuple)
            or len(self._stream) != len(_KERNEL)
            or not all(isinstance(v, str | int | float) or callable(v) for v in self._stream)
        ):
            raise ValueError("parameters of a kernel that are none")
        n_closed = len(positive_classes(self.classes_))
        n_halfspaces = len(self.classes_) + 1 if self._open else n_closed
        width = self.n_features_in_ if has_samples(self) else 1
        fits = (
            isinstance(self._hypothesis, Expansion if self.budget is None else Forgetron)
            and len(self._hypothesis.visits) == n_halfspaces
            and self._hypothesis.support.n_features == width
            and 0.0 < self.gamma_ < np.inf
        )
        if not fits:
            raise ValueError("a hypothesis that does not fit the classes or the features")
