"""Atomic writing: links are followed, modes are kept, and killed processes leave whole files."""

import os
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from rosenblatt.core import files
from rosenblatt.core.errors import InputError
from rosenblatt.core.files import check_readable, check_writable, read_text, write_atomically

OTHER_USER = 12345
SetMode = Callable[[int], int]


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def umask() -> Iterator[SetMode]:
    """Return os.umask; the umask is restored after the test."""
    before = os.umask(0o022)
    os.umask(before)
    yield os.umask
    os.umask(before)


@pytest.mark.parametrize("kind", ["symbolic", "hard", "dots", "folder"])
def test_paths_to_the_same_file_are_refused(tmp_path: Path, kind: str) -> None:
    data, same = tmp_path / "x.csv", tmp_path / "y.csv"
    data.write_text("1,2\n")
    if kind == "symbolic":
        same.symlink_to(data)
    elif kind == "hard":
        same.hardlink_to(data)
    elif kind == "dots":
        same = tmp_path / ".." / tmp_path.name / "x.csv"
    else:
        (tmp_path / "link").symlink_to(tmp_path)
        same = tmp_path / "link" / "x.csv"
    for one, other in ((same, data), (data, same)):
        with pytest.raises(InputError, match=r"would overwrite .*, which is the same file"):
            check_writable(one, "model", other)
    check_writable(tmp_path / "z.csv", "model", data, same)


def test_two_links_to_a_missing_file_are_the_same_file(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).symlink_to(tmp_path / "nothing")
    with pytest.raises(InputError, match=r"would overwrite"):
        check_writable(tmp_path / "a", "model", tmp_path / "b")
    check_writable(tmp_path / "a", "model", tmp_path / "c")


@pytest.mark.parametrize("exists", [False, True])
def test_writing_through_a_link_keeps_the_link(tmp_path: Path, exists: bool) -> None:
    (tmp_path / "store").mkdir()
    target, link = tmp_path / "store" / "model", tmp_path / "link"
    if exists:
        target.write_bytes(b"old")
    link.symlink_to(Path("store") / "model")
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert os.listdir(target.parent) == ["model"]
    assert sorted(os.listdir(tmp_path)) == ["link", "store"]


def test_circular_links_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    for work in (lambda path: write_atomically(path, b""), check_readable):
        with pytest.raises(InputError, match="symbolic links"):
            work(tmp_path / "a")


@pytest.mark.parametrize("mask", [0o022, 0o027, 0o077, 0o000])
def test_a_new_file_gets_the_mode_of_the_umask(
    tmp_path: Path, umask: SetMode, mask: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    umask(mask)
    monkeypatch.setattr(os, "umask", None)
    write_atomically(tmp_path / "model", b"new")
    monkeypatch.undo()
    assert mode_of(tmp_path / "model") == 0o666 & ~mask


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o666, 0o620, 0o200, 0o755])
def test_a_replaced_file_keeps_its_mode(tmp_path: Path, umask: SetMode, mode: int) -> None:
    umask(0o022)
    path = tmp_path / "model"
    path.write_bytes(b"old")
    path.chmod(mode)
    write_atomically(path, b"new")
    assert mode_of(path) == mode
    path.chmod(0o600)
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("mode", [None, 0o600, 0o640, 0o604, 0o444 | 0o200])
def test_the_temporary_file_is_never_more_readable_than_the_target(
    tmp_path: Path, umask: SetMode, mode: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    umask(0o027)
    path = tmp_path / "model"
    if mode is not None:
        path.write_bytes(b"old")
        path.chmod(mode)
    seen = []

    def look(name: str) -> None:
        real = getattr(os, name)

        def looking(*arguments: object, **options: object) -> object:
            result = real(*arguments, **options)
            seen.extend(mode_of(p) for p in tmp_path.iterdir() if p.name.startswith("."))
            return result

        monkeypatch.setattr(os, name, looking)

    for name in ("open", "fdopen", "fchown", "fchmod", "fsync"):
        look(name)
    write_atomically(path, b"new")
    assert seen
    assert all(one & ~mode_of(path) == 0 for one in seen)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_is_kept_when_root_writes(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(b"old")
    os.chown(path, OTHER_USER, OTHER_USER + 1)
    path.chmod(0o640)
    write_atomically(path, b"new")
    status = path.stat()
    assert (status.st_uid, status.st_gid, mode_of(path)) == (OTHER_USER, OTHER_USER + 1, 0o640)


def test_a_different_group_does_not_get_the_old_groups_rights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model"
    path.write_bytes(b"old")
    path.chmod(0o664)
    replaced = path.stat()

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "fchown", refuse)
    monkeypatch.setattr(files, "_status", lambda _: os.stat_result((*replaced[:5], 77, 0, 0, 0, 0)))
    write_atomically(path, b"new")
    assert mode_of(path) == 0o644


@pytest.mark.parametrize("mode", [0o444, 0o400, 0o555, 0o000])
def test_a_read_only_file_is_refused_even_to_root(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "model"
    path.write_bytes(b"old")
    path.chmod(mode)
    for work in (lambda: write_atomically(path, b"new"), lambda: check_writable(path, "model")):
        with pytest.raises(InputError, match=rf"read-only \(its mode is {mode:03o}\)"):
            work()
    path.chmod(0o600)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["model"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")
def test_files_of_other_users_are_refused() -> None:
    with tempfile.TemporaryDirectory() as name:  # tmp_path is accessible only to root
        folder = Path(name)
        folder.chmod(0o755)
        theirs = folder / "theirs"
        theirs.write_bytes(b"old")
        theirs.chmod(0o644)
        secret = folder / "secret"
        secret.write_bytes(b"")
        secret.chmod(0o600)
        os.setresuid(OTHER_USER, OTHER_USER, 0)
        try:
            with pytest.raises(InputError, match=r"read-only \(its mode is 644\)"):
                write_atomically(theirs, b"new")
            with pytest.raises(InputError, match=r"cannot be written \(Permission denied\)"):
                write_atomically(folder / "model", b"new")
            with pytest.raises(InputError, match=r"the folder .* is read-only"):
                check_writable(folder / "model", "model")
            for work in (check_readable, partial(read_text, limit=100)):
                with pytest.raises(InputError, match=r"cannot be read \(Permission denied\)"):
                    work(secret)
        finally:
            os.setresuid(0, 0, 0)
        assert theirs.read_bytes() == b"old"


KILLED = """
import os
from pathlib import Path
from rosenblatt.core.files import write_atomically
os.{step} = lambda *_: os.kill(os.getpid(), 9)
write_atomically(Path({path!r}), b"new")
"""


def killed_at(step: str, path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED.format(step=step, path=str(path))])
    assert done.returncode == -9


@pytest.mark.parametrize("step", ["fdopen", "fsync", "replace"])
def test_the_next_writer_removes_a_killed_writers_temporary_file(tmp_path: Path, step: str) -> None:
    path = tmp_path / "model"
    path.write_bytes(b"old")
    for name in (".model.rosenblatt.tmp", ".model.x.tmp", ".mode", "other"):  # not ours
        (tmp_path / name).write_bytes(b"")
    others = set(os.listdir(tmp_path))
    killed_at(step, path)
    (stale,) = set(os.listdir(tmp_path)) - others
    assert stale.startswith(".model.rosenblatt-")
    assert path.read_bytes() == b"old"
    write_atomically(tmp_path / "other", b"new")
    assert stale in os.listdir(tmp_path)
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert set(os.listdir(tmp_path)) == others


def test_a_running_writers_temporary_file_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model"
    real, rest = os.replace, [b"second", b"third"]

    def overtaken(*names: Path) -> None:
        if rest:  # another write of the same file, in the middle of this one
            write_atomically(path, rest.pop(0))
        real(*names)

    monkeypatch.setattr(os, "replace", overtaken)
    write_atomically(path, b"first")
    assert path.read_bytes() == b"first"
    assert os.listdir(tmp_path) == ["model"]


def test_a_temporary_file_removed_before_it_is_locked_is_created_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, times = files.fcntl.flock, []

    def too_late(handle: int, operation: int) -> None:
        if not times:
            for temporary in tmp_path.iterdir():
                temporary.unlink()
        times.append(handle)
        real(handle, operation)

    monkeypatch.setattr(files.fcntl, "flock", too_late)
    write_atomically(tmp_path / "model", b"new")
    assert len(times) == 2
    assert (tmp_path / "model").read_bytes() == b"new"


WRITING = """
from pathlib import Path
from rosenblatt.core.files import write_atomically
while True:
    for letter in b"ab":
        write_atomically(Path({path!r}), bytes([letter]) * 300_000)
"""


@pytest.mark.parametrize("n_kills", [4, pytest.param(100, marks=pytest.mark.slow)])
def test_a_kill_at_any_moment_leaves_a_whole_file(tmp_path: Path, n_kills: int) -> None:
    path = tmp_path / "model"
    for kill in range(n_kills):
        child = subprocess.Popen([sys.executable, "-c", WRITING.format(path=str(path))])
        while not path.exists():
            time.sleep(0.01)
        time.sleep(0.1 + 0.013 * (kill % 10))
        child.kill()
        child.wait()
        content = path.read_bytes()
        assert len(content) == 300_000
        assert set(content) in ({ord("a")}, {ord("b")})
    write_atomically(path, b"end")
    assert os.listdir(tmp_path) == ["model"]


@pytest.mark.parametrize("length", [255, 200, 1])
def test_a_name_of_the_longest_possible_length_is_written(tmp_path: Path, length: int) -> None:
    path = tmp_path / ("é" * (length // 2) + "x" * (length % 2))
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert len(os.listdir(tmp_path)) == 1


@pytest.mark.parametrize("name", ["x" * 256, "y" * 5000, "a/" * 4000])
def test_a_longer_name_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    for work in (lambda: write_atomically(path, b""), lambda: check_writable(path, "model")):
        with pytest.raises(
            InputError, match=r"cannot be written \(File name too long\)"
        ) as refused:
            work()
        assert str(refused.value).startswith(str(path))
    with pytest.raises(InputError, match=r"cannot be read \(File name too long\)"):
        check_readable(path)


def test_folders_pipes_and_missing_folders_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    os.mkfifo(tmp_path / "pipe")
    for name, complaint in [
        (".", "this is a folder"),
        ("file/model", "there is no folder"),
        ("no/model", "there is no folder"),
        ("pipe", "this is not a regular file"),
        ("a\0b", "null"),
    ]:
        path = tmp_path / name
        with pytest.raises(InputError, match=f"cannot be written.*{complaint}"):
            write_atomically(path, b"")
        with pytest.raises(InputError, match=f"cannot be written.*{complaint}"):
            check_writable(path, "model")
    with pytest.raises(InputError, match="cannot be written"):
        write_atomically(Path("/dev/null"), b"")


def test_only_a_regular_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(tmp_path)  # a socket's name must be short
        server.bind("socket")
        for path, complaint in [
            (tmp_path / "nothing", "there is no such file"),
            (tmp_path, "this is a folder, not a file"),
            (tmp_path / "pipe", "this is not a regular file"),
            (tmp_path / "socket", "this is not a regular file"),
            (Path("/dev/zero"), "this is not a regular file"),
            (Path("/dev/null"), "this is not a regular file"),
            (tmp_path / "a\0b", "null"),
        ]:
            for work in (check_readable, partial(read_text, limit=100)):
                with pytest.raises(InputError, match=complaint):
                    work(path)


def test_a_text_longer_than_the_limit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("naïve", encoding="utf-8")
    assert read_text(path, 6) == "naïve"
    with pytest.raises(InputError, match="too large; the limit is 5 bytes"):
        read_text(path, 5)


def test_a_high_limit_allocates_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "text"
    path.write_text("naïve", encoding="utf-8")
    assert read_text(path, 2**60) == "naïve"
    monkeypatch.setattr("rosenblatt.core.files.check_readable", lambda _: 2)  # it has grown since
    assert read_text(path, 6) == "naïve"
    with pytest.raises(InputError, match="too large; the limit is 5 bytes"):
        read_text(path, 5)


def test_a_file_larger_than_memory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(InputError, match="too large"):
        read_text(path, 1000)


def test_other_encodings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not a UTF-8 text file"):
        read_text(path, 100)
