"""Fresh compiled kernels, and how hard Hypothesis tries."""

import ast
import hashlib
import os
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src"


def _compiled_sources() -> list[Path]:
    """Return the modules that import Numba and, transitively, every module of ours that they import."""
    imports = {path: _imported(path) for path in SOURCES.rglob("*.py")}
    found: set[Path] = set()
    left = [path for path, names in imports.items() if "numba" in names]
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            left += [other for name in imports[path] for other in _paths_of(name)]
    return sorted(found)


def _imported(path: Path) -> set[str]:
    """Return every name that a module imports from, and each name that it takes from there."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


def _paths_of(name: str) -> list[Path]:
    stem = SOURCES.joinpath(*name.split("."))
    return [path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()]


def _use_fresh_kernels() -> None:
    """Key Numba's cache by a hash of the sources: it does not see a change in an imported helper."""
    assert "rosenblatt.kernels.signs" not in sys.modules, (
        "the kernels were imported before conftest.py"
    )
    digest = hashlib.sha256()
    for path in _compiled_sources():
        digest.update(path.relative_to(SOURCES).as_posix().encode() + b"\0" + path.read_bytes())
    caches = ROOT / ".numba_cache"
    own = caches / digest.hexdigest()[:16]
    own.mkdir(parents=True, exist_ok=True)
    os.environ["NUMBA_CACHE_DIR"] = str(own)
    if "numba" in sys.modules:  # it has read the environment already
        sys.modules["numba"].config.CACHE_DIR = str(own)
    for other in caches.iterdir():
        # A younger one may belong to a run that is still going on.
        if other != own and time.time() - other.stat().st_mtime > 3600:
            shutil.rmtree(other, ignore_errors=True)


def _take_interrupts() -> None:
    """Let children be interrupted, however this run was started: ignored signals would be inherited."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


_use_fresh_kernels()
_take_interrupts()

settings.register_profile("dev", deadline=None, max_examples=40)
settings.register_profile("ci", deadline=None, max_examples=40, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: the same properties, on many more examples")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave scikit-learn's checks of all but the first variant of each learner to the slow sweep."""
    first: dict[str, str] = {}
    for item in items:
        name, _, case = item.name.partition("[")
        if name == "test_estimator_checks":
            variant = case.rpartition("-check_")[0]
            if first.setdefault(f"{item.path}", variant) != variant and "joint" not in variant:
                item.add_marker(pytest.mark.slow)
