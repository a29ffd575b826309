"""Files that are there whole or not at all, and read with one sentence when they cannot be.

Conventions
-----------
Links: a path means the file that it leads to. What is written through a symbolic link goes to the
link's target, and the link stays. Two paths are the same file if both lead to it, by symbolic or hard
links. (Where a file with several hard links is replaced, the others keep the old content.)

Modes: a new file has the mode that the process's umask gives it; the umask is never changed. A file that
is replaced keeps its mode, and its owner and group as far as the system allows; access control lists are
not carried over. A file without any write permission is refused, for root too, who could overwrite it.

Kills: a file is written under a temporary name, synced and renamed, so that a process that is killed
leaves the old file or the new one. It may leave the temporary file as well, which is removed when the
same file is written again. While its process lives, a temporary file is locked, and nobody removes it.
"""

import errno
import hashlib
import os
import platform
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from rosenblatt.core.errors import InputError

if sys.platform != "win32":  # where a file that is open can be neither removed nor renamed
    import fcntl

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def check_writable(path: Path, what: str, *others: Path) -> None:
    """Raise unless a file can be put there, before any work is done, and is none of the others."""
    target, replaced = _destination(path)
    for other in others:
        if target == _led_to(other) or (replaced is not None and _is_file(other, replaced)):
            raise InputError(
                f"{path}: the {what} needs a file of its own, but this is the same file as {other}"
            )
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise InputError(f"{path}: cannot be written, for the folder {target.parent} is read-only")


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file under a temporary name, sync it and rename it: see the module's conventions."""
    with atomic_writer(path) as file:
        file.write(content)


@contextmanager
def atomic_writer(path: Path) -> Iterator[BinaryIO]:
    """Give a file to write to, which is there under its name when all is written, or not at all."""
    target, replaced = _destination(path)
    try:
        _remove_left_behind(target)
        handle, temporary = _new_temporary(target, replaced)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                if replaced is not None:
                    _pass_on(replaced, handle)
                os.fsync(handle)
                if sys.platform == "win32":
                    file.close()
                os.replace(temporary, target)  # still locked
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error


def check_readable(path: Path) -> int:
    """Raise unless there is an ordinary file that may be read; return its size in bytes.

    A device or a pipe may have no end, or not begin before somebody writes to it.
    """
    try:
        status = os.stat(path)
    except FileNotFoundError as error:
        raise InputError(f"{path}: there is no such file") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:  # a zero byte
        raise InputError(f"{str(path)!r}: cannot be read ({error})") from error
    if stat.S_ISDIR(status.st_mode):
        raise InputError(f"{path}: this is a folder, not a file")
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{path}: this is no ordinary file")
    if not os.access(path, os.R_OK):
        raise InputError(f"{path}: cannot be read ({os.strerror(errno.EACCES)})")
    return status.st_size


def read_text(path: Path, limit: int) -> str:
    """Return the text of an ordinary file of at most ``limit`` bytes."""
    size = check_readable(path)
    try:
        with path.open("rb") as file:
            # memory for all that may be read is taken at once; the file may have grown since
            content = file.read(min(size, limit) + 1)
            if len(content) == size + 1:
                content += file.read(limit + 1 - len(content))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    if len(content) > limit:
        raise InputError(f"{path}: the file is too large; at most {limit:,} bytes are accepted")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: this is not a text file in UTF-8 ({error.reason})") from error


def _destination(path: Path) -> tuple[Path, os.stat_result | None]:
    """Return where a path leads to, and what is known of the file there, if there is one.

    Raise if it cannot be written.
    """
    try:
        target, replaced = _led_to(path), _status(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error
    except ValueError as error:  # a zero byte
        raise InputError(f"{str(path)!r}: cannot be written ({error})") from error
    if replaced is None:
        if not target.parent.is_dir():
            raise InputError(f"{path}: cannot be written, for there is no folder {target.parent}")
    elif stat.S_ISDIR(replaced.st_mode):
        raise InputError(f"{path}: cannot be written, for this is a folder")
    elif not stat.S_ISREG(replaced.st_mode):
        raise InputError(f"{path}: cannot be written, for this is no ordinary file")
    elif not replaced.st_mode & 0o222 or not os.access(path, os.W_OK):
        raise InputError(
            f"{path}: cannot be written, for the file there is read-only (its mode is "
            f"{stat.S_IMODE(replaced.st_mode):03o}): make it writable, or give another name"
        )
    return target, replaced


def _led_to(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _status(path: Path) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _is_file(path: Path, status: os.stat_result) -> bool:
    """Say whether a path leads to the file with this status."""
    try:
        return os.path.samestat(os.stat(path), status)
    except OSError:  # it leads nowhere
        return False


def _new_temporary(target: Path, replaced: os.stat_result | None) -> tuple[int, Path]:
    """Create a file beside the target, locked, and never more readable than the target will be."""
    mode = 0o666 if replaced is None else replaced.st_mode & 0o600
    while True:
        name = f"{_prefix(target)}{os.getpid()}-{secrets.token_hex(4)}.tmp"
        temporary = target.with_name(name)
        handle = os.open(temporary, _NEW, mode)
        if sys.platform != "win32":
            with suppress(OSError):  # a file system without locks, where nobody can remove the file
                fcntl.flock(handle, fcntl.LOCK_EX)
        if _is_file(temporary, os.fstat(handle)):
            return handle, temporary
        os.close(handle)  # before it was locked, it was taken for left behind


def _remove_left_behind(target: Path) -> None:
    """Remove the temporary files for a target whose processes have ended without removing them."""
    if sys.platform == "win32":
        return
    prefix, names = _prefix(target), []
    with suppress(PermissionError):  # a folder may be writable and not readable
        names = os.listdir(target.parent)
    for name in names:
        if not (name.startswith(prefix) and name.endswith(".tmp")):
            continue
        left = target.with_name(name)
        with suppress(OSError):  # somebody else's, or gone, or locked
            handle = os.open(left, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(left)
            finally:
                os.close(handle)


def _prefix(target: Path) -> str:
    """Return how the names of temporary files for a target begin, on this machine.

    Locks are not always seen by other machines, so the files of another one are left alone.
    """
    machine = hashlib.sha256(platform.node().encode()).hexdigest()[:8]
    return f".{target.name[:50]}.rosenblatt-{machine}-"


def _pass_on(replaced: os.stat_result, handle: int) -> None:
    """Give a new file the owner, the group and the mode of the one that it replaces."""
    if sys.platform == "win32":
        return
    for owner in (replaced.st_uid, -1):
        with suppress(PermissionError):
            os.fchown(handle, owner, replaced.st_gid)
            break
    mode = replaced.st_mode & 0o777
    if os.fstat(handle).st_gid != replaced.st_gid:  # another group may do what everyone may
        mode = mode & 0o707 | (mode & 0o007) << 3
    os.fchmod(handle, mode)
