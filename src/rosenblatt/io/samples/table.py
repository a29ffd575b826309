"""The values that readers take and return: `Reading`, `Expected` and `Table`."""

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
"""Maps sample numbers, from 0, to places such as "line 17" or "row 17"."""


@dataclass(frozen=True)
class Table:
    """Samples, their labels if any, and where they come from.

    ``X`` is an Arrow table of all columns but the label, or a sparse matrix; ``columns`` has the names
    of all columns of the file, or numbers unless ``has_names``. ``label_column`` is the position of the
    label from 1, -1 for the last column, or None if it is unknown. ``first_index`` is for libsvm files.
    ``n_unlabeled`` counts the samples that were left out because they have no label. ``is_typed`` says
    whether the file itself stores column types, as Parquet does. If the table is a chunk of a stream,
    the next one begins at ``end``.
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
        """The names of the feature columns, or None for a sparse matrix."""
        return self.X.column_names if isinstance(self.X, pa.Table) else None

    def place(self, file: str, row: int) -> str:
        """Return the file and the line or row of a sample."""
        (place,) = self.places_of(np.array([row]))
        return place if ", " in place else f"{file}, {place}"

    @property
    def n_samples(self) -> int:
        """The number of samples."""
        return int(self.X.num_rows if isinstance(self.X, pa.Table) else self.X.shape[0])


class Arrangement(NamedTuple):
    """The columns of a source: their names (numbers unless ``has_names``), and the label's position.

    ``features`` are the names that the feature columns get in the result.
    """

    columns: Sequence[str]
    has_names: bool
    label: int | None
    features: Sequence[str]

    @property
    def label_name(self) -> str | None:
        """The name of the label column, or None."""
        return None if self.label is None or not self.has_names else self.columns[self.label]


@dataclass(frozen=True)
class Expected:
    """The columns, classes and label that a model expects in a file, and which columns are text.

    Columns are matched by name if ``has_names``, otherwise by position. Indices of libsvm files begin at
    ``first_index``.
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
    """How to read a file: the user's options, and what a model expects.

    ``header`` says whether the first line has names (None: detect it). ``texts`` are columns to read as
    text even if they look like numbers, ``missing`` the values that count as missing in every column,
    and ``id_column`` a column that is not the label. Samples without a label are left out if
    ``needs_labels``.
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

    def check_kind(self, file: str, kind: str) -> None:
        """Raise InputError if an option has no effect on a file of this kind."""
        given = {
            "label": self.label is not None and kind == "libsvm",
            "header": self.header is True and kind != "csv",
            "decimal": self.decimal != "." and kind != "csv",
        }
        if name := next((name for name, is_useless in given.items() if is_useless), ""):
            raise InputError(f"{file}: {name} has no effect on a {kind} file; leave it out")


def column_number(file: str, column: str, names: Sequence[str], what: str = "") -> int:
    """Return the position, from 0, of a column given by name or number: 1 is the first, -1 the last.

    >>> column_number("a.csv", "-1", ["age", "class"])
    1
    """
    if column in names:
        return names.index(column)
    number = int(column) if re.fullmatch(r"-?[0-9]{1,9}", column) else 0
    if 1 <= number <= len(names):
        return number - 1
    if -len(names) <= number <= -1:
        return len(names) + number
    known = [name for name in names if not _NUMBERED.fullmatch(name)]
    raise InputError(
        f"{file}: there is no {what}column {quoted(column)}; give a number from 1 to {len(names)}"
        + (f" or one of the names {some_names(known)}" if known else "")
    )


def some_names(names: Sequence[str]) -> str:
    """Return the first few names, for a message.

    >>> some_names(["age", "class"])
    'age, class'
    """
    return ", ".join(names[:_MOST_NAMES]) + (", …" if len(names) > _MOST_NAMES else "")


def numbered(n_columns: int) -> list[str]:
    """Return names for columns without names.

    >>> numbered(2)
    ['column 1', 'column 2']
    """
    return [f"column {k}" for k in range(1, n_columns + 1)]


def check_width(path: Path | str, found: int, expected: int) -> None:
    """Raise InputError unless a file has as many features as the model expects."""
    if found != expected:
        raise InputError(
            f"{path}: the samples have {found} features, but the model expects {expected}"
        )


def check_same_columns(file: str, own: Arrangement, first_file: str, first: Arrangement) -> None:
    """Raise InputError unless two files have the same columns, in any order, and the same label."""
    if (own.label is None) != (first.label is None) or own.label_name != first.label_name:
        raise InputError(
            f"{file}: the label is {_label(own)}, but in {first_file} it is {_label(first)}; choose a "
            "label column that all files have"
        )
    if sorted(own.features) != sorted(first.features):
        differing = sorted(set(own.features) ^ set(first.features))
        raise InputError(
            f"{file}: the columns are not those of {first_file}: only one of the two has "
            f"{some_names(differing)}"
        )


def _label(own: Arrangement) -> str:
    if own.label is None:
        return "missing"
    return quoted(own.label_name) if own.label_name else f"column {own.label + 1}"
