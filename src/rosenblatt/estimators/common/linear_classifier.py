"""What every learner of halfspaces shares: its weights, and the decisions they make.

Decisions are exact: `predict` and `predict_one` go by the exact sign (two classes) or the exactly
highest score (more classes) of the stored weights, and of a matrix of labels by the exact sign for each
label; `decision_function` shows the scores as ordinary floats. Weights are kept in units of the learning
rate, the intercept last in each row.

Where the average is kept, it decides: w - drift/visits, see ``loop``. Where something else is kept (see
``keep``), that does: the weights in the pocket, or a vote (see ``vote``).
"""

import copy
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.core.checks import check_choice
from rosenblatt.core.errors import InputError, not_finite
from rosenblatt.core.labels import positive_classes
from rosenblatt.core.types import Counts, Floats, Labels, MatrixLike, SampleLike
from rosenblatt.estimators.common.keep import Kept
from rosenblatt.estimators.common.lock import Locked
from rosenblatt.estimators.common.n_jobs import n_threads
from rosenblatt.estimators.common.targets import Vectors
from rosenblatt.estimators.common.validation import as_sample, check_features, is_named, validated
from rosenblatt.estimators.common.voting import elected, shares, sides
from rosenblatt.estimators.streaming.dict_columns import Columns
from rosenblatt.estimators.streaming.one_sample_cache import NOT_PLAIN, Desk
from rosenblatt.kernels.predict import choose, measure
from rosenblatt.kernels.rows import Rows, as_rows, n_rows, unseen_rows
from rosenblatt.training.deciders.vote import Votes

STATE = (
    "classes_",
    "multilabel_",
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
    "gamma_",
    "n_kernel_terms_",
    "_hypothesis",
    "_n_seen",
    "_stream",
    "_weights",
    "_drift",
    "_exponents",
    "_visits",
    "_mistakes",
    "_unit",
    "_open",
    "_origin",
    "_columns",
    "cells_",
    "_kept",
)
"""The attributes that learning sets."""

_TIES = {"mistake": 0, "positive": 1, "negative": -1}


def tie_sign(ties: str) -> int:
    """Return the sign that a score of exactly 0 stands for; 0: it is a mistake for either label."""
    check_choice("ties", ties, list(_TIES))
    return _TIES[ties]


class HalfspaceClassifier(Locked, ClassifierMixin, BaseEstimator):
    """Abstract: a classifier whose state is one weight vector, or one for each class.

    A subclass sets ``classes_``, ``_weights`` (one row for each halfspace), ``_mistakes`` (updates of
    each row), ``_unit`` (the learning rate) and ``_open``: an open stream keeps one row for each
    class, even for two, and one more for classes yet to come. ``multilabel_`` says that a sample may
    have any number of the classes at once, and each has a halfspace. ``_drift`` is None unless the
    average is kept; ``_visits`` says how many visits each row is the average of. A stream of dicts has
    ``_columns``, the column of each name. ``_kept``, unless None, decides. ``_desk`` is what single
    samples are decided and learned on.
    """

    fit_intercept: bool
    ties: str
    classes_: Labels
    multilabel_: bool = False
    n_features_in_: int
    feature_names_in_: Labels
    _weights: Floats
    _drift: Floats | None
    _visits: Counts
    _mistakes: Counts
    _unit: float
    _open: bool
    _origin: Floats
    _columns: Columns
    _kept: Kept | None = None
    _desk: Desk | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__.pop("_desk", None)
        super().__setattr__(name, value)

    def __getstate__(self) -> Any:
        with self._lock:
            # A copy shares the learned arrays, so from now on they may not be changed in place.
            self.__dict__.pop("_desk", None)
            before: Any = super().__getstate__()
            state = dict(before)
            if "history_" in state:  # it grows in place, so that a copy needs its own
                state["history_"] = copy.copy(state["history_"])
            return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def coef_(self) -> Floats:
        """The weights of the features, one row for each halfspace."""
        with self._lock:
            return self._unit * self._deciding[:, :-1]

    @property
    def intercept_(self) -> Floats:
        """The intercepts, one for each halfspace."""
        with self._lock:
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
        """The weights that decide: the last ones, their average, or those that are kept."""
        if self._kept is not None:
            return self._kept.deciding(self._weights, self._visits)[self._used]
        weights = self._weights[self._used]
        if self._drift is None:
            return np.ascontiguousarray(weights)
        visits = np.maximum(self._visits[self._used], 1)[:, None]
        return np.asarray(weights - self._drift[self._used] / visits)

    @property
    def _constant(self) -> float:
        return 1.0 if self.fit_intercept else 0.0

    def decision_function(self, X: MatrixLike) -> Floats:
        """Return the scores w·x + b: one for each sample, or one for each sample and class or label.

        Where all weights vote, it is the vote: from -1 to 1.
        """
        still = self._still()
        check_is_fitted(still)
        rows = as_rows(validated(still, X, reset=False), 1.0)
        if isinstance(still._kept, Votes):
            scores = shares(still._kept, rows, tie_sign(still.ties), still._used)
        else:
            scores = measure(rows, still._unit * still._deciding, still._n_threads)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: MatrixLike) -> Labels:
        """Return the label of each sample, or a matrix of 0 and 1 with a column for each label."""
        still = self._still()
        check_is_fitted(still)
        # The decision finds out by itself whether a row is finite.
        X = validated(still, X, reset=False, ensure_all_finite=False)
        rows = as_rows(X, 1.0) if isinstance(still._kept, Votes) else unseen_rows(X, 1.0)
        if still.multilabel_:
            return still._labels_had(rows)
        return still.classes_[still._decide(rows)]

    def predict_one(self, x: SampleLike) -> Any:
        """Return the label of one sample, or 0 or 1 for each label; None before any is learned.

        The sample is a vector, a sparse row or, if the model knows its features by name, a dict of names
        to values; names that it does not know are passed over.
        """
        with self._lock:
            desk = self._desk
            if desk is None:
                if not hasattr(self, "classes_"):
                    return None
                if self.multilabel_ or isinstance(self._kept, Votes):
                    row = self._one_row(self._vector(x) if is_named(x) else x, 1.0)
                    if self.multilabel_:
                        return self._labels_had(row)[0]
                    return self.classes_.item(self._decide(row)[0])
                desk = vars(self)["_desk"] = self._new_desk()
            try:
                return desk.predict(x)
            except NOT_PLAIN:
                return self._predict_carefully(desk, x)

    def _still(self) -> Self:
        with self._lock:
            still = super()._still()
            vars(still).pop("_desk", None)
            for name in self._changed_in_place():
                value = vars(self)[name]
                vars(still)[name] = None if value is None else value.copy()
            return still

    def _changed_in_place(self) -> tuple[str, ...]:
        """Return which of the arrays that decide the next sample may change without being replaced."""
        desk = self._desk
        return ("_weights", "_drift", "_visits") if desk is not None and desk.learns else ()

    def _predict_carefully(self, desk: Desk, x: SampleLike) -> Any:
        """Return the label of a sample that is not plain, or raise."""
        if not is_named(x):
            return self.classes_.item(self._decide(self._one_row(x, 1.0))[0])
        columns = self._known_columns()
        known = {name: x[name] for name in x if name in columns}
        check_features(known)
        try:
            return desk.predict(known)
        except NOT_PLAIN:
            raise not_finite(0) from None

    def _vector(self, x: Mapping[Any, Any]) -> Floats:
        """Return a dict of names to values as a matrix of one row; unknown names are left out."""
        columns = self._known_columns()
        known = {name: x[name] for name in x if name in columns}
        check_features(known)
        row = np.zeros((1, self.n_features_in_))
        for name, value in known.items():
            row[0, columns[name]] = value
        return row

    def _new_desk(self) -> Desk:
        """Return a desk to decide on."""
        named = hasattr(self, "_columns")
        vectors = Vectors(self._weights, self._drift, self._visits)
        if self._kept is not None:
            vectors = vectors._replace(weights=self._kept.deciding(self._weights, self._visits))
        return Desk(
            vectors,
            self._mistakes,
            self.classes_,
            self._used,
            tie_sign(self.ties),
            self._origin,
            self._known_columns() if named or hasattr(self, "feature_names_in_") else None,
            named=named,
        )

    def _known_columns(self) -> Columns:
        """Return the column of each name; raise if the model knows no names."""
        if hasattr(self, "_columns"):
            return self._columns
        if not hasattr(self, "feature_names_in_"):
            raise InputError(
                f"the sample is a dict, but {type(self).__name__} has learned from samples of "
                f"{self.n_features_in_} features without names: give a vector or a sparse row"
            )
        return {name: column for column, name in enumerate(self.feature_names_in_.tolist())}

    def check_state(self) -> None:
        """Raise unless the learned state, wherever it came from, hangs together."""
        if not hasattr(self, "classes_"):
            return
        if self.classes_.ndim != 1 or (self.classes_[1:] <= self.classes_[:-1]).any():
            raise ValueError("classes that are not sorted")
        if not isinstance(self._open, bool):
            raise ValueError("a stream that is neither open nor closed")
        self._check_labels()
        to_come = 1 if self._open else 0
        every = self._open or self.multilabel_
        n_halfspaces = len(self.classes_ if every else positive_classes(self.classes_)) + to_come
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
            and self._origin.dtype == np.float64
            and bool(np.isfinite(self._origin).all())
            and 0 < self._unit < np.inf
            and self._visits.shape == (n_halfspaces,)
            and self._visits.dtype == np.int64
            and (self._drift is None or self._drift.shape == shape)
            and (self._drift is None or self._drift.dtype == np.float64)
            and (self._drift is None or bool(np.isfinite(self._drift).all()))
        )
        if self._kept is not None:
            self._kept.check(shape)
        names = getattr(self, "_columns", None)
        if names is not None and list(names.values()) != list(range(self.n_features_in_)):
            raise ValueError("names of features that do not fit the weights")
        if not fits:
            raise ValueError(
                "mistake counts, an average, a start or a learning rate that do not fit the weights"
            )

    def _check_labels(self) -> None:
        """Raise unless the classes are what they must be for samples with any number of labels."""
        if not isinstance(self.multilabel_, bool):
            raise ValueError("classes that neither do nor do not exclude each other")
        numbers = np.arange(len(self.classes_))
        if self.multilabel_ and (self._open or not np.array_equal(self.classes_, numbers)):
            raise ValueError("labels that are not the columns of a matrix")

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Learn alone, and give the learned state back as it was if that fails, or is interrupted."""
        with self._lock:
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

    def _decide(self, rows: Rows) -> Counts:
        """Return the number of the class that each sample is put in.

        The rows have the constant 1 in any case: without an intercept its weight is 0.
        """
        if len(self.classes_) == 1:
            return np.zeros(n_rows(rows), dtype=np.int64)
        if isinstance(self._kept, Votes):
            tie = tie_sign(self.ties)
            return elected(shares(self._kept, rows, tie, self._used), tie)
        chosen, stuck_at = choose(rows, self._deciding, tie_sign(self.ties), self._n_threads)
        if stuck_at >= 0:
            raise not_finite(stuck_at)
        return chosen

    def _labels_had(self, rows: Rows) -> Counts:
        """Return, for each sample and label, 1 if the sample is on the label's positive side, else 0."""
        tie = tie_sign(self.ties)
        if isinstance(self._kept, Votes):
            return sides(shares(self._kept, rows, tie, self._used), tie)
        panel = self._deciding
        found = [choose(rows, panel[k : k + 1], tie, self._n_threads) for k in range(len(panel))]
        stuck = [stuck_at for _, stuck_at in found if stuck_at >= 0]
        if stuck:
            raise not_finite(min(stuck))
        return np.column_stack([chosen for chosen, _ in found])

    @property
    def _n_threads(self) -> int:
        """How many threads decide, beside those of BLAS."""
        return n_threads(getattr(self, "n_jobs", None))

    def _one_row(self, x: SampleLike, constant: float) -> Rows:
        """View one sample, a vector or a sparse row, as rows."""
        x = as_sample(x)
        if hasattr(self, "_columns"):
            raise InputError(
                f"the sample is a {type(x).__name__}, but {type(self).__name__} has learned from dicts "
                "of names to values: give a dict"
            )
        if hasattr(self, "n_features_in_") and x.shape[1] != self.n_features_in_:
            raise InputError(
                f"the sample has {x.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        return as_rows(x, constant)
