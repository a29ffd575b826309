"""Standard input as a file, since a table is looked at more than once."""

import atexit
import contextlib
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from rosenblatt.core.errors import InputError

_NAME = "standard input"


def with_standard_input(paths: Sequence[Path]) -> list[Path]:
    """Return the paths, with a copy of standard input, which is there until Python exits, for "-"."""
    if Path("-") not in paths:
        return list(paths)
    folder = Path(tempfile.mkdtemp(prefix="rosenblatt-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copy = folder / _NAME
    with copy.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return [copy if path == Path("-") else path for path in paths]


@contextlib.contextmanager
def named_standard_input(paths: Sequence[Path]) -> Iterator[None]:
    """Leave the folder of the copy out of what is said of it."""
    try:
        yield
    except InputError as error:
        copy = next((str(path) for path in paths if path.name == _NAME), None)
        if copy is None:
            raise
        raise InputError(str(error).replace(copy, _NAME)) from error


def file_names(paths: Sequence[Path]) -> str:
    """Return the names of files, for a message.

    >>> file_names([Path("a.csv"), Path("-")])
    'a.csv standard input'
    """
    return " ".join(_NAME if path == Path("-") else str(path) for path in paths)
