"""What every estimator is: parameters, a lock, what it has learned and how that went.

Learning makes a new value and assigns it, in one step, at the end. A stream may be ahead of it: single
samples are learned in place, by a cache that nobody else sees, and what the cache has learned is copied
when somebody asks. So what ``_learned`` returns is never changed in place.
"""

import copy
from dataclasses import replace
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator

from rosenblatt.core.types import Labels
from rosenblatt.estimators.common.learned import Features
from rosenblatt.estimators.common.lock import Locked
from rosenblatt.estimators.common.run import Run
from rosenblatt.training.history import History
from rosenblatt.training.outcomes import Outcome


class HasFeatures(Protocol):
    """What can be learned: at least which features the samples have."""

    @property
    def features(self) -> Features:
        """The features."""


State = TypeVar("State", bound=HasFeatures)


class Estimator(Locked, BaseEstimator, Generic[State]):
    """Abstract: an estimator whose state is what it has learned, its run, and maybe a cache.

    ``_fixed`` is what has been learned, but for what the ``_cache`` is ahead of it.
    """

    _fixed: State | None = None
    _run: Run | None = None
    _cache: Any = None
    _new_history: Any = History

    @property
    def _learned(self) -> State | None:
        """What has been learned; None before anything was."""
        with self._lock:
            cache = self._cache
            if cache is not None and cache.is_ahead(self._fixed):
                self._fixed = cache.learned()
            return self._fixed

    @property
    def _state(self) -> State:
        """What has been learned; raise AttributeError if nothing was."""
        learned = self._learned
        if learned is None:
            raise AttributeError(f"this {type(self).__name__} has not learned anything yet")
        return learned

    def _assign(self, learned: State | None, run: Run | None, cache: Any = None) -> None:
        """Set the state: all of it, for this is one step, or nothing."""
        vars(self).update(_fixed=learned, _run=run, _cache=cache)

    def _go_on(self, learned: State, cache: Any = None) -> None:
        """Assign what a stream has learned."""
        run = self._run
        if run is None:
            run = Run(Outcome.STREAM, self._new_history())
        elif run.outcome is not Outcome.STREAM or run.history is None:
            history = self._new_history() if run.history is None else run.history
            run = Run(Outcome.STREAM, history, run.n_iter)
        self._assign(learned, run, cache)

    @property
    def state(self) -> tuple[State | None, Run | None]:
        """What has been learned, None before anything was, and how it went: for model files."""
        with self._lock:
            return self._learned, self._run

    def restore(self, learned: State, run: Run | None) -> None:
        """Take over what an estimator of the same kind has learned; raise if it is not such."""
        self._assign(learned, run)
        self.check_learned()

    def check_learned(self) -> None:
        """Raise unless what was learned is such as this estimator, with its parameters, learns."""

    def __sklearn_is_fitted__(self) -> bool:
        return self._learned is not None

    def __getstate__(self) -> Any:
        with self._lock:
            learned, run = self._learned, self._run
            state = {k: v for k, v in super().__getstate__().items() if k != "_cache"}
            if learned is not None:
                state["_fixed"] = learned
            if run is not None and run.history is not None:  # it grows in place
                state["_run"] = replace(run, history=copy.copy(run.history))
            return state

    def _still(self) -> Self:
        """Return an estimator that decides as this one does now, whatever is learned meanwhile."""
        with self._lock:
            learned, still = self._learned, super()._still()
            still._assign(learned, self._run)
            return still

    @property
    def n_features_in_(self) -> int:
        """The number of features."""
        return self._state.features.count

    @property
    def feature_names_in_(self) -> Labels:
        """The names of the features, where samples had names that are text."""
        names = self._state.features.texts
        if names is None:
            raise AttributeError("the samples had no names of features, or not all are text")
        return np.asarray(names)

    @property
    def n_iter_(self) -> int:
        """Epochs run and calls of `partial_fit` since: the length of the whole history."""
        run = self._run
        if run is None or (run.history is None and run.n_iter is None):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'n_iter_'")
        return run.n_records
