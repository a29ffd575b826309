"""Compiled code starts everywhere and is never stale: a tiny kernel, in processes of their own."""

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
    # Where others may not read the interpreter: a user who may read everything, and write nothing.
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
    """Return a package in a folder that every user may look into."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield TinyPackage(Path(folder))


@pytest.fixture
def as_nobody(public: TinyPackage) -> list[str]:
    """Return what starts a command as a user without any rights."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can become another user, with setpriv")
    for prefix in AS_NOBODY:
        done = subprocess.run(
            [*prefix, sys.executable, "-c", "import numba, sys; print(sys.version)"],
            env=public.environment(),
            cwd="/",
            capture_output=True,
            text=True,
        )
        if done.stdout.strip() == sys.version.strip():  # not another one, that others may run
            return prefix
    pytest.skip("no other user may run this Python")


def test_code_is_compiled_once_and_lies_in_the_package(tiny: TinyPackage) -> None:
    assert tiny.run()[:2] == (42.0, 1)
    again = tiny.run()
    assert again[:2] == (42.0, 0)
    (folder,) = again.folders
    assert folder.parent == tiny.own
    (file,) = tiny.files(tiny.own)
    assert file.name.startswith("tiny.scaled-")


def test_an_edit_of_an_imported_helper_is_seen(tiny: TinyPackage) -> None:
    tiny.run()
    tiny.set_factor(3.0)
    assert tiny.run()[:2] == (63.0, 1)
    tiny.set_factor(2.0)
    assert tiny.run()[:2] == (42.0, 0)


def test_what_is_edited_while_a_process_runs_is_not_stored(tiny: TinyPackage) -> None:
    helper = tiny.package / "kernels" / "tiny_helper.py"
    edit = f"from pathlib import Path; Path({str(helper)!r}).write_text('# changed')"
    assert tiny.run(between=edit)[:2] == (42.0, 1)
    assert tiny.files(tiny.own) == []


@pytest.mark.slow
def test_a_damaged_file_is_compiled_again_and_replaced(tiny: TinyPackage) -> None:
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


def test_processes_that_start_at_once(tiny: TinyPackage) -> None:
    processes = [tiny.start() for _ in range(3)]
    assert [answer(process).result for process in processes] == [42.0] * 3
    assert len(tiny.files(tiny.own)) == 1
    assert tiny.run()[:2] == (42.0, 0)


@pytest.mark.slow
@pytest.mark.slow
def test_the_folder_that_numba_is_told_to_use(tiny: TinyPackage, tmp_path: Path) -> None:
    given = tmp_path / "given"
    assert tiny.run(NUMBA_CACHE_DIR=str(given)).n_compiled == 1
    assert tiny.files(tiny.own) == []
    assert len(tiny.files(given / "rosenblatt")) == 1
    assert tiny.run(NUMBA_CACHE_DIR=str(given)).n_compiled == 0
    tiny.run()  # now in the package, where it is found whatever else is set
    assert tiny.run(NUMBA_CACHE_DIR=str(tmp_path / "another")).n_compiled == 0


@pytest.mark.slow
@pytest.mark.slow
def test_options_of_the_compiler_make_other_code(tiny: TinyPackage) -> None:
    assert tiny.run().n_compiled == 1
    assert tiny.run(NUMBA_OPT="1").n_compiled == 1
    assert tiny.run(NUMBA_NUM_THREADS="1").n_compiled == 0


def test_without_the_compiler_all_is_plain_python(tiny: TinyPackage) -> None:
    assert tiny.run(NUMBA_DISABLE_JIT="1") == (42.0, 0, [])


@pytest.mark.slow
def test_where_nothing_can_be_written_it_compiles_each_time(tiny: TinyPackage) -> None:
    nowhere = (
        "from pathlib import Path\n"
        "from rosenblatt.kernels.cache import code_files, places\n"
        "code_files.places = lambda: (places.Place(Path('/proc/none')),)"
    )
    for _ in range(2):
        assert tiny.run(before=nowhere) == (42.0, 1, [])


@pytest.mark.slow
@pytest.mark.slow
def test_a_package_in_an_archive_uses_the_users_folder(tiny: TinyPackage) -> None:
    archive = tiny.folder / "all.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in tiny.package.rglob("*.py"):
            file.write(path, path.relative_to(tiny.package.parent))
    assert tiny.run(PYTHONPATH=str(archive))[:2] == (42.0, 1)
    again = tiny.run(PYTHONPATH=str(archive))
    assert again[:2] == (42.0, 0)
    assert again.folders[0].is_relative_to(tiny.home)


@pytest.mark.slow
def test_a_package_without_sources_is_compiled_in_each_process(tiny: TinyPackage) -> None:
    import compileall

    compileall.compile_dir(tiny.package, quiet=1, legacy=True)
    for path in tiny.package.rglob("*.py"):
        path.unlink()
    assert tiny.run() == (42.0, 1, [])


@POSIX
@pytest.mark.parametrize(
    "what",
    [
        pytest.param("place", marks=pytest.mark.slow),
        pytest.param("folder", marks=pytest.mark.slow),
        "file",
    ],
)
def test_what_others_can_write_is_not_read(tiny: TinyPackage, what: str) -> None:
    tiny.run()
    (file,) = tiny.files(tiny.own)
    open_to_all = {"place": tiny.own, "folder": file.parent, "file": file}[what]
    open_to_all.chmod(0o777)
    again = tiny.run()
    assert again[:2] == (42.0, 1)
    if what == "file":  # it is replaced by one of our own
        assert tiny.run().n_compiled == 0
    else:
        assert again.folders[0].is_relative_to(tiny.home)


@POSIX
@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.slow
@pytest.mark.slow
def test_what_another_user_wrote_is_not_read(tiny: TinyPackage) -> None:
    tiny.run()
    (file,) = tiny.files(tiny.own)
    os.chown(file, NOBODY, NOBODY)
    assert tiny.run()[:2] == (42.0, 1)
    (file,) = tiny.files(tiny.own)
    os.chown(file.parent, NOBODY, NOBODY)
    assert tiny.run()[:2] == (42.0, 1)


@POSIX
@pytest.mark.slow
@pytest.mark.slow
def test_a_link_is_not_followed(tiny: TinyPackage) -> None:
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
def test_a_user_without_rights_or_home(public: TinyPackage, as_nobody: list[str]) -> None:
    public.temporary.chmod(0o1777)
    first = public.run(*as_nobody, HOME="/nonexistent")
    assert first[:2] == (42.0, 1)
    private = public.temporary / f"rosenblatt-{NOBODY}"
    assert first.folders[0].parent == private
    assert private.stat().st_mode & 0o777 == 0o700
    assert public.run(*as_nobody, HOME="/nonexistent")[:2] == (42.0, 0)


@POSIX
@pytest.mark.slow
@pytest.mark.slow
def test_a_user_without_rights_reads_what_an_image_has(
    public: TinyPackage, as_nobody: list[str]
) -> None:
    assert public.run().n_compiled == 1  # by root, as an image is built
    assert public.run(*as_nobody, HOME="/nonexistent")[:2] == (42.0, 0)


@POSIX
@pytest.mark.slow
@pytest.mark.slow
def test_a_temporary_folder_that_somebody_else_made_is_not_used(
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
def test_a_file_system_that_is_read_only(tiny: TinyPackage, has_home: bool) -> None:
    mount = f"mount --bind '{tiny.folder}' '{tiny.folder}'"
    mount += f" && mount -o remount,ro,bind '{tiny.folder}'"
    if has_home:
        mount += f" && mount -t tmpfs none '{tiny.home}'"
    probe = subprocess.run(["unshare", "-m", "sh", "-c", mount], capture_output=True, text=True)
    if probe.returncode != 0:
        pytest.skip(f"nothing can be mounted here: {probe.stderr.strip()}")
    prefix = ["unshare", "-m", "sh", "-c", f'{mount} && exec "$@"', "sh"]
    # The usual folders for temporary files are outside what is mounted.
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
def test_others_compile_as_before() -> None:
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
