"""What Numba's configuration says: where its caches are wanted, and what changes the code it makes."""

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


def cache_folder() -> str:
    """Return the folder that NUMBA_CACHE_DIR names, or nothing."""
    return str(getattr(config, "CACHE_DIR", "") or "")


def code_options() -> dict[str, Any]:
    """Return what is set by NUMBA_OPT and its like."""
    return {name: str(getattr(config, name, None)) for name in _CHANGE_CODE}
