"""Local copies of remote files and of standard input, to be read more than once."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rosenblatt.core.errors import InputError
from rosenblatt.io.sources.shown_url import shown_url
from rosenblatt.io.sources.source import is_local, local_files, sources_of
from rosenblatt.io.sources.standard_stream import STANDARD_INPUT
from rosenblatt.io.sources.temporary_copy import temporary_file


class NamedFile(NamedTuple):
    """A local file and its name in messages: of a copy, the name of the original."""

    path: Path
    name: str


def named_files(locations: Sequence[str | Path]) -> list[NamedFile]:
    """Return local files; copies of remote ones are kept until Python exits."""
    files = []
    for source in sources_of(locations):
        path = source.path
        if path is None:
            path = temporary_file()
            with path.open("wb") as file:
                for block in source.stored():
                    file.write(block)
        files.append(NamedFile(path, source.name))
    return files


@contextlib.contextmanager
def original_names(files: Sequence[NamedFile]) -> Iterator[None]:
    """Replace the paths of copies in errors by the names of the originals."""
    try:
        yield
    except InputError as error:
        text = str(error)
        for path, name in files:
            text = text.replace(str(path), name)
        if text == str(error):
            raise
        raise InputError(text) from error


def file_names(locations: Sequence[str | Path]) -> str:
    """Return the names of locations in messages.

    >>> file_names([Path("a.csv"), "-", "s3://bucket/b.csv"])
    'a.csv standard input s3://bucket/b.csv'
    """
    return " ".join(_name(location) for location in locations)


def local_paths(locations: Sequence[str | Path]) -> list[Path]:
    """Return the local files among some locations, whether they exist or not."""
    local = [str(location) for location in locations if is_local(location)]
    return [path for pattern in local for path in local_files(pattern) or [Path(pattern)]]


def _name(location: str | Path) -> str:
    if is_local(location):
        return str(Path(location))
    return STANDARD_INPUT if str(location) == "-" else shown_url(str(location))
