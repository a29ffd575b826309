"""Predictions as a table: labels, scores, an id column; written as text, CSV, JSON lines or Parquet."""

import csv
import io
import json
import re
import sys
from collections.abc import Collection
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pa_parquet

from rosenblatt.cli.report import Facts
from rosenblatt.core.errors import InputError
from rosenblatt.core.files import write_whole
from rosenblatt.io.model_notes import Trained
from rosenblatt.io.samples.label_text import label_texts, some_labels
from rosenblatt.io.samples.table import Table, column_number
from rosenblatt.tables.cells import is_text

_FORMS = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]*)")


def chosen_form(wanted: str | None, output: Path | None, needs_columns: object) -> str:
    """Return how predictions are written; more than labels needs columns."""
    suffix = "" if output is None else output.suffix.lower()
    if wanted is None and suffix == ".json":
        raise InputError(f"{output}: predictions are written as JSON lines; call the file .jsonl")
    form = wanted or _FORMS.get(suffix)
    if form is None:
        return "csv" if needs_columns else "text"
    if form == "parquet" and output is None:
        raise InputError("--as parquet needs --output: Parquet is not for terminals and pipes")
    if form == "text" and needs_columns:
        raise InputError("--as text has labels only; for --scores and --id say --as csv or jsonl")
    return form


def prediction_table(
    trained: Trained, data: str, table: Table, *, scores: bool, id_column: str | None
) -> pa.Table:
    """Return a column of predictions, after the id column and before the scores, if wanted."""
    columns: dict[str, pa.Array | pa.ChunkedArray] = {}
    predicted = trained.predicted(data, table)
    if predicted.ndim == 2:  # several labels for a sample, each yes or no
        names = label_texts(trained.learner.classes_).tolist()
        listed = [[name for name, own in zip(names, row, strict=True) if own] for row in predicted]
        columns["prediction"] = pa.array(listed)
    else:
        columns["prediction"] = pa.array(predicted.tolist())
    if scores:
        columns.update(_scores(trained, data, table))
    if id_column is not None:
        own = _ids(data, table, id_column)
        _check_new(own, columns)
        columns = own | columns
    return pa.table(columns)


def _check_new(ids: Collection[str], names: Collection[str]) -> None:
    """Raise if the id column is called as something that is written beside it."""
    for name in ids:
        if name in names:
            raise InputError(
                f"--id {name!r:.60} is called as another column that is written; call it otherwise"
            )


def _ids(data: str, table: Table, wanted: str) -> dict[str, pa.Array | pa.ChunkedArray]:
    if table.names is None:
        raise InputError(f"{data}: a libsvm file has no column {wanted!r:.60}")
    name = table.columns[column_number(data, wanted, table.columns)]
    if name not in table.names:
        raise InputError(f"{data}: the column {name!r:.60} is the label, not an id")
    cells = table.X.column(name)
    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(pa.string())
    is_number = pa.types.is_floating(cells.type) or (_are_whole(cells) and not table.is_typed)
    return {name: _whole(cells) if is_number else cells}


def _are_whole(cells: pa.ChunkedArray) -> bool:
    """Say whether texts are whole numbers; 007 is not, for it would be written in another way."""
    return is_text(cells.type) and all(
        text is not None and _WHOLE.fullmatch(text) for text in cells.to_pylist()
    )


def _whole(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return numbers that were read as floats, or as text, as whole numbers, if they are."""
    if pa.types.is_floating(cells.type):
        values = cells.to_numpy(zero_copy_only=False)
        finite = np.where(np.isfinite(values), values, np.nan)
        cells = pa.chunked_array([pa.array(finite, from_pandas=True)])  # JSON has no NaN
    try:
        return cells.cast(pa.int64())
    except pa.ArrowInvalid:
        return cells


def _scores(trained: Trained, data: str, table: Table) -> dict[str, pa.Array]:
    if not hasattr(trained.learner, "decision_function"):
        raise InputError(f"{trained.path}: this model decides without scores")
    found = np.asarray(trained.scores(data, table))
    if found.ndim == 1:
        return {"score": pa.array(found)}
    names = label_texts(trained.learner.classes_).tolist()
    return {f"score of {name}": pa.array(found[:, k]) for k, name in enumerate(names)}


def write_predictions(predictions: pa.Table, form: str, output: Path | None) -> None:
    """Write the predictions to a file, whole or not at all, or print them."""
    if form == "parquet":
        content = io.BytesIO()
        pa_parquet.write_table(predictions, content)
        assert output is not None
        write_whole(output, content.getvalue())
        return
    text = _TEXTS[form](predictions)
    if output is not None:
        write_whole(output, text.encode())
    else:
        sys.stdout.write(text)


def _plain(predictions: pa.Table) -> str:
    values = predictions.column("prediction").to_pylist()
    texts = [" ".join(value) if isinstance(value, list) else str(value) for value in values]
    return "".join(f"{text}\n" for text in texts)


def _csv(predictions: pa.Table) -> str:
    if pa.types.is_list(predictions.schema.field("prediction").type):
        joined = pa.array(_plain(predictions).splitlines())
        place = predictions.schema.get_field_index("prediction")
        predictions = predictions.set_column(place, "prediction", joined)
    content = io.BytesIO()
    options = pa_csv.WriteOptions(include_header=False, quoting_style="needed")
    pa_csv.write_csv(predictions, content, options)
    header = io.StringIO()
    csv.writer(header, lineterminator="\n").writerow(predictions.column_names)
    return header.getvalue() + content.getvalue().decode()


def _json_lines(predictions: pa.Table) -> str:
    return "".join(
        f"{json.dumps(row, allow_nan=False, ensure_ascii=False, default=str)}\n"
        for row in predictions.to_pylist()
    )


def json_columns(predictions: pa.Table, reserved: Collection[str]) -> Facts:
    """Return the columns as values that JSON has, for a document that has other entries, too."""
    columns = predictions.to_pydict()
    labels = columns.pop("prediction")
    _check_new(columns, [*reserved, "predictions"])
    plain = {
        name: [
            value if isinstance(value, str | int | float | None) else str(value) for value in own
        ]
        for name, own in columns.items()
    }
    return {"predictions": labels, **plain}


_TEXTS = {"text": _plain, "csv": _csv, "jsonl": _json_lines}


def say_unknown(trained: Trained, data: str, table: Table, written: Collection[str]) -> None:
    """Say on standard error which columns and which categories the model does not know."""
    for name, count in trained.unseen_values(table).items():
        print(
            f"{data}: column {name}: {count:,} of {table.n_samples:,} values were never learned from, "
            "and count for nothing",
            file=sys.stderr,
        )
    unused = [name for name in trained.unknown_columns(table) if name not in written]
    if unused:
        print(
            f"{data}: columns that the model does not know are ignored: {some_labels(unused)}",
            file=sys.stderr,
        )
