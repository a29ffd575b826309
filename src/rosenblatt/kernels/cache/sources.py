"""The stamp of everything that compiled code depends on: sources, compiler, and processor.

Every Python file in `FOLDERS` counts for every kernel. A kernel depends on its own file, on helpers and
constants that it imports, and on operations that other files register for a kind of samples. A list of
those would go out of date, and all files together are read in a few milliseconds.
"""

import hashlib
import sys
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from zipfile import BadZipFile

import llvmlite
import numba
import numpy as np

from rosenblatt.kernels.cache.numba_options import code_options

FOLDERS = ("core", "kernels", "separability/solvers")
"""The folders with everything that a kernel can depend on, except Numba and NumPy."""

_PACKAGE = __name__.partition(".")[0]


def is_covered(module: str) -> bool:
    """Return whether a module's source is in one of the folders.

    >>> is_covered("rosenblatt.kernels.signs"), is_covered("rosenblatt.kernels_of_mine")
    (True, False)
    """
    folders = (f"{_PACKAGE}.{folder}.".replace("/", ".") for folder in FOLDERS)
    return any(f"{module}.".startswith(folder) for folder in folders)


def sources_digest() -> bytes | None:
    """Return a digest of all current sources, or None if they cannot be read."""
    digest = hashlib.sha256()
    n_files = 0
    try:
        package = resources.files(_PACKAGE)
        for folder in FOLDERS:
            for name, content in _sources(package / folder, folder):
                digest.update(f"{name}\0{len(content)}\0".encode() + content)
                n_files += 1
    except (OSError, ValueError, BadZipFile):
        return None
    return digest.digest() if n_files else None


def _sources(folder: Traversable, name: str) -> list[tuple[str, bytes]]:
    """Return the names and contents of all Python files in a folder and its subfolders."""
    found = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(".py"):
            found.append((f"{name}/{entry.name}", entry.read_bytes()))
        elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
            found += _sources(entry, f"{name}/{entry.name}")
    return found


_AT_IMPORT = sources_digest()


def sources_have_changed() -> bool:
    """Return whether the sources have changed since kernels were first imported.

    If so, code compiled now may be based on old sources, or on a mix.
    """
    return sources_digest() != _AT_IMPORT


@cache
def stamp(processor: tuple[str, ...]) -> str | None:
    """Return a name for everything that code depends on, or None if the sources cannot be read."""
    if _AT_IMPORT is None:
        return None
    dependencies = (
        _AT_IMPORT,
        sys.version,
        sys.implementation.cache_tag,
        numba.__version__,
        llvmlite.__version__,
        np.__version__,
        code_options(),
        processor,
    )
    return hashlib.sha256(repr(dependencies).encode()).hexdigest()[:16]
