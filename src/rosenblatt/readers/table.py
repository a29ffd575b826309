"""What a reader returns, and how it opens a file."""

import bz2
import csv
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from rosenblatt.errors import InputError
from rosenblatt.typing import Labels


@dataclass(frozen=True)
class Table:
    """Samples as a dense or sparse matrix, their labels if there are any, and the columns' names."""

    X: Any
    y: Labels | None
    n_features: int
    feature_names: list[str] | None = None
    label_name: str | None = None
    first_index: int = 1  # of a libsvm file


@contextmanager
def open_text(path: Path) -> Iterator[IO[str]]:
    """Open a text file, compressed or not; what is no text is a sentence, not a traceback."""
    opener: Any = {".gz": gzip.open, ".bz2": bz2.open}.get(path.suffix, open)
    try:
        with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
            yield cast("IO[str]", file)
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: this is not a text file in UTF-8 ({error.reason})") from error
    except csv.Error as error:
        raise InputError(f"{path}: cannot be read as CSV ({error})") from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: cannot be read ({error})") from error


def check_width(path: Path, found: int, expected: int) -> None:
    """Raise unless a file has the number of features that the model has learned from."""
    if found != expected:
        raise InputError(
            f"{path}: the samples have {found} features, but the model has learned from {expected}"
        )
