"""Combining surveys of libsvm sources, with the same result as a stream over all of them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Labels
from rosenblatt.io.blocks.block import Agreement, SampleForm, SurveyOptions
from rosenblatt.io.blocks.line_survey import LineSurvey, check_number_of_labels
from rosenblatt.io.samples.libsvm_file import check_largest_index
from rosenblatt.io.samples.preparation import row_normalizer
from rosenblatt.io.streams.line_tables import LineTables, label_error


def combine_line_surveys(surveys: Sequence[LineSurvey], options: SurveyOptions) -> Agreement:
    """Combine surveys; raise InputError if one contradicts the first that has samples."""
    names = [survey.identity.name for survey in surveys]
    first = next((survey for survey in surveys if survey.n_samples), None)
    if first is None:
        raise InputError(f"{' '.join(names)}: there are no samples; give at least one")
    lines = options.lines
    if lines.zero_based is None:
        lines = replace(lines, zero_based=first.zero_based)
    if lines.text_labels is None:
        lines = replace(lines, text_labels=first.text_labels)
    tables = LineTables(names, lines.zero_based, lines.text_labels, n_features=None)
    n_bytes = sum(survey.identity.n_bytes or 0 for survey in surveys)
    for survey in surveys:
        _check(survey, tables, n_bytes)
    n_features = max(1, *(_width(survey, tables) for survey in surveys))
    lines = replace(lines, n_features=n_features)
    classes, counts = _classes(surveys, tables)
    sources = tuple(survey.identity for survey in surveys)
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
        tuple(block for survey in surveys for block in survey.blocks),
        sum(survey.n_samples for survey in surveys),
        n_features,
        n_unlabeled=0,
    )


def _check(survey: LineSurvey, tables: LineTables, n_bytes: int) -> None:
    """Raise InputError if a source has an invalid index or label."""
    name = survey.identity.name
    if survey.zero is not None:
        tables.check_zero(f"{name}, line {survey.zero.line}")
    if survey.largest is not None:
        place = f"{name}, line {survey.largest.line}"
        check_largest_index(place, int(survey.largest.number), n_bytes)
    noticed = [value for value in (survey.fraction, survey.large) if value is not None]
    for label, line in sorted(noticed, key=lambda value: value.line):
        if not tables.which_fit(np.array([label])).all():
            raise label_error(f"{name}, line {line}", label)


def _width(survey: LineSurvey, tables: LineTables) -> int:
    return 0 if survey.largest is None else int(survey.largest.number) + 1 - tables.first_index


def _classes(surveys: Sequence[LineSurvey], tables: LineTables) -> tuple[Labels, Counts]:
    """Return the classes of all sources, sorted, and how many samples have each."""
    labels = np.concatenate([survey.labels for survey in surveys])
    classes, positions = np.unique(tables.typed(labels), return_inverse=True)
    counts = np.zeros(len(classes), np.int64)
    np.add.at(counts, positions, np.concatenate([survey.counts for survey in surveys]))
    names = " ".join(survey.identity.name for survey in surveys)
    check_number_of_labels(names, len(classes), int(counts.sum()))
    return classes, counts
