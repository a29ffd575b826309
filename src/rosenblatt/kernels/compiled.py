"""The decorator that compiles functions, and whether they count references.

Numba counts references to arrays wherever an array or a view of one is passed on. In a short function
that costs more than its arithmetic, and threads that count references to the same samples, visit by
visit, constantly wait for each other. A function that does not count references cannot allocate: it
calls functions that allocate and count their own. This can go when Numba no longer counts references
that the caller holds anyway.

Compiled code is kept on disk: see ``cache``. With NUMBA_DISABLE_JIT all functions stay plain Python.
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
    """Compile a function on its first call, or load it from the cache on disk.

    ``nogil`` lets other threads run meanwhile. Without ``counts`` it counts no references, so it cannot
    allocate; with it, it counts them even if its caller does not. Division by zero gives infinity or
    NaN.
    """
    # Without the wrapper for calls from C, which takes time to compile.
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


class _CompilationTimer(Listener):
    """Measures the time spent on compiling our functions."""

    def on_start(self, event: Event) -> None:
        if _is_ours(event):
            compiling_begins()

    def on_end(self, event: Event) -> None:
        if _is_ours(event):
            compiling_ends()


def _is_ours(event: Any) -> bool:
    # Other packages compile in this process, too, and their functions may not have a cache.
    return isinstance(getattr(event.data["dispatcher"], "_cache", None), FunctionCache)


listen: Callable[[str, Listener], None] = register
listen("numba:compile", _CompilationTimer())
