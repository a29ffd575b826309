"""Learned columns of a table, and how each kind encodes cells as numbers.

Each kind of column has a number of encoded columns (``width``), their names (``feature_names``), and the
entries of each cell: at most a few, in ascending order of columns. ``matrix`` builds a dense or sparse
matrix from them.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats
from rosenblatt.tables.cells import (
    CellError,
    Cells,
    Texts,
    as_names,
    numbers_of,
    texts_of,
)


class Entries(NamedTuple):
    """One value per row, and its column: one for all rows, or one per row (-1: no entry)."""

    places: int | NDArray[np.int32]
    values: float | Floats


@dataclass(frozen=True)
class Number:
    """Numbers, booleans (0 and 1) or dates (days), encoded as ``(value - center) / scale``.

    A missing value is replaced by ``fill``. If ``indicates`` (values were missing in training), a second
    column is 1 for missing values. ``dates`` is the format of dates in text.
    """

    name: str
    kind: str
    fill: float
    indicates: bool = False
    center: float = 0.0
    scale: float = 1.0
    dates: str = ""

    def __post_init__(self) -> None:
        values = (self.fill, self.center, self.scale)
        if self.kind not in ("number", "boolean", "date") or not (
            all(isinstance(value, float) and math.isfinite(value) for value in values)
            and self.scale > 0.0
        ):
            raise InputError(f"column {self.name}: {self} is not a valid column of numbers")

    @property
    def width(self) -> int:
        """The number of encoded columns."""
        return 1 + self.indicates

    def feature_names(self) -> list[str]:
        """Return the names of the encoded columns."""
        return [self.name, f"{self.name} is missing"][: self.width]

    def entries(self, cells: Cells, missing: Iterable[str]) -> list[Entries]:
        """Return the numbers, and indicators of missing values."""
        values = numbers_of(self.name, cells, missing, self.dates, self.kind)
        absent = np.isnan(values)
        if absent.any():
            values = np.where(absent, self.fill, values)
        if self.center != 0.0 or self.scale != 1.0:
            values = self._scaled(values)
        own = [Entries(0, values)]
        return [*own, Entries(1, absent.astype(np.float64))] if self.indicates else own

    def _scaled(self, values: Floats) -> Floats:
        with np.errstate(over="ignore"):
            scaled = (values - self.center) / self.scale
        finite = np.isfinite(scaled)
        if not finite.all():
            row = int(np.argmin(finite))
            raise CellError(
                self.name,
                row,
                f"{values[row]} is so far from the mean, {self.center:g}, that scaling overflows "
                "float64; give smaller numbers",
            )
        return scaled

    def is_unchanged(self) -> bool:
        """Return whether values that are not missing are encoded unchanged."""
        return self.center == 0.0 and self.scale == 1.0


@dataclass(frozen=True)
class Category:
    """Names of groups: a column of 0 and 1 for each, one for all rare names, one for missing values.

    A name that was not in the training data has no column: all columns are 0.
    """

    name: str
    values: tuple[str, ...]
    rare: tuple[str, ...] = ()
    indicates: bool = False

    def __post_init__(self) -> None:
        texts = [*self.values, *self.rare]
        if not all(isinstance(text, str) for text in texts) or len(set(texts)) != len(texts):
            raise InputError(f"column {self.name}: categories must be distinct strings")

    kind = "category"

    @property
    def width(self) -> int:
        """The number of encoded columns."""
        return len(self.values) + bool(self.rare) + self.indicates

    def feature_names(self) -> list[str]:
        """Return the names of the encoded columns."""
        names = [f"{self.name}={value}" for value in self.values]
        names += [f"{self.name} is rare"] * bool(self.rare)
        return names + [f"{self.name} is missing"] * self.indicates

    def n_unseen(self, cells: Cells, missing: Iterable[str]) -> int:
        """Return how many cells have a text that was not in the training data."""
        texts = texts_of(cells, missing, as_names)
        known = set(as_names(pa.array([*self.values, *self.rare], pa.string())).to_pylist())
        is_new = [text not in known for text in texts.values.to_pylist()]
        return int(texts.counts()[np.array(is_new, np.bool_)].sum())

    def entries(self, cells: Cells, missing: Iterable[str]) -> list[Entries]:
        """Return the column in which each cell has a 1."""
        texts = texts_of(cells, missing, as_names)
        known = as_names(pa.array([*self.values, *self.rare], pa.string()))
        found = pc.fill_null(pc.index_in(texts.values, value_set=known), -1)
        absent = np.int32(self.width - 1 if self.indicates else -1)
        places = np.append(found.to_numpy(zero_copy_only=False).astype(np.int32), absent)
        # all rare names share a column; code -1, a missing cell, indexes the last element
        places[:-1] = np.minimum(places[:-1], len(self.values))
        return [Entries(places[texts.codes], 1.0)]


@dataclass(frozen=True)
class Words:
    """Free text, encoded as tf-idf weights of words."""

    name: str
    words: tuple[str, ...]
    idf: Floats

    def __post_init__(self) -> None:
        if (
            not all(isinstance(word, str) for word in self.words)
            or len(set(self.words)) != len(self.words)
            or self.idf.shape != (len(self.words),)
            or not np.isfinite(self.idf).all()
        ):
            raise InputError(f"column {self.name}: the words and their weights do not match")

    kind = "text"
    indicates = False

    @property
    def width(self) -> int:
        """The number of encoded columns."""
        return len(self.words)

    def feature_names(self) -> list[str]:
        """Return the names of the encoded columns."""
        return [f"{self.name}:{word}" for word in self.words]

    def matrix(self, cells: Cells, missing: Iterable[str]) -> sp.csr_matrix:
        """Return the weight of each word in each text."""
        vectorizer = new_vectorizer(vocabulary={word: k for k, word in enumerate(self.words)})
        vectorizer.idf_ = self.idf
        return sp.csr_matrix(vectorizer.transform(plain_texts(texts_of(cells, missing))))


@dataclass(frozen=True)
class LeftOut:
    """An excluded column, and why."""

    name: str
    reason: str

    kind = "left out"
    width = 0
    indicates = False

    def feature_names(self) -> list[str]:
        """Return no names."""
        return []


Learned = Number | Category | Words | LeftOut
"""A learned column."""


def plain_texts(texts: Texts) -> list[str]:
    """Return the text of each cell, empty if missing."""
    values = [*texts.values.to_pylist(), ""]
    return [values[code] for code in texts.codes.tolist()]


def new_vectorizer(**options: object) -> TfidfVectorizer:
    """Return a vectorizer that replaces each count by 1 + its logarithm."""
    return TfidfVectorizer(sublinear_tf=True, dtype=np.float64, **options)
