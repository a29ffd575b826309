"""Recall and precision of each class, for `learn` and `evaluate`."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

_MOST_CLASSES = 20


class ClassFigures(NamedTuple):
    """How many samples have a label, for how many it was predicted, and how often that was correct."""

    label: str
    samples: int
    predicted: int
    correct: int

    @property
    def recall(self) -> float | None:
        """The share of the class's samples that were recognized; None without samples."""
        return self.correct / self.samples if self.samples else None

    @property
    def precision(self) -> float | None:
        """The share of the class's predictions that were correct; None without predictions."""
        return self.correct / self.predicted if self.predicted else None

    def facts(self) -> dict[str, object]:
        """Return the figures for JSON."""
        return {
            "label": self.label,
            "samples": self.samples,
            "recall": self.recall,
            "precision": self.precision,
        }


def class_figures(confusion: Iterable[tuple[tuple[str, str], int]]) -> tuple[ClassFigures, ...]:
    """Return the figures of each class, from sample counts by label and prediction.

    >>> class_figures([(("no", "no"), 3), (("yes", "no"), 1)])[0]
    ClassFigures(label='no', samples=3, predicted=4, correct=3)
    """
    counts: dict[str, list[int]] = {}
    for (label, predicted), n in confusion:
        counts.setdefault(label, [0, 0, 0])[0] += n
        counts.setdefault(predicted, [0, 0, 0])[1] += n
        counts[label][2] += n * (label == predicted)
    return tuple(ClassFigures(label, *three) for label, three in sorted(counts.items()))


def class_lines(figures: Sequence[ClassFigures], of: str = "") -> dict[str, str]:
    """Return the recall and precision of the classes as two lines of text.

    >>> class_lines(class_figures([(("no", "no"), 3), (("yes", "no"), 1)]))
    {'Recall': 'no 1.0000, yes 0.0000', 'Precision': 'no 0.7500, yes never predicted'}
    """
    recalls = [(one.label, one.recall, "no samples") for one in figures]
    precisions = [(one.label, one.precision, "never predicted") for one in figures]
    return {
        name: _listed(of, rows) for name, rows in (("Recall", recalls), ("Precision", precisions))
    }


def _listed(of: str, rows: Sequence[tuple[str, float | None, str]]) -> str:
    texts = [f"{label} {none if rate is None else f'{rate:.4f}'}" for label, rate, none in rows]
    more = len(texts) - _MOST_CLASSES
    return ", ".join(texts[:_MOST_CLASSES]) + (f" and {more:,} more" if more > 0 else "") + of
