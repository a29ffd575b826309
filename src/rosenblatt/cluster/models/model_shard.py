"""A model at work on ranges of files: what a worker answers."""

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from rosenblatt.cluster.engines.engine import Answer, Work
from rosenblatt.core.errors import InputError
from rosenblatt.io.models.model_notes import Trained
from rosenblatt.io.predictions.evaluation import Compared
from rosenblatt.io.predictions.prediction_table import PredictionTables
from rosenblatt.io.ranges.file_ranges import RANGE, FileRange
from rosenblatt.io.ranges.range_reader import RangeReader
from rosenblatt.io.samples.table import Reading, Table
from rosenblatt.io.streams.stream_position import Position
from rosenblatt.io.streams.tables.csv_parser import QuotesChangedError

Ask = Callable[[Table], Any]
"""From a chunk to what is asked for: predictions as a table, labels, or a comparison."""


@dataclass(frozen=True)
class ModelAsked:
    """Which model is asked about which files, and for what.

    ``data`` is what the files are called in messages. ``run`` tells this from all else that is asked.
    """

    run: str
    trained: Trained
    data: str
    places: tuple[str, ...]
    reading: Reading
    scores: bool = False
    id_column: str | None = None


@dataclass(frozen=True)
class Stretch:
    """What a shard does in a round: ranges, or what comes after a position of the one that is packed.

    ``apostrophes`` are the sources that have these where their beginning looks as if they were quotes.
    """

    ranges: tuple[FileRange, ...]
    after: Position | None = None
    apostrophes: frozenset[int] = frozenset()


@dataclass
class Part:
    """What came of a stretch: a result for each chunk, up to the first error, if there is one.

    ``n_bytes`` of its ranges, as stored, are done. If there is more to do, it is ``after`` a position.
    """

    results: list[Any] = field(default_factory=list)
    n_samples: int = 0
    n_unlabelled: int = 0
    n_bytes: int = 0
    error: InputError | None = None
    after: Position | None = None


@dataclass(frozen=True)
class ModelShard:
    """A model, and where the files are that it is asked about."""

    asked: ModelAsked
    number: int

    @property
    def key(self) -> str:
        """What tells it from other shards."""
        return f"{self.asked.run} {self.number}"

    def open(self) -> "OpenModelShard":
        """Open it where it is worked on."""
        return OpenModelShard(self)


class OpenModelShard:
    """A model that is asked about one stretch after another.

    What comes of a stretch does not depend on those before it; but a packed file is not unpacked from
    its beginning on for every step, where the same shard goes on with it.
    """

    def __init__(self, shard: ModelShard) -> None:
        self.asked, self._number = shard.asked, shard.number
        self._reader = RangeReader(self.asked.trained, self.asked.places, self.asked.reading)
        self._going: _Going | None = None

    def answer(self, work: Work) -> Answer:
        """Return what came of the shard's stretch, if it has one."""
        stretch: Stretch | None = work.details["stretches"][self._number]
        if stretch is None:
            return Answer(facts={"part": None})
        ask = _TASKS[work.task](self.asked)
        first = stretch.ranges[0]
        part = self._stepped(stretch, ask) if first.is_packed else self._whole(stretch, ask)
        return Answer(facts={"part": part})

    def close(self) -> None:
        """Leave a file that is not done."""
        if self._going is not None:
            self._going.tables.close()

    def _whole(self, stretch: Stretch, ask: Ask) -> Part:
        part = Part(n_bytes=sum(own.n_bytes for own in stretch.ranges))
        for own in stretch.ranges:
            found = self._of_range(own, stretch, ask, is_numbered=False)
            if found.error is not None:  # which names a line: find out which one that is
                found = self._of_range(own, stretch, ask, is_numbered=True)
            part.results += found.results
            part.n_samples += found.n_samples
            part.n_unlabelled += found.n_unlabelled
            part.error = found.error
            if part.error is not None:
                break
        return part

    def _of_range(self, own: FileRange, stretch: Stretch, ask: Ask, *, is_numbered: bool) -> Part:
        chunks = self._reader.chunks(own, None, stretch.apostrophes, is_numbered=is_numbered)
        part = Part()
        with closing(chunks) as tables:
            _ask_all(part, tables, ask)
        part.n_unlabelled = self._reader.n_unlabelled
        return part

    def _stepped(self, stretch: Stretch, ask: Ask) -> Part:
        """Go on with a packed file until there is as much text as is worth an answer."""
        (own,) = stretch.ranges
        going, self._going = self._going, None
        if going is None or going.stretch != stretch:
            going = _Going(stretch, self._reader.chunks(own, stretch.after, stretch.apostrophes))
        begin = 0 if stretch.after is None else stretch.after.offset
        part = Part()
        last = _ask_all(part, going.tables, ask, until=begin + RANGE)
        part.n_unlabelled = self._reader.n_unlabelled - going.n_unlabelled
        part.n_bytes = self._reader.n_read
        if part.error is None and last is not None and last.end.offset >= begin + RANGE:
            part.after = last.end
            going.n_unlabelled = self._reader.n_unlabelled
            going.stretch = replace(stretch, after=part.after)
            self._going = going
        else:
            going.tables.close()
        return part


@dataclass
class _Going:
    """A packed file that is open, how much of it is counted, and which stretch goes on from there."""

    stretch: Stretch
    tables: Generator[Table, None, None]
    n_unlabelled: int = 0


def _ask_all(
    part: Part, tables: Iterator[Table], ask: Ask, until: int | None = None
) -> Table | None:
    """Add the results of tables to a part, until an offset is reached; return the last table."""
    table = None
    try:
        for table in tables:
            result = ask(table)
            part.results.append(result)
            part.n_samples += table.n_samples
            part.error = result.error if isinstance(result, Compared) else None
            if part.error is not None or (until is not None and table.end.offset >= until):
                break
    except InputError as error:
        is_quotes = isinstance(error, QuotesChangedError)
        part.error = error if is_quotes else InputError(str(error))
    return table


def _ask_for_tables(asked: ModelAsked) -> Ask:
    tables = PredictionTables(
        asked.trained, asked.data, scores=asked.scores, id_column=asked.id_column
    )
    return tables.predicted


def _ask_for_labels(asked: ModelAsked) -> Ask:
    return partial(asked.trained.predicted, asked.data)


def _ask_for_comparisons(asked: ModelAsked) -> Ask:
    return partial(Compared.of, asked.trained, asked.data)


_TASKS: dict[str, Callable[[ModelAsked], Ask]] = {
    "predict": _ask_for_tables,
    "label": _ask_for_labels,
    "evaluate": _ask_for_comparisons,
}
