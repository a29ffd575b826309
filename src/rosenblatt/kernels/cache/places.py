"""Where compiled code lies, and which of these places may be read.

In order: what NUMBA_CACHE_DIR names; the package's own folder, to which `rosenblatt warmup` writes when
an image is built; the user's folder for caches; a private temporary folder. Code is read from any of
them, and written to the first that can be written.

The files are pickles, and reading one can run anything. So nothing is read, on POSIX, from a folder or a
file that anybody could have written but this user, root, or the owner of the package, whose code runs
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

from rosenblatt.kernels.cache.numba_options import cache_folder

_PACKAGE = Path(__file__).parents[2]
_OWN = "rosenblatt"


class Place(NamedTuple):
    """A folder of our own, and the mode that it is made with."""

    folder: Path
    mode: int = 0o755


@cache
def places() -> tuple[Place, ...]:
    """Return all places where code may lie, whether they are there or not."""
    found = [Place(_PACKAGE / "__pycache__" / "compiled")]
    if cache_folder():
        with suppress(OSError):  # there may be no folder that a relative name begins at
            found.insert(0, Place(Path(cache_folder()).absolute() / _OWN))
    user = _user_folder()
    if user is not None:
        found.append(Place(user / _OWN))
    temporary = _temporary_folder()
    if temporary is not None:
        found.append(Place(temporary, 0o700))
    return tuple(found)


def _user_folder() -> Path | None:
    """Return the user's folder for caches, if the user has a home."""
    given = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", "")
    if os.path.isabs(given):
        return Path(given)
    home = os.path.expanduser("~")
    if not os.path.isabs(home) or not os.path.isdir(home):
        return None
    return Path(home, "Library", "Caches") if sys.platform == "darwin" else Path(home, ".cache")


def _temporary_folder() -> Path | None:
    """Return a folder of this user's, unless temporary files have no better place than where we are."""
    try:
        folder = tempfile.gettempdir()
        if folder == os.getcwd():
            return None
    except OSError:
        return None
    user = "" if sys.platform == "win32" else f"-{os.geteuid()}"
    return Path(folder, _OWN + user)


def make_folder(folder: Path, mode: int) -> bool:
    """Make a folder and those above it, and say whether it may be read."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    if not os.path.lexists(folder):
        folder.mkdir(mode, exist_ok=True)
    return is_private_folder(folder)


def is_private_folder(folder: Path) -> bool:
    """Say whether nobody could have written into a folder but those whose code runs anyway."""
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and _is_private(status)


def read_private(path: Path) -> bytes | None:
    """Return a file's content, if there is one and nobody else could have written it."""
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
    if sys.platform == "win32":  # where such folders belong to the user, and modes say nothing
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
