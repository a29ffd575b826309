"""What is learned of each column of a table, and how its cells then become numbers.

Each kind says how many columns it becomes (``width``), what they are called (``feature_names``), and
what a cell puts into them: at most a few entries, whose places ascend. A matrix, dense or sparse, is
made of the entries: see ``matrix``.
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
from rosenblatt.tables.cells import CellError, Cells, Texts, numbers_of, one_spelling, texts_of


class Entries(NamedTuple):
    """One value for each row, and the column where it goes: one for all rows, or each its own, or -1."""

    places: int | NDArray[np.int32]
    values: float | Floats


@dataclass(frozen=True)
class Number:
    """Numbers, truth values (0 and 1) or dates (days): ``(value - center) / scale``.

    A missing value is replaced by ``fill``; a column beside it says where that was done, if values were
    missing among those that were learned from (``indicates``). ``dates`` is how texts write dates.
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
            raise InputError(f"column {self.name}: {self} does not describe numbers")

    @property
    def width(self) -> int:
        """The number of columns that this one becomes."""
        return 1 + self.indicates

    def feature_names(self) -> list[str]:
        """Return the names of these columns."""
        return [self.name, f"{self.name} is missing"][: self.width]

    def entries(self, cells: Cells, missing: Iterable[str]) -> list[Entries]:
        """Return the numbers, and where they were missing."""
        values = numbers_of(self.name, cells, missing, self.dates)
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
                f"{values[row]} is so far from the mean, {self.center:g}, that float64 cannot hold it "
                "scaled; give smaller numbers",
            )
        return scaled

    def is_unchanged(self) -> bool:
        """Say whether values that are not missing become themselves."""
        return self.center == 0.0 and self.scale == 1.0


@dataclass(frozen=True)
class Category:
    """Texts that name groups: a column of 0 and 1 for each; one for all rare ones, one for missing.

    A text that was never learned from has no column: all of its columns are 0.
    """

    name: str
    values: tuple[str, ...]
    rare: tuple[str, ...] = ()
    indicates: bool = False

    def __post_init__(self) -> None:
        texts = [*self.values, *self.rare]
        if not all(isinstance(text, str) for text in texts) or len(set(texts)) != len(texts):
            raise InputError(f"column {self.name}: the categories must be different texts")

    kind = "category"

    @property
    def width(self) -> int:
        """The number of columns that this one becomes."""
        return len(self.values) + bool(self.rare) + self.indicates

    def feature_names(self) -> list[str]:
        """Return the names of these columns."""
        names = [f"{self.name}={value}" for value in self.values]
        names += [f"{self.name} is rare"] * bool(self.rare)
        return names + [f"{self.name} is missing"] * self.indicates

    def n_unseen(self, cells: Cells, missing: Iterable[str]) -> int:
        """Return how many cells have a text that was never learned from."""
        texts = texts_of(cells, missing, names=True)
        known = set(one_spelling(pa.array([*self.values, *self.rare], pa.string())).to_pylist())
        is_new = [text not in known for text in texts.values.to_pylist()]
        return int(texts.counts()[np.array(is_new, np.bool_)].sum())

    def entries(self, cells: Cells, missing: Iterable[str]) -> list[Entries]:
        """Return in which column each cell has its 1."""
        texts = texts_of(cells, missing, names=True)
        known = one_spelling(pa.array([*self.values, *self.rare], pa.string()))
        found = pc.fill_null(pc.index_in(texts.values, value_set=known), -1)
        absent = np.int32(self.width - 1 if self.indicates else -1)
        places = np.append(found.to_numpy(zero_copy_only=False).astype(np.int32), absent)
        # all rare ones share a column; the last place is where code -1, a missing cell, looks
        places[:-1] = np.minimum(places[:-1], len(self.values))
        return [Entries(places[texts.codes], 1.0)]


@dataclass(frozen=True)
class Words:
    """Free text: how often it has each word, weighed against how many texts have it (tf-idf)."""

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
        """The number of columns that this one becomes."""
        return len(self.words)

    def feature_names(self) -> list[str]:
        """Return the names of these columns."""
        return [f"{self.name}:{word}" for word in self.words]

    def matrix(self, cells: Cells, missing: Iterable[str]) -> sp.csr_matrix:
        """Return the weight of each word in each text."""
        vectorizer = new_vectorizer(vocabulary={word: k for k, word in enumerate(self.words)})
        vectorizer.idf_ = self.idf
        return sp.csr_matrix(vectorizer.transform(plain_texts(texts_of(cells, missing))))


@dataclass(frozen=True)
class LeftOut:
    """A column that is not learned from, and why."""

    name: str
    reason: str

    kind = "left out"
    width = 0
    indicates = False

    def feature_names(self) -> list[str]:
        """Return no name."""
        return []


Learned = Number | Category | Words | LeftOut
"""What is learned of a column."""


def plain_texts(texts: Texts) -> list[str]:
    """Return the free text of each cell; a missing one is empty."""
    values = [*texts.values.to_pylist(), ""]
    return [values[code] for code in texts.codes.tolist()]


def new_vectorizer(**options: object) -> TfidfVectorizer:
    """Return what counts words; a count enters as 1 + its logarithm."""
    return TfidfVectorizer(sublinear_tf=True, dtype=np.float64, **options)
