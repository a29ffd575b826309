"""Compiled functions that do not count references to arrays.

Numba counts them wherever an array or a view of one is handed on. In a short function that costs more
than its arithmetic, and two threads that count those of the same samples, visit by visit, wait for each
other all the time. A function that counts none can allocate nothing: what allocates is called from it,
and counts its own. This may go when Numba no longer counts what a caller holds anyway.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

Function = TypeVar("Function", bound=Callable[..., object])


def uncounted(*, nogil: bool = False) -> Callable[[Function], Function]:
    """Compile a function that counts no references, and so allocates nothing."""
    return _compiled(counts=False, nogil=nogil)


def counted(*, nogil: bool = False) -> Callable[[Function], Function]:
    """Compile a function that counts references although its caller does not."""
    return _compiled(counts=True, nogil=nogil)


def _compiled(*, counts: bool, nogil: bool) -> Callable[[Function], Function]:
    options: Any = {"cache": True, "_nrt": counts, "nogil": nogil}
    decorator: Callable[[Function], Function] = njit(**options)
    return decorator
