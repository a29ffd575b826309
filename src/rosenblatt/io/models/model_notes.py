"""A model file's notes about its training samples, and reading of other files in the same way.

See `Expected` for what the notes determine.
"""

import warnings
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeGuard

import numpy as np
import pyarrow as pa
from sklearn.pipeline import Pipeline

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Labels, MatrixLike
from rosenblatt.io import Reading, Table, read
from rosenblatt.io.models.model_file import read as read_model
from rosenblatt.io.samples.preparation import ColumnOptions, encoded, missing_by_column
from rosenblatt.io.samples.table import Expected, check_width, some_names
from rosenblatt.io.sources.local_copies import file_names
from rosenblatt.io.streams.line_chunks import LineReading
from rosenblatt.io.streams.sample_stream import Stream, open_stream
from rosenblatt.tables.cells import CellError
from rosenblatt.tables.columns import Number
from rosenblatt.tables.encoder import TableEncoder


class Classifier(Protocol):
    """A fitted model."""

    classes_: Labels
    n_features_in_: int

    def predict(self, X: MatrixLike) -> Labels:
        """Return the label of each sample."""


@dataclass(frozen=True)
class LoadedModel:
    """A model from a file: its learner, encoder and scalers, and what it expects of samples."""

    path: Path
    model: Any
    learner: Any
    encoder: TableEncoder | None
    scalers: Sequence[Any]
    expect: Expected

    def numbers(self, data: str, table: Table) -> MatrixLike:
        """Return a file's samples as the numbers that the learner sees."""
        X = self.as_matrix(data, table)
        for scaler in self.scalers:
            X = scaler.transform(X)
        return X

    def as_matrix(self, data: str, table: Table) -> MatrixLike:
        """Return a file's samples as numbers, before scaling."""
        return encoded(data, table, self._encode) if isinstance(table.X, pa.Table) else table.X

    def matched(self, data: str, table: Table) -> MatrixLike:
        """Return the input of the model's first step: a table, or a matrix of the columns it knows."""
        return table.X if self.encoder is not None else self.as_matrix(data, table)

    def predicted(self, data: str, table: Table) -> Labels:
        """Return the model's labels for a file's samples."""
        labels: Labels = self._call(self.learner.predict, data, table)
        return labels

    def scores(self, data: str, table: Table) -> MatrixLike:
        """Return the model's scores for a file's samples."""
        return self._call(self.learner.decision_function, data, table)

    def unknown_columns(self, table: Table) -> list[str]:
        """Return the columns of a file that the model does not know."""
        if not self.expect.has_names:  # it knows columns by position only
            return []
        known = set(self.expect.names or ())
        return [name for name in table.names or () if name not in known]

    def unseen_values(self, table: Table) -> dict[str, int]:
        """Return, per column of categories, how many cells have a value that the model never saw."""
        if self.encoder is None or not isinstance(table.X, pa.Table):
            return {}
        return self.encoder.unseen_values(table.X)

    def _call(self, method: Any, data: str, table: Table) -> Any:
        try:
            with warnings.catch_warnings():
                # arrays have no names, but the reader has matched them
                warnings.filterwarnings("ignore", "X does not have valid feature names")
                return method(self.numbers(data, table))
        except InputError as error:
            text = str(error)
            raise InputError(text if text.startswith(data) else f"{data}: {text}") from error

    def _encode(self, table: pa.Table) -> MatrixLike:
        if self.encoder is not None:
            return self.encoder.transform(table)
        return _numbers_only(table, self.expect)


def notes_on(table: Table) -> dict[str, object]:
    """Return what is needed to read other samples for this model later."""
    return {
        "has_names": table.has_names,
        "label_name": table.label_name,
        "label_column": table.label_column,
        "first_index": table.first_index,
    }


def open_model(path: Path) -> LoadedModel:
    """Read a model file; messages name it by the path."""
    model, notes = read_model(path)
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    *preparation, learner = steps
    if not hasattr(learner, "classes_"):
        raise InputError(f"{path}: this model has not learned anything yet")
    first = steps[0]
    encoder = first if isinstance(first, TableEncoder) else None
    scalers = preparation if encoder is None else preparation[1:]
    return LoadedModel(
        path, model, learner, encoder, scalers, _expected(path, first, learner, notes)
    )


def with_missing(trained: LoadedModel, missing: Sequence[str]) -> LoadedModel:
    """Return a model for files in which more values are missing: see `ColumnOptions`."""
    if not missing:
        return trained
    if trained.encoder is None:
        raise InputError(
            f"{trained.path}: the model was saved without an encoder that fills in missing values, so "
            "it accepts none"
        )
    names = [column.name for column in trained.encoder.columns_]
    encoder, more = copy(trained.encoder), ColumnOptions(missing=missing)
    given = missing_by_column(str(trained.path), names, names, more)
    encoder.missing = {
        name: [*trained.encoder.missing_in(name), *given.get(name, ())] for name in names
    }
    return replace(trained, encoder=encoder)


def read_for_model(
    trained: LoadedModel, locations: Sequence[str | Path], reading: Reading
) -> Table:
    """Read the samples of files in the same way as the model's training samples."""
    table = read(locations, replace(reading, expect=trained.expect))
    _check_kind(trained, locations, is_table=isinstance(table.X, pa.Table))
    return table


def stream_for_model(
    trained: LoadedModel, locations: Sequence[str | Path], reading: Reading
) -> Stream:
    """Open files as a stream that is read in the same way as the model's training samples."""
    expect = trained.expect
    lines = LineReading(
        zero_based=expect.first_index == 0,
        needs_labels=reading.needs_labels,
        n_features=expect.n_features,
        for_model=True,
    )
    stream = open_stream(locations, replace(reading, expect=expect), lines)
    _check_kind(trained, locations, is_table=stream.is_table)
    return stream


def _check_kind(trained: LoadedModel, locations: Sequence[str | Path], *, is_table: bool) -> None:
    if trained.encoder is not None and not is_table:
        raise InputError(
            f"{file_names(locations)}: this is a libsvm file, but the model has learned from a table "
            f"with the columns {some_names(trained.expect.names or [])}"
        )


def _numbers_only(table: pa.Table, expect: Expected) -> MatrixLike:
    """Return the columns of a table that the model knows; all must be numbers."""
    if expect.names is None:
        check_width(Path("the table"), table.num_columns, expect.n_features)
    plain = TableEncoder(scale="none")
    names = expect.names or table.column_names
    plain.columns_ = tuple(Number(name, "number", 0.0, indicates=True) for name in names)
    plain.n_features_in_, plain.feature_names_in_ = len(names), np.array(names, dtype=object)
    both = np.asarray(plain.transform(table))
    missing = np.argwhere(both[:, 1::2] != 0.0)
    if len(missing):
        row, column = missing[0].tolist()
        raise CellError(
            names[column],
            row,
            "this cell is empty; expected a number, because the model was saved without an encoder "
            "that fills in missing values",
        )
    return np.ascontiguousarray(both[:, 0::2])


def _expected(path: Path, first: Any, learner: Classifier, notes: dict[str, Any]) -> Expected:
    """Return what a model expects of samples.

    A model that was saved in Python has no notes. Its feature names are those of the data frame or the
    dicts that it has learned from.
    """
    n_features = first.n_features_in_
    learned = getattr(first, "feature_names_in_", None)
    names = notes.get("feature_names", None if learned is None else learned.tolist())
    if names is None and isinstance(first, TableEncoder):
        names = [column.name for column in first.columns_]
    has_names = notes.get("has_names", "feature_names" in notes or learned is not None)
    label_name = notes.get("label_name")
    label_column = notes.get("label_column", -1)
    first_index = notes.get("first_index", 1)
    if (
        not _are_names(names, n_features)
        or not isinstance(has_names, bool)
        or not isinstance(label_name, str | None)
        or not _is_column(label_column, n_features + 1)
        or not isinstance(first_index, int)
        or first_index not in (0, 1)
    ):
        raise InputError(
            f"{path}: the notes in the model file do not match its {n_features} features"
        )
    columns = first.columns_ if isinstance(first, TableEncoder) else ()
    texts = [c.name for c in columns if not isinstance(c, Number) or c.kind != "number"]
    return Expected(
        n_features,
        learner.classes_,
        names,
        has_names,
        texts,
        label_name,
        label_column,
        first_index,
    )


def _is_column(number: object, n_columns: int) -> bool:
    """Return whether a number is valid for a column: from 1, or -1 for the last one."""
    return type(number) is int and (number == -1 or 1 <= number <= n_columns)


def _are_names(names: object, n_features: int) -> TypeGuard[list[str] | None]:
    return names is None or (
        isinstance(names, list)
        and all(isinstance(name, str) for name in names)
        and len(set(names)) == len(names) == n_features
    )
