"""Predictions as tables, one for each chunk of samples: labels, scores, an id column."""

import re
from collections.abc import Collection, Sequence

import numpy as np
import pyarrow as pa

from rosenblatt.core.errors import InputError, quoted
from rosenblatt.io.models.model_notes import Trained
from rosenblatt.io.samples.label_text import label_texts
from rosenblatt.io.samples.table import Table, column_number
from rosenblatt.io.streams.tables.table_form import FormChangedError
from rosenblatt.tables.cells import is_text

_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]*)")

Columns = dict[str, pa.Array | pa.ChunkedArray]


class PredictionTables:
    """Makes a table of predictions of each chunk, all with columns of the same ``names`` and types.

    Ids of a file that does not say what its columns hold, such as CSV, and ids that are stored as
    floats, are whole numbers if all of them are. Only the first chunk can tell before it is written: if
    it has whole numbers, and a later one has others, `FormChangedError` is raised. Whoever then begins
    again with the same `PredictionTables` gets the ids as they are stored, from the first on; so what
    is written never depends on the size of the chunks.
    """

    def __init__(self, trained: Trained, data: str, *, scores: bool, id_column: str | None) -> None:
        self._trained, self._data, self._scores = trained, data, scores
        self._wanted_id = id_column
        self._id_name: str | None = None
        self._has_whole_ids: bool | None = None
        self.names: list[str] = []

    def of(self, table: Table) -> pa.Table:
        """Return a column of predictions, after the id column and before the scores, if wanted."""
        columns: Columns = {"prediction": self._labels(table)}
        if self._scores:
            columns.update(self._all_scores(table))
        if self._wanted_id is not None:
            name, cells = self._ids(table, self._wanted_id)
            check_new([name], columns)
            columns = {name: self._typed(name, cells, table), **columns}
        self.names = list(columns)
        return pa.table(columns)

    def _typed(self, name: str, cells: pa.ChunkedArray, table: Table) -> pa.ChunkedArray:
        """Return the ids of the next chunk, of the type that all have."""
        whole = None if self._has_whole_ids is False else _as_whole(cells, table)
        if self._has_whole_ids is None:
            self._has_whole_ids = whole is not None
        if self._has_whole_ids and whole is None:
            self._has_whole_ids = False
            raise FormChangedError(
                f"{self._data}: the column {quoted(name)} begins with whole numbers, but has others"
            )
        return _without_nan(cells) if whole is None else whole

    def _labels(self, table: Table) -> pa.Array:
        predicted = self._trained.predicted(self._data, table)
        if predicted.ndim == 1:
            return pa.array(predicted.tolist())
        names = label_texts(self._trained.learner.classes_).tolist()  # each is yes or no
        listed = [[name for name, own in zip(names, row, strict=True) if own] for row in predicted]
        return pa.array(listed, pa.list_(pa.string()))

    def _all_scores(self, table: Table) -> Columns:
        if not hasattr(self._trained.learner, "decision_function"):
            raise InputError(f"{self._trained.path}: this model decides without scores")
        found = np.asarray(self._trained.scores(self._data, table))
        if found.ndim == 1:
            return {"score": pa.array(found)}
        names = label_texts(self._trained.learner.classes_).tolist()
        return {f"score of {name}": pa.array(found[:, k]) for k, name in enumerate(names)}

    def _ids(self, table: Table, wanted: str) -> tuple[str, pa.ChunkedArray]:
        if self._id_name is None:  # by its number in the first file, if there are several
            self._id_name = id_name(self._data, wanted, table.columns, table.names)
        cells = table.X.column(self._id_name)
        if pa.types.is_dictionary(cells.type):
            cells = cells.cast(pa.string())
        return self._id_name, cells


def id_name(data: str, wanted: str, columns: Sequence[str], features: Sequence[str] | None) -> str:
    """Return the name of the id column of a file, which has features if it is a table.

    >>> id_name("a.csv", "1", ["who", "age", "class"], ["who", "age"])
    'who'
    """
    if features is None:
        raise InputError(f"{data}: a libsvm file has no column {wanted!r:.60}")
    name = columns[column_number(data, wanted, columns)]
    if name not in features:
        raise InputError(f"{data}: the column {name!r:.60} is the label, not an id")
    return name


def check_new(ids: Collection[str], names: Collection[str]) -> None:
    """Raise if the id column is called as something that is written beside it."""
    for name in ids:
        if name in names:
            raise InputError(
                f"--id {name!r:.60} is called as another column that is written; call it otherwise"
            )


def _as_whole(cells: pa.ChunkedArray, table: Table) -> pa.ChunkedArray | None:
    """Return floats, or texts of a file without types, as whole numbers, or None if some are not."""
    is_number = pa.types.is_floating(cells.type) or (_are_whole(cells) and not table.is_typed)
    if not is_number:
        return None
    try:
        return _without_nan(cells).cast(pa.int64())
    except pa.ArrowInvalid:
        return None


def _are_whole(cells: pa.ChunkedArray) -> bool:
    """Say whether texts are whole numbers; 007 is not, for it would be written in another way."""
    return is_text(cells.type) and all(
        text is not None and _WHOLE.fullmatch(text) for text in cells.to_pylist()
    )


def _without_nan(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return floats with nothing in the place of what JSON does not have, and other cells unchanged."""
    if not pa.types.is_floating(cells.type):
        return cells
    values = cells.to_numpy(zero_copy_only=False)
    finite = np.where(np.isfinite(values), values, np.nan)
    return pa.chunked_array([pa.array(finite, from_pandas=True)])
