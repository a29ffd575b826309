"""Predictions as tables, one per chunk of samples: labels, scores, an id column."""

import re
from collections.abc import Collection, Sequence

import numpy as np
import pyarrow as pa

from rosenblatt.core.errors import InputError, quoted
from rosenblatt.io.models.model_notes import LoadedModel
from rosenblatt.io.samples.label_text import label_texts
from rosenblatt.io.samples.table import Table, column_number
from rosenblatt.io.streams.tables.table_form import FormChangedError
from rosenblatt.tables.cells import is_text

_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]*)")

Columns = dict[str, pa.Array | pa.ChunkedArray]


class PredictionTables:
    """Builds one table of predictions per chunk, all with the same column ``names`` and types.

    Ids from an untyped file such as CSV, and ids stored as floats, become whole numbers if all of them
    are. The first chunk decides before it is written. If a later one disagrees, `of` raises
    `FormChangedError`; starting over with the same object then returns all ids as stored. So the output
    never depends on the size of the chunks.
    """

    def __init__(
        self, trained: LoadedModel, data: str, *, scores: bool, id_column: str | None
    ) -> None:
        self._trained, self._data, self._scores = trained, data, scores
        self._id_column = id_column
        self._id_name: str | None = None
        self._has_whole_ids: bool | None = None
        self.names: list[str] = []

    def of(self, table: Table) -> pa.Table:
        """Return a chunk's predictions, after the id column and before the scores, if requested."""
        columns: Columns = {"prediction": self._labels(table)}
        if self._scores:
            columns.update(self._all_scores(table))
        if self._id_column is not None:
            name, cells = self._ids(table, self._id_column)
            check_new([name], columns)
            columns = {name: self._typed(name, cells, table), **columns}
        self.names = list(columns)
        return pa.table(columns)

    def _typed(self, name: str, cells: pa.ChunkedArray, table: Table) -> pa.ChunkedArray:
        """Return the ids of the next chunk with the type of all earlier ones."""
        whole = None if self._has_whole_ids is False else _as_whole(cells, table)
        if self._has_whole_ids is None:
            self._has_whole_ids = whole is not None
        if self._has_whole_ids and whole is None:
            self._has_whole_ids = False
            raise FormChangedError(
                f"{self._data}: column {quoted(name)} begins with whole numbers, but "
                "contains other values"
            )
        return _without_nan(cells) if whole is None else whole

    def _labels(self, table: Table) -> pa.Array:
        predicted = self._trained.predicted(self._data, table)
        if predicted.ndim == 1:
            return pa.array(predicted.tolist())
        names = label_texts(
            self._trained.learner.classes_
        ).tolist()  # one column of flags per class
        listed = [[name for name, has in zip(names, row, strict=True) if has] for row in predicted]
        return pa.array(listed, pa.list_(pa.string()))

    def _all_scores(self, table: Table) -> Columns:
        if not hasattr(self._trained.learner, "decision_function"):
            raise InputError(f"{self._trained.path}: this model has no scores")
        found = np.asarray(self._trained.scores(self._data, table))
        if found.ndim == 1:
            return {"score": pa.array(found)}
        names = label_texts(self._trained.learner.classes_).tolist()
        return {f"score of {name}": pa.array(found[:, k]) for k, name in enumerate(names)}

    def _ids(self, table: Table, requested: str) -> tuple[str, pa.ChunkedArray]:
        if self._id_name is None:  # a number counts in the first file
            self._id_name = id_name(self._data, requested, table.columns, table.names)
        cells = table.X.column(self._id_name)
        if pa.types.is_dictionary(cells.type):
            cells = cells.cast(pa.string())
        return self._id_name, cells


def id_name(
    data: str, requested: str, columns: Sequence[str], features: Sequence[str] | None
) -> str:
    """Return the name of the id column, given by name or number (``features``: None for libsvm files).

    >>> id_name("a.csv", "1", ["who", "age", "class"], ["who", "age"])
    'who'
    """
    if features is None:
        raise InputError(f"{data}: a libsvm file has no column {requested!r:.60}")
    name = columns[column_number(data, requested, columns)]
    if name not in features:
        raise InputError(f"{data}: the column {name!r:.60} is the label, not an id")
    return name


def check_new(ids: Collection[str], names: Collection[str]) -> None:
    """Raise InputError if the id column has the name of another output column."""
    for name in ids:
        if name in names:
            raise InputError(
                f"the id column {name!r:.60} has the name of another output column; rename it"
            )


def _as_whole(cells: pa.ChunkedArray, table: Table) -> pa.ChunkedArray | None:
    """Return floats, or texts of an untyped file, as whole numbers; None if some are not whole."""
    is_number = pa.types.is_floating(cells.type) or (_are_whole(cells) and not table.is_typed)
    if not is_number:
        return None
    try:
        return _without_nan(cells).cast(pa.int64())
    except pa.ArrowInvalid:
        return None


def _are_whole(cells: pa.ChunkedArray) -> bool:
    """Return whether texts are whole numbers; 007 is not, because it would come out as 7."""
    return is_text(cells.type) and all(
        text is not None and _WHOLE.fullmatch(text) for text in cells.to_pylist()
    )


def _without_nan(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Replace floats that JSON does not have by nulls."""
    if not pa.types.is_floating(cells.type):
        return cells
    values = cells.to_numpy(zero_copy_only=False)
    finite = np.where(np.isfinite(values), values, np.nan)
    return pa.chunked_array([pa.array(finite, from_pandas=True)])
