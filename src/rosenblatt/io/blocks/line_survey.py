"""The survey of one libsvm source, made in one pass.

Whatever depends on other sources, such as whether an index 0 is an error, is recorded here and decided
when all surveys are combined.
"""

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Flags, Floats
from rosenblatt.io.blocks.block import Block, SourceIdentity, SurveyOptions
from rosenblatt.io.blocks.surveyed_source import shared_source, source_identity
from rosenblatt.io.blocks.text_block_finder import TextBlockFinder
from rosenblatt.io.sources.source import OpenSource
from rosenblatt.io.streams.byte_pieces import Piece, whole_lines
from rosenblatt.io.streams.line_tables import LARGEST_LABEL, is_whole
from rosenblatt.io.streams.read_ahead import run_ahead
from rosenblatt.io.streams.sample_rows import SampleRows, parsed_rows

MOST_LABELS = 2**18
"""The limit on distinct labels, as for tables."""


class Noticed(NamedTuple):
    """A number in a line that may be an error, depending on all sources."""

    number: float
    line: int


@dataclass(frozen=True)
class LineSurvey:
    """The survey of one source of lines.

    ``labels`` are the distinct labels, as numbers, with their ``counts``. ``zero_based`` and
    ``text_labels`` are detected from the first piece of text with samples; None without samples.
    ``zero``, ``fraction`` and ``large`` are the first index 0, the first label that is not a whole
    number, and the first that float64 may have rounded; ``largest`` is the largest index.
    """

    kind: ClassVar[str] = "libsvm"

    number: int
    identity: SourceIdentity
    blocks: tuple[Block, ...]
    labels: Floats
    counts: Counts
    n_samples: int
    zero_based: bool | None
    text_labels: bool | None
    zero: Noticed | None
    fraction: Noticed | None
    large: Noticed | None
    largest: Noticed | None


def survey_lines(path: str, number: int, options: SurveyOptions) -> LineSurvey:
    """Survey a source of lines."""
    source = shared_source(path)
    state = source.state()
    finder, facts = TextBlockFinder(number), _Facts(source.name)
    with (
        source.open() as file,
        closing(run_ahead(_tasks(file, number, options.lines.piece_size))) as parts,
    ):
        for part in parts:
            finder.add(part.piece, part.lines, part.ends)
            facts.add(part)
        is_packed = file.is_packed
    labels, counts = facts.label_counts()
    return LineSurvey(
        number,
        source_identity(source, state, is_packed=is_packed),
        finder.blocks(),
        labels,
        counts,
        finder.n_rows,
        facts.zero_based,
        facts.text_labels,
        facts.zero,
        facts.fraction,
        facts.large,
        facts.largest,
    )


class _Part(NamedTuple):
    """The facts about a piece of text; ``ends`` are the positions after its lines."""

    piece: Piece
    lines: Counts
    ends: Counts
    labels: Floats
    counts: Counts
    zero: Noticed | None
    fraction: Noticed | None
    large: Noticed | None
    largest: Noticed | None


def _tasks(
    file: OpenSource, number: int, piece_size: int
) -> Generator[Callable[[], _Part], None, None]:
    offset = 0
    for data, line in whole_lines(file, 1, piece_size):
        piece = Piece(data, number, offset, line)
        offset += len(data)
        yield partial(_part, piece, file.name)


def _part(piece: Piece, name: str) -> _Part:
    """Return the facts about a piece; runs on a thread."""
    rows, _ = parsed_rows(piece.data, name, piece.source, piece.line)
    y = rows.labels
    bits, counts = np.unique(y.view(np.int64), return_counts=True)  # distinguishes -0.0 from 0.0
    has_indices = len(rows.indices) > 0
    return _Part(
        piece,
        rows.lines,
        np.flatnonzero(np.frombuffer(piece.data, np.uint8) == ord("\n")) + 1,
        bits.view(np.float64),
        counts,
        _index(rows, int(rows.indices.argmin()))
        if has_indices and rows.indices.min() == 0
        else None,
        _first(rows, y != np.floor(y)),
        _first(rows, np.abs(y) >= LARGEST_LABEL),
        _index(rows, int(rows.indices.argmax())) if has_indices else None,
    )


def _index(rows: SampleRows, position: int) -> Noticed:
    return Noticed(int(rows.indices[position]), int(rows.lines[rows.row_of(position)]))


def _first(rows: SampleRows, are_wrong: Flags) -> Noticed | None:
    if not are_wrong.any():
        return None
    row = int(are_wrong.argmax())
    return Noticed(float(rows.labels[row]), int(rows.lines[row]))


@dataclass
class _Facts:
    """The facts about the samples of a source so far."""

    name: str
    n_samples: int = 0
    zero_based: bool | None = None
    text_labels: bool | None = None
    zero: Noticed | None = None
    fraction: Noticed | None = None
    large: Noticed | None = None
    largest: Noticed | None = None
    counts: dict[int, int] = field(default_factory=dict)

    def add(self, part: _Part) -> None:
        """Add the next part."""
        if self.zero_based is None and len(part.lines):
            self.zero_based = part.zero is not None
            self.text_labels = not is_whole(part.labels).all()
        self.n_samples += len(part.lines)
        self.zero = self.zero or part.zero
        self.fraction = self.fraction or part.fraction
        self.large = self.large or part.large
        found = [index for index in (self.largest, part.largest) if index is not None]
        self.largest = max(found, key=lambda index: index.number, default=None)
        for bits, count in zip(
            part.labels.view(np.int64).tolist(), part.counts.tolist(), strict=True
        ):
            self.counts[bits] = self.counts.get(bits, 0) + count
        check_number_of_labels(self.name, len(self.counts), self.n_samples)

    def label_counts(self) -> tuple[Floats, Counts]:
        """Return the distinct labels and their counts."""
        bits = np.fromiter(self.counts.keys(), np.int64, len(self.counts))
        counts = np.fromiter(self.counts.values(), np.int64, len(self.counts))
        return bits.view(np.float64), counts


def check_number_of_labels(name: str, n_distinct: int, n_samples: int) -> None:
    """Raise InputError if there are too many distinct labels for classes."""
    if n_distinct > MOST_LABELS:
        raise InputError(
            f"{name}: there are {n_distinct:,} different labels in {n_samples:,} samples, too many for "
            f"classes; the limit is {MOST_LABELS:,}"
        )
