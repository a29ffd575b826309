"""Cross-validation: scikit-learn's, with all folds of a perceptron learned in one pass per epoch."""

import time
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn import model_selection as peer
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring
from sklearn.utils import indexable

from rosenblatt.core.labels import as_labels
from rosenblatt.core.threads import run_in_threads
from rosenblatt.core.types import Counts, LabelsLike, MatrixLike, is_sparse
from rosenblatt.estimators.common.validation import n_threads
from rosenblatt.estimators.evaluation.one_pass_folds import Folds, learn_folds
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.kernels.sparse_input import as_csr
from rosenblatt.training.deciders.keep import TRACED

Split = tuple[Counts, Counts]


def cross_validate(
    estimator: Any,
    X: MatrixLike,
    y: LabelsLike,
    *,
    groups: Any = None,
    scoring: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    params: dict[str, Any] | None = None,
    return_train_score: bool = False,
    return_estimator: bool = False,
    return_indices: bool = False,
) -> dict[str, Any]:
    """Learn from each fold's training part and score on its test part, as scikit-learn does.

    The folds of a `Perceptron` are learned in parallel: an epoch reads the samples once for all of them,
    and X is not copied. Each fold's model has the same bits as ``clone(estimator).fit(X, y,
    sample_weight)`` with weight 0 for its test part: in the order "shuffle" the folds share one
    permutation per epoch, and ``margin="auto"`` is measured on all samples, whose labels it does not
    use. ``fit_time``, and ``seconds`` in the history, are the shared time divided by the number of
    folds. If ``max_iter`` epochs were not enough, one warning covers all folds. Classes that learn
    jointly are learned fold by fold, in the same way.

    This requires ``order="cyclic"``, or "shuffle" with a number as ``random_state``, without
    ``certify``, callbacks, shards or the estimator's own ``n_jobs``; one label per sample; only
    ``sample_weight`` in ``params``; and ascending rows in both parts of every fold, as from ``KFold``
    and ``StratifiedKFold``. Everything else, including other estimators, is passed to scikit-learn's
    function and fitted fold by fold.

    Parameters
    ----------
    estimator : classifier or regressor
        The estimator to fit; it is cloned, not changed.
    X, y : samples and their labels
        As for ``estimator.fit``.
    groups : array, default=None
        The group of each sample, for splitters that keep groups together.
    scoring : str, callable, list, tuple, dict or None, default=None
        As in scikit-learn; None is the estimator's own score, the accuracy of a classifier.
    cv : int, splitter, iterable of (train, test) or None, default=None
        The folds, as in scikit-learn: a number means stratified folds, and None is 5.
    n_jobs : int or None, default=None
        For folds learned in parallel, the number of threads, which never changes the result; fold by
        fold, the number of processes, as in scikit-learn.
    params : dict or None, default=None
        Passed to ``fit``; values with one entry per sample are split like the samples.
    return_train_score, return_estimator, return_indices : bool, default=False
        Whether to add the scores on the training parts, the models and the rows of each fold.

    Returns
    -------
    dict
        ``fit_time``, ``score_time`` and ``test_score``, arrays with one number per fold; several scores
        are named ``test_<name>``. Optionally ``train_score``, in the same form, ``estimator``, a list,
        and ``indices``, a dict with ``train`` and ``test``. A fold that cannot be learned raises.

    Examples
    --------
    >>> from rosenblatt import Perceptron, cross_validate
    >>> X = [[k % 7, k % 5] for k in range(35)]
    >>> y = ["below" if a < b else "above" for a, b in X]
    >>> learner = Perceptron(order="cyclic")
    >>> found = cross_validate(learner, X, y, cv=7, return_estimator=True)
    >>> found["test_score"]
    array([0.6, 1. , 1. , 1. , 1. , 1. , 1. ])
    >>> [model.n_mistakes_ for model in found["estimator"]]
    [14, 19, 7, 7, 9, 7, 6]
    """
    returns = {
        "return_train_score": return_train_score,
        "return_estimator": return_estimator,
        "return_indices": return_indices,
    }
    X = as_csr(X) if is_sparse(X) else X  # rows are selected from it before any fit validates it
    y = as_csr(y, "y") if is_sparse(y) else as_labels(y)
    if _is_one_pass(estimator, y, params):
        scorer = check_scoring(estimator, scoring)
        X, y, groups = indexable(X, y, groups)
        splitter = peer.check_cv(cv, y, classifier=is_classifier(estimator))
        cv = list(splitter.split(X, y, groups))
        if all(_is_ascending(train, test, len(y)) for train, test in cv):
            started = time.perf_counter()
            trains = [train for train, _ in cv]
            weight = (params or {}).get("sample_weight")
            folds = learn_folds(estimator, X, y, trains, weight, n_jobs)
            seconds = (time.perf_counter() - started) / len(cv)
            scorer_of_folds = _Scorer(folds, X, y, scorer, scoring, n_threads(n_jobs))
            return _results(scorer_of_folds, cv, seconds, **returns)
    return peer.cross_validate(
        estimator,
        X,
        y,
        groups=groups,
        scoring=scoring,
        cv=cv,
        n_jobs=n_jobs,
        params=params,
        error_score="raise",
        **returns,
    )


def _is_one_pass(estimator: Any, y: LabelsLike, params: dict[str, Any] | None) -> bool:
    """Return whether folds with ascending rows can be learned in parallel."""
    return (
        type(estimator) is Perceptron
        and estimator.order in ("cyclic", "shuffle")
        and estimator.keep not in TRACED
        and not estimator.certify
        and estimator.n_jobs in (None, 1)
        and estimator.shards == 1
        and (estimator.order == "cyclic" or isinstance(estimator.random_state, Integral))
        and not hasattr(estimator, "_skl_callbacks")
        and np.ndim(y) == 1
        and set(params or {}) <= {"sample_weight"}
        and not get_config()["enable_metadata_routing"]
    )


def _is_ascending(train: Counts, test: Counts, n_samples: int) -> bool:
    """Return whether the rows of both parts of a fold are valid and ascending."""
    return all(
        part.dtype.kind == "i"
        and len(part) > 0
        and bool((part[1:] > part[:-1]).all())
        and part[0] >= 0
        and part[-1] < n_samples
        for part in (train, test)
    )


class _Scorer:
    """Scores the models of all folds."""

    def __init__(
        self, folds: Folds, X: MatrixLike, y: LabelsLike, scorer: Any, scoring: Any, n_threads: int
    ) -> None:
        self.folds = folds
        self._X = X
        self._y = y
        self._scorer = scorer
        self._n_threads = n_threads
        # The accuracy for two classes can be counted without copying the rows.
        self._counts = scoring is None or (isinstance(scoring, str) and scoring == "accuracy")

    def score(self, parts: list[Counts]) -> tuple[list[dict[str, float]], list[float]]:
        """Return the scores of all folds, each on its part of the samples, and their seconds."""
        tasks = [partial(self._timed, k, part) for k, part in enumerate(parts)]
        found = run_in_threads(tasks, self._n_threads if self._counts else 1)
        return [scores for scores, _ in found], [seconds for _, seconds in found]

    def _timed(self, k: int, rows: Counts) -> tuple[dict[str, float], float]:
        started = time.perf_counter()
        return self._scores(k, rows), time.perf_counter() - started

    def _scores(self, k: int, rows: Counts) -> dict[str, float]:
        """Return the scores of fold k on some rows by name; a single one is named "score"."""
        if self._counts and len(self.folds.models[k].classes_) == 2:
            return {"score": self.folds.accuracy(k, rows)}
        found = self._scorer(self.folds.models[k], _taken(self._X, rows), _taken(self._y, rows))
        return found if isinstance(found, dict) else {"score": found}


def _taken(data: Any, rows: Counts) -> Any:
    """Return some rows of an array, a sparse matrix, a data frame or a list."""
    if hasattr(data, "iloc"):
        return data.iloc[rows]
    return data[rows] if hasattr(data, "shape") else [data[i] for i in rows]


def _results(
    scorer_of_folds: _Scorer,
    splits: list[Split],
    seconds: float,
    *,
    return_train_score: bool,
    return_estimator: bool,
    return_indices: bool,
) -> dict[str, Any]:
    """Score all folds; return the same dict as scikit-learn's function."""
    tests, times = scorer_of_folds.score([test for _, test in splits])
    trains = tests
    if return_train_score:
        trains, _ = scorer_of_folds.score([train for train, _ in splits])
    found: dict[str, Any] = {
        "fit_time": np.full(len(splits), seconds),
        "score_time": np.array(times),
    }
    if return_estimator:
        found["estimator"] = scorer_of_folds.folds.models
    if return_indices:
        found["indices"] = dict(zip(("train", "test"), zip(*splits, strict=True), strict=True))
    for name in tests[0]:
        found[f"test_{name}"] = np.array([scores[name] for scores in tests])
        if return_train_score:
            found[f"train_{name}"] = np.array([scores[name] for scores in trains])
    return found
