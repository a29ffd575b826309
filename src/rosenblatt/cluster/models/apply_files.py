"""`predict` and `evaluate`: a model at work on files, in shards on one machine or many."""

import uuid
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rosenblatt.cluster.engine_choice import EngineChoice
from rosenblatt.cluster.engines.worker_places import places_for
from rosenblatt.cluster.learning.learn_files import ShardedRun
from rosenblatt.cluster.models.model_rounds import ModelRounds
from rosenblatt.cluster.models.model_shard import ModelAsked
from rosenblatt.core.checks import check_choice, whole
from rosenblatt.core.types import Labels
from rosenblatt.io.blocks.surveyed_source import shared_sources
from rosenblatt.io.models.model_notes import Trained, open_model, stream_for_model, trained_model
from rosenblatt.io.predictions.evaluation import Comparison, Evaluation, check_one_label
from rosenblatt.io.predictions.prediction_table import id_name
from rosenblatt.io.ranges.file_ranges import file_ranges
from rosenblatt.io.samples.table import Reading
from rosenblatt.io.sources.local_copies import file_names
from rosenblatt.io.streams.sample_stream import kind_of
from rosenblatt.io.streams.table_chunks import TableChunks
from rosenblatt.io.streams.tables.csv_parser import QuotesChangedError


@dataclass(frozen=True)
class FilesAsked:
    """Files that a model is asked about, how they are read, what works on them, in how many shards."""

    trained: Trained
    files: Sequence[str | Path]
    reading: Reading
    choice: EngineChoice
    n_shards: int

    @contextmanager
    def rounds(
        self, task: str, *, scores: bool = False, id_column: str | None = None
    ) -> Iterator[ModelRounds]:
        """Give what asks all ranges of the files, after a look at their beginnings."""
        n_shards = whole("shards", self.n_shards, 1)
        data, sources = file_names(self.files), shared_sources(self.files)
        stream = stream_for_model(self.trained, self.files, self.reading)
        kind = kind_of(sources, self.reading.kind)
        if id_column is not None:
            own = stream.reader.arrangement(0) if isinstance(stream.reader, TableChunks) else None
            columns, features = ((), None) if own is None else (own.columns, own.features)
            id_column = id_name(data, id_column, columns, features)
        ranges = file_ranges(stream, kind)
        with self.choice.opened(n_shards) as engine:
            asked = ModelAsked(
                uuid.uuid4().hex,
                self.trained,
                data,
                tuple(places_for(engine, [source.place for source in sources])),
                replace(self.reading, kind=kind),
                scores,
                id_column,
            )
            yield ModelRounds(engine, task, asked, sources, ranges, n_shards)


def predict(
    model: Any,
    files: str | Path | Sequence[str | Path],
    *,
    shards: int = 2,
    engine: str = "threads",
    address: str | None = None,
    workers: int | None = None,
    allow_open: bool = False,
    **reading: Any,
) -> Iterator[Labels]:
    r"""Return the labels that a model gives the samples of files of any size, chunk by chunk.

    The chunks come in the order of the files, in bounded memory; where one ends is not to be relied
    on. ``model`` is a model, the path of a model file, or a `ShardedRun`; see `learn` for ``engine``,
    ``address``, ``workers`` and ``allow_open``. ``reading`` is how files are read: ``kind``, ``label``,
    ``header``, ``decimal`` as in `rosenblatt.stream`. Text is cut in ranges of lines, Parquet and Arrow
    files between groups of rows; a packed file is for one worker.

    >>> import numpy as np
    >>> from rosenblatt import Perceptron, cluster
    >>> path = getfixture("tmp_path") / "data.svm"
    >>> _ = path.write_text("+1 1:2\n-1 1:1\n+1 1:3\n-1 2:1\n")
    >>> run = cluster.learn(path, Perceptron(max_iter=100), shards=2)
    >>> np.concatenate(list(cluster.predict(run, path, shards=2)))
    array([ 1, -1,  1, -1])
    """
    choice = EngineChoice(engine, address, workers, allow_open)
    return _labels(_files_asked(model, files, shards, choice, needs_labels=False, **reading))


def evaluate(
    model: Any,
    files: str | Path | Sequence[str | Path],
    *,
    shards: int = 2,
    engine: str = "threads",
    address: str | None = None,
    workers: int | None = None,
    allow_open: bool = False,
    **reading: Any,
) -> Evaluation:
    r"""Compare the labels of samples in files of any size with those that a model gives them.

    See `predict` for the parameters, and `Evaluation` for what comes of it.

    >>> from rosenblatt import Perceptron, cluster
    >>> path = getfixture("tmp_path") / "data.svm"
    >>> _ = path.write_text("+1 1:2\n-1 1:1\n+1 1:3\n-1 2:1\n")
    >>> run = cluster.learn(path, Perceptron(max_iter=100), shards=2)
    >>> found = cluster.evaluate(run, path, shards=2)
    >>> found.mistakes, found.accuracy, found.confusion
    (0, 1.0, [(('-1', '-1'), 2), (('1', '1'), 2)])
    """
    choice = EngineChoice(engine, address, workers, allow_open)
    asked = _files_asked(model, files, shards, choice, needs_labels=True, **reading)
    check_one_label(asked.trained)
    with asked.rounds("evaluate") as rounds:
        while True:
            try:
                return compared(asked, rounds, rounds.chunks())
            except QuotesChangedError:  # which the rounds know now
                continue


def compared(asked: FilesAsked, rounds: ModelRounds, parts: Iterator[Any]) -> Evaluation:
    """Return what all parts of a comparison come to."""
    comparison = Comparison(asked.trained, file_names(asked.files))
    for part in parts:
        for one in part.results:
            comparison.add(one)
    return comparison.result(rounds.n_unlabelled)


def _labels(asked: FilesAsked) -> Generator[Labels, None, None]:
    with asked.rounds("label") as rounds, closing(rounds.chunks()) as parts:
        for part in parts:
            yield from part.results


def _files_asked(
    model: Any,
    files: str | Path | Sequence[str | Path],
    shards: int,
    choice: EngineChoice,
    *,
    needs_labels: bool,
    kind: str = "auto",
    label: str | None = None,
    header: bool | None = None,
    decimal: str = ".",
) -> FilesAsked:
    check_choice("kind", kind, ("auto", "csv", "libsvm", "vw", "parquet", "arrow"))
    if isinstance(model, str | Path):
        trained = open_model(Path(model))
    elif isinstance(model, ShardedRun):
        trained = trained_model(Path("the model"), model.model, model.notes)
    else:
        trained = trained_model(Path("the model"), model, {})
    places = [files] if isinstance(files, str | Path) else list(files)
    reading = Reading(kind, label, header, decimal, needs_labels=needs_labels)
    return FilesAsked(trained, places, reading, choice, shards)
