"""Learning that fails, or is interrupted, leaves an estimator as it was."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rosenblatt.estimators.common.linear_classifier import STATE


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """Learn alone, and give the learned state back as it was if that fails, or is interrupted.

    What is changed in place, the ``_hypothesis``, is taken back to where it was.
    """
    with estimator._lock:
        before = {name: value for name, value in vars(estimator).items() if name in STATE}
        hypothesis = before.get("_hypothesis")
        mark = None if hypothesis is None else hypothesis.mark()
        try:
            yield
        except BaseException:
            for name in [name for name in vars(estimator) if name in STATE]:
                delattr(estimator, name)
            vars(estimator).update(before)
            if hypothesis is not None:
                hypothesis.rewind(mark)
            raise
