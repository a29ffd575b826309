"""What every learner of halfspaces shares: its weights, and the decisions they make.

Decisions are exact: `predict` and `predict_one` go by the exact sign (two classes) or the exactly
highest score (more classes) of the stored weights; `decision_function` shows the scores as ordinary
floats. Weights are kept in units of the learning rate, the intercept last in each row.

Where the average is kept, it decides: w - drift/visits, see ``loop``.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

from rosenblatt.errors import InputError, check_choice, not_finite
from rosenblatt.estimators.door import as_sample
from rosenblatt.kernels import choose_highest, choose_side
from rosenblatt.labels import positive_classes
from rosenblatt.rows import Rows, as_rows
from rosenblatt.typing import Counts, Floats, Labels

STATE = (
    "classes_",
    "n_features_in_",
    "feature_names_in_",
    "outcome_",
    "n_iter_",
    "n_exact_",
    "history_",
    "ledger_",
    "margin_",
    "certificate_",
    "conflicts_",
    "support_",
    "dual_coef_",
    "_stream",
    "_weights",
    "_drift",
    "_visits",
    "_mistakes",
    "_unit",
    "_open",
    "_origin",
)
"""The attributes that learning sets."""

_TIES = {"mistake": 0, "positive": 1, "negative": -1}


def tie_sign(ties: str) -> int:
    """Return the sign that a score of exactly 0 stands for; 0: it is a mistake for either label."""
    check_choice("ties", ties, list(_TIES))
    return _TIES[ties]


class HalfspaceClassifier(ClassifierMixin, BaseEstimator):
    """Abstract: a classifier whose state is one weight vector, or one for each class.

    A subclass sets ``classes_``, ``_weights`` (one row for each halfspace), ``_mistakes`` (updates of
    each row), ``_unit`` (the learning rate) and ``_open``: an open stream keeps one row for each
    class, even for two, and one more for classes yet to come. ``_drift`` is None unless the average is
    kept; ``_visits`` says how many visits each row is the average of.
    """

    fit_intercept: bool
    ties: str
    classes_: Labels
    n_features_in_: int
    _weights: Floats
    _drift: Floats | None
    _visits: Counts
    _mistakes: Counts
    _unit: float
    _open: bool
    _origin: Floats

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def coef_(self) -> Floats:
        """The weights of the features, one row for each halfspace."""
        return self._unit * self._deciding[:, :-1]

    @property
    def intercept_(self) -> Floats:
        """The intercepts, one for each halfspace."""
        return self._unit * self._deciding[:, -1]

    @property
    def n_mistakes_(self) -> int:
        """Updates made, all halfspaces together."""
        return int(self._mistakes[self._used].sum())

    @property
    def _used(self) -> slice:
        """Which rows of the weights decide."""
        if not self._open:
            return slice(None)
        n_classes = len(self.classes_)
        return slice(1, 2) if n_classes == 2 else slice(n_classes)

    @property
    def _deciding(self) -> Floats:
        """The weights that decide: the last ones, or their average."""
        weights = self._weights[self._used]
        if self._drift is None:
            return weights
        visits = np.maximum(self._visits[self._used], 1)[:, None]
        return np.asarray(weights - self._drift[self._used] / visits)

    @property
    def _constant(self) -> float:
        return 1.0 if self.fit_intercept else 0.0

    def decision_function(self, X: Any) -> Floats:
        """Return the scores w·x + b: one for each sample, or one for each sample and class."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype="numeric", reset=False)
        scores = safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_
        return np.asarray(scores[:, 0] if scores.shape[1] == 1 else scores, dtype=np.float64)

    def predict(self, X: Any) -> Labels:
        """Return the label of each sample."""
        check_is_fitted(self)
        # The decision finds out by itself whether a row is finite.
        X = validate_data(
            self, X, accept_sparse="csr", dtype="numeric", reset=False, ensure_all_finite=False
        )
        return self.classes_[self._decide(as_rows(X, 1.0), X.shape[0])]

    def predict_one(self, x: Any) -> Any:
        """Return the label of one sample, a vector or a sparse row; None before any is learned."""
        if not hasattr(self, "classes_"):
            return None
        return self.classes_.item(self._decide(self._one_row(x, 1.0), 1)[0])

    def check_state(self) -> None:
        """Raise unless the learned state, wherever it came from, hangs together."""
        if not hasattr(self, "classes_"):
            return
        if self.classes_.ndim != 1 or (self.classes_[1:] <= self.classes_[:-1]).any():
            raise ValueError("classes that are not sorted")
        if not isinstance(self._open, bool):
            raise ValueError("a stream that is neither open nor closed")
        to_come = 1 if self._open else 0
        known = self.classes_ if self._open else positive_classes(self.classes_)
        n_halfspaces = len(known) + to_come
        shape = (n_halfspaces, self.n_features_in_ + 1)
        if self._weights.shape != shape or self._weights.dtype != np.float64:
            raise ValueError(
                f"weights of shape {self._weights.shape} and type {self._weights.dtype} "
                f"where {shape} and float64 belong"
            )
        if not np.isfinite(self._weights).all():
            raise ValueError("weights that are not finite")
        fits = (
            self._mistakes.shape == (n_halfspaces,)
            and self._mistakes.dtype == np.int64
            and self._origin.shape == shape[1:]
            and 0 < self._unit < np.inf
            and self._visits.shape == (n_halfspaces,)
            and self._visits.dtype == np.int64
            and (self._drift is None or self._drift.shape == shape)
            and (self._drift is None or bool(np.isfinite(self._drift).all()))
        )
        if not fits:
            raise ValueError(
                "mistake counts, an average, a start or a learning rate that do not fit the weights"
            )

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Give the learned state back as it was if learning fails, or is interrupted."""
        before = self._state()
        try:
            yield
        except BaseException:
            for name in self._state():
                delattr(self, name)
            for name, value in before.items():
                setattr(self, name, value)
            raise

    def _state(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if k in STATE}

    def _decide(self, rows: Rows, n_samples: int) -> Counts:
        """Return the number of the class that each sample is put in.

        The rows have the constant 1 in any case: without an intercept its weight is 0.
        """
        chosen = np.zeros(n_samples, dtype=np.int64)
        panel = self._deciding
        if len(self.classes_) == 1:
            return chosen
        if len(panel) == 1:
            stuck_at = choose_side(rows, panel[0], tie_sign(self.ties), chosen)
        else:
            stuck_at = choose_highest(rows, panel, chosen)
        if stuck_at >= 0:
            raise not_finite(stuck_at)
        return chosen

    def _one_row(self, x: Any, constant: float) -> Rows:
        """View one sample, a vector or a sparse row, as rows."""
        x = as_sample(x)
        if hasattr(self, "n_features_in_") and x.shape[1] != self.n_features_in_:
            raise InputError(
                f"the sample has {x.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        return as_rows(x, constant)
