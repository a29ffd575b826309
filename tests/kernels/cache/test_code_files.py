"""Files of code: found by their complete key, complete or absent, and limited in number."""

import errno
import os
from pathlib import Path

import pytest

from rosenblatt.kernels.cache import code_files
from rosenblatt.kernels.cache.cache_folders import CacheFolder
from rosenblatt.kernels.cache.code_files import Key, store_code, stored_codes

KEY = Key("0" * 16, "tiny.scaled", "((float64,), None)")


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return two cache folders, the only ones that are used."""
    found = [tmp_path / "first", tmp_path / "second"]
    monkeypatch.setattr(code_files, "cache_folders", lambda: tuple(map(CacheFolder, found)))
    monkeypatch.setattr(code_files, "_written", {})
    monkeypatch.setattr(code_files, "_used", {})
    return found


def test_stored_code_is_found(folders: list[Path]) -> None:
    assert list(stored_codes(KEY)) == []
    store_code(KEY, b"code")
    assert list(stored_codes(KEY)) == [b"code"]
    assert not folders[1].exists()
    assert code_files.folders_used() == [folders[0] / KEY.stamp]


def test_file_of_another_key_is_ignored(folders: list[Path]) -> None:
    store_code(KEY, b"code")
    other = KEY._replace(arguments="((float32,), None)")
    path = folders[0] / KEY.stamp / KEY.file_name()
    path.rename(path.with_name(other.file_name()))
    assert list(stored_codes(other)) == []


def test_code_is_read_from_every_folder(folders: list[Path]) -> None:
    store_code(KEY, b"code")
    folders[0].rename(folders[1])
    assert list(stored_codes(KEY)) == [b"code"]


def test_full_disk_is_not_an_error(folders: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    replace = os.replace

    def full(source: Path, target: Path) -> None:
        if folders[0] in target.parents:
            raise OSError(errno.ENOSPC, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(os, "replace", full)
    store_code(KEY, b"code")
    assert list((folders[0] / KEY.stamp).iterdir()) == []
    assert [path.name for path in (folders[1] / KEY.stamp).iterdir()] == [KEY.file_name()]


def test_oldest_folders_of_other_stamps_are_removed(folders: list[Path]) -> None:
    stamps = [f"{number:016x}" for number in range(20)]
    for age, stamp in enumerate(stamps):
        folder = folders[0] / stamp
        folder.mkdir(parents=True)
        (folder / "some.code").write_bytes(b"")
        os.utime(folder, (1e9 - age, 1e9 - age))
    (folders[0] / "notes").mkdir()
    key = KEY._replace(stamp="f" * 16)
    store_code(key, b"code")
    left = {path.name for path in folders[0].iterdir()}
    assert left == {key.stamp, "notes", *stamps[:8]}
