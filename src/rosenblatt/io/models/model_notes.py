"""What a model file notes about the samples that its model has learned from, and files read for it.

A file that is read for the model is read as they were: see `Expected`.
"""

import warnings
from collections.abc import Sequence
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
from rosenblatt.io.samples.preparation import encoded
from rosenblatt.io.samples.table import Expected, check_width, some_names
from rosenblatt.io.sources.local_copies import file_names
from rosenblatt.io.streams.line_chunks import LineReading
from rosenblatt.io.streams.sample_stream import Stream, open_stream
from rosenblatt.tables.cells import CellError
from rosenblatt.tables.columns import Number
from rosenblatt.tables.encoder import TableEncoder


class Classifier(Protocol):
    """What every fitted model has."""

    classes_: Labels
    n_features_in_: int

    def predict(self, X: MatrixLike) -> Labels:
        """Return the label of each sample."""


@dataclass(frozen=True)
class Trained:
    """A model from a file: the learner, what prepares its samples, and what they were."""

    path: Path
    model: Any
    learner: Any
    encoder: TableEncoder | None
    scalers: Sequence[Any]
    expect: Expected

    def numbers(self, data: str, table: Table) -> MatrixLike:
        """Return the numbers that the learner sees for the samples of a file."""
        X = self.as_matrix(data, table)
        for scaler in self.scalers:
            X = scaler.transform(X)
        return X

    def as_matrix(self, data: str, table: Table) -> MatrixLike:
        """Return the samples of a file as numbers, before they are scaled."""
        return encoded(data, table, self._encode) if isinstance(table.X, pa.Table) else table.X

    def matched(self, data: str, table: Table) -> MatrixLike:
        """Return what the model's first step takes: a table, or a matrix of the columns it knows."""
        return table.X if self.encoder is not None else self.as_matrix(data, table)

    def predicted(self, data: str, table: Table) -> Labels:
        """Return the labels that the model gives the samples of a file."""
        labels: Labels = self._asked(self.learner.predict, data, table)
        return labels

    def scores(self, data: str, table: Table) -> MatrixLike:
        """Return the scores that the model gives the samples of a file."""
        return self._asked(self.learner.decision_function, data, table)

    def unknown_columns(self, table: Table) -> list[str]:
        """Return which columns of a file the model does not know."""
        if not self.expect.has_names:  # columns are known by their places
            return []
        known = set(self.expect.names or ())
        return [name for name in table.names or () if name not in known]

    def unseen_values(self, table: Table) -> dict[str, int]:
        """Return how many cells of each column of categories have a value never learned from."""
        if self.encoder is None or not isinstance(table.X, pa.Table):
            return {}
        return self.encoder.unseen_values(table.X)

    def _asked(self, ask: Any, data: str, table: Table) -> Any:
        try:
            with warnings.catch_warnings():
                # the reader has matched the names, which an array does not have
                warnings.filterwarnings("ignore", "X does not have valid feature names")
                return ask(self.numbers(data, table))
        except InputError as error:
            text = str(error)
            raise InputError(text if text.startswith(data) else f"{data}: {text}") from error

    def _encode(self, table: pa.Table) -> MatrixLike:
        if self.encoder is not None:
            return self.encoder.transform(table)
        return _numbers_only(table, self.expect)


def notes_on(table: Table) -> dict[str, object]:
    """Return what a later reading of samples for this model needs to know."""
    return {
        "has_names": table.has_names,
        "label_name": table.label_name,
        "label_column": table.label_column,
        "first_index": table.first_index,
    }


def open_model(path: Path) -> Trained:
    """Read a model file."""
    return trained_model(path, *read_model(path))


def trained_model(path: Path, model: Any, notes: dict[str, Any]) -> Trained:
    """Return a model with what is noted about its samples; the path is what it is called in messages."""
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    *before, learner = steps
    if not hasattr(learner, "classes_"):
        raise InputError(f"{path}: this model has not learned anything yet")
    encoder = before[0] if before and isinstance(before[0], TableEncoder) else None
    scalers = before if encoder is None else before[1:]
    return Trained(
        path, model, learner, encoder, scalers, _learned_from(path, steps[0], learner, notes)
    )


def read_for_model(trained: Trained, places: Sequence[str | Path], reading: Reading) -> Table:
    """Return the samples of a file, read as the model's own samples were."""
    table = read(places, replace(reading, expect=trained.expect))
    _check_kind(trained, places, is_table=isinstance(table.X, pa.Table))
    return table


def stream_for_model(
    trained: Trained,
    places: Sequence[str | Path],
    reading: Reading,
    lines: LineReading | None = None,
) -> Stream:
    """Return the samples of files in chunks, read as the model's own samples were.

    ``lines`` may say how large the chunks are.
    """
    expect = trained.expect
    lines = replace(
        lines or LineReading(),
        zero_based=expect.first_index == 0,
        needs_labels=reading.needs_labels,
        n_features=expect.n_features,
        for_model=True,
    )
    stream = open_stream(places, replace(reading, expect=expect), lines)
    _check_kind(trained, places, is_table=stream.is_table)
    return stream


def _check_kind(trained: Trained, places: Sequence[str | Path], *, is_table: bool) -> None:
    if trained.encoder is not None and not is_table:
        raise InputError(
            f"{file_names(places)}: this is a libsvm file, but the model has learned from a table, "
            f"whose columns are {some_names(trained.expect.names or [])}"
        )


def _numbers_only(table: pa.Table, expect: Expected) -> MatrixLike:
    """Return the columns of a table that the model knows, all of which must be numbers."""
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
            "this cell is empty; expected a number, for the model was saved without an encoder that "
            "says what stands for a missing value",
        )
    return np.ascontiguousarray(both[:, 0::2])


def _learned_from(path: Path, first: Any, learner: Classifier, notes: dict[str, Any]) -> Expected:
    """Return what the model has learned from.

    A model that was saved in Python has no notes, and no file that it has learned from; the names of its
    features are those of the data frame or the dicts that it has learned from.
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
            f"{path}: the notes in the model file do not describe its {n_features} features"
        )
    columns = first.columns_ if isinstance(first, TableEncoder) else ()
    texts = [one.name for one in columns if not isinstance(one, Number) or one.kind != "number"]
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
    """Say whether a number is a column's, or -1 for the last one."""
    return type(number) is int and (number == -1 or 1 <= number <= n_columns)


def _are_names(names: object, n_features: int) -> TypeGuard[list[str] | None]:
    return names is None or (
        isinstance(names, list)
        and all(isinstance(name, str) for name in names)
        and len(set(names)) == len(names) == n_features
    )
