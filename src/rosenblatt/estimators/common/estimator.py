"""The base of all estimators: parameters, a lock, the learned state and the run.

Learning builds a new state and assigns it in one step at the end. Streams learn single samples in place,
in a private cache that may be ahead of the state; its arrays are copied on access. So the value of
``_learned`` never changes in place.
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
    """A learned state, which at least knows the features of the samples."""

    @property
    def features(self) -> Features:
        """The features."""


State = TypeVar("State", bound=HasFeatures)


class Estimator(Locked, BaseEstimator, Generic[State]):
    """Abstract: an estimator with a learned state, a run, and perhaps a cache.

    ``_fixed`` is the learned state, except for what the ``_cache`` has learned since.
    """

    _fixed: State | None = None
    _run: Run | None = None
    _cache: Any = None
    _new_history: Any = History

    @property
    def _learned(self) -> State | None:
        """The learned state, or None before learning."""
        with self._lock:
            cache = self._cache
            if cache is not None and cache.is_ahead(self._fixed):
                self._fixed = cache.learned()
            return self._fixed

    @property
    def _state(self) -> State:
        """The learned state; raise AttributeError before learning."""
        learned = self._learned
        if learned is None:
            raise AttributeError(f"this {type(self).__name__} has not learned anything yet")
        return learned

    def _assign(self, learned: State | None, run: Run | None, cache: Any = None) -> None:
        """Set the whole state in one step, which an interrupt cannot split."""
        vars(self).update(_fixed=learned, _run=run, _cache=cache)

    def _assign_stream_state(self, learned: State, cache: Any = None) -> None:
        """Assign the state that a stream has learned."""
        run = self._run
        if run is None:
            run = Run(Outcome.STREAM, self._new_history())
        elif run.outcome is not Outcome.STREAM or run.history is None:
            history = self._new_history() if run.history is None else run.history
            run = Run(Outcome.STREAM, history, run.n_iter)
        self._assign(learned, run, cache)

    @property
    def state(self) -> tuple[State | None, Run | None]:
        """The learned state and the run, each None before learning: for model files."""
        with self._lock:
            return self._learned, self._run

    def restore(self, learned: State, run: Run | None) -> None:
        """Take over the state of an estimator of the same kind; raise if it does not fit."""
        self._assign(learned, run)
        self.check_learned()

    def check_learned(self) -> None:
        """Raise ValueError unless the learned state fits this estimator and its parameters."""

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

    def _snapshot(self) -> Self:
        """Return a copy that keeps deciding as this one does now, even if learning continues."""
        with self._lock:
            learned, snapshot = self._learned, super()._snapshot()
            snapshot._assign(learned, self._run)
            return snapshot

    @property
    def n_features_in_(self) -> int:
        """The number of features."""
        return self._state.features.count

    @property
    def feature_names_in_(self) -> Labels:
        """The names of the features, if the samples had text names."""
        names = self._state.features.texts
        if names is None:
            raise AttributeError("the samples had no feature names, or not all of them are text")
        return np.asarray(names)

    @property
    def n_iter_(self) -> int:
        """Epochs, plus later calls of `partial_fit`: the length of the whole history."""
        run = self._run
        if run is None or (run.history is None and run.n_iter is None):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'n_iter_'")
        return run.n_records
