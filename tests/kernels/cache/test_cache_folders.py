"""The order of the cache folders, also for a user without a home."""

import os
import sys
from pathlib import Path

import pytest

from rosenblatt.kernels.cache import cache_folders


@pytest.fixture(autouse=True)
def _clear_cache() -> None:
    cache_folders.cache_folders.cache_clear()


def folders() -> list[Path]:
    found = [cache.path for cache in cache_folders.cache_folders()]
    cache_folders.cache_folders.cache_clear()
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other folders")
def test_order_of_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = Path(cache_folders.__file__).parents[2] / "__pycache__" / "compiled"
    temporary = Path(cache_folders.tempfile.gettempdir(), f"rosenblatt-{os.geteuid()}")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(cache_folders, "numba_cache_folder", lambda: "")
    assert folders() == [own, tmp_path / ".cache" / "rosenblatt", temporary]
    monkeypatch.setattr(cache_folders, "numba_cache_folder", lambda: "/given")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cached")
    given = [Path("/given/rosenblatt"), own, Path("/cached/rosenblatt"), temporary]
    assert folders() == given
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/nonexistent")
    assert folders() == [given[0], own, temporary]
    monkeypatch.chdir(temporary.parent)
    assert folders() == [given[0], own]
