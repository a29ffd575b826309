"""What compiled code is made of: the sources, the compiler, and the processor.

The rule: every Python file of `FOLDERS` counts, whichever kernel it belongs to. A kernel is made of its
own file, of helpers and constants that it imports, and of operations that another file registers for a
kind of samples. No list of those would stay true, and all files together are read in a few milliseconds.
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
"""Everything that a kernel can be made of, beside Numba and NumPy."""

_PACKAGE = __name__.partition(".")[0]


def is_covered(module: str) -> bool:
    """Say whether a module's source is in one of the folders.

    >>> is_covered("rosenblatt.kernels.signs"), is_covered("rosenblatt.kernels_of_mine")
    (True, False)
    """
    folders = (f"{_PACKAGE}.{folder}.".replace("/", ".") for folder in FOLDERS)
    return any(f"{module}.".startswith(folder) for folder in folders)


def sources_digest() -> bytes | None:
    """Return a digest of all sources as they are now, or None where they cannot be read."""
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
    """Return the names and contents of all Python files in a folder and those within it."""
    found = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(".py"):
            found.append((f"{name}/{entry.name}", entry.read_bytes()))
        elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
            found += _sources(entry, f"{name}/{entry.name}")
    return found


_AT_IMPORT = sources_digest()


def sources_have_changed() -> bool:
    """Say whether the sources are no longer those that were there when kernels were first imported.

    What is compiled now may then be of older sources than those on disk, or of both.
    """
    return sources_digest() != _AT_IMPORT


@cache
def stamp(processor: tuple[str, ...]) -> str | None:
    """Return a name for everything that code is made of, or None if that cannot be known."""
    if _AT_IMPORT is None:
        return None
    made_of = (
        _AT_IMPORT,
        sys.version,
        sys.implementation.cache_tag,
        numba.__version__,
        llvmlite.__version__,
        np.__version__,
        code_options(),
        processor,
    )
    return hashlib.sha256(repr(made_of).encode()).hexdigest()[:16]
