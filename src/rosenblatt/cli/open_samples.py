"""The labelled samples of a command: read from files, or the bundled set, and made numbers."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from rosenblatt.cli.report import Facts
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Labels, MatrixLike
from rosenblatt.io import Reading, Table, read
from rosenblatt.io.data import loans
from rosenblatt.io.models.model_file import write
from rosenblatt.io.models.model_notes import notes_on
from rosenblatt.io.samples.preparation import ColumnOptions, check_classes, prepared, reading_of
from rosenblatt.io.samples.table import Arrangement
from rosenblatt.io.sources.local_copies import file_names, local_paths
from rosenblatt.separability.results.conflicts import Conflict, ConflictError, listed
from rosenblatt.tables.columns import LeftOut, Number
from rosenblatt.tables.encoder import TableEncoder
from rosenblatt.tables.facts import ID

_MOST_CLASSES = 20
_ONE_LABEL = "learning needs at least two labels"


@dataclass(frozen=True)
class Samples:
    """Labelled samples as numbers, how they became that, the files they are from, and their labels."""

    file: str
    is_bundled: bool
    table: Table
    preparation: Any
    X: MatrixLike
    y: Labels
    classes: Labels
    counts: Counts

    @property
    def by_class(self) -> dict[str, int]:
        """How many samples have each label."""
        return {str(label): int(n) for label, n in zip(self.classes, self.counts, strict=True)}

    @property
    def feature_names(self) -> list[str] | None:
        """What the columns of numbers are called, where the file has names."""
        if not (self.table.has_names and isinstance(self.preparation, TableEncoder)):
            return None
        return [str(name) for name in self.preparation.get_feature_names_out()]

    def facts(self) -> Facts:
        """Return what the samples are, for programs."""
        return {
            "file": self.file,
            "bundled": self.is_bundled,
            "samples": len(self.y),
            "features": self.X.shape[1],
            "label": self.table.label_name,
            "classes": self.by_class,
            "unlabelled": self.table.n_unlabeled,
        }

    def text(self) -> str:
        """Return what the samples are, for people."""
        named = [f"{name} ({count:,})" for name, count in self.by_class.items()]
        more = len(named) - _MOST_CLASSES
        classes = ", ".join(named[:_MOST_CLASSES]) + (f" and {more:,} more" if more > 0 else "")
        label = "" if self.table.label_name is None else f"label {self.table.label_name}, "
        text = (
            f"{self.file}{' (bundled)' if self.is_bundled else ''}: {len(self.y):,} samples, "
            f"{self.X.shape[1]:,} features, {label}classes {classes}"
        )
        if self.table.n_unlabeled:
            text += f"; unlabeled and left out: {self.table.n_unlabeled:,}"
        return text

    def places(self, rows: Sequence[int]) -> list[str]:
        """Return the lines or rows of samples in their file."""
        return self.table.places_of(np.array(rows))

    @property
    def is_prepared(self) -> bool:
        """Whether the numbers are not simply those of the file."""
        encoder = self.preparation
        return encoder is not None and not (
            isinstance(encoder, TableEncoder)
            and encoder.scale != "unit"
            and all(isinstance(one, Number) and one.is_unchanged() for one in encoder.columns_)
        )

    def text_of(self, conflict: Conflict) -> str:
        """Return a conflict in words, with the lines of its samples."""
        how = " (in the columns as prepared)" if self.is_prepared else ""
        return conflict.named(self.names_of) + how

    def names_of(self, rows: Sequence[int]) -> str:
        """Return the lines or rows of samples, and their ids if there are any."""
        places = self.places(rows[:9])
        ids = [self._id(row) for row in rows[:9]]
        noun = "row" if places[0].startswith("row ") else "line"
        if any(", " in place for place in places):  # of several files
            noun, named = "sample", places
        else:
            named = [place.removeprefix(f"{noun} ") for place in places]
        named = [name + own for name, own in zip(named, ids, strict=True)]
        return listed(noun, [*named, *[""] * (len(rows) - len(named))])

    @contextmanager
    def named_in_conflicts(self) -> Iterator[None]:
        """Name the samples of a conflict by their lines."""
        try:
            yield
        except ConflictError as error:
            raise InputError(f"{error.text}: {self.text_of(error.conflict)}") from error

    def write_model(self, learner: Any, path: Path, seconds: float) -> None:
        """Write a model that prepares samples as these were prepared, then asks the learner."""
        model = learner
        if self.preparation is not None:
            model = Pipeline([("table", self.preparation), ("learner", learner)])
        notes = {**notes_on(self.table), "samples": len(self.y), "seconds": seconds}
        write(model, path, notes, record=False)

    def _id(self, row: int) -> str:
        """Return what the first id column says of a sample."""
        encoder = self.preparation
        if not isinstance(encoder, TableEncoder):
            return ""
        names = [
            one.name for one in encoder.columns_ if isinstance(one, LeftOut) and one.reason == ID
        ]
        return f" ({names[0]} {self.table.X.column(names[0])[row].as_py()})" if names else ""


def samples_paths(data: Sequence[str] | None) -> list[Path]:
    """Return the files of this machine that are read: the bundled table if no data is given."""
    return local_paths(data) if data else [loans()]


def one_label_words(no_intercept: bool) -> str | None:
    """Return what is said of samples of one label; None: through the origin they are accepted.

    >>> one_label_words(False), one_label_words(True)
    ('learning needs at least two labels, or one with --no-intercept', None)
    """
    return None if no_intercept else f"{_ONE_LABEL}, or one with --no-intercept"


def read_samples(
    data: Sequence[str] | None,
    reading: Reading,
    wanted: ColumnOptions,
    one_label: str | None = _ONE_LABEL,
) -> Samples:
    """Read files of samples; see `rosenblatt.io.read`.

    ``one_label`` is what is said where all have the same label; None: that is accepted.
    """
    places = list(data) if data else [loans()]
    shown = file_names(places)
    file = shown if data else loans().name
    table = read(places, reading_of(reading, wanted))
    y = table.y
    assert y is not None  # only a file that is read for a model may come without labels
    if len(y) == 0:
        raise InputError(f"{shown}: no sample has a label; choose another label column")
    classes, counts = np.unique(y, return_counts=True)
    if table.names is not None and table.label_column is not None:
        label = table.label_column - 1
        own = Arrangement(table.columns, table.has_names, label, table.names)
        check_classes(shown, own, classes, len(y), wanted)
    if len(classes) < 2 and one_label is not None:
        raise InputError(f"{shown}: every sample has the label {classes[0]}; {one_label}")
    preparation, X = prepared(shown, table, wanted)
    return Samples(file, not data, table, preparation, X, y, classes, counts)
