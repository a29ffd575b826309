"""What a model file notes about the samples that its model has learned from.

A file that is read for the model is then read as they were: see ``expect`` of `rosenblatt.io.read`.
"""

import warnings
from pathlib import Path
from typing import Protocol, TypeGuard

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Labels, MatrixLike
from rosenblatt.io import Table, read
from rosenblatt.io.label_text import label_texts
from rosenblatt.io.model_file import read as read_model


class Classifier(Protocol):
    """What every fitted model has."""

    classes_: Labels
    n_features_in_: int

    def predict(self, X: MatrixLike) -> Labels:
        """Return the label of each sample."""


def notes_on(table: Table) -> dict[str, object]:
    """Return what a later reading of samples for this model needs to know."""
    return {
        "feature_names": table.feature_names,
        "label_name": table.label_name,
        "label_column": table.label_column,
        "first_index": table.first_index,
    }


def read_for_model(
    model: Path, data: Path, *, kind: str, label: str | None, header: bool | None
) -> tuple[Classifier, Table]:
    """Return a model, and the samples of a file read as the model's own samples were."""
    learner, notes = read_model(model)
    if not hasattr(learner, "classes_"):
        raise InputError(f"{model}: this model has not learned anything yet")
    expect = _learned_from(model, learner, notes)
    return learner, read(data, kind=kind, label=label, header=header, expect=expect)


def predicted_texts(learner: Classifier, data: Path, table: Table) -> Labels:
    """Return what a model predicts for the samples of a file, as text."""
    try:
        with warnings.catch_warnings():
            # the reader has matched the names, which an array does not have
            warnings.filterwarnings("ignore", "X does not have valid feature names")
            return label_texts(learner.predict(table.X))
    except InputError as error:
        raise InputError(f"{data}: {error}") from error


def _learned_from(model: Path, learner: Classifier, notes: dict[str, object]) -> Table:
    """Return the notes as a table without samples, whose labels are the model's classes.

    A model that was saved in Python has no notes, and no file that it has learned from; the names of its
    features are those of the data frame or the dicts that it has learned from. A model file of an
    earlier version of `learn` has notes that do not say where the label was.
    """
    n_features = learner.n_features_in_
    learned = getattr(learner, "feature_names_in_", None)
    names = notes.get("feature_names", None if learned is None else learned.tolist())
    label_name = notes.get("label_name")
    label_column = notes.get("label_column", None if notes else -1)
    first_index = notes.get("first_index", 1)
    if (
        not _are_names(names, n_features)
        or not isinstance(label_name, str | None)
        or not _is_column(label_column, n_features + 1)
        or not isinstance(first_index, int)
        or first_index not in (0, 1)
    ):
        raise InputError(
            f"{model}: the notes in the model file do not describe its {n_features} features"
        )
    classes = label_texts(learner.classes_)
    return Table(None, classes, n_features, names, label_name, label_column, first_index)


def _is_column(number: object, n_columns: int) -> TypeGuard[int | None]:
    """Say whether a number is a column's, or -1 for the last one, or None for one that is not known."""
    return number is None or (type(number) is int and (number == -1 or 1 <= number <= n_columns))


def _are_names(names: object, n_features: int) -> TypeGuard[list[str] | None]:
    return names is None or (
        isinstance(names, list)
        and all(isinstance(name, str) for name in names)
        and len(set(names)) == len(names) == n_features
    )
