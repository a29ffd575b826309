"""Compiled code runs in every environment and is never stale: a tiny kernel in separate processes."""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tiny_kernel import TinyPackage, answer

POSIX = pytest.mark.skipif(os.name != "posix", reason="owners and modes are those of POSIX")
NOBODY = 65534
AS_NOBODY = [
    ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"],
    # If other users cannot read the interpreter: a user who may read everything, but write nothing.
    [
        *["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"],
        *["--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search"],
    ],
]


@pytest.fixture
def tiny(tmp_path: Path) -> TinyPackage:
    return TinyPackage(tmp_path)


@pytest.fixture
def public() -> Iterator[TinyPackage]:
    """Return a package in a folder that every user can read."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield TinyPackage(Path(folder))


@pytest.fixture
def as_nobody(public: TinyPackage) -> list[str]:
    """Return a command prefix that runs a command as a user without any rights."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("requires root and setpriv")
    for prefix in AS_NOBODY:
        done = subprocess.run(
            [*prefix, sys.executable, "-c", "import numba, sys; print(sys.version)"],
            env=public.environment(),
            cwd="/",
            capture_output=True,
            text=True,
        )
        if done.stdout.strip() == sys.version.strip():  # not another interpreter
            return prefix
    pytest.skip("other users cannot run this Python")


def test_code_is_compiled_once_and_stored_in_the_package(tiny: TinyPackage) -> None:
    assert tiny.run()[:2] == (42.0, 1)
    again = tiny.run()
    assert again[:2] == (42.0, 0)
    (folder,) = again.folders
    assert folder.parent == tiny.own
    (file,) = tiny.files(tiny.own)
    assert file.name.startswith("tiny.scaled-")


def test_edit_of_an_imported_helper_is_detected(tiny: TinyPackage) -> None:
    tiny.run()
    tiny.set_factor(3.0)
    assert tiny.run()[:2] == (63.0, 1)
    tiny.set_factor(2.0)
    assert tiny.run()[:2] == (42.0, 0)


def test_code_is_not_stored_if_sources_change_while_running(tiny: TinyPackage) -> None:
    helper = tiny.package / "kernels" / "tiny_helper.py"
    edit = f"from pathlib import Path; Path({str(helper)!r}).write_text('# changed')"
    assert tiny.run(between=edit)[:2] == (42.0, 1)
    assert tiny.files(tiny.own) == []


@pytest.mark.slow
def test_damaged_file_is_compiled_again_and_replaced(tiny: TinyPackage) -> None:
    tiny.run()
    (file,) = tiny.files(tiny.own)
    content = file.read_bytes()
    middle = len(content) // 2
    flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    for damaged in (content[:middle], b"", flipped, b"nothing" * 1000):
        file.write_bytes(damaged)
        assert tiny.run()[:2] == (42.0, 1)
        assert tiny.files(tiny.own) == [file]
    assert tiny.run()[:2] == (42.0, 0)


def test_concurrent_processes_share_the_cache(tiny: TinyPackage) -> None:
    processes = [tiny.start() for _ in range(3)]
    assert [answer(process).result for process in processes] == [42.0] * 3
    assert len(tiny.files(tiny.own)) == 1
    assert tiny.run()[:2] == (42.0, 0)


@pytest.mark.slow
def test_numba_cache_dir_is_used(tiny: TinyPackage, tmp_path: Path) -> None:
    given = tmp_path / "given"
    assert tiny.run(NUMBA_CACHE_DIR=str(given)).n_compiled == 1
    assert tiny.files(tiny.own) == []
    assert len(tiny.files(given / "rosenblatt")) == 1
    assert tiny.run(NUMBA_CACHE_DIR=str(given)).n_compiled == 0
    tiny.run()  # now stored in the package, where it is found with any setting
    assert tiny.run(NUMBA_CACHE_DIR=str(tmp_path / "another")).n_compiled == 0


@pytest.mark.slow
def test_compiler_options_change_the_cache_key(tiny: TinyPackage) -> None:
    assert tiny.run().n_compiled == 1
    assert tiny.run(NUMBA_OPT="1").n_compiled == 1
    assert tiny.run(NUMBA_NUM_THREADS="1").n_compiled == 0


def test_without_the_compiler_kernels_are_plain_python(tiny: TinyPackage) -> None:
    assert tiny.run(NUMBA_DISABLE_JIT="1") == (42.0, 0, [])


@pytest.mark.slow
def test_without_a_writable_folder_it_compiles_each_time(tiny: TinyPackage) -> None:
    nowhere = (
        "from pathlib import Path\n"
        "from rosenblatt.kernels.cache import cache_folders, code_files\n"
        "nowhere = cache_folders.CacheFolder(Path('/proc/none'))\n"
        "code_files.cache_folders = lambda: (nowhere,)"
    )
    for _ in range(2):
        assert tiny.run(before=nowhere) == (42.0, 1, [])


@pytest.mark.slow
def test_package_in_an_archive_uses_the_users_folder(tiny: TinyPackage) -> None:
    archive = tiny.folder / "all.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in tiny.package.rglob("*.py"):
            file.write(path, path.relative_to(tiny.package.parent))
    assert tiny.run(PYTHONPATH=str(archive))[:2] == (42.0, 1)
    again = tiny.run(PYTHONPATH=str(archive))
    assert again[:2] == (42.0, 0)
    assert again.folders[0].is_relative_to(tiny.home)


@pytest.mark.slow
def test_package_without_sources_is_compiled_in_each_process(tiny: TinyPackage) -> None:
    import compileall

    compileall.compile_dir(tiny.package, quiet=1, legacy=True)
    for path in tiny.package.rglob("*.py"):
        path.unlink()
    assert tiny.run() == (42.0, 1, [])


@POSIX
@pytest.mark.parametrize(
    "what",
    [
        pytest.param("cache", marks=pytest.mark.slow),
        pytest.param("stamp", marks=pytest.mark.slow),
        "file",
    ],
)
def test_world_writable_files_are_not_read(tiny: TinyPackage, what: str) -> None:
    tiny.run()
    (file,) = tiny.files(tiny.own)
    path = {"cache": tiny.own, "stamp": file.parent, "file": file}[what]
    path.chmod(0o777)
    again = tiny.run()
    assert again[:2] == (42.0, 1)
    if what == "file":  # it was replaced
        assert tiny.run().n_compiled == 0
    else:
        assert again.folders[0].is_relative_to(tiny.home)


@POSIX
@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="requires root")
@pytest.mark.slow
def test_files_of_another_user_are_not_read(tiny: TinyPackage) -> None:
    tiny.run()
    (file,) = tiny.files(tiny.own)
    os.chown(file, NOBODY, NOBODY)
    assert tiny.run()[:2] == (42.0, 1)
    (file,) = tiny.files(tiny.own)
    os.chown(file.parent, NOBODY, NOBODY)
    assert tiny.run()[:2] == (42.0, 1)


@POSIX
@pytest.mark.slow
def test_links_are_not_followed(tiny: TinyPackage) -> None:
    tiny.run()
    elsewhere = tiny.folder / "elsewhere"
    tiny.own.rename(elsewhere)
    tiny.own.symlink_to(elsewhere)
    assert tiny.run().n_compiled == 1
    (file,) = tiny.files(elsewhere)
    tiny.own.unlink()
    elsewhere.rename(tiny.own)
    path = tiny.own / file.relative_to(elsewhere)
    path.symlink_to(path.rename(tiny.folder / "target"))
    (tiny.home / ".cache").rename(tiny.home / "not")
    assert tiny.run().n_compiled == 1
    assert not path.is_symlink()


@POSIX
@pytest.mark.slow
def test_user_without_a_home_uses_a_temporary_folder(
    public: TinyPackage, as_nobody: list[str]
) -> None:
    public.temporary.chmod(0o1777)
    first = public.run(*as_nobody, HOME="/nonexistent")
    assert first[:2] == (42.0, 1)
    private = public.temporary / f"rosenblatt-{NOBODY}"
    assert first.folders[0].parent == private
    assert private.stat().st_mode & 0o777 == 0o700
    assert public.run(*as_nobody, HOME="/nonexistent")[:2] == (42.0, 0)


@POSIX
@pytest.mark.slow
def test_user_without_rights_reads_the_cache_of_an_image(
    public: TinyPackage, as_nobody: list[str]
) -> None:
    assert public.run().n_compiled == 1  # by root, as an image is built
    assert public.run(*as_nobody, HOME="/nonexistent")[:2] == (42.0, 0)


@POSIX
@pytest.mark.slow
def test_temporary_folder_of_another_user_is_not_used(
    public: TinyPackage, as_nobody: list[str]
) -> None:
    public.temporary.chmod(0o1777)
    theirs = public.temporary / f"rosenblatt-{NOBODY}"
    theirs.mkdir()
    os.chown(theirs, 1234, 1234)
    theirs.chmod(0o777)
    assert public.run(*as_nobody, HOME="/nonexistent") == (42.0, 1, [])
    assert list(theirs.iterdir()) == []


@POSIX
@pytest.mark.parametrize("has_home", [True, False])
@pytest.mark.slow
def test_read_only_file_system(tiny: TinyPackage, has_home: bool) -> None:
    mount = f"mount --bind '{tiny.folder}' '{tiny.folder}'"
    mount += f" && mount -o remount,ro,bind '{tiny.folder}'"
    if has_home:
        mount += f" && mount -t tmpfs none '{tiny.home}'"
    probe = subprocess.run(["unshare", "-m", "sh", "-c", mount], capture_output=True, text=True)
    if probe.returncode != 0:
        pytest.skip(f"cannot mount: {probe.stderr.strip()}")
    prefix = ["unshare", "-m", "sh", "-c", f'{mount} && exec "$@"', "sh"]
    # The default temporary folders are outside the mount.
    answered = tiny.run(*prefix, TMPDIR=str(tiny.folder), before=_ONLY_THERE)
    assert answered[:2] == (42.0, 1)
    if has_home:
        assert answered.folders[0].is_relative_to(tiny.home)
    else:
        assert answered.folders == []


_ONLY_THERE = """
import tempfile
tempfile._candidate_tempdir_list = lambda: ["/proc/none"]
"""


@pytest.mark.slow
def test_numba_functions_of_others_still_compile() -> None:
    program = """
import numba, rosenblatt.kernels.compiled
@numba.jit(forceobj=True)
def looped(n):
    total = 0
    for k in range(n):
        total += k
    return total
@numba.njit
def asked():
    with numba.objmode(found="int64"):
        found = 3
    return found
print(looped(4), asked())
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout == "6 3\n", done.stderr
