"""Places as files of this machine, since a file that is read whole is looked at more than once."""

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
    """A file of this machine, and what it is called in messages; if it is a copy, not by its path."""

    path: Path
    name: str


def named_files(places: Sequence[str | Path]) -> list[NamedFile]:
    """Return the files that are meant, with copies, which are there until Python exits, of others."""
    files = []
    for source in sources_of(places):
        path = source.path
        if path is None:
            path = temporary_file()
            with path.open("wb") as file:
                for block in source.stored():
                    file.write(block)
        files.append(NamedFile(path, source.name))
    return files


@contextlib.contextmanager
def named_in_copies(files: Sequence[NamedFile]) -> Iterator[None]:
    """Call copies what they are copies of in whatever is said of them."""
    try:
        yield
    except InputError as error:
        text = str(error)
        for path, name in files:
            text = text.replace(str(path), name)
        if text == str(error):
            raise
        raise InputError(text) from error


def file_names(places: Sequence[str | Path]) -> str:
    """Return what places are called in messages.

    >>> file_names([Path("a.csv"), "-", "s3://bucket/b.csv"])
    'a.csv standard input s3://bucket/b.csv'
    """
    return " ".join(_name(place) for place in places)


def local_paths(places: Sequence[str | Path]) -> list[Path]:
    """Return the files of this machine among places, whether they are there or not."""
    own = [str(place) for place in places if is_local(place)]
    return [path for place in own for path in local_files(place) or [Path(place)]]


def _name(place: str | Path) -> str:
    if is_local(place):
        return str(Path(place))
    return STANDARD_INPUT if str(place) == "-" else shown_url(str(place))
