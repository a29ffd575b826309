"""The user's reading options, as options of the first round."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rosenblatt.core.checks import check_choice, check_flag, whole_number
from rosenblatt.core.errors import InputError
from rosenblatt.io.blocks.block import SurveyOptions
from rosenblatt.io.samples.preparation import ColumnOptions
from rosenblatt.io.samples.table import Reading
from rosenblatt.io.streams.line_chunks import LineReading

MOST_SHARDS = 2**16
"""The limit on shards: each costs a task per round, even if it has no samples."""


@dataclass(frozen=True)
class ReadingOptions:
    """The user's options for reading files: see `rosenblatt.stream`, and `ColumnOptions` for columns."""

    kind: str = "auto"
    label: str | None = None
    header: bool | None = None
    decimal: str = "."
    ignore: Sequence[str] = ()
    categorical: Sequence[str] = ()
    numeric: Sequence[str] = ()
    text: Sequence[str] = ()
    missing: Sequence[str] = ()
    scale: str | None = None
    min_count: int = 3
    zero_based: bool | None = None
    text_labels: bool | None = None

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, ("auto", "csv", "libsvm", "parquet", "arrow"))
        if self.header is not None:
            check_flag("header", self.header)
        for name in ("ignore", "categorical", "numeric", "text", "missing"):
            values = getattr(self, name)
            if isinstance(values, str) or not all(isinstance(value, str) for value in values):
                raise InputError(f"{name}={values!r:.100} is not accepted: use a list of strings")


def file_survey_options(n_shards: int, **options: Any) -> SurveyOptions:
    """Return the options of the first round from those of `ReadingOptions`."""
    own = ReadingOptions(**options)
    columns = ColumnOptions(
        own.ignore,
        own.categorical,
        own.text,
        own.missing,
        own.scale,
        own.min_count,
        own.numeric,
    )
    lines = LineReading(zero_based=own.zero_based, text_labels=own.text_labels)
    reading = Reading(own.kind, own.label, own.header, own.decimal)
    return survey_options(n_shards, reading, columns, lines)


def survey_options(
    n_shards: int, reading: Reading, columns: ColumnOptions, lines: LineReading | None = None
) -> SurveyOptions:
    """Return the options of the first round."""
    texts = [*columns.categorical, *columns.text]
    reading = replace(reading, texts=texts, missing=columns.anywhere)
    return SurveyOptions(
        reading, lines or LineReading(), columns, whole_number("shards", n_shards, 1, MOST_SHARDS)
    )
