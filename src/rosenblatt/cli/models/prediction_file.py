"""Writing predictions chunk by chunk: as text, CSV, JSON lines or Parquet."""

import csv
import io
import json
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.ipc as pa_ipc
import pyarrow.parquet as pa_parquet

from rosenblatt.cli.report import Facts, print_json, printable, printable_json
from rosenblatt.core.errors import InputError
from rosenblatt.core.files import atomic_writer
from rosenblatt.io.predictions.prediction_table import check_new

Write = Callable[[pa.Table], None]
"""Writes the predictions of the next chunk."""

_FORMS = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
# The bytes of a Parquet row group in memory: smaller ones cost readers more, larger ones memory here.
_ROW_GROUP = 2**24
_BLOCK_ROWS = 2**14


def chosen_form(given: str | None, output: Path | None, needs_columns: object) -> str:
    """Return the format to write; scores and ids need one with columns."""
    suffix = "" if output is None else output.suffix.lower()
    if given is None and suffix == ".json":
        raise InputError(f"{output}: predictions are written as JSON lines; name the file .jsonl")
    if suffix in (".gz", ".bz2", ".zst"):
        raise InputError(
            f"{output}: predictions are not compressed; leave {suffix} out of the name"
        )
    form = given or _FORMS.get(suffix)
    if form is None and suffix not in ("", ".txt"):
        raise InputError(
            f"{output}: the ending {suffix} names no format; use .txt, .csv, .jsonl or .parquet, or "
            "give the format with --as"
        )
    if form is None:
        return "csv" if needs_columns else "text"
    if form == "parquet" and output is None:
        raise InputError(
            "--as parquet needs --output, because Parquet is not for terminals and pipes"
        )
    if form == "text" and needs_columns:
        raise InputError(
            "--as text has labels only; for --scores and --id use --as csv or --as jsonl"
        )
    return form


@contextmanager
def written_predictions(form: str, output: Path | None) -> Iterator[Write]:
    """Write predictions to a file, which appears when all are written, or print them as they come."""
    if output is None:
        yield _printed(form)
        return
    with atomic_writer(output) as file:
        if form == "parquet":
            with _RowGroups(file) as row_groups:
                yield row_groups.write
        else:
            yield _as_text(form, lambda text: file.write(text.encode()))


@contextmanager
def printed_document(document: Facts) -> Iterator[Write]:
    """Print one JSON document, with all predictions, at the end."""
    held: list[pa.Table] = []
    yield held.append
    columns = _json_columns(pa.concat_tables(held), reserved=document)
    print_json(document | columns)


def _printed(form: str) -> Write:
    """Print predictions; on a terminal, with everything escaped that would control it."""
    if not sys.stdout.isatty():
        return _as_text(form, _print)
    if form == "jsonl":
        return _as_text(form, lambda text: _print(printable_json(text)))
    write = _as_text(form, _print)
    return lambda predictions: write(_printable(predictions))


def _printable(predictions: pa.Table) -> pa.Table:
    names = [printable(name) for name in predictions.column_names]
    columns = [_printable_cells(cells) for cells in predictions.columns]
    return pa.Table.from_arrays(columns, names)


def _printable_cells(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    values = cells.to_pylist()
    if pa.types.is_list(cells.type):
        return pa.chunked_array([[[printable(label) for label in labels] for labels in values]])
    if not any(isinstance(value, str) for value in values):
        return cells
    return pa.chunked_array([[None if text is None else printable(text) for text in values]])


def _print(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()  # the other end of a pipe gets them now


def _as_text(form: str, write: Callable[[str], object]) -> Write:
    text_of, head_of = _TEXTS[form]
    is_begun = False

    def write_text(predictions: pa.Table) -> None:
        nonlocal is_begun
        head = "" if is_begun else head_of(predictions)
        is_begun = True
        write(head + text_of(predictions))

    return write_text


class _RowGroups:
    """A Parquet file whose bytes do not depend on how the rows come in chunks.

    Rows are collected into blocks of equal length, and blocks into row groups of about equal size.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._writer: pa_parquet.ParquetWriter | None = None
        self._held: list[pa.Table] = []
        self._blocks: list[pa.Table] = []
        self._n_rows = self._n_bytes = 0

    def write(self, predictions: pa.Table) -> None:
        """Add the predictions of a chunk."""
        if self._writer is None:
            self._writer = pa_parquet.ParquetWriter(self._file, predictions.schema)
        self._held.append(predictions)
        self._n_rows += predictions.num_rows
        if self._n_rows >= _BLOCK_ROWS:
            rows = pa.concat_tables(self._held)
            n_rows = self._n_rows - self._n_rows % _BLOCK_ROWS
            for start in range(0, n_rows, _BLOCK_ROWS):
                self._add_block(self._writer, rows.slice(start, _BLOCK_ROWS))
            self._held, self._n_rows = [rows.slice(n_rows)], self._n_rows - n_rows

    def __enter__(self) -> "_RowGroups":
        return self

    def __exit__(self, failed: object, *error: object) -> None:
        if self._writer is None:
            return
        if failed is None:
            if self._n_rows:
                self._add_block(self._writer, pa.concat_tables(self._held))
            self._write_group(self._writer)
            self._writer.close()
            return
        with suppress(OSError):  # close it, even though the file is discarded
            self._writer.close()

    def _add_block(self, writer: pa_parquet.ParquetWriter, rows: pa.Table) -> None:
        block = rows.combine_chunks()
        self._blocks.append(block)
        # In the IPC format, the size of rows does not depend on the table they were part of.
        self._n_bytes += sum(map(pa_ipc.get_record_batch_size, block.to_batches()))
        if self._n_bytes >= _ROW_GROUP:
            self._write_group(writer)

    def _write_group(self, writer: pa_parquet.ParquetWriter) -> None:
        if self._blocks:
            writer.write_table(pa.concat_tables(self._blocks))
            self._blocks, self._n_bytes = [], 0


def _lines(predictions: pa.Table) -> str:
    cells = predictions.column("prediction")
    if pa.types.is_list(cells.type):
        return "".join(f"{text}\n" for text in _joined(cells))
    return "".join(_label_lines(chunk, lambda label: f"{label}\n") for chunk in cells.chunks)


def _label_lines(labels: pa.Array, line_of: Callable[[object], str]) -> str:
    """Return a line for each label, formatting each distinct label only once."""
    encoded = labels.dictionary_encode()
    lines = np.array([line_of(label) for label in encoded.dictionary.to_pylist()], dtype=object)
    return "".join(lines[encoded.indices.to_numpy()])


def _joined(cells: pa.ChunkedArray) -> list[str]:
    """Return the labels of each sample, joined by spaces."""
    return [" ".join(labels) for labels in cells.to_pylist()]


def _csv_head(predictions: pa.Table) -> str:
    head = io.StringIO()
    csv.writer(head, lineterminator="\n").writerow(predictions.column_names)
    return head.getvalue()


def _csv(predictions: pa.Table) -> str:
    cells = predictions.column("prediction")
    if pa.types.is_list(cells.type):
        place = predictions.schema.get_field_index("prediction")
        predictions = predictions.set_column(place, "prediction", pa.array(_joined(cells)))
    content = io.BytesIO()
    options = pa_csv.WriteOptions(include_header=False, quoting_style="needed")
    pa_csv.write_csv(predictions, content, options)
    return content.getvalue().decode()


def _json_lines(predictions: pa.Table) -> str:
    keys = [_to_json(name).replace("%", "%%") for name in predictions.column_names]
    line = "{" + ", ".join(f"{key}: %s" for key in keys) + "}\n"
    columns = [_json_texts(cells) for cells in predictions.columns]
    return "".join([line % texts for texts in zip(*columns, strict=True)])


def _json_texts(cells: pa.ChunkedArray) -> list[str]:
    """Return each cell as JSON."""
    values = cells.to_pylist()
    if pa.types.is_nested(cells.type):
        return [_to_json(value) for value in values]
    # One call for all values saves most of the time; the JSON of a single value has no line break.
    return _encoder(("\n", ":")).encode(values)[1:-1].split("\n")


def _to_json(value: object) -> str:
    return _encoder((", ", ": ")).encode(value)


@cache
def _encoder(separators: tuple[str, str]) -> json.JSONEncoder:
    return json.JSONEncoder(allow_nan=False, ensure_ascii=False, default=str, separators=separators)


def _no_head(_predictions: pa.Table) -> str:
    return ""


_TEXTS = {
    "text": (_lines, _no_head),
    "csv": (_csv, _csv_head),
    "jsonl": (_json_lines, _no_head),
}


def _json_columns(predictions: pa.Table, reserved: Collection[str]) -> Facts:
    """Return the columns as JSON values; their names must differ from the reserved ones."""
    columns = predictions.to_pydict()
    labels = columns.pop("prediction")
    check_new(columns, [*reserved, "predictions"])
    plain = {
        name: [
            value if isinstance(value, str | int | float | None) else str(value) for value in own
        ]
        for name, own in columns.items()
    }
    return {"predictions": labels, **plain}
