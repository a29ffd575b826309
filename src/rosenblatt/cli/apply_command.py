"""`rosenblatt predict` and `rosenblatt evaluate`: use a model on a file."""

import warnings
from collections.abc import Callable, Iterable
from decimal import Decimal, InvalidOperation
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.cli.app import Source
from rosenblatt.cli.report import print_facts, print_json
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Labels
from rosenblatt.io import Table, read
from rosenblatt.io.model_file import read as read_model
from rosenblatt.io.number_syntax import number_fault
from rosenblatt.io.text_file import quoted

_SHOWN = 3  # labels in a message


def predict_file(model: Path, data: Path, *, source: Source, as_json: bool) -> None:
    """Print the label of each sample."""
    learner, table = _open(model, data, source)
    labels = _texts(_predict(learner, data, table)).tolist()
    if as_json:
        print_json({"file": str(data), "model": str(model), "predictions": labels})
    else:
        print("\n".join(labels))


def evaluate_file(model: Path, data: Path, *, source: Source, as_json: bool) -> None:
    """Print how many labels the model gets right, and which ones it takes for which."""
    learner, table = _open(model, data, source)
    if table.y is None:
        raise InputError(
            f"{data}: the file has {table.n_features} columns, all of them features; "
            "to evaluate a model it needs a label column too"
        )
    if getattr(learner, "multilabel_", False):
        raise InputError(
            f"{model}: this model gives a sample several labels; evaluate compares one"
        )
    truth, unknown = _in_the_models_words(data, table.y, learner.classes_)
    predicted = _texts(_predict(learner, data, table))
    mistakes = int((truth != predicted).sum())
    accuracy = 1.0 - mistakes / len(truth)
    pairs, counts = np.unique(np.column_stack([truth, predicted]), axis=0, return_counts=True)
    confusion = [
        {"label": str(a), "predicted": str(b), "samples": int(n)}
        for (a, b), n in zip(pairs, counts, strict=True)
    ]
    if as_json:
        print_json(
            {
                "file": str(data),
                "model": str(model),
                "samples": len(truth),
                "mistakes": mistakes,
                "accuracy": accuracy,
                "confusion": confusion,
                "unknown_labels": unknown,
            }
        )
        return
    facts = {
        "Data": f"{data}: {len(truth):,} samples",
        "Accuracy": f"{accuracy:.4f}",
        "Mistakes": f"{mistakes:,}",
    }
    if unknown:
        facts["Unknown"] = (
            f"{sum(unknown.values()):,} samples, counted as mistakes, have labels that the model never "
            f"had: {_some(unknown)}"
        )
    for cell in confusion:
        if cell["label"] != cell["predicted"]:
            facts[f"{cell['label']} as {cell['predicted']}"] = f"{cell['samples']:,}"
    print_facts(facts)


def _predict(learner: Any, data: Path, table: Table) -> Labels:
    try:
        with warnings.catch_warnings():
            # the reader has matched the names, which an array does not have
            warnings.filterwarnings("ignore", "X does not have valid feature names")
            labels: Labels = learner.predict(table.X)
    except InputError as error:
        raise InputError(f"{data}: {error}") from error
    return labels


def _texts(labels: Labels) -> Labels:
    """Return labels as people write them: of numbers 1, not 1.0."""
    return np.array([_text(label) for label in labels.tolist()])


def _text(label: object) -> str:
    return str(label).removesuffix(".0") if isinstance(label, float) else str(label)


def _in_the_models_words(data: Path, y: Labels, classes: Labels) -> tuple[Labels, dict[str, int]]:
    """Return the labels of a file as the model writes them, and how often it has some of no class.

    Raise if none is of a class: that tells nothing about the model, but that these are not its labels.
    """
    labels, places, counts = np.unique(y, return_inverse=True, return_counts=True)
    texts = [_text(label) for label in labels.tolist()]
    words = _class_words(classes)
    found = [words(text) for text in texts]
    unknown = {
        text: int(n) for text, word, n in zip(texts, found, counts, strict=True) if word is None
    }
    if len(unknown) == len(texts):
        raise InputError(
            f"{data}: no label in the file ({_some(texts)}) is one of the model's "
            f"({_some(map(_text, classes.tolist()))}); say with --label where its labels are"
        )
    known = [word or text for text, word in zip(texts, found, strict=True)]
    return np.array(known)[places], unknown


def _class_words(classes: Labels) -> Callable[[str], str | None]:
    """Return what says which class a text stands for: its name or, of a number, any way to write it."""
    listed = classes.tolist()
    by_text = {_text(label): _text(label) for label in listed}
    by_number = {label: _text(label) for label in listed} if classes.dtype.kind in "biuf" else {}

    def word(text: str) -> str | None:
        if text in by_text or not by_number or number_fault(text):
            return by_text.get(text)
        try:
            return by_number.get(Decimal(text))  # exactly: whole numbers beyond 2**53 differ too
        except InvalidOperation:  # an exponent that is beyond decimals
            return None

    return word


def _some(labels: Iterable[str]) -> str:
    """Return the first few labels, for a message."""
    first = [quoted(label) for label in islice(labels, _SHOWN + 1)]
    return ", ".join([*first[:_SHOWN], "…"] if len(first) > _SHOWN else first)


def _open(model: Path, data: Path, source: Source) -> tuple[Any, Table]:
    """Return the model and the samples, read as the model wants them."""
    learner, notes = read_model(model)
    if not hasattr(learner, "classes_"):
        raise InputError(f"{model}: this model has not learned anything yet")
    return learner, read(data, expect=_learned_from(model, learner, notes), **source._asdict())


def _learned_from(model: Path, learner: Any, notes: dict[str, Any]) -> Table:
    """Return what the notes in a model file say about the samples that it has learned from.

    A model that was saved in Python has no notes, and no file that it has learned from; the names of its
    features are those that it has learned from a data frame or from dicts. One that an earlier version
    of `learn` has written has notes that do not say where the label was.
    """
    learned_names = getattr(learner, "feature_names_in_", None)
    table = Table(
        X=None,
        y=_texts(learner.classes_),
        n_features=learner.n_features_in_,
        feature_names=notes.get(
            "feature_names", None if learned_names is None else learned_names.tolist()
        ),
        label_name=notes.get("label_name"),
        label_column=notes.get("label_column", None if notes else -1),
        first_index=notes.get("first_index", 1),
    )
    names = table.feature_names
    if not (
        (names is None or _are_names(names, table.n_features))
        and (table.label_name is None or isinstance(table.label_name, str))
        and _is_column(table.label_column, table.n_features + 1)
        and table.first_index in (0, 1)
    ):
        raise InputError(
            f"{model}: the notes in the model file do not describe its {table.n_features} features"
        )
    return table


def _is_column(number: object, n_columns: int) -> bool:
    """Say whether a note tells a column of a file with labels, the last one, or that nobody knows."""
    return number is None or (type(number) is int and (number == -1 or 1 <= number <= n_columns))


def _are_names(names: object, n_features: int) -> bool:
    return (
        isinstance(names, list)
        and all(isinstance(name, str) for name in names)
        and len(set(names)) == len(names) == n_features
    )
