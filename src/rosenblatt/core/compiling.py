"""What compiling costs: counted in this process, and told to whoever wants to hear of it.

Nothing here loads the compiler, so that the command line can ask to be told before it is needed.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Hearer = Callable[[], None]


class _Tally:
    """How many functions were compiled in this process, how long that took, and how many were loaded."""

    n_compiled = 0
    n_loaded = 0
    seconds = 0.0
    depth = 0  # a function that is compiled has those that it calls compiled too
    began = 0.0


_tally = _Tally()
_hearers: list[Hearer] = []


def seconds_compiling() -> float:
    """Return the seconds that this process has spent on compiling so far."""
    return _tally.seconds


def working_time() -> float:
    """Return seconds that pass only while this process does not compile: deadlines are on this clock.

    >>> before = working_time()
    >>> before <= working_time()
    True
    """
    return time.perf_counter() - _tally.seconds


def n_compiled() -> int:
    """Return how many functions this process has compiled so far, one for each kind of arguments."""
    return _tally.n_compiled


def n_loaded() -> int:
    """Return how many functions this process has loaded that an earlier one had compiled."""
    return _tally.n_loaded


def count_loaded() -> None:
    """Note that a function did not have to be compiled."""
    _tally.n_loaded += 1


def compiling_begins() -> None:
    """Note that a function is being compiled; only one thread at a time may do that."""
    _tally.depth += 1
    if _tally.depth == 1:
        _tally.began = time.perf_counter()
        for hearer in [*_hearers]:
            hearer()


def compiling_ends() -> None:
    """Note that it has been compiled, or could not be."""
    _tally.depth -= 1
    _tally.n_compiled += 1
    if _tally.depth == 0:
        _tally.seconds += time.perf_counter() - _tally.began


@contextmanager
def notified_of_compiling(hearer: Hearer) -> Iterator[None]:
    """Call somebody, meanwhile, whenever compiling begins."""
    _hearers.append(hearer)
    try:
        yield
    finally:
        _hearers.remove(hearer)


class Stopwatch:
    """Measures a time without what was spent on compiling, which happens once for a machine.

    >>> watch = Stopwatch()
    >>> watch.seconds() >= 0.0, watch.compile_seconds()
    (True, 0.0)
    """

    def __init__(self) -> None:
        self._compiled = _tally.seconds
        self._started = time.perf_counter()

    def seconds(self) -> float:
        """Return the seconds since it was started, without those spent on compiling."""
        elapsed = time.perf_counter() - self._started
        # Another thread may have compiled for longer than this one has worked.
        return max(0.0, elapsed - self.compile_seconds())

    def compile_seconds(self) -> float:
        """Return the seconds spent on compiling since it was started."""
        return _tally.seconds - self._compiled
