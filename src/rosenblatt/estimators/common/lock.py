"""One lock per estimator, and what it guarantees to threads.

Guaranteed: every method of an estimator may be called from any thread. Methods that learn (`fit`,
`partial_fit`, `learn_one`) run one at a time, in an order that depends on the threads. A decision
(`predict`, `decision_function`, `predict_one`, ...) uses the model from before or after such a call,
never in between, and waits for a call that is running. While no thread learns, decisions on tables run
in parallel; those on single samples, and those of kernel learners, run one at a time.

Not guaranteed: parameters or samples that another thread changes during a call; and a process forked
while a thread is learning gets a half-learned, locked model.

Each copy, including a pickled one, has its own lock.
"""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any, Self, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])


class Locked:
    """Abstract: an estimator with a reentrant lock."""

    _lock: AbstractContextManager[Any]

    def __new__(cls, *_arguments: Any, **_parameters: Any) -> Self:
        """Create the object with a lock; cloning and unpickling also come through here."""
        self = super().__new__(cls)
        vars(self)["_lock"] = threading.RLock()
        return self

    def __getstate__(self) -> Any:
        inherited: Any = super()
        with self._lock:
            # One step, because scikit-learn sets attributes of its own without the lock.
            state = dict(inherited.__getstate__())
            state.pop("_lock", None)
            return state

    def __setstate__(self, state: Any) -> None:
        # Pickles of protocols 0 and 1 create an object without __new__.
        vars(self).setdefault("_lock", threading.RLock())
        inherited: Any = super()
        inherited.__setstate__(state)

    def _snapshot(self) -> Self:
        """Return a copy that keeps deciding as this one does now, even if learning continues."""
        snapshot = Locked.__new__(type(self))
        with self._lock:
            vars(snapshot).update({**vars(self), "_lock": snapshot._lock})
        return snapshot


def locked(method: Method) -> Method:
    """Decorate a method so that it holds the estimator's lock."""

    @wraps(method)
    def wrapper(self: Any, *arguments: Any, **options: Any) -> Any:
        with self._lock:
            return method(self, *arguments, **options)

    untyped: Any = wrapper
    wrapped: Method = untyped
    return wrapped
