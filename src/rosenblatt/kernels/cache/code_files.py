"""Files of compiled code: one per function and argument types, in one folder per stamp.

A file is complete or does not exist: it is written under another name and renamed. It begins with a
checksum that is keyed by everything the code depends on, so a damaged file, or that of another function,
is ignored. Any number of processes may read and write at once; if two have compiled the same function,
the later one's file stays. Nothing here raises: at worst there is no file.
"""

import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from rosenblatt.kernels.cache.cache_folders import (
    CacheFolder,
    cache_folders,
    is_private_folder,
    make_folder,
    read_private,
)

_CHECKSUM = 32
_STAMP = re.compile("[0-9a-f]{16}")
_STAMPS_KEPT = 8
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class Key(NamedTuple):
    """Identifies a file: the stamp of everything that code depends on, the function, its arguments."""

    stamp: str
    function: str
    arguments: str

    def digest(self) -> bytes:
        """Return a digest of the whole key."""
        return hashlib.sha256(repr(tuple(self)).encode()).digest()

    def file_name(self) -> str:
        """Return the name of the file.

        >>> Key("0123456789abcdef", "signs.side_of", "(float64,)").file_name()
        'signs.side_of-a7222318678e75d4.code'
        """
        return f"{self.function}-{self.digest().hex()[:16]}.code"


def stored_codes(key: Key) -> Iterator[bytes]:
    """Yield the intact code stored under a key, folder by folder."""
    for cache in cache_folders():
        folder = cache.path / key.stamp
        if is_private_folder(cache.path) and is_private_folder(folder):
            content = read_private(folder / key.file_name())
            if content is not None and content[:_CHECKSUM] == _checksum(key, content[_CHECKSUM:]):
                _used.setdefault(folder)
                yield content[_CHECKSUM:]


def store_code(key: Key, code: bytes) -> None:
    """Store code in the first writable folder, if there is one."""
    content = _checksum(key, code) + code
    for cache in cache_folders():
        with suppress(OSError):
            folder = cache.path / key.stamp
            if make_folder(cache.path, cache.mode) and make_folder(folder, cache.mode):
                _put(folder / key.file_name(), content)
                is_first = folder not in _written
                _written.setdefault(folder)
                if is_first:
                    with suppress(OSError):  # another process may be removing the same files
                        _remove_old(cache, key.stamp)
                return


_used: dict[Path, None] = {}
_written: dict[Path, None] = {}


def folders_used() -> list[Path]:
    """Return the folders that this process has written code to, then those it has read from."""
    return list({**_written, **_used})


def _checksum(key: Key, code: bytes) -> bytes:
    return hashlib.blake2b(code, digest_size=_CHECKSUM, key=key.digest()).digest()


def _put(path: Path, content: bytes) -> None:
    """Write a file under a temporary name and rename it."""
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    handle = os.open(temporary, _NEW, 0o644)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _remove_old(cache: CacheFolder, stamp: str) -> None:
    """Remove the folders of other stamps, except the most recently written ones.

    A process that still uses one of them just compiles again.
    """
    others = [
        entry
        for entry in cache.path.iterdir()
        if _STAMP.fullmatch(entry.name) and entry.name != stamp and is_private_folder(entry)
    ]
    others.sort(key=lambda entry: entry.stat().st_mtime, reverse=True)
    for entry in others[_STAMPS_KEPT:]:
        shutil.rmtree(entry, ignore_errors=True)
