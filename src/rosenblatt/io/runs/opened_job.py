"""From what somebody asks for to a run over a stream that is ready to begin, or to go on."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

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
from rosenblatt.io.streams.sample_stream import open_stream
from rosenblatt.io.streams.table_chunks import TableChunks
from rosenblatt.tables.scaling import unit_rows

_UNITS = {"": 1.0, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


def duration(text: str) -> float:
    """Return a duration in seconds.

    >>> duration("30s"), duration("1.5h"), duration("250ms"), duration("2")
    (30.0, 5400.0, 0.25, 2.0)
    """
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+) ?(ms|s|m|min|h|d|)", text.strip())
    if found is None:
        raise InputError(f"{text!r:.40} is not a duration: give one such as 30s, 5m, 2h or 1d")
    return float(found[1]) * _UNITS[found[2]]


class Stages(Protocol):
    """Hears what a run does before it learns, and while it does."""

    def encodes(self, stream: Any) -> Any:
        """Return a context in which a pass over the stream learns how a table becomes numbers."""

    def watch(self, job: StreamJob) -> bool:
        """Hear of a chunk that has been learned; answer whether to stop."""


@dataclass(frozen=True)
class Asked:
    """What somebody asks for: what to read, what is to learn, and how."""

    places: Sequence[str]
    learner: Any
    reading: Reading
    wanted: ColumnOptions
    passes: int = 1
    checkpoint: Path | None = None
    every: float = 30.0
    resumes: bool = False
    zero_based: bool | None = None
    chunk_rows: int | None = None
    text_labels: bool | None = None


def opened_job(asked: Asked, stages: Stages) -> StreamJob:
    """Return a run that is ready to begin or, if there is a checkpoint to resume, to go on."""
    lines = LineReading(
        chunk_rows=asked.chunk_rows,
        text_labels=asked.text_labels,
        zero_based=asked.zero_based,
        has_digests=asked.checkpoint is not None,
    )
    wanted = asked.wanted
    stream = open_stream(asked.places, reading_of(asked.reading, wanted), lines)
    checkpoint = _checkpoint(asked)
    _check_kind(asked, stream.name, is_table=stream.is_table)
    encoder: Any
    numbers: Callable[[Table], MatrixLike]
    n_features = None
    if isinstance(stream.reader, TableChunks):
        for one in stream.sources:
            one.make_repeatable()  # for it is read more than once
        if checkpoint is not None:
            encoder = checkpoint.encoder
            stream.reader.take(checkpoint.run["found"])
            own = stream.reader.arrangement(0)
            checkpoint.check_encoder(new_encoder(stream.name, own.columns, own.features, wanted))
        else:
            with stages.encodes(stream):
                encoder = learn_encoding(stream, wanted)
            _check_labels(stream.name, stream.reader, wanted)
        numbers = partial(_encoded, stream.name, encoder)
        n_features = len(encoder.get_feature_names_out())
    else:
        encoder = Normalizer() if wanted.scale == "unit" else None
        numbers = _as_it_is if encoder is None else _scaled
        if checkpoint is not None:
            checkpoint.check_encoder(encoder)
    if asked.passes > 1 and not stream.is_repeatable:
        raise InputError(
            f"{stream.name}: it can be read only once, but --passes {asked.passes} reads it again; save "
            "it to a file first"
        )
    learning = StreamLearning(
        asked.learner,
        passes=asked.passes,
        n_features=n_features,
        foresees=all(one.is_repeatable for one in stream.sources),
    )
    job = StreamJob(
        stream,
        learning,
        numbers,
        encoder,
        saving=None if asked.checkpoint is None else Saving(asked.checkpoint, asked.every),
        watch=stages.watch,
    )
    if checkpoint is not None:
        job.resume(checkpoint)
    return job


def _check_kind(asked: Asked, name: str, *, is_table: bool) -> None:
    has_zero_based = asked.zero_based is not None
    check_fits_kind(name, asked.wanted, is_table=is_table, has_zero_based=has_zero_based)


def _check_labels(name: str, tables: TableChunks, wanted: ColumnOptions) -> None:
    """Raise unless the labels of a table can be classes."""
    own, found = tables.arrangement(0), tables.labels
    if found is not None:
        check_classes(name, own, found.classes, int(found.counts.sum()), wanted)


def _checkpoint(asked: Asked) -> Checkpoint | None:
    if asked.checkpoint is None or not asked.resumes or not asked.checkpoint.exists():
        return None
    return read_checkpoint(asked.checkpoint)


def _as_it_is(table: Table) -> MatrixLike:
    return table.X


def _scaled(table: Table) -> MatrixLike:
    return unit_rows(table.X)


def _encoded(name: str, encoder: Any, table: Table) -> MatrixLike:
    return encoded(name, table, encoder.transform)
