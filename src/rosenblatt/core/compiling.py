"""Compile times of this process, and notifications when compiling starts.

Nothing here imports the compiler, so that the command line can register before it is needed.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Listener = Callable[[], None]


class _Tally:
    """Functions compiled and loaded in this process, and the time spent compiling."""

    n_compiled = 0
    n_loaded = 0
    seconds = 0.0
    depth = 0  # compiling a function also compiles the functions that it calls
    began = 0.0


_tally = _Tally()
_listeners: list[Listener] = []


def working_time() -> float:
    """Return a clock that stops while this process compiles; deadlines use it.

    >>> before = working_time()
    >>> before <= working_time()
    True
    """
    return time.perf_counter() - _tally.seconds


def n_compiled() -> int:
    """Return how many functions this process has compiled so far, one per signature."""
    return _tally.n_compiled


def n_loaded() -> int:
    """Return how many compiled functions this process has loaded from the cache."""
    return _tally.n_loaded


def count_loaded() -> None:
    """Count a function that was loaded from the cache."""
    _tally.n_loaded += 1


def compiling_begins() -> None:
    """Note that a function is being compiled; only one thread at a time may compile."""
    _tally.depth += 1
    if _tally.depth == 1:
        _tally.began = time.perf_counter()
        for listener in [*_listeners]:
            listener()


def compiling_ends() -> None:
    """Note that compiling has ended, successfully or not."""
    _tally.depth -= 1
    _tally.n_compiled += 1
    if _tally.depth == 0:
        _tally.seconds += time.perf_counter() - _tally.began


@contextmanager
def notified_of_compiling(listener: Listener) -> Iterator[None]:
    """Call the listener whenever compiling starts within the context."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


class Stopwatch:
    """Measures elapsed time without compile time, which is spent only once per machine.

    >>> watch = Stopwatch()
    >>> watch.seconds() >= 0.0, watch.compile_seconds()
    (True, 0.0)
    """

    def __init__(self) -> None:
        self._compiled = _tally.seconds
        self._started = time.perf_counter()

    def seconds(self) -> float:
        """Return the seconds since the start, without compile time."""
        elapsed = time.perf_counter() - self._started
        # Another thread may have compiled for longer than this one has run.
        return max(0.0, elapsed - self.compile_seconds())

    def compile_seconds(self) -> float:
        """Return the seconds spent compiling since the start."""
        return _tally.seconds - self._compiled
