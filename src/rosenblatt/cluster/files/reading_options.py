"""How files are read for shards: what users say, as the first round is asked."""

from collections.abc import Sequence
from dataclasses import replace

from rosenblatt.core.checks import check_choice, check_flag, whole
from rosenblatt.core.errors import InputError
from rosenblatt.io.blocks.block import SurveyAsked
from rosenblatt.io.samples.preparation import Wanted
from rosenblatt.io.samples.table import Reading
from rosenblatt.io.streams.line_chunks import LineReading

MOST_SHARDS = 2**16
"""Each shard is described, asked and waited for by itself, also one without a sample."""


def files_asked(
    n_shards: int,
    *,
    kind: str = "auto",
    label: str | None = None,
    header: bool | None = None,
    decimal: str = ".",
    ignore: Sequence[str] = (),
    categorical: Sequence[str] = (),
    text: Sequence[str] = (),
    missing: Sequence[str] = (),
    scale: str = "none",
    min_count: int = 1,
    zero_based: bool | None = None,
    text_labels: bool | None = None,
    hash_bits: int | None = None,
) -> SurveyAsked:
    """Return how files are to be read for shards: see `rosenblatt.stream` and `TableEncoder`."""
    check_choice("kind", kind, ("auto", "csv", "libsvm", "vw", "parquet", "arrow"))
    if header is not None:
        check_flag("header", header)
    lists = {"ignore": ignore, "categorical": categorical, "text": text, "missing": missing}
    for name, values in lists.items():
        if isinstance(values, str) or not all(isinstance(value, str) for value in values):
            raise InputError(f"{name}={values!r:.100} is not accepted: use a list of texts")
    wanted = Wanted(ignore, categorical, text, missing, scale, min_count)
    lines = LineReading(zero_based=zero_based, text_labels=text_labels, hash_bits=hash_bits)
    return survey_asked(n_shards, Reading(kind, label, header, decimal), wanted, lines)


def survey_asked(
    n_shards: int, reading: Reading, wanted: Wanted, lines: LineReading | None = None
) -> SurveyAsked:
    """Return what the first round is asked for."""
    texts = [*wanted.categorical, *wanted.text]
    reading = replace(reading, texts=texts, missing=wanted.anywhere)
    return SurveyAsked(
        reading, lines or LineReading(), wanted, whole("shards", n_shards, 1, MOST_SHARDS)
    )
