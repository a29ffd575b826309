"""A run over a stream: learns from its chunks, pass by pass, and writes checkpoints.

Checkpoints are written atomically, between two chunks. A run that is killed at any moment and resumed
ends with the same bits as an uninterrupted one.
"""

import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from copy import copy
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Normalizer

from rosenblatt.core.compiling import Stopwatch
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import LabelsLike, MatrixLike
from rosenblatt.estimators.streaming.stream_learning import StreamLearning, UnforeseenClassError
from rosenblatt.io.models.model_file import write
from rosenblatt.io.models.model_notes import notes_on
from rosenblatt.io.runs.checkpoint import Checkpoint, Progress, write_checkpoint
from rosenblatt.io.samples.preparation import row_normalizer
from rosenblatt.io.samples.table import Table
from rosenblatt.io.streams.sample_stream import Stream
from rosenblatt.io.streams.stream_position import BEGINNING, Position

Numbers = Callable[[Table], MatrixLike]
"""Encodes a chunk as numbers."""


@dataclass(frozen=True)
class Saving:
    """The file to write checkpoints to, and the seconds between them."""

    path: Path
    every: float = 30.0


@dataclass
class StreamJob:
    """A run over a stream that can be resumed.

    ``lines`` has the number of predicted samples and of mistakes among them whenever the former has
    doubled: 1, 2, 4 and so on. ``watch`` is called after each chunk and returns whether to stop.
    ``n_samples`` counts the samples of one pass so far. ``n_unlabeled`` counts those left out without a
    label, or None if the first pass was resumed.
    """

    stream: Stream
    learning: StreamLearning
    numbers: Numbers
    encoder: Any = None
    saving: Saving | None = None
    watch: Callable[["StreamJob"], bool] = lambda _: False
    lines: list[tuple[int, int]] = field(default_factory=list)
    position: Position = BEGINNING
    first: Table | None = None
    is_stopped: bool = False
    is_waiting: bool = False
    resumed_at: Position | None = None
    resumed_pass: int = 1
    n_samples: int = 0
    n_unlabeled: int | None = 0
    _seconds: float = 0.0
    _began: Stopwatch = field(default_factory=Stopwatch)
    _saved: float = field(default_factory=time.monotonic)
    _notes: Mapping[str, object] = field(default_factory=dict)

    def resume(self, checkpoint: Checkpoint) -> None:
        """Continue from a checkpoint of the same stream."""
        checkpoint.check_stream(self.stream)
        self.learning = checkpoint.resumed(self.learning)
        saved = checkpoint.progress
        self.position, self._seconds = saved.position, saved.seconds
        self.resumed_at, self.resumed_pass = saved.position, self.learning.n_passes + 1
        self.n_samples, self.n_unlabeled = saved.n_samples, saved.n_unlabeled
        self.lines = [(samples, mistakes) for samples, mistakes in saved.lines]
        self.stream.reader.take(checkpoint.run["found"])
        self._notes = {k: v for k, v in checkpoint.notes.items() if k != "checkpoint"}

    @property
    def seconds(self) -> float:
        """How long the run took, including the parts before it was resumed, without compiling."""
        return self._seconds + self._began.seconds()

    def run(self) -> None:
        """Learn from the rest of the stream, in all passes."""
        while not self.learning.is_over and not self.is_stopped:
            try:
                self._pass()
            except UnforeseenClassError as error:
                if not self.learning.foresees or not self.stream.is_repeatable:
                    raise InputError(f"{self.stream.name}: {error}") from error
                self.learning = self.learning.after(error)
                self.position, self.lines = BEGINNING, []
        if self.learning.needs_check and not self.is_stopped:
            self._check()

    def _check(self) -> None:
        """Read the stream once more, to test the average that makes the predictions."""
        with closing(self._awaited(self.stream.chunks(BEGINNING))) as tables:
            self.learning.check(map(self._samples, takewhile(self._goes_on, tables)))
        if self.is_stopped:
            self.learning.forget_check()
        self.save()

    def _goes_on(self, _: Table) -> bool:
        self.is_stopped |= self.watch(self)
        return not self.is_stopped

    def _pass(self) -> None:
        is_first, is_whole = self.learning.n_passes == 0, self.position == BEGINNING
        n_unlabeled = 0
        tables = self._awaited(self.stream.chunks(self.position))
        for table in self.learning.measured(tables, self._samples):
            if self.first is None:
                self.first = table
            self._learn(table)
            n_unlabeled += table.n_unlabeled
            self.position = table.end
            self.n_samples = max(self.n_samples, table.end.rows)
            self.is_stopped = self.watch(self)
            is_due = self.saving is not None and time.monotonic() >= self._saved + self.saving.every
            if is_due or self.is_stopped:
                self.save()
            if self.is_stopped:
                return
        if self.is_stopped:
            self.save()
            return
        if is_first:  # those after the last sample belong to no chunk
            n_unlabeled = max(n_unlabeled, self.stream.reader.n_unlabeled)
            self.n_unlabeled = n_unlabeled if is_whole else None
        self.learning.end_pass()
        self.position = BEGINNING
        self.save()

    def _awaited(self, chunks: Generator[Table, None, None]) -> Generator[Table, None, None]:
        """Yield chunks; stop if interrupted while waiting for one, when nothing is half-learned."""
        with closing(chunks):
            while True:
                self.is_waiting = True
                try:
                    table = next(chunks, None)
                except KeyboardInterrupt:
                    self.is_stopped = True
                    return
                finally:
                    self.is_waiting = False
                if table is None:
                    return
                yield table

    def save(self) -> None:
        """Write a checkpoint if they are requested and there are samples."""
        if self.saving is not None and self.n_samples > 0:
            counts = self.n_samples, self.n_unlabeled
            progress = Progress(self.position, self.lines, self.seconds, *counts)
            model, notes = self.model(), self.notes()
            write_checkpoint(self.saving.path, model, notes, self.learning, self.stream, progress)
            self._saved = time.monotonic()

    def model(self) -> Any:
        """Return the current model: the learner, after its encoder if there is one."""
        learner = copy(self.learning.learner)
        learner.restore(*self.learning.result())
        if self.encoder is None:
            return learner
        encoder = self.encoder
        if isinstance(encoder, Normalizer):  # for lines, which may add features
            encoder = row_normalizer(learner.n_features_in_)
        return Pipeline([("table", encoder), ("learner", learner)])

    def write_model(self, path: Path) -> None:
        """Write the model to a file."""
        write(self.model(), path, self.notes(), record=False)

    def notes(self) -> dict[str, object]:
        """Return what is needed to read other samples for the model later."""
        found = dict(self._notes) if self.first is None else notes_on(self.first)
        return {**found, "samples": self.n_samples, "seconds": self.seconds}

    def _samples(self, table: Table) -> tuple[MatrixLike, LabelsLike, None]:
        return self.numbers(table), table.y, None

    def _learn(self, table: Table) -> None:
        X, y = self.numbers(table), table.y
        assert y is not None
        self.learning.foresee(y)
        for rows in self._parts(len(y)):
            part = X if rows == slice(0, len(y)) else X[rows]
            try:
                self.learning.learn(part, y[rows])
            except UnforeseenClassError:
                raise
            except InputError as error:
                name = self.stream.sources[table.end.source].name
                raise InputError(f"{name}, before line {table.end.line + 1}: {error}") from error
            found = self.learning.progressive
            if self.learning.n_passes == 0 and found.samples == self._next_line():
                self.lines.append((found.samples, found.mistakes))

    def _next_line(self) -> int:
        return 2 * self.lines[-1][0] if self.lines else 1

    def _parts(self, n: int) -> Iterator[slice]:
        """Yield the parts of a chunk, split when the samples have doubled since the last line."""
        start = 0
        while start < n:
            stop = n
            if self.learning.n_passes == 0:
                stop = min(n, start + max(1, self._next_line() - self.learning.progressive.samples))
            yield slice(start, stop)
            start = stop
