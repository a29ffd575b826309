"""Files that are there whole or not at all, and read with one sentence when they cannot be."""

import os
import stat
import tempfile
from pathlib import Path

from rosenblatt.errors import InputError


def check_writable(path: Path, what: str, *others: Path) -> None:
    """Raise unless a file can be put there, before any work is done, and is none of the others."""
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent} to write the {what} to")
    if path.is_dir() or any(path.absolute() == other.absolute() for other in others):
        raise InputError(f"{path}: the {what} needs a file of its own")


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under a temporary name, sync it and rename it."""
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: cannot be written, for it is no ordinary file")
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException as error:
        os.unlink(temporary)
        if isinstance(error, OSError):
            raise InputError(f"{path}: cannot be written ({error.strerror})") from error
        raise


def read_text(path: Path, limit: int) -> str:
    """Return what a text file says: an ordinary file, of at most so many bytes.

    What is no ordinary file may never end, or wait for ever for someone who writes.
    """
    try:
        mode, content = path.stat().st_mode, b""
        if stat.S_ISREG(mode):
            with path.open("rb") as file:
                content = file.read(limit + 1)
    except FileNotFoundError as error:
        raise InputError(f"{path}: there is no such file") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"{path}: cannot be read ({reason})") from error
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "no ordinary file"
        raise InputError(f"{path}: this is {what}; an ordinary file is accepted")
    if len(content) > limit:
        raise InputError(f"{path}: the file is too large; at most {limit:,} bytes are accepted")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: this is not a text file in UTF-8 ({error.reason})") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
