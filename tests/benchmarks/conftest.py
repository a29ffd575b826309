"""Imports of the benchmarks' scripts."""

import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Return a function that imports a script."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module
