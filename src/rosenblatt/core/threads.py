"""A pool of threads that run tasks, each on its own processor.

A thread that is woken starts on the processor of the thread that woke it, and may share it for a whole
epoch before the system moves it. So each thread moves itself to another processor, if the system allows
it, without being bound to that processor afterward.
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


# A forked process does not inherit the pool's threads, so it must create new pools.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)


@cache
def _processor_lookup() -> Callable[[], int] | None:
    """Return a function that returns the current thread's processor, or None if unsupported."""
    try:
        lookup: Callable[[], int] = ctypes.CDLL(None).sched_getcpu
    except (AttributeError, OSError, TypeError):
        return None
    return lookup if hasattr(os, "sched_setaffinity") else None


def _move_away(taken: int, number: int) -> None:
    """Move this thread, the helper with this number, away from the taken processor."""
    allowed = os.sched_getaffinity(0)
    others = sorted(allowed - {taken})
    if others:
        try:
            os.sched_setaffinity(0, {others[number % len(others)]})
            os.sched_setaffinity(0, allowed)
        except OSError:  # the processor has become unavailable
            return


def run_in_threads(tasks: Sequence[Callable[[], Result]], n_threads: int) -> list[Result]:
    """Run all tasks in this thread and helpers, each taking the next task; return the results in order.

    >>> run_in_threads([lambda: 1, lambda: 2, lambda: 3], 2)
    [1, 2, 3]
    """
    results: dict[int, Result] = {}
    indices = count()
    lookup = _processor_lookup()
    taken = -1 if lookup is None else lookup()

    def run_tasks() -> None:
        while (index := next(indices)) < len(tasks):
            results[index] = tasks[index]()

    def help_out(number: int) -> None:
        if taken >= 0:
            _move_away(taken, number)
        run_tasks()

    n_helpers = min(n_threads, len(tasks)) - 1
    helpers = [_pool(n_threads - 1).submit(help_out, number) for number in range(n_helpers)]
    try:
        run_tasks()
        # All tasks are taken: helpers still queued behind other callers' tasks are not needed.
        helpers = [helper for helper in helpers if not helper.cancel()]
    finally:
        for helper in helpers:
            helper.result()
    return [results[index] for index in range(len(tasks))]
