"""Fresh compiled kernels: the cache that the tests keep, named after a hash of the sources."""

import os
import runpy
from pathlib import Path

CONFTEST = Path(__file__).resolve().parents[1] / "tests" / "conftest.py"


def use_fresh_kernels() -> None:
    """Set Numba's cache, unless it is set: Numba does not see a change in an imported helper."""
    if "NUMBA_CACHE_DIR" not in os.environ:
        runpy.run_path(str(CONFTEST))
