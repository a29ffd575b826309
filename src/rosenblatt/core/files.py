"""Atomic file writing, and reading with clear errors.

Links: a path means the file that it resolves to. Writing through a symbolic link writes the link's
target, and the link stays. Two paths are the same file if both resolve to it, through symbolic or hard
links. (Replacing a file that has several hard links leaves the other links with the old content.)

Modes: a new file gets the mode that the process's umask gives it; the umask is never changed. A replaced
file keeps its mode, and its owner and group as far as the system allows; access control lists are not
copied. A file without any write permission is refused, even to root, who could overwrite it.

Kills: a file is written under a temporary name, synced and renamed, so that a killed process leaves the
old file or the new one. It may also leave the temporary file, which is removed the next time that the
same file is written. A temporary file is locked while its process runs, so other processes keep it.
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

if sys.platform != "win32":  # Windows can neither remove nor rename an open file
    import fcntl

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def check_writable(path: Path, what: str, *others: Path) -> None:
    """Raise if the file cannot be written or is the same file as one of the others."""
    target, replaced = _destination(path)
    for other in others:
        if target == _resolved(other) or (replaced is not None and _is_file(other, replaced)):
            raise InputError(
                f"{path}: the {what} would overwrite {other}, which is the same file; "
                "choose another name"
            )
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise InputError(f"{path}: cannot be written (the folder {target.parent} is read-only)")


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file under a temporary name, sync it and rename it; see the module's docstring."""
    with atomic_writer(path) as file:
        file.write(content)


@contextmanager
def atomic_writer(path: Path) -> Iterator[BinaryIO]:
    """Open a file that appears under its name only when the context ends without an error."""
    target, replaced = _destination(path)
    try:
        _remove_stale_temporaries(target)
        handle, temporary = _new_temporary(target, replaced)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                if replaced is not None:
                    _copy_permissions(replaced, handle)
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
    """Return the size of a regular file in bytes; raise if it does not exist or cannot be read.

    Devices and pipes are refused: they may be endless, or block until another process writes.
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
        raise InputError(f"{path}: this is not a regular file")
    if not os.access(path, os.R_OK):
        raise InputError(f"{path}: cannot be read ({os.strerror(errno.EACCES)})")
    return status.st_size


def read_text(path: Path, limit: int) -> str:
    """Return the text of a regular file of at most ``limit`` bytes."""
    size = check_readable(path)
    try:
        with path.open("rb") as file:
            # read() allocates all it is asked for, so ask for the size; the file may have grown since
            content = file.read(min(size, limit) + 1)
            if len(content) == size + 1:
                content += file.read(limit + 1 - len(content))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    if len(content) > limit:
        raise InputError(f"{path}: the file is too large; the limit is {limit:,} bytes")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: this is not a UTF-8 text file ({error.reason})") from error


def _destination(path: Path) -> tuple[Path, os.stat_result | None]:
    """Return what a path resolves to, and the status of the file there, if any.

    Raise if it cannot be written.
    """
    try:
        target, replaced = _resolved(path), _status(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error
    except ValueError as error:  # a zero byte
        raise InputError(f"{str(path)!r}: cannot be written ({error})") from error
    if replaced is None:
        if not target.parent.is_dir():
            raise InputError(f"{path}: cannot be written (there is no folder {target.parent})")
    elif stat.S_ISDIR(replaced.st_mode):
        raise InputError(f"{path}: cannot be written (this is a folder)")
    elif not stat.S_ISREG(replaced.st_mode):
        raise InputError(f"{path}: cannot be written (this is not a regular file)")
    elif not replaced.st_mode & 0o222 or not os.access(path, os.W_OK):
        raise InputError(
            f"{path}: the existing file is read-only (its mode is "
            f"{stat.S_IMODE(replaced.st_mode):03o}); make it writable or choose another name"
        )
    return target, replaced


def _resolved(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _status(path: Path) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _is_file(path: Path, status: os.stat_result) -> bool:
    """Return whether a path resolves to the file with this status."""
    try:
        return os.path.samestat(os.stat(path), status)
    except OSError:  # a dangling link
        return False


def _new_temporary(target: Path, replaced: os.stat_result | None) -> tuple[int, Path]:
    """Create a locked file next to the target, never more readable than the target will be."""
    mode = 0o666 if replaced is None else replaced.st_mode & 0o600
    while True:
        name = f"{_prefix(target)}{os.getpid()}-{secrets.token_hex(4)}.tmp"
        temporary = target.with_name(name)
        handle = os.open(temporary, _NEW, mode)
        if sys.platform != "win32":
            with suppress(
                OSError
            ):  # a file system without locks, where no process removes the file
                fcntl.flock(handle, fcntl.LOCK_EX)
        if _is_file(temporary, os.fstat(handle)):
            return handle, temporary
        os.close(handle)  # another process removed it as stale before it was locked


def _remove_stale_temporaries(target: Path) -> None:
    """Remove a target's temporary files whose processes ended without removing them."""
    if sys.platform == "win32":
        return
    prefix, names = _prefix(target), []
    with suppress(PermissionError):  # a folder may be writable but not readable
        names = os.listdir(target.parent)
    for name in names:
        if not (name.startswith(prefix) and name.endswith(".tmp")):
            continue
        temporary = target.with_name(name)
        with suppress(OSError):  # another user's, already removed, or locked
            handle = os.open(temporary, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(temporary)
            finally:
                os.close(handle)


def _prefix(target: Path) -> str:
    """Return the prefix of the names of a target's temporary files on this machine.

    Other machines do not always see locks, so each machine removes only its own files.
    """
    machine = hashlib.sha256(platform.node().encode()).hexdigest()[:8]
    return f".{target.name[:50]}.rosenblatt-{machine}-"


def _copy_permissions(replaced: os.stat_result, handle: int) -> None:
    """Give a new file the owner, group and mode of the file that it replaces."""
    if sys.platform == "win32":
        return
    for owner in (replaced.st_uid, -1):
        with suppress(PermissionError):
            os.fchown(handle, owner, replaced.st_gid)
            break
    mode = replaced.st_mode & 0o777
    if os.fstat(handle).st_gid != replaced.st_gid:  # a different group gets the rights of others
        mode = mode & 0o707 | (mode & 0o007) << 3
    os.fchmod(handle, mode)
