"""One lock for each estimator: what several threads may do with it at the same time.

Guaranteed: every method of an estimator may be called from any thread. Those that learn (`fit`,
`partial_fit`, `learn_one`) come one after the other, whole; which comes first depends on the
threads. A decision (`predict`, `decision_function`, `predict_one`, ...) is made by the model as it was
before one of them or after it, never in between, and waits for the one that is at work. Where nobody
learns, decisions on tables are made side by side; those on single samples, and of kernel hypotheses, one
after the other.

Not guaranteed: parameters, or samples, that another thread changes meanwhile; and a process that is
forked while a thread learns has a model that is half learned, and locked.

A copy, a pickled one included, has a lock of its own.
"""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any, Self, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])


class Locked:
    """Abstract: an estimator with a lock, which a thread may take several times over."""

    _lock: AbstractContextManager[Any]

    def __new__(cls, *_arguments: Any, **_parameters: Any) -> Self:
        """Give a new estimator, however it is made, a lock."""
        self = super().__new__(cls)
        vars(self)["_lock"] = threading.RLock()
        return self

    def __getstate__(self) -> Any:
        inherited: Any = super()
        with self._lock:
            return {k: v for k, v in inherited.__getstate__().items() if k != "_lock"}

    def __setstate__(self, state: Any) -> None:
        # Pickles of the oldest protocols make an object without __new__.
        vars(self).setdefault("_lock", threading.RLock())
        inherited: Any = super()
        inherited.__setstate__(state)

    def _still(self) -> Self:
        """Return a model that decides as this one does now, whatever is learned meanwhile."""
        still = Locked.__new__(type(self))
        with self._lock:
            vars(still).update({**vars(self), "_lock": still._lock})
        return still


def alone(method: Method) -> Method:
    """Let a method hold the lock of its estimator from beginning to end."""

    @wraps(method)
    def held(self: Any, *arguments: Any, **options: Any) -> Any:
        with self._lock:
            return method(self, *arguments, **options)

    wrapped: Any = held
    found: Method = wrapped
    return found
