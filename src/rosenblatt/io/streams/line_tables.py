"""Samples that were parsed from lines become tables: columns, labels, and what is refused."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Flags, Floats, Labels
from rosenblatt.io.samples.table import PlacesOf, Table, check_width
from rosenblatt.io.streams.sample_rows import SampleRows
from rosenblatt.io.streams.stream_position import BEGINNING, Position

LARGEST_LABEL = 2**53
"""From which number on float64 may have rounded a label."""


@dataclass(frozen=True)
class LineTables:
    """What is known of the samples of sources with these names, so that tables are made of them.

    ``zero_based`` says whether indices begin at 0, ``text_labels`` whether labels are texts; see
    `LineReading` for the rest.
    """

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
        """Return samples as a table; raise if one has an index, or a label, that cannot be."""
        X = sp.csr_matrix(
            (rows.values, rows.indices - np.int32(self.first_index), rows.indptr),
            shape=(len(rows), self._width(rows)),
        )
        X.has_canonical_format = True  # which is checked by who parses, and would be counted again
        return Table(
            X,
            self._labels(rows) if self.needs_labels else None,
            self._places(rows),
            first_index=self.first_index,
            end=end,
        )

    def typed(self, labels: Floats) -> Labels:
        """Return labels, all of which are fit, in the type that they have outside."""
        if self._are_texts(labels):
            # by their bits: -0.0 is another text than 0.0
            different, places = np.unique(labels.view(np.int64), return_inverse=True)
            texts = [
                repr(label).removesuffix(".0") for label in different.view(np.float64).tolist()
            ]
            return np.array(texts, dtype=np.str_)[places]
        return labels.astype(np.int64)

    def are_fit(self, labels: Floats) -> Flags:
        """Say of each label whether it is of the type that all have."""
        if self._are_texts(labels):
            return np.abs(labels) < LARGEST_LABEL
        return is_whole(labels)

    def check_zero(self, place: str) -> None:
        """Raise if an index 0, which is at this place, is not a column."""
        if self.zero_based:
            return
        fault = (
            "the model's indices start at 1"
            if self.for_model
            else "no sample at the beginning has one; say zero_based=True (--zero-based) if indices "
            "begin at 0"
        )
        raise InputError(f"{place}: there is an index 0, but {fault}")

    def check_index(self, place: str, largest: int) -> None:
        """Raise if an index, which is at this place, is beyond the last column."""
        needed = largest + 1 - self.first_index
        if self.n_features is None or needed <= self.n_features:
            return
        if self.for_model:
            check_width(place, needed, self.n_features)
        raise InputError(
            f"{place}: the index {largest} is too large: it was said that there are "
            f"{self.n_features:,} features"
        )

    def _are_texts(self, labels: Floats) -> bool:
        return not is_whole(labels).all() if self.for_model else bool(self.text_labels)

    def _width(self, rows: SampleRows) -> int:
        """Return how many columns there are; raise if an index is none of them."""
        if not len(rows.indices):
            return self.n_features or 1  # learners ask for a column
        if rows.indices.min() == 0:
            self.check_zero(self._place(rows, rows.row_of(int(rows.indices.argmin()))))
        largest = int(rows.indices.max())
        self.check_index(self._place(rows, rows.row_of(int(rows.indices.argmax()))), largest)
        return self.n_features or largest + 1 - self.first_index

    def _labels(self, rows: SampleRows) -> Labels:
        are_fit = self.are_fit(rows.labels)
        if not are_fit.all():
            row = int(are_fit.argmin())
            raise label_error(self._place(rows, row), float(rows.labels[row]))
        return self.typed(rows.labels)

    def _place(self, rows: SampleRows, row: int) -> str:
        return f"{self.names[rows.sources[row]]}, line {rows.lines[row]}"

    def _places(self, rows: SampleRows) -> PlacesOf:
        lines, sources, names = rows.lines, rows.sources, self.names

        def places_of(samples: Counts) -> list[str]:
            places = [f"line {line}" for line in lines[samples].tolist()]
            if len(names) == 1:
                return places
            own = [names[k] for k in sources[samples].tolist()]
            return [f"{name}, {place}" for name, place in zip(own, places, strict=True)]

        return places_of


def is_whole(labels: Floats) -> Flags:
    """Say of each label whether it is a whole number, exactly.

    >>> is_whole(np.array([1.0, 0.5, 2.0**60]))
    array([ True, False, False])
    """
    whole: Flags = (labels == np.floor(labels)) & (np.abs(labels) < LARGEST_LABEL)
    return whole


def label_error(place: str, label: float) -> InputError:
    """Return the error of a label that is not of the type that all have."""
    fault = (
        "so large that float64 rounds it"
        if abs(label) >= LARGEST_LABEL
        else "not a whole number, as those at the beginning are"
    )
    return InputError(
        f"{place}: the label {label!r} is {fault}; give whole numbers below 2**53, or say "
        "text_labels=True to read numbers as texts"
    )
