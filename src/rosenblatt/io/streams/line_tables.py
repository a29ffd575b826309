"""Tables of samples parsed from lines: checks their indices and labels."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Flags, Floats, Labels
from rosenblatt.io.samples.sample_places import places_in_sources
from rosenblatt.io.samples.table import Table, check_width
from rosenblatt.io.streams.sample_rows import SampleRows
from rosenblatt.io.streams.stream_position import BEGINNING, Position

LARGEST_LABEL = 2**53
"""Labels from this number on may have been rounded by float64."""


@dataclass(frozen=True)
class LineTables:
    """Makes tables of samples from sources with these names; see `LineReading` for the other fields."""

    names: list[str]
    zero_based: bool | None
    text_labels: bool | None
    n_features: int | None
    needs_labels: bool = True
    for_model: bool = False

    @property
    def first_index(self) -> int:
        """The index of the first column."""
        return 0 if self.zero_based else 1

    def table(self, rows: SampleRows, end: Position = BEGINNING) -> Table:
        """Return samples as a table; raise InputError for an invalid index or label."""
        X = sp.csr_matrix(
            (rows.values, rows.indices - np.int32(self.first_index), rows.indptr),
            shape=(len(rows), self._width(rows)),
        )
        X.has_canonical_format = True  # checked by the parser
        return Table(
            X,
            self._labels(rows) if self.needs_labels else None,
            places_in_sources(self.names, rows.sources, rows.lines),
            first_index=self.first_index,
            end=end,
        )

    def typed(self, labels: Floats) -> Labels:
        """Return valid labels in their public type: int64, or text."""
        if self._are_texts(labels):
            # by their bits: the text of -0.0 is not that of 0.0
            distinct, positions = np.unique(labels.view(np.int64), return_inverse=True)
            texts = [repr(label).removesuffix(".0") for label in distinct.view(np.float64).tolist()]
            return np.array(texts, dtype=np.str_)[positions]
        return labels.astype(np.int64)

    def which_fit(self, labels: Floats) -> Flags:
        """Return which labels fit the type of all labels."""
        if self._are_texts(labels):
            return np.abs(labels) < LARGEST_LABEL
        return is_whole(labels)

    def check_zero(self, place: str) -> None:
        """Raise InputError for an index 0 unless indices begin at 0."""
        if self.zero_based:
            return
        fault = (
            "the model's indices start at 1"
            if self.for_model
            else "the first samples have none; set zero_based=True if indices begin at 0"
        )
        raise InputError(f"{place}: there is an index 0, but {fault}")

    def _are_texts(self, labels: Floats) -> bool:
        return not is_whole(labels).all() if self.for_model else bool(self.text_labels)

    def _width(self, rows: SampleRows) -> int:
        """Return the number of columns; raise InputError if an index is out of range."""
        if not len(rows.indices):
            return self.n_features or 1  # learners need a column
        if rows.indices.min() == 0:
            self.check_zero(self._place(rows, rows.row_of(int(rows.indices.argmin()))))
        largest = int(rows.indices.max())
        needed = largest + 1 - self.first_index
        if self.n_features is None or needed <= self.n_features:
            return self.n_features or needed
        place = self._place(rows, rows.row_of(int(rows.indices.argmax())))
        if self.for_model:
            check_width(place, needed, self.n_features)
        raise InputError(
            f"{place}: the index {largest} is too large for n_features={self.n_features}"
        )

    def _labels(self, rows: SampleRows) -> Labels:
        fits = self.which_fit(rows.labels)
        if not fits.all():
            row = int(fits.argmin())
            raise label_error(self._place(rows, row), float(rows.labels[row]))
        return self.typed(rows.labels)

    def _place(self, rows: SampleRows, row: int) -> str:
        return f"{self.names[rows.sources[row]]}, line {rows.lines[row]}"


def is_whole(labels: Floats) -> Flags:
    """Return which labels are whole numbers that float64 represents exactly.

    >>> is_whole(np.array([1.0, 0.5, 2.0**60]))
    array([ True, False, False])
    """
    whole: Flags = (labels == np.floor(labels)) & (np.abs(labels) < LARGEST_LABEL)
    return whole


def label_error(place: str, label: float) -> InputError:
    """Return the error for a label that does not fit the type of all labels."""
    fault = (
        "so large that float64 rounds it"
        if abs(label) >= LARGEST_LABEL
        else "not a whole number, but the first labels are"
    )
    return InputError(
        f"{place}: the label {label!r} is {fault}; give whole numbers below 2**53, or set "
        "text_labels=True to read labels as text"
    )
