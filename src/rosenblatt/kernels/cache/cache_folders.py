"""The folders for compiled code, and which of them may be read.

In order: the one in NUMBA_CACHE_DIR; the package's own folder, to which `rosenblatt warmup` writes when
an image is built; the user's cache folder; a private temporary folder. Code is read from any of them,
and written to the first that is writable.

The files are pickles, and reading one can run any code. So on POSIX nothing is read from a folder or
file that anyone could have written except this user, root, or the owner of the package, whose code runs
anyway; nor through a link.
"""

import os
import stat
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from rosenblatt.kernels.cache.numba_options import numba_cache_folder

_PACKAGE = Path(__file__).parents[2]
_NAME = "rosenblatt"


class CacheFolder(NamedTuple):
    """A folder for compiled code, and the mode that it is created with."""

    path: Path
    mode: int = 0o755


@cache
def cache_folders() -> tuple[CacheFolder, ...]:
    """Return all folders that may contain compiled code, whether they exist or not."""
    found = [CacheFolder(_PACKAGE / "__pycache__" / "compiled")]
    if numba_cache_folder():
        with suppress(OSError):  # a relative path needs a current folder that exists
            found.insert(0, CacheFolder(Path(numba_cache_folder()).absolute() / _NAME))
    user = _user_folder()
    if user is not None:
        found.append(CacheFolder(user / _NAME))
    temporary = _temporary_folder()
    if temporary is not None:
        found.append(CacheFolder(temporary, 0o700))
    return tuple(found)


def _user_folder() -> Path | None:
    """Return the user's cache folder, or None if the user has no home."""
    given = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", "")
    if os.path.isabs(given):
        return Path(given)
    home = os.path.expanduser("~")
    if not os.path.isabs(home) or not os.path.isdir(home):
        return None
    return Path(home, "Library", "Caches") if sys.platform == "darwin" else Path(home, ".cache")


def _temporary_folder() -> Path | None:
    """Return the user's temporary folder, or None if temporary files go to the current folder."""
    try:
        folder = tempfile.gettempdir()
        if folder == os.getcwd():
            return None
    except OSError:
        return None
    user = "" if sys.platform == "win32" else f"-{os.geteuid()}"
    return Path(folder, _NAME + user)


def make_folder(folder: Path, mode: int) -> bool:
    """Create a folder and its parents; return whether files in it may be read."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    if not os.path.lexists(folder):
        folder.mkdir(mode, exist_ok=True)
    return is_private_folder(folder)


def is_private_folder(folder: Path) -> bool:
    """Return whether only users whose code runs anyway could have written to a folder."""
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and _is_private(status)


def read_private(path: Path) -> bytes | None:
    """Return a file's content, or None if it does not exist or is not private."""
    try:
        handle = os.open(path, os.O_RDONLY | _NO_LINK | _BINARY)
    except OSError:
        return None
    try:
        status = os.fstat(handle)
        if not (stat.S_ISREG(status.st_mode) and _is_private(status)):
            return None
        with os.fdopen(handle, "rb", closefd=False) as file:
            return file.read()
    except OSError:
        return None
    finally:
        os.close(handle)


_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)


def _is_private(status: os.stat_result) -> bool:
    if sys.platform == "win32":  # there such folders belong to the user, and modes mean nothing
        return True
    others_write = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return not others_write and status.st_uid in _trusted_owners()


@cache
def _trusted_owners() -> frozenset[int]:
    if sys.platform == "win32":
        return frozenset()
    owners = {0, os.geteuid()}
    with suppress(OSError):  # the package may be in an archive
        owners.add(os.stat(_PACKAGE).st_uid)
    return frozenset(owners)
