"""Work shared out over threads that are kept, each on a processor of its own.

A thread that is woken starts on the processor of the one that wakes it, and may have to share it for as
long as a whole epoch takes before the system moves it elsewhere. So it goes elsewhere by itself, where
the system lets it; it is not bound to stay there.
"""

import ctypes
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import count
from typing import TypeVar

Result = TypeVar("Result")


@cache
def _pool(n_threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(n_threads)


# A forked process has no threads but its own, so it must begin with new pools.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)


@cache
def _processor() -> Callable[[], int] | None:
    """Return what tells the processor that a thread is on, or None where nothing does."""
    try:
        tell: Callable[[], int] = ctypes.CDLL(None).sched_getcpu
    except (AttributeError, OSError, TypeError):
        return None
    return tell if hasattr(os, "sched_setaffinity") else None


def _elsewhere(taken: int, number: int) -> None:
    """Move this thread, one of several with a number, away from a processor that is taken."""
    allowed = os.sched_getaffinity(0)
    others = sorted(allowed - {taken})
    if others:
        try:
            os.sched_setaffinity(0, {others[number % len(others)]})
            os.sched_setaffinity(0, allowed)
        except OSError:  # a processor that was taken away meanwhile
            return


def run_in_threads(works: Sequence[Callable[[], Result]], n_threads: int) -> list[Result]:
    """Do all works, this thread and others each taking the next one; return what they return.

    >>> run_in_threads([lambda: 1, lambda: 2, lambda: 3], 2)
    [1, 2, 3]
    """
    results: dict[int, Result] = {}
    places = count()
    tell = _processor()
    taken = -1 if tell is None else tell()

    def take() -> None:
        while (place := next(places)) < len(works):
            results[place] = works[place]()

    def help_out(number: int) -> None:
        if taken >= 0:
            _elsewhere(taken, number)
        take()

    helpers = min(n_threads, len(works)) - 1
    waiting = [_pool(n_threads - 1).submit(help_out, number) for number in range(helpers)]
    try:
        take()
        # All is taken: a helper that has not begun yet, behind the works of others, need not begin.
        waiting = [one for one in waiting if not one.cancel()]
    finally:
        for one in waiting:
            one.result()
    return [results[place] for place in range(len(works))]
