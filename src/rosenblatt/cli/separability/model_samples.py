"""Samples as a model prepares them, to check a certificate of what it has learned."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Labels, MatrixLike
from rosenblatt.io import Reading
from rosenblatt.io.models.model_notes import open_model, read_for_model
from rosenblatt.io.samples.label_text import label_texts, match_labels
from rosenblatt.io.samples.preparation import Wanted
from rosenblatt.io.sources.local_copies import file_names


class ModelSamples(NamedTuple):
    """Samples as numbers, their labels, which are among the classes, and the files they are from."""

    file: str
    X: MatrixLike
    y: Labels
    classes: Labels


def read_model_samples(
    model: Path, data: Sequence[str] | None, reading: Reading, wanted: Wanted
) -> ModelSamples:
    """Read files of samples as a model does that has learned from them."""
    if not data:
        raise InputError("--model needs the files that the model has learned from: give them")
    if wanted.ignore or wanted.categorical or wanted.text or wanted.missing:
        raise InputError(
            "--model says what became of each column: leave --ignore, --categorical, --text and "
            "--missing out"
        )
    trained, shown = open_model(model), file_names(data)
    table = read_for_model(trained, data, reading)
    if table.y is None:
        raise InputError(f"{shown}: no column is the label; say with --label which one is")
    classes: Labels = trained.learner.classes_
    texts, places = np.unique(label_texts(table.y), return_inverse=True)
    counts = dict(zip(texts.tolist(), np.bincount(places).tolist(), strict=True))
    matched, unknown = match_labels(shown, counts, classes)
    if unknown:
        raise InputError(
            f"{shown}: the label {next(iter(unknown))} is none of the model's; a certificate speaks of "
            "the samples that it has learned from"
        )
    by_text = dict(zip(label_texts(classes).tolist(), range(len(classes)), strict=True))
    numbers = np.array([by_text[matched[text]] for text in texts.tolist()])
    return ModelSamples(shown, trained.numbers(shown, table), classes[numbers[places]], classes)
