"""What surveys of sources of lines agree on: the same as a stream of them finds out on its way."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Labels
from rosenblatt.io.blocks.block import Agreement, SampleForm, SurveyOptions
from rosenblatt.io.blocks.line_survey import LineSurvey, check_number_of_labels
from rosenblatt.io.samples.libsvm_file import check_largest_index
from rosenblatt.io.samples.preparation import row_normalizer
from rosenblatt.io.streams.line_chunks import LineReading
from rosenblatt.io.streams.line_tables import LineTables, label_error


def combine_line_surveys(surveys: Sequence[LineSurvey], options: SurveyOptions) -> Agreement:
    """Return what surveys agree on; raise if one contradicts the first that has samples."""
    first = next((own for own in surveys if own.n_samples), None)
    if first is None:
        names = " ".join(own.identity.name for own in surveys)
        raise InputError(f"{names}: there are no samples; give at least one")
    lines = options.lines
    if lines.zero_based is None:
        lines = replace(lines, zero_based=first.zero_based)
    if lines.text_labels is None and not lines.for_model:
        lines = replace(lines, text_labels=first.text_labels)
    known = line_tables([own.identity.name for own in surveys], lines)
    n_bytes = sum(own.identity.n_bytes or 0 for own in surveys)
    for own in surveys:
        _check(own, known, n_bytes)
    if known.n_features is None:
        n_features = max(1, *(_width(own, known) for own in surveys))
        lines = replace(lines, n_features=n_features)
    else:
        n_features = known.n_features
    classes, counts = _classes(surveys, known)
    sources = tuple(own.identity for own in surveys)
    return Agreement(
        SampleForm(
            "libsvm",
            options.reading,
            lines,
            n_features,
            classes,
            sources,
            encoder=row_normalizer(n_features) if options.columns.scale == "unit" else None,
        ),
        classes,
        counts,
        tuple(block for own in surveys for block in own.blocks),
        sum(own.n_samples for own in surveys),
        n_features,
        n_unlabeled=0,
    )


def line_tables(names: list[str], lines: LineReading) -> LineTables:
    """Return what makes tables of the samples of sources that are read like this."""
    return LineTables(
        names,
        lines.zero_based,
        lines.text_labels,
        lines.n_features,
        needs_labels=lines.needs_labels,
        for_model=lines.for_model,
    )


def _check(own: LineSurvey, known: LineTables, n_bytes: int) -> None:
    """Raise if a source has an index, or a label, that cannot be."""
    name = own.identity.name
    if own.zero is not None:
        known.check_zero(f"{name}, line {own.zero.line}")
    if own.largest is not None:
        place, largest = f"{name}, line {own.largest.line}", int(own.largest.number)
        known.check_index(place, largest)
        if known.n_features is None:
            check_largest_index(place, largest, n_bytes)
    noticed = [one for one in (own.fraction, own.large) if one is not None]
    for label, line in sorted(noticed, key=lambda one: one.line):
        if not known.are_fit(np.array([label])).all():
            raise label_error(f"{name}, line {line}", label)


def _width(own: LineSurvey, known: LineTables) -> int:
    return 0 if own.largest is None else int(own.largest.number) + 1 - known.first_index


def _classes(surveys: Sequence[LineSurvey], known: LineTables) -> tuple[Labels, Counts]:
    """Return the classes of all sources, sorted, and how many samples have each."""
    labels = np.concatenate([own.labels for own in surveys])
    classes, places = np.unique(known.typed(labels), return_inverse=True)
    counts = np.zeros(len(classes), np.int64)
    np.add.at(counts, places, np.concatenate([own.counts for own in surveys]))
    names = " ".join(own.identity.name for own in surveys)
    check_number_of_labels(names, len(classes), int(counts.sum()))
    return classes, counts
