"""The labels of all samples of tables, as written: their kind and their counts."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
import pyarrow as pa

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Labels
from rosenblatt.io.samples.label_column import label_kind, typed_labels
from rosenblatt.tables.facts import OF_A_STREAM, exceeds
from rosenblatt.tables.text_counts import TextCounts


class LabelCounts(NamedTuple):
    """The distinct labels of all samples, sorted, and their counts."""

    classes: Labels
    counts: Counts


class TableLabels(NamedTuple):
    """Distinct labels as text with their counts, and the type that they are stored as.

    >>> labels = TableLabels(TextCounts.none(), pa.int64())
    >>> labels.kind(), labels.counted("whole").counts
    ('text', array([], dtype=int64))
    """

    texts: TextCounts
    stored: pa.DataType

    def joined(self, later: Self, name: str) -> Self:
        """Add later labels; raise InputError if the source has too many labels for classes."""
        texts = self.texts.joined(later.texts, 0)
        if exceeds(texts, OF_A_STREAM):
            raise InputError(
                f"{name}: the label has {len(texts.values):,} different values in {texts.n_cells:,} "
                "samples, too many for classes; choose another label column"
            )
        return type(self)(texts, later.stored)

    def kind(self) -> str:
        """Return the kind of all labels."""
        return label_kind(self.texts.values, self.stored)

    def counted(self, kind: str) -> LabelCounts:
        """Return the labels sorted, converted to a kind, with their counts."""
        labels = typed_labels(self.texts.values, kind)
        classes, positions = np.unique(labels, return_inverse=True)
        counts = np.zeros(len(classes), np.int64)
        np.add.at(counts, positions, self.texts.counts)
        return LabelCounts(classes, counts)


def joined_labels(sources: Sequence[TableLabels]) -> TableLabels | None:
    """Join the labels of all sources, or return None without sources."""
    if not sources:
        return None
    texts = TextCounts.none()
    for labels in sources:
        texts = texts.joined(labels.texts, 0)
    return TableLabels(texts, sources[-1].stored)
