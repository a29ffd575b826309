"""Pictures are drawn in memory, and every test, and every example in a docstring, closes its figures."""

import os
import sys
from collections.abc import Iterator

import pytest

os.environ["MPLBACKEND"] = "agg"


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
