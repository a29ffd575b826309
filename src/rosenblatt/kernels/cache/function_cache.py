"""The cache of one compiled function, with the interface that Numba expects.

Numba's own cache checks only the function's own file to see whether code is stale, and refuses to start
if it finds no writable folder.
"""

import pickle
from collections.abc import Callable
from typing import Any

from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

from rosenblatt.core.compiling import count_loaded
from rosenblatt.kernels.cache.code_files import Key, folders_used, store_code, stored_codes
from rosenblatt.kernels.cache.sources import is_covered, sources_have_changed, stamp


class FunctionCache(NullCache):
    """Loads and stores compiled versions of a function, if it depends only on known sources.

    A function of another package, or one with a closure, is compiled again in every process.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        module = function.__module__
        self._function = f"{module.rpartition('.')[2]}.{function.__name__}"
        self._is_known = is_covered(module) and function.__closure__ is None

    @property
    def cache_path(self) -> str | None:
        """The folder that was written to or read from, or None before that."""
        return next(map(str, folders_used()), None)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function for a signature, or None if it must be compiled."""
        target_context.refresh()
        key = self._key(sig, target_context.codegen())
        if key is None:
            return None
        for code in stored_codes(key):
            try:
                found = rebuilt(target_context, *pickle.loads(code))
            except Exception:  # whatever is wrong, the function can be compiled again
                continue
            # The key contains types as text, and different types may have the same text.
            if found.signature.args == normalized(sig)[0]:
                count_loaded()
                return found
        return None

    def save_overload(self, sig: Any, cres: Any) -> None:
        """Store a function that was compiled for a signature."""
        key = self._key(sig, cres.codegen)
        if key is None or cres.lifted or cres.library.has_dynamic_globals:
            return
        if not sources_have_changed():
            store_code(key, as_bytes(cres._reduce()))

    def _key(self, sig: Any, codegen: Any) -> Key | None:
        current = stamp(codegen.magic_tuple()) if self._is_known else None
        if current is None:
            return None
        return Key(current, self._function, repr(normalized(sig)))


normalized: Callable[[Any], tuple[Any, Any]] = normalize_signature
as_bytes: Callable[[Any], bytes] = dumps
rebuilt: Callable[..., Any] = CompileResult._rebuild
