"""The labeled samples of a command, read from files or the bundled table and encoded as numbers."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.pipeline import Pipeline

from rosenblatt.cli.report import Facts, classes_text
from rosenblatt.core.digits import counted
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Floats, Labels, MatrixLike, is_sparse
from rosenblatt.io import Reading, Table, read
from rosenblatt.io.data import loans
from rosenblatt.io.models.model_file import write
from rosenblatt.io.models.model_notes import notes_on
from rosenblatt.io.samples.preparation import ColumnOptions, check_classes, prepared, reading_of
from rosenblatt.io.samples.table import Arrangement
from rosenblatt.io.sources.local_copies import file_names, local_paths
from rosenblatt.separability.leaks import Leak, leaks, leaks_text
from rosenblatt.separability.results.conflicts import Conflict, ConflictError, listed
from rosenblatt.tables.columns import Category, LeftOut, Number
from rosenblatt.tables.encoder import TableEncoder
from rosenblatt.tables.facts import ID

NamesOf = Callable[[Sequence[int]], str]
_ONE_LABEL = "learning needs at least two labels"


@dataclass(frozen=True)
class Samples:
    """Labeled samples, the table they were read from, and how it was encoded."""

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
        """The number of samples of each class."""
        return {str(label): int(n) for label, n in zip(self.classes, self.counts, strict=True)}

    @property
    def feature_names(self) -> list[str] | None:
        """The names of the features, if the file has names."""
        if not (self.table.has_names and isinstance(self.preparation, TableEncoder)):
            return None
        return [str(name) for name in self.preparation.get_feature_names_out()]

    @cached_property
    def leaks(self) -> tuple[Leak, ...]:
        """The columns that separate the classes alone; texts and libsvm files are not searched."""
        encoder = self.preparation
        if not isinstance(encoder, TableEncoder) or encoder.scale == "unit":
            return ()
        features: dict[int, list[int]] = {}
        for feature, origin in enumerate(encoder.columns_of_features()):
            features.setdefault(origin, []).append(feature)
        if len(features) == 1:  # a single column is all there is to learn from
            return ()
        kinds = [(encoder.columns_[k], own) for k, own in features.items()]
        columns = [(one, own) for one, own in kinds if isinstance(one, Number | Category)]
        X = self.X.tocsc() if is_sparse(self.X) else self.X

        def values(k: int) -> Floats:
            one, own = columns[k]
            block = X[:, own].toarray() if is_sparse(X) else X[:, own]
            if isinstance(one, Category):
                return np.asarray(block @ np.arange(1.0, one.width + 1.0))
            return (
                np.where(block[:, 1] == 1.0, np.nan, block[:, 0]) if one.indicates else block[:, 0]
            )

        return leaks([one.name for one, _ in columns], values, self.y)

    def leak_lines(self) -> dict[str, str]:
        """Return a line about the columns that separate the classes alone, if any."""
        if not self.leaks:
            return {}
        named = [one.column for one in self.leaks]
        if not self.table.has_names:
            named = [name.removeprefix("column ") for name in named]
        found = [Leak(name, one.mistakes) for name, one in zip(named, self.leaks, strict=True)]
        return {"Leak": leaks_text(found, f"use --ignore {shlex.quote(','.join(named))}")}

    def facts(self) -> Facts:
        """Return a description of the samples as JSON."""
        return {
            "file": self.file,
            "bundled": self.is_bundled,
            "samples": len(self.y),
            "features": self.X.shape[1],
            "label": self.table.label_name,
            "classes": self.by_class,
            "unlabeled": self.table.n_unlabeled,
            "leaks": [one._asdict() for one in self.leaks],
        }

    def text(self) -> str:
        """Return a description of the samples in one line."""
        label = "" if self.table.label_name is None else f"label {self.table.label_name}, "
        counts = f"{counted(len(self.y), 'sample')}, {counted(self.X.shape[1], 'feature')}"
        text = (
            f"{self.file}{' (bundled)' if self.is_bundled else ''}: {counts}, "
            f"{label}classes {classes_text(self.by_class)}"
        )
        if self.table.n_unlabeled:
            text += f"; excluded: {self.table.n_unlabeled:,} without a label"
        return text

    def places(self, rows: Sequence[int]) -> list[str]:
        """Return the lines or rows of samples in their file."""
        return self.table.places_of(np.array(rows))

    def text_of(self, conflict: Conflict, names: NamesOf | None = None) -> str:
        """Return a conflict as a sentence that names the lines of its samples."""
        text, pair = conflict.named(names or self.names_of), self._as_read(conflict.rows)
        are_same = bool(pair) and pair[0] == pair[1]
        if not (self._has_plain_numbers or are_same):
            return f"{text} (after encoding)"
        if pair and (not are_same or self._may_be_rounded(pair)):
            return text.replace(" are equal ", " are equal as float64 ", 1)
        return text

    @property
    def _has_plain_numbers(self) -> bool:
        encoder = self.preparation
        return encoder is None or (
            isinstance(encoder, TableEncoder)
            and encoder.scale != "unit"
            and all(isinstance(one, Number) and one.is_unchanged() for one in encoder.columns_)
        )

    def _as_read(self, rows: Sequence[int]) -> list[list[object]]:
        """Return the cells of two rows, except in columns that are excluded; else no row."""
        encoder, X = self.preparation, self.table.X
        if len(rows) != 2:
            return []
        if not (isinstance(encoder, TableEncoder) and isinstance(X, pa.Table)):
            return list(X[list(rows)].toarray().tolist())
        names = [one.name for one in encoder.columns_ if not isinstance(one, LeftOut)]
        columns = X.select(names).take(pa.array(rows)).columns
        return [[column[k].as_py() for column in columns] for k in range(2)]

    def _may_be_rounded(self, pair: list[list[object]]) -> bool:
        """Return whether decimals were rounded to float64 when their text was read."""
        decimals = (cell for cell in pair[0] if isinstance(cell, float))
        return not self.table.is_typed and not all(cell.is_integer() for cell in decimals)

    def names_of(self, rows: Sequence[int]) -> str:
        """Return the lines or rows of samples, with their ids if there is an id column."""
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
        """Name the lines of samples in errors about conflicts."""
        try:
            yield
        except ConflictError as error:
            raise InputError(f"{error.text}: {self.text_of(error.conflict)}") from error

    def write_model(self, learner: Any, path: Path, seconds: float) -> None:
        """Write a model that encodes samples as these were encoded, and then predicts."""
        model = learner
        if self.preparation is not None:
            model = Pipeline([("table", self.preparation), ("learner", learner)])
        notes = {**notes_on(self.table), "samples": len(self.y), "seconds": seconds}
        write(model, path, notes, record=False)

    def _id(self, row: int) -> str:
        """Return the sample's value in the first id column."""
        encoder = self.preparation
        if not isinstance(encoder, TableEncoder):
            return ""
        names = [
            one.name for one in encoder.columns_ if isinstance(one, LeftOut) and one.reason == ID
        ]
        return f" ({names[0]} {self.table.X.column(names[0])[row].as_py()})" if names else ""


def samples_paths(data: Sequence[str] | None) -> list[Path]:
    """Return the local files to read: the bundled table if no data is given."""
    return local_paths(data) if data else [loans()]


def one_label_words(no_intercept: bool) -> str | None:
    """Return the error text for samples of a single label; None if they are accepted.

    >>> one_label_words(False), one_label_words(True)
    ('learning needs at least two labels, or one with --no-intercept', None)
    """
    return None if no_intercept else f"{_ONE_LABEL}, or one with --no-intercept"


def read_samples(
    data: Sequence[str] | None,
    reading: Reading,
    columns: ColumnOptions,
    one_label: str | None = _ONE_LABEL,
) -> Samples:
    """Read and encode files of samples, or the bundled table.

    ``one_label`` ends the error text if all samples have the same label; None accepts that.
    """
    places = list(data) if data else [loans()]
    shown = file_names(places)
    file = shown if data else loans().name
    table = read(places, reading_of(reading, columns))
    y = table.y
    assert y is not None  # only files to predict may have no labels
    if len(y) == 0:
        raise InputError(f"{shown}: no sample has a label; choose another label column")
    classes, counts = np.unique(y, return_counts=True)
    if table.names is not None and table.label_column is not None:
        label = table.label_column - 1
        own = Arrangement(table.columns, table.has_names, label, table.names)
        check_classes(shown, own, classes, len(y), columns)
    if len(classes) < 2 and one_label is not None:
        raise InputError(f"{shown}: every sample has the label {classes[0]}; {one_label}")
    preparation, X = prepared(shown, table, columns)
    return Samples(file, not data, table, preparation, X, y, classes, counts)
