"""Compiled functions that do not count references to arrays.

Numba counts them wherever an array or a view of one is handed on. In a short function that costs more
than its arithmetic, and two threads that count those of the same samples, visit by visit, wait for each
other all the time. A function that counts none can allocate nothing: what allocates is called from it,
and counts its own.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def uncounted(**options: Any) -> Callable[[Function], Function]:
    """Compile a function that counts no references, and so allocates nothing."""
    return _compiled(counts=False, **options)


def counted(**options: Any) -> Callable[[Function], Function]:
    """Compile a function that counts references although its caller does not."""
    return _compiled(counts=True, **options)


def _compiled(*, counts: bool, **options: Any) -> Callable[[Function], Function]:
    every: Any = {"cache": True, "_nrt": counts, **options}
    decorator: Callable[[Function], Function] = njit(**every)
    return decorator
