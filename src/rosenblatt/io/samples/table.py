"""What a reader returns, and what it is told about the samples that a model has learned from."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from rosenblatt.core.checks import check_choice
from rosenblatt.core.errors import InputError, quoted
from rosenblatt.core.types import Counts, Labels, MatrixLike
from rosenblatt.io.streams.stream_position import BEGINNING, Position

_MOST_NAMES = 10
_NUMBERED = re.compile(r"column [0-9]+")

PlacesOf = Callable[[Counts], list[str]]
"""From the numbers of samples, which count from 0, to where they are: "line 17", "row 17"."""


@dataclass(frozen=True)
class Table:
    """Samples, their labels if there are any, and where they come from.

    ``X`` is an Arrow table of all columns but the label's, or a sparse matrix; ``columns`` has the names
    of all columns of the file, which are numbers unless ``has_names``. ``label_column`` is where
    a table has its labels, as ``--label`` counts: from 1, or -1 for the last; None if it is not known.
    ``first_index`` is that of a libsvm file, ``n_unlabeled`` the number of samples that were left out
    because they have no label. ``is_typed`` says whether the file itself says what is text, and what
    is a number, as Parquet does. If the table is a chunk of a stream, the next one begins at its
    ``end``.
    """

    X: MatrixLike
    y: Labels | None
    places_of: PlacesOf
    columns: Sequence[str] = ()
    has_names: bool = False
    label_name: str | None = None
    label_column: int | None = -1
    first_index: int = 1
    n_unlabeled: int = 0
    is_typed: bool = False
    end: Position = BEGINNING

    @property
    def names(self) -> list[str] | None:
        """The names of the columns, or None for a sparse matrix."""
        return self.X.column_names if isinstance(self.X, pa.Table) else None

    def place(self, file: str, row: int) -> str:
        """Return where a sample is: its file, and its line or row there."""
        (place,) = self.places_of(np.array([row]))
        return place if ", " in place else f"{file}, {place}"

    @property
    def n_samples(self) -> int:
        """The number of samples."""
        return int(self.X.num_rows if isinstance(self.X, pa.Table) else self.X.shape[0])


class Arrangement(NamedTuple):
    """The columns of a source: their names, which are numbers unless ``has_names``, and its label's.

    ``features`` are the names of all others as whoever reads the samples knows them.
    """

    columns: Sequence[str]
    has_names: bool
    label: int | None
    features: Sequence[str]

    @property
    def label_name(self) -> str | None:
        """The name of the label's column."""
        return None if self.label is None or not self.has_names else self.columns[self.label]


@dataclass(frozen=True)
class Expected:
    """What a model has learned from: its columns, which of them hold text, its classes, its label.

    ``has_names`` says whether the columns have names of their own, by which they are matched. The
    indices of libsvm files begin at ``first_index``.
    """

    n_features: int
    classes: Labels
    names: list[str] | None = None
    has_names: bool = False
    texts: Collection[str] = ()
    label_name: str | None = None
    label_column: int = -1
    first_index: int = 1


@dataclass(frozen=True)
class Reading:
    """How a file is to be read: what the user has said, and what a model expects.

    ``header`` says whether the first line has names (None: find out), ``texts`` which columns are not
    numbers even if they look like it, ``missing`` what stands for a missing value in any column,
    ``id_column`` which column is certainly not the label. Where labels are not needed, samples without
    one are not left out.
    """

    kind: str = "auto"
    label: str | None = None
    header: bool | None = None
    decimal: str = "."
    texts: Sequence[str] = ()
    missing: Sequence[str] = ()
    expect: Expected | None = field(default=None)
    needs_labels: bool = True
    id_column: str | None = None

    def __post_init__(self) -> None:
        check_choice("decimal", self.decimal, (".", ","))


def column_number(place: str, wanted: str, names: Sequence[str], what: str = "") -> int:
    """Return which column, from 0, is named or numbered: 1 is the first, -1 the last.

    >>> column_number("a.csv", "-1", ["age", "class"])
    1
    """
    if wanted in names:
        return names.index(wanted)
    number = int(wanted) if re.fullmatch(r"-?[0-9]{1,9}", wanted) else 0
    if 1 <= number <= len(names):
        return number - 1
    if -len(names) <= number <= -1:
        return len(names) + number
    known = [name for name in names if not _NUMBERED.fullmatch(name)]
    raise InputError(
        f"{place}: there is no {what}column {quoted(wanted)}; give a number from 1 to {len(names)}"
        + (f" or one of the names {some_names(known)}" if known else "")
    )


def some_names(names: Sequence[str]) -> str:
    """Return the first few names, for a message.

    >>> some_names(["age", "class"])
    'age, class'
    """
    return ", ".join(names[:_MOST_NAMES]) + (", …" if len(names) > _MOST_NAMES else "")


def numbered(n_columns: int) -> list[str]:
    """Return names for columns that have none.

    >>> numbered(2)
    ['column 1', 'column 2']
    """
    return [f"column {k}" for k in range(1, n_columns + 1)]


def check_width(path: Path | str, found: int, expected: int) -> None:
    """Raise unless a file has the number of features that the model has learned from."""
    if found != expected:
        raise InputError(
            f"{path}: the samples have {found} features, but the model has learned from {expected}"
        )


def check_same_columns(place: str, own: Arrangement, first_place: str, first: Arrangement) -> None:
    """Raise unless two files have the same columns, in any order, and both have labels or not."""
    if (own.label is None) != (first.label is None) or own.label_name != first.label_name:
        raise InputError(
            f"{place}: the label is {_label(own)}, but in {first_place} it is {_label(first)}; say with "
            "--label which column it is in all files"
        )
    if sorted(own.features) != sorted(first.features):
        differing = sorted(set(own.features) ^ set(first.features))
        raise InputError(
            f"{place}: the columns are not those of {first_place}: one of the two lacks "
            f"{some_names(differing)}"
        )


def _label(own: Arrangement) -> str:
    if own.label is None:
        return "not there"
    return quoted(own.label_name) if own.label_name else f"column {own.label + 1}"
