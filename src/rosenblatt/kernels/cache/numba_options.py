"""Numba's configuration: the cache folder, and the options that change the compiled code."""

from typing import Any

from numba.core import config

_CHANGE_CODE = (
    "BOUNDSCHECK",
    "DEBUGINFO_DEFAULT",
    "LOOP_VECTORIZE",
    "OPT",
    "SLP_VECTORIZE",
    "USING_SVML",
)


def numba_cache_folder() -> str:
    """Return the folder in NUMBA_CACHE_DIR, or an empty string."""
    return str(getattr(config, "CACHE_DIR", "") or "")


def code_options() -> dict[str, Any]:
    """Return the values of NUMBA_OPT and similar options."""
    return {name: str(getattr(config, name, None)) for name in _CHANGE_CODE}
