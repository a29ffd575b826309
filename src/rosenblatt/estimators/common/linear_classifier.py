"""The base of all linear learners: weights and exact decisions.

`predict` and `predict_one` use the exact sign of the score (two classes, and each label of a matrix) or
the exactly highest score (more classes); `decision_function` returns the scores as ordinary floats. The
weights are in units of the learning rate, with the intercept last in each row.

The last weights, their average, a pocket or a vote decides: see ``training.deciders``.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.core.checks import check_choice
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Floats, Labels, MatrixLike, SampleLike
from rosenblatt.estimators.common.estimator import Estimator
from rosenblatt.estimators.common.learned import Columns, Learned
from rosenblatt.estimators.common.run import Progressive, Reported
from rosenblatt.estimators.common.validation import (
    as_sample,
    check_features,
    is_named,
    n_threads,
    validated,
)
from rosenblatt.estimators.streaming.one_sample_cache import NOT_PLAIN, SampleCache
from rosenblatt.kernels.finite import check_sample, not_finite
from rosenblatt.kernels.predict import choose, measure
from rosenblatt.kernels.rows import Rows, as_rows, n_rows, unchecked_rows, widened
from rosenblatt.training.deciders.vote_decisions import elected, shares, sides
from rosenblatt.training.deciders.vote_record import Votes
from rosenblatt.training.outcomes import Outcome

_TIES = {"mistake": 0, "positive": 1, "negative": -1}


def tie_sign(ties: str) -> int:
    """Return the sign that a score of exactly 0 is read as, or 0 if it is a mistake."""
    check_choice("ties", ties, list(_TIES))
    return _TIES[ties]


class LinearClassifier(ClassifierMixin, Estimator[Learned]):
    """Abstract: a classifier with one weight vector, or one per class.

    A subclass assigns a `Learned` and has the parameters ``fit_intercept`` and ``ties``.
    """

    fit_intercept: bool
    ties: str
    _kept_kinds: tuple[type, ...] = (type(None),)
    outcome_ = Reported[Outcome]("Why learning stopped.")
    history_ = Reported[Any]("One record per epoch or call of `partial_fit`.")
    progressive_ = Reported[Progressive]("Samples that `fit_stream` predicted before it learned.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def check_learned(self) -> None:
        """Raise ValueError unless the learned state fits this estimator and its parameters."""
        learned, run = self._learned, self._run
        if not isinstance(learned, Learned) or not isinstance(learned.kept, self._kept_kinds):
            raise ValueError(f"this is not what a {type(self).__name__} learns")
        history = None if run is None else run.history
        if history is not None and not isinstance(history, self._new_history):
            raise ValueError(f"this is not the history of a {type(self).__name__}")
        with np.errstate(over="ignore", invalid="ignore"):
            weights = learned.weights if isinstance(learned.kept, Votes) else learned.deciding
            is_finite = np.isfinite(learned.rate * weights).all()
        if not is_finite:
            raise ValueError("the weights times the learning rate are not finite")

    @property
    def classes_(self) -> Labels:
        """The labels, sorted; for a matrix of labels, the numbers of its columns."""
        return self._state.classes.labels

    @property
    def multilabel_(self) -> bool:
        """Whether y was a matrix of labels; `predict` then returns one, too."""
        return self._state.classes.multilabel

    @property
    def coef_(self) -> Floats:
        """The weights of the features, one row for each halfspace."""
        learned = self._state
        return learned.rate * learned.deciding[:, :-1]

    @property
    def intercept_(self) -> Floats:
        """The intercepts, one for each halfspace."""
        learned = self._state
        return learned.rate * learned.deciding[:, -1]

    @property
    def n_updates_(self) -> int:
        """Updates in all halfspaces together."""
        return self._state.n_updates

    @property
    def n_mistakes_(self) -> int:
        """Mistakes in all halfspaces together: updates without those for a small margin only."""
        return self._state.n_mistakes

    @property
    def _constant(self) -> float:
        return 1.0 if self.fit_intercept else 0.0

    def decision_function(self, X: MatrixLike) -> Floats:
        """Return the scores w·x + b: one per sample, or one per sample and class or label.

        With ``keep="vote"``, return the shares of the vote, from -1 to 1.
        """
        snapshot = self._snapshot()
        check_is_fitted(snapshot)
        rows, learned = as_rows(validated(snapshot, X), 1.0), snapshot._state
        if isinstance(learned.kept, Votes):
            scores = shares(learned.kept, rows, tie_sign(snapshot.ties), learned.classes.used)
        else:
            scores = measure(rows, learned.rate * learned.deciding, snapshot._n_threads)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: MatrixLike) -> Labels:
        """Return the label of each sample, or a matrix of 0 and 1 with a column for each label."""
        snapshot = self._snapshot()
        check_is_fitted(snapshot)
        # The decision itself checks that each row is finite.
        X = validated(snapshot, X, ensure_all_finite=False)
        votes = isinstance(snapshot._state.kept, Votes)
        rows = as_rows(X, 1.0) if votes else unchecked_rows(X, 1.0)
        return snapshot._labels_of(widened(rows))

    def _labels_of(self, rows: Rows) -> Labels:
        """Return the label, or the row of labels, of each row.

        The rows always have the constant 1: without an intercept its weight is 0.
        """
        learned = self._state
        if learned.classes.multilabel:
            return self._sides(learned, rows)
        return learned.classes.labels[self._decide(learned, rows)]

    def predict_one(self, x: SampleLike) -> Any:
        """Return the label of one sample, or 0 or 1 for each label; None before learning.

        The sample is a vector, a sparse row or, if the features have names, a dict of names to values;
        unknown names are ignored.
        """
        with self._lock:
            cache = self._cache
            if cache is None or cache.ties != self.ties:
                learned = self._learned
                if learned is None:
                    return None
                if learned.classes.multilabel or isinstance(learned.kept, Votes):
                    rows = self._one_row(x, 1.0)
                    check_sample(rows)
                    labels = self._labels_of(rows)
                    return labels[0] if learned.classes.multilabel else labels.item(0)
                cache = SampleCache(learned, self.ties, tie_sign(self.ties))
                self._cache = cache
            try:
                return cache.predict(x)
            except NOT_PLAIN:
                return self._predict_carefully(cache, x)

    def _predict_carefully(self, cache: SampleCache, x: SampleLike) -> Any:
        """Return the label of a sample that the cache refused, or raise."""
        if not is_named(x):
            rows = self._one_row(x, 1.0)
            check_sample(rows)
            return self._labels_of(rows).item(0)
        known = self._known_part(x)
        try:
            return cache.predict(known)
        except NOT_PLAIN:
            raise InputError(
                "the score of the sample overflows float64: give values well below 1e150"
            ) from None

    def _known_part(self, x: Mapping[Any, Any]) -> dict[Any, Any]:
        """Return the entries of a dict for known features; raise if a value is not finite."""
        columns = self._known_columns()
        known = {name: x[name] for name in x if name in columns}
        check_features(known)
        return known

    def _known_columns(self) -> Columns:
        """Return the column of each name; raise if the features have no names."""
        columns = self._state.features.places
        if columns is None:
            raise InputError(
                f"the sample is a dict, but {type(self).__name__} has learned from samples of "
                f"{self.n_features_in_} features without names: give a vector or a sparse row"
            )
        return columns

    def _decide(self, learned: Learned, rows: Rows) -> Counts:
        """Return the number of the predicted class for each row."""
        if len(learned.classes) == 1:
            return np.zeros(n_rows(rows), dtype=np.int64)
        tie = tie_sign(self.ties)
        if isinstance(learned.kept, Votes):
            return elected(shares(learned.kept, rows, tie, learned.classes.used), tie)
        chosen, stuck_at = choose(rows, learned.deciding, tie, self._n_threads)
        if stuck_at >= 0:
            raise not_finite(rows, stuck_at)
        return chosen

    def _sides(self, learned: Learned, rows: Rows) -> Counts:
        """Return 1 for each sample and label if the score is on the positive side, else 0."""
        tie = tie_sign(self.ties)
        if isinstance(learned.kept, Votes):
            return sides(shares(learned.kept, rows, tie, learned.classes.used), tie)
        panel = learned.deciding
        found = [choose(rows, panel[k : k + 1], tie, self._n_threads) for k in range(len(panel))]
        stuck = [stuck_at for _, stuck_at in found if stuck_at >= 0]
        if stuck:
            raise not_finite(rows, min(stuck))
        return np.column_stack([chosen for chosen, _ in found])

    @property
    def _n_threads(self) -> int:
        """The number of threads for decisions, not counting those of BLAS."""
        return n_threads(getattr(self, "n_jobs", None))

    def _one_row(self, x: SampleLike, constant: float) -> Rows:
        """View one sample, a vector, a sparse row or a dict of known names, as rows."""
        learned = self._fixed  # a cache may be ahead of it, but not in the features of rows
        if is_named(x):
            columns, known = self._known_columns(), self._known_part(x)
            row = np.zeros((1, self.n_features_in_))
            for name, value in known.items():
                row[0, columns[name]] = value
            return as_rows(row, constant)
        x = as_sample(x)
        if learned is not None and learned.features.columns is not None:
            raise InputError(
                f"the sample is a {type(x).__name__}, but {type(self).__name__} has learned from dicts "
                "of names to values: give a dict"
            )
        if learned is not None and x.shape[1] != learned.features.count:
            raise InputError(
                f"the sample has {x.shape[1]} features, but {type(self).__name__} is expecting "
                f"{learned.features.count} features as input"
            )
        return as_rows(x, constant)
