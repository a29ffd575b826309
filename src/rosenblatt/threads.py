"""Work shared out over threads that are kept: a new thread is slow to find a processor of its own."""

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
os.register_at_fork(after_in_child=_pool.cache_clear)


def share_out(works: Sequence[Callable[[], Result]], n_threads: int) -> list[Result]:
    """Do all works, this thread and others each taking the next one; return what they return.

    >>> share_out([lambda: 1, lambda: 2, lambda: 3], 2)
    [1, 2, 3]
    """
    results: dict[int, Result] = {}
    places = count()

    def take() -> None:
        while (place := next(places)) < len(works):
            results[place] = works[place]()

    helpers = min(n_threads, len(works)) - 1
    waiting = [_pool(n_threads - 1).submit(take) for _ in range(helpers)]
    try:
        take()
    finally:
        for one in waiting:
            one.result()
    return [results[place] for place in range(len(works))]
