"""Compiled functions: the one decorator that makes them, and what they count.

References: Numba counts those to arrays wherever an array or a view of one is handed on. In a short
function that costs more than its arithmetic, and two threads that count those of the same samples, visit
by visit, wait for each other all the time. A function that counts none can allocate nothing: what
allocates is called from it, and counts its own. This may go when Numba no longer counts what a caller
holds anyway.

Compiled code is kept on disk: see ``cache``. With NUMBA_DISABLE_JIT all functions stay as they are.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit
from numba.core.dispatcher import Dispatcher
from numba.core.event import Event, Listener, register

from rosenblatt.core.compiling import compiling_begins, compiling_ends
from rosenblatt.kernels.cache.function_cache import FunctionCache

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(*, nogil: bool = False, counts: bool = True) -> Callable[[Function], Function]:
    """Compile a function when it is first called, or load it from where an earlier process stored it.

    ``nogil`` lets other threads work meanwhile. Without ``counts`` it counts no references, and so
    allocates nothing; with it, it counts them although its caller may not. A division by zero gives what
    floats give.
    """
    # Without the wrapper that only C calls: it would take its time to compile.
    options: Any = {
        "nogil": nogil,
        "_nrt": counts,
        "error_model": "numpy",
        "no_cfunc_wrapper": True,
    }
    decorator: Callable[[Function], Function] = njit(**options)

    def decorate(function: Function) -> Function:
        kernel = decorator(function)
        if isinstance(kernel, Dispatcher):
            vars(kernel)["_cache"] = FunctionCache(function)
        return kernel

    return decorate


class _Clock(Listener):
    """Notes when functions of ours are compiled."""

    def on_start(self, event: Event) -> None:
        if _is_ours(event):
            compiling_begins()

    def on_end(self, event: Event) -> None:
        if _is_ours(event):
            compiling_ends()


def _is_ours(event: Any) -> bool:
    # Others compile too in this process, and what they compile need not have a cache.
    return isinstance(getattr(event.data["dispatcher"], "_cache", None), FunctionCache)


listen: Callable[[str, Listener], None] = register
listen("numba:compile", _Clock())
