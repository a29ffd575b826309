"""The labels of all samples of tables, as they are written: what they are, and how many have each."""

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
    """The different labels of all samples, sorted, and how many samples have each."""

    classes: Labels
    counts: Counts


class TableLabels(NamedTuple):
    """Different labels, as texts, how often they occur, and the type that they are stored as.

    >>> labels = TableLabels(TextCounts.none(), pa.int64())
    >>> labels.kind(), labels.counted("whole").counts
    ('text', array([], dtype=int64))
    """

    texts: TextCounts
    stored: pa.DataType

    def joined(self, later: Self, name: str) -> Self:
        """Return these labels and later ones; raise if those of the source are too many for classes."""
        texts = self.texts.joined(later.texts, 0)
        if exceeds(texts, OF_A_STREAM):
            raise InputError(
                f"{name}: the label has {len(texts.values):,} different values in {texts.n_cells:,} "
                "samples, too many for classes; choose another with --label"
            )
        return type(self)(texts, later.stored)

    def kind(self) -> str:
        """Return what all labels are."""
        return label_kind(self.texts.values, self.stored)

    def counted(self, kind: str) -> LabelCounts:
        """Return the labels, as a kind, sorted."""
        labels = typed_labels(self.texts.values, kind)
        classes, places = np.unique(labels, return_inverse=True)
        counts = np.zeros(len(classes), np.int64)
        np.add.at(counts, places, self.texts.counts)
        return LabelCounts(classes, counts)


def joined_labels(sources: Sequence[TableLabels]) -> TableLabels | None:
    """Return the labels of all sources, each of which has few enough; None if there is no source."""
    if not sources:
        return None
    texts = TextCounts.none()
    for labels in sources:
        texts = texts.joined(labels.texts, 0)
    return TableLabels(texts, sources[-1].stored)
