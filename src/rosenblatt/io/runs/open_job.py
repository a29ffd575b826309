"""Setup of a run over a stream: open the sources, the encoder and any checkpoint to resume."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from sklearn.base import clone
from sklearn.preprocessing import Normalizer

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import MatrixLike
from rosenblatt.estimators.streaming.stream_learning import StreamLearning
from rosenblatt.io.runs.checkpoint import Checkpoint, read_checkpoint
from rosenblatt.io.runs.stream_job import Saving, StreamJob
from rosenblatt.io.samples.preparation import (
    ColumnOptions,
    check_classes,
    check_fits_kind,
    encoded,
    new_encoder,
    reading_of,
)
from rosenblatt.io.samples.table import Reading, Table
from rosenblatt.io.streams.encoding_pass import learn_encoding
from rosenblatt.io.streams.line_chunks import LineReading
from rosenblatt.io.streams.sample_stream import Stream, open_stream
from rosenblatt.io.streams.stream_position import BEGINNING
from rosenblatt.io.streams.table_chunks import TableChunks
from rosenblatt.kernels.rows import as_rows, n_rows
from rosenblatt.tables.scaling import unit_rows
from rosenblatt.training.mean_square import SquaredLengths

_UNITS = {"": 1.0, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


def duration(text: str) -> float:
    """Return a duration in seconds.

    >>> duration("30s"), duration("1.5h"), duration("250ms"), duration("2")
    (30.0, 5400.0, 0.25, 2.0)
    """
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+) ?(ms|s|m|min|h|d|)", text.strip())
    if found is None:
        raise InputError(f"{text!r:.40} is not a duration; give one such as 30s, 5m, 2h or 1d")
    return float(found[1]) * _UNITS[found[2]]


class JobObserver(Protocol):
    """Follows a run."""

    def encodes(self, stream: Any) -> Any:
        """Return a context for the pass that learns how to encode a table as numbers."""

    def watch(self, job: StreamJob) -> bool:
        """Take note of a learned chunk; return whether to stop."""


@dataclass(frozen=True)
class JobRequest:
    """The data to read, the learner, and the options of a run.

    ``may_split`` permits learning each class against the rest, instead of jointly, from a source that
    can be read only once: it may reveal a class late.
    """

    locations: Sequence[str]
    learner: Any
    reading: Reading
    columns: ColumnOptions
    passes: int = 1
    checkpoint: Path | None = None
    every: float = 30.0
    resumes: bool = False
    zero_based: bool | None = None
    chunk_rows: int | None = None
    text_labels: bool | None = None
    may_split: bool = False


def open_job(request: JobRequest, observer: JobObserver) -> StreamJob:
    """Return a run that is ready to start or, given a checkpoint to resume, to continue."""
    lines = LineReading(
        chunk_rows=request.chunk_rows,
        text_labels=request.text_labels,
        zero_based=request.zero_based,
        has_digests=request.checkpoint is not None,
    )
    columns = request.columns
    stream = open_stream(request.locations, reading_of(request.reading, columns), lines)
    checkpoint = _checkpoint(request)
    _check_kind(request, stream.name, is_table=stream.is_table)
    encoder: Any
    numbers: Callable[[Table], MatrixLike]
    n_features = measured = None
    if isinstance(stream.reader, TableChunks):
        for one in stream.sources:
            one.make_repeatable()  # the encoding pass reads it first
        if checkpoint is not None:
            encoder = checkpoint.encoder
            stream.reader.take(checkpoint.run["found"])
            own = stream.reader.arrangement(0)
            checkpoint.check_encoder(new_encoder(stream.name, own.columns, own.features, columns))
        else:
            with observer.encodes(stream):
                encoder = learn_encoding(stream, columns)
            _check_labels(stream.name, stream.reader, columns)
        numbers = partial(_encoded, stream.name, encoder)
        n_features = len(encoder.get_feature_names_out())
        if checkpoint is None and request.learner.is_measuring:
            with observer.encodes(stream):
                measured = request.learner.measured_value(_lengths(stream, numbers))
    else:
        encoder = Normalizer() if columns.scale == "unit" else None
        numbers = _unchanged if encoder is None else _scaled
        if checkpoint is not None:
            checkpoint.check_encoder(encoder)
    if request.passes > 1 and not stream.is_repeatable:
        raise InputError(
            f"{stream.name}: it can be read only once, but {request.passes} passes were requested; "
            "save it to a file first"
        )
    foresees, learner = all(one.is_repeatable for one in stream.sources), request.learner
    if request.may_split and not foresees and learner.multiclass == "joint":
        learner = clone(learner).set_params(multiclass="one-vs-rest")
    learning = StreamLearning(
        learner,
        passes=request.passes,
        n_features=n_features,
        foresees=foresees,
        measured=measured,
    )
    job = StreamJob(
        stream,
        learning,
        numbers,
        encoder,
        saving=None if request.checkpoint is None else Saving(request.checkpoint, request.every),
        watch=observer.watch,
    )
    if checkpoint is not None:
        job.resume(checkpoint)
    return job


def _check_kind(request: JobRequest, name: str, *, is_table: bool) -> None:
    has_zero_based = request.zero_based is not None
    check_fits_kind(name, request.columns, is_table=is_table, has_zero_based=has_zero_based)


def _check_labels(name: str, tables: TableChunks, columns: ColumnOptions) -> None:
    """Raise InputError unless the labels of a table can be classes."""
    own, found = tables.arrangement(0), tables.labels
    if found is not None:
        check_classes(name, own, found.classes, int(found.counts.sum()), columns)


def _checkpoint(request: JobRequest) -> Checkpoint | None:
    if request.checkpoint is None or not request.resumes or not request.checkpoint.exists():
        return None
    return read_checkpoint(request.checkpoint)


def _unchanged(table: Table) -> MatrixLike:
    return table.X


def _scaled(table: Table) -> MatrixLike:
    return unit_rows(table.X)


def _lengths(stream: Stream, numbers: Callable[[Table], MatrixLike]) -> SquaredLengths:
    """Return the squared lengths of all samples of a table, which are known once it is encoded."""
    lengths = SquaredLengths()
    for table in stream.chunks(BEGINNING):
        rows = as_rows(numbers(table), 1.0)
        lengths.add(rows, np.broadcast_to(1.0, n_rows(rows)))
    return lengths


def _encoded(name: str, encoder: Any, table: Table) -> MatrixLike:
    return encoded(name, table, encoder.transform)
