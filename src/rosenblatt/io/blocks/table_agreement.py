"""What surveys of sources of one table agree on: the same as one reading of all of them finds out.

Columns of CSV are what the first source begins with, and text where any source shows them to be; what
they hold is decided by the facts of all sources, joined in their order. Where a survey began with
something else than what is agreed on, it must be done again: `SurveyAgainError` says so.

Of a column with more different texts than are remembered, the first of them decide what it holds. If
these are not all in the first source, one pass reads the sources from the beginning, here, until there
are as many; a later source that was taken for something else is surveyed again. So whoever has many
small files of long texts waits for less than one of these passes; he may also say what the column is.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np
from sklearn.base import clone

from rosenblatt.core.errors import InputError
from rosenblatt.io.blocks.block import Agreement, SampleForm, SourceTable, SurveyOptions
from rosenblatt.io.blocks.surveyed_source import shared_source
from rosenblatt.io.blocks.table_survey import TableStart, TableSurvey
from rosenblatt.io.samples.preparation import (
    cell_fault,
    check_classes,
    check_columns_left,
    reading_of,
)
from rosenblatt.io.samples.table import Expected, check_same_columns
from rosenblatt.io.streams.encoding_pass import SurveyPass
from rosenblatt.io.streams.stream_position import Position
from rosenblatt.io.streams.table_chunks import table_reader
from rosenblatt.io.streams.tables.row_tables import capitalized
from rosenblatt.io.streams.tables.table_form import TableForm
from rosenblatt.io.streams.tables.table_labels import LabelCounts, joined_labels
from rosenblatt.tables.cells import CellError
from rosenblatt.tables.encoder import TableEncoder
from rosenblatt.tables.table_facts import PartsError, TableFacts, joined_facts
from rosenblatt.tables.text_kind import TextKind


class SurveyAgainError(Exception):
    """The sources with these numbers are to be surveyed again, beginning with what is agreed on."""

    def __init__(self, numbers: Sequence[int], start: TableStart) -> None:
        super().__init__(f"sources to be surveyed again: {list(numbers)}")
        self.numbers, self.start = tuple(numbers), start


def combine_table_surveys(surveys: Sequence[TableSurvey], options: SurveyOptions) -> Agreement:
    """Return what surveys of all sources, in the order of their numbers, agree on.

    Raise `SurveyAgainError` if some must be done again.
    """
    first = surveys[0]
    for own in surveys[1:]:
        names = own.identity.name, first.identity.name
        check_same_columns(names[0], own.table.own, names[1], first.table.own)
    form = _form(surveys)
    start = TableStart(form, first.start.encoder, _kinds(surveys))
    differing = [own.number for own in surveys if not _has_begun_with(own, start)]
    if differing:
        raise SurveyAgainError(differing, start)
    _check_samples(surveys)
    encoder = _encoder(surveys, start, options)
    kind, counted = _labels(surveys, options.reading.expect)
    form = replace(form, label_kind=kind)
    n_samples = sum(own.n_samples for own in surveys)
    if encoder is not None:
        check_classes(_names(surveys), first.table.own, counted.classes, n_samples, options.columns)
    return _agreement(surveys, options, form, encoder, counted)


def _labels(
    surveys: Sequence[TableSurvey], expect: Expected | None
) -> tuple[str | None, LabelCounts]:
    """Return what the labels of all sources are, None if there are none, and how often they occur."""
    labels = joined_labels([own.labels for own in surveys if own.labels is not None])
    if labels is None:
        return None, LabelCounts(np.empty(0, np.str_), np.empty(0, np.int64))
    if expect is None:
        return labels.kind(), labels.counted(labels.kind())
    if expect.classes.dtype.kind == "b":
        texts = replace(labels.texts, values=capitalized(labels.texts.values))
        labels = labels._replace(texts=texts)
    return "text", labels.counted("text")


def _agreement(
    surveys: Sequence[TableSurvey],
    options: SurveyOptions,
    form: TableForm,
    encoder: TableEncoder | None,
    labels: LabelCounts,
) -> Agreement:
    first, expect = surveys[0], options.reading.expect
    names = None if encoder is None else encoder.get_feature_names_out().tolist()
    if names is not None:
        n_features = len(names)
    else:
        n_features = len(first.table.own.features) if expect is None else expect.n_features
    return Agreement(
        SampleForm(
            first.kind,
            reading_of(options.reading, options.columns),
            options.lines,
            n_features,
            labels.classes,
            tuple(own.identity for own in surveys),
            form,
            tuple(_shared(own.table, first.table) for own in surveys),
            encoder,
        ),
        labels.classes,
        labels.counts,
        tuple(block for own in surveys for block in own.blocks),
        sum(own.n_samples for own in surveys),
        n_features,
        sum(own.n_unlabeled for own in surveys),
        feature_names=names,
    )


def _shared(own: SourceTable, first: SourceTable) -> SourceTable:
    """Return how a source has its table, with what is equal in the first one: that is stored once."""
    return replace(
        own,
        own=first.own if own.own == first.own else own.own,
        layout=first.layout if own.layout == first.layout else own.layout,
    )


def _names(surveys: Sequence[TableSurvey]) -> str:
    return " ".join(own.identity.name for own in surveys)


def _check_samples(surveys: Sequence[TableSurvey]) -> None:
    if any(own.n_samples for own in surveys):
        return
    if any(own.n_unlabeled for own in surveys):
        name = surveys[0].identity.name
        raise InputError(f"{name}: no sample has a label; choose another label column")
    raise InputError(f"{_names(surveys)}: there are no samples; give at least one")


def _form(surveys: Sequence[TableSurvey]) -> TableForm:
    """Return what the columns are: what the first source begins with, and text where one shows it."""
    begun = surveys[0].start.form
    misfits = {
        name
        for own in surveys
        for name, kind in own.start.form.kinds.items()
        if kind == begun.kinds.get(name) != own.form.kinds.get(name)
    }
    return replace(begun.with_texts(sorted(misfits)), apostrophes=frozenset(), label_kind=None)


def _kinds(surveys: Sequence[TableSurvey]) -> dict[str, TextKind]:
    """Return what columns of texts are, as far as those know who have surveyed again."""
    return {name: kind for own in surveys for name, kind in own.start.kinds.items()}


def _has_begun_with(own: TableSurvey, start: TableStart) -> bool:
    """Say whether a source was read as what is agreed on; kinds of texts are looked at later."""
    names = {*own.form.kinds, *start.form.kinds}
    if any(own.form.type_class(name) != start.form.type_class(name) for name in names):
        return False
    if own.form.with_points != start.form.with_points:
        return False
    if own.start.encoder is None or start.encoder is None:
        return own.start.encoder is start.encoder
    return bool(own.start.encoder.get_params() == start.encoder.get_params())


def _encoder(
    surveys: Sequence[TableSurvey], start: TableStart, options: SurveyOptions
) -> TableEncoder | None:
    """Return an encoder that has learned from all samples."""
    if start.encoder is None:
        return None
    try:
        encoder: TableEncoder = clone(start.encoder).fit_facts(_facts(surveys, start, options))
    except CellError as error:
        raise _named(error, surveys, start, options) from error
    except InputError as error:
        text, name = str(error), _names(surveys)
        raise InputError(
            text
            if any(text.startswith(own.identity.name) for own in surveys)
            else f"{name}: {text}"
        ) from error
    check_columns_left(_names(surveys), encoder)
    return encoder


def _facts(surveys: Sequence[TableSurvey], start: TableStart, options: SurveyOptions) -> TableFacts:
    """Return the facts about all columns, as one reading gathers them."""
    with_samples = [(own.number, own.facts) for own in surveys if own.facts is not None]
    parts, kinds = [facts for _, facts in with_samples], dict(start.kinds)
    names = surveys[0].table.own.features
    try:
        return joined_facts(parts, names, kinds)
    except PartsError as error:
        kinds |= error.kinds
        if error.undecided:
            kinds |= _decided(surveys, start, options, parts[0].empty(error.undecided))
    try:
        return joined_facts(parts, names, kinds)
    except PartsError as error:
        numbers = [with_samples[k][0] for k in error.parts]
        raise SurveyAgainError(numbers, replace(start, kinds=kinds)) from error


def _decided(
    surveys: Sequence[TableSurvey], start: TableStart, options: SurveyOptions, facts: TableFacts
) -> Mapping[str, TextKind]:
    """Return what the texts of columns are: the sources are read until there are enough to tell."""
    reading = reading_of(options.reading, options.columns)
    sources = [shared_source(own.place) for own in surveys]
    kind, size = surveys[0].kind, options.lines.piece_size
    reader = table_reader(sources, kind, replace(reading, kind=kind), piece_size=size)
    reader.start_from(replace(start.form, apostrophes=_apostrophes(surveys)))
    survey = SurveyPass(_names(surveys), reader)
    try:
        for columns in survey.columns():
            facts.add(columns.select(facts.names))
            if all(column.kind is not None for column in facts.columns):
                break
        for column in facts.columns:
            column.summary()
    except InputError as error:
        raise survey.named(error) from error
    return {column.name: column.kind for column in facts.columns if column.kind is not None}


def _apostrophes(surveys: Sequence[TableSurvey]) -> frozenset[int]:
    return frozenset(own.number for own in surveys if own.form.apostrophes)


def _named(
    error: CellError, surveys: Sequence[TableSurvey], start: TableStart, options: SurveyOptions
) -> InputError:
    """Return the error of a cell with its place; its block is read again."""
    ends = list(accumulate(own.n_samples for own in surveys))
    survey = surveys[bisect_right(ends, error.row)]
    row = error.row - (ends[survey.number] - survey.n_samples)
    block = survey.blocks[bisect_right([block.row for block in survey.blocks], row) - 1]
    reading = replace(reading_of(options.reading, options.columns), kind=survey.kind)
    reader = table_reader([shared_source(survey.place)], survey.kind, reading)
    apostrophes = survey.form.apostrophes
    reader.start_from(replace(start.form, apostrophes=apostrophes))
    before = Position(0, block.offset, block.line - 1, block.row)
    return cell_fault(reader.place_of(row, before), error, has_names=survey.table.own.has_names)
