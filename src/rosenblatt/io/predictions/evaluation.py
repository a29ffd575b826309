"""Evaluation of a model on labeled samples, chunk by chunk: error and confusion counts."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Labels
from rosenblatt.estimators.evaluation.class_figures import class_figures, class_lines
from rosenblatt.io.models.model_notes import LoadedModel
from rosenblatt.io.predictions.unknown_parts import UnknownParts
from rosenblatt.io.samples.label_text import label_texts, match_labels, some_labels
from rosenblatt.io.samples.table import Table

# Bounds the memory if a column of measurements is mistaken for labels.
_MAX_LABELS = 2**20


def check_one_label(trained: LoadedModel) -> None:
    """Raise InputError if a model predicts several labels per sample."""
    if getattr(trained.learner, "multilabel_", False):
        raise InputError(
            f"{trained.path}: this model predicts several labels per sample; evaluate compares one"
        )


class Comparison:
    """Counts, chunk by chunk, the labels of samples and a model's predictions for them."""

    def __init__(self, trained: LoadedModel, data: str) -> None:
        self._trained, self._data = trained, data
        self._labels: Counter[str] = Counter()
        self._pairs: Counter[tuple[str, str]] = Counter()
        self._unknown = UnknownParts()

    def add(self, table: Table) -> None:
        """Compare the labels of the next chunk with what the model predicts."""
        if table.y is None:
            raise InputError(
                f"{self._data}: there is no label column; to evaluate a model, specify which column it "
                "is"
            )
        distinct, label_of = np.unique(table.y, return_inverse=True)
        texts = label_texts(distinct).tolist()
        self._labels.update(dict(zip(texts, np.bincount(label_of).tolist(), strict=True)))
        try:
            predicted = self._trained.predicted(self._data, table)
        except InputError:
            self._matched()  # this error is clearer if the wrong column was taken for the label
            raise
        if len(self._labels) > _MAX_LABELS:
            self._matched()
            raise InputError(
                f"{self._data}: found more than {_MAX_LABELS:,} distinct labels, too many for classes; "
                "specify which column is the label"
            )
        self._count(texts, label_of, predicted)
        self._unknown.add(self._trained, table)

    def result(self, n_unlabeled: int) -> "Evaluation":
        """Return the evaluation; ``n_unlabeled`` samples had no label and were left out."""
        matched, unknown = self._matched()
        confusion: Counter[tuple[str, str]] = Counter()
        for (label, predicted), count in self._pairs.items():
            confusion[matched[label], predicted] += count
        return Evaluation(
            self._data, sorted(confusion.items()), n_unlabeled, unknown, self._unknown
        )

    def _count(self, labels: list[str], label_of: Labels, predicted: Labels) -> None:
        distinct, class_of = np.unique(predicted, return_inverse=True)
        classes = label_texts(distinct).tolist()
        pairs, counts = np.unique(label_of * len(classes) + class_of, return_counts=True)
        for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
            label, found = divmod(pair, len(classes))
            self._pairs[labels[label], classes[found]] += count

    def _matched(self) -> tuple[dict[str, str], dict[str, int]]:
        return match_labels(self._data, self._labels, self._trained.learner.classes_)


@dataclass(frozen=True)
class Evaluation:
    """Counts of samples by label and predicted class, in order.

    ``n_unlabeled`` samples without a label were left out; ``unknown_labels`` are labels that the model
    never learned, which count as errors.

    >>> counts = [(("no", "no"), 3), (("yes", "no"), 1)]
    >>> found = Evaluation("a.csv", counts, 0, {}, UnknownParts(n_samples=4))
    >>> found.mistakes, found.error
    (1, 0.25)
    """

    data: str
    confusion: list[tuple[tuple[str, str], int]]
    n_unlabeled: int
    unknown_labels: dict[str, int]
    unknown_parts: UnknownParts

    @property
    def mistakes(self) -> int:
        """The number of wrong predictions."""
        return sum(n for (truth, predicted), n in self.confusion if truth != predicted)

    @property
    def error(self) -> float:
        """The share of wrong predictions."""
        return self.mistakes / self.unknown_parts.n_samples

    def facts(self, model: Path) -> dict[str, object]:
        """Return the results for JSON."""
        return {
            "file": self.data,
            "model": str(model),
            "samples": self.unknown_parts.n_samples,
            "mistakes": self.mistakes,
            "error": self.error,
            "accuracy": 1.0 - self.error,
            "classes": [one.facts() for one in class_figures(self.confusion)],
            "confusion": [
                {"label": truth, "predicted": predicted, "samples": n}
                for (truth, predicted), n in self.confusion
            ],
            "unknown_labels": self.unknown_labels,
            "unknown_columns": self.unknown_parts.columns,
            "unseen_values": self.unknown_parts.values,
            "unlabeled": self.n_unlabeled,
        }

    def lines(self) -> dict[str, str]:
        """Return the results as named lines of text."""
        parts, unknown = self.unknown_parts, self.unknown_labels
        lines = {
            "Data": f"{self.data}: {parts.n_samples:,} samples",
            "Error": f"{self.error:.4f} ({self.mistakes:,} wrong)",
            **class_lines(class_figures(self.confusion)),
        }
        if self.n_unlabeled:
            lines["Data"] += f"; unlabeled and left out: {self.n_unlabeled:,}"
        if parts.columns:
            lines["Ignored"] = f"columns unknown to the model: {some_labels(parts.columns)}"
        if parts.values:
            counts = ", ".join(f"{name} ({count:,})" for name, count in parts.values.items())
            lines["New values"] = f"categories the model never saw, encoded as zeros: {counts}"
        if unknown:
            lines["Unknown"] = (
                f"{sum(unknown.values()):,} samples, counted as errors, have labels that the model "
                f"never learned: {some_labels(unknown)}"
            )
        for (truth, predicted), n in self.confusion:
            if truth != predicted:
                lines[f"{truth} predicted as {predicted}"] = f"{n:,}"
        return lines
