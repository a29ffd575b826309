"""Combining surveys of the sources of one table, with the same result as one pass over all of them.

The types of CSV columns come from the beginning of the first source, or are text if any source shows
that; the kinds of columns are decided by the facts of all sources, joined in order. A survey that
started from different types must be repeated: see `SurveyAgainError`.

If a column has more distinct texts than are remembered, the first ones decide its kind. If these are not
all in the first source, one pass reads the sources from the beginning until there are enough; later
sources that were taken for another kind are surveyed again. With many small files of long texts this
costs at most one such pass; column options avoid it.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

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
from rosenblatt.io.samples.table import check_same_columns
from rosenblatt.io.streams.encoding_pass import SurveyPass
from rosenblatt.io.streams.stream_position import Position
from rosenblatt.io.streams.table_chunks import table_reader
from rosenblatt.io.streams.tables.table_form import TableForm
from rosenblatt.io.streams.tables.table_labels import LabelCounts, joined_labels
from rosenblatt.tables.cells import CellError
from rosenblatt.tables.encoder import TableEncoder
from rosenblatt.tables.table_facts import PartsError, TableFacts, joined_facts
from rosenblatt.tables.text_kind import TextKind


class SurveyAgainError(Exception):
    """The sources with these numbers must be surveyed again, with the agreed start."""

    def __init__(self, numbers: Sequence[int], start: TableStart) -> None:
        super().__init__(f"sources to be surveyed again: {list(numbers)}")
        self.numbers, self.start = tuple(numbers), start


def combine_table_surveys(surveys: Sequence[TableSurvey], options: SurveyOptions) -> Agreement:
    """Combine the surveys of all sources, in order.

    Raise `SurveyAgainError` if some must be repeated.
    """
    first = surveys[0]
    for survey in surveys[1:]:
        names = survey.identity.name, first.identity.name
        check_same_columns(names[0], survey.table.arrangement, names[1], first.table.arrangement)
    form = _form(surveys)
    start = TableStart(form, first.start.encoder, _kinds(surveys))
    differing = [survey.number for survey in surveys if not _started_from(survey, start)]
    if differing:
        raise SurveyAgainError(differing, start)
    _check_samples(surveys)
    encoder = _encoder(surveys, start, options)
    labels = joined_labels([survey.labels for survey in surveys if survey.labels is not None])
    assert labels is not None  # there are samples
    form = replace(form, label_kind=labels.kind())
    counted = labels.counted(labels.kind())
    n_samples = sum(survey.n_samples for survey in surveys)
    check_classes(
        _names(surveys), first.table.arrangement, counted.classes, n_samples, options.columns
    )
    return _agreement(surveys, options, form, encoder, counted)


def _agreement(
    surveys: Sequence[TableSurvey],
    options: SurveyOptions,
    form: TableForm,
    encoder: TableEncoder,
    labels: LabelCounts,
) -> Agreement:
    first, n_features = surveys[0], len(encoder.get_feature_names_out())
    return Agreement(
        SampleForm(
            first.kind,
            reading_of(options.reading, options.columns),
            options.lines,
            n_features,
            labels.classes,
            tuple(survey.identity for survey in surveys),
            form,
            tuple(_shared(survey.table, first.table) for survey in surveys),
            encoder,
        ),
        labels.classes,
        labels.counts,
        tuple(block for survey in surveys for block in survey.blocks),
        sum(survey.n_samples for survey in surveys),
        n_features,
        sum(survey.n_unlabeled for survey in surveys),
    )


def _shared(table: SourceTable, first: SourceTable) -> SourceTable:
    """Replace what equals the first source's by the same objects, so that it is stored once."""
    return replace(
        table,
        arrangement=first.arrangement
        if table.arrangement == first.arrangement
        else table.arrangement,
        layout=first.layout if table.layout == first.layout else table.layout,
    )


def _names(surveys: Sequence[TableSurvey]) -> str:
    return " ".join(survey.identity.name for survey in surveys)


def _check_samples(surveys: Sequence[TableSurvey]) -> None:
    if any(survey.n_samples for survey in surveys):
        return
    if any(survey.n_unlabeled for survey in surveys):
        name = surveys[0].identity.name
        raise InputError(f"{name}: no sample has a label; choose another label column")
    raise InputError(f"{_names(surveys)}: there are no samples; give at least one")


def _form(surveys: Sequence[TableSurvey]) -> TableForm:
    """Return the first source's form, with text for columns that any source shows to be text."""
    first = surveys[0].start.form
    misfits = {
        name
        for survey in surveys
        for name, kind in survey.start.form.kinds.items()
        if kind == first.kinds.get(name) != survey.form.kinds.get(name)
    }
    return replace(first.with_texts(sorted(misfits)), apostrophes=frozenset(), label_kind=None)


def _kinds(surveys: Sequence[TableSurvey]) -> dict[str, TextKind]:
    """Return the kinds of text columns that repeated surveys were given."""
    return {name: kind for survey in surveys for name, kind in survey.start.kinds.items()}


def _started_from(survey: TableSurvey, start: TableStart) -> bool:
    """Return whether a survey started from the agreed form; kinds of text are checked later."""
    names = {*survey.form.kinds, *start.form.kinds}
    if any(survey.form.type_class(name) != start.form.type_class(name) for name in names):
        return False
    if survey.form.with_points != start.form.with_points:
        return False
    return bool(survey.start.encoder.get_params() == start.encoder.get_params())


def _encoder(
    surveys: Sequence[TableSurvey], start: TableStart, options: SurveyOptions
) -> TableEncoder:
    """Return an encoder fitted on all samples."""
    try:
        encoder: TableEncoder = clone(start.encoder).fit_facts(_facts(surveys, start, options))
    except CellError as error:
        raise _named(error, surveys, start, options) from error
    except InputError as error:
        text, name = str(error), _names(surveys)
        raise InputError(
            text
            if any(text.startswith(survey.identity.name) for survey in surveys)
            else f"{name}: {text}"
        ) from error
    check_columns_left(_names(surveys), encoder)
    return encoder


def _facts(surveys: Sequence[TableSurvey], start: TableStart, options: SurveyOptions) -> TableFacts:
    """Return the facts about all columns, as one pass would collect them."""
    with_samples = [(survey.number, survey.facts) for survey in surveys if survey.facts is not None]
    parts, kinds = [facts for _, facts in with_samples], dict(start.kinds)
    names = surveys[0].table.arrangement.features
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
    """Decide the kinds of text columns, reading the sources until there is enough text."""
    reading = reading_of(options.reading, options.columns)
    sources = [shared_source(survey.path) for survey in surveys]
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
    return frozenset(survey.number for survey in surveys if survey.form.apostrophes)


def _named(
    error: CellError, surveys: Sequence[TableSurvey], start: TableStart, options: SurveyOptions
) -> InputError:
    """Add the place of a cell to an error, by reading its block again."""
    ends = list(accumulate(survey.n_samples for survey in surveys))
    survey = surveys[bisect_right(ends, error.row)]
    row = error.row - (ends[survey.number] - survey.n_samples)
    block = survey.blocks[bisect_right([block.row for block in survey.blocks], row) - 1]
    reading = replace(reading_of(options.reading, options.columns), kind=survey.kind)
    reader = table_reader([shared_source(survey.path)], survey.kind, reading)
    apostrophes = survey.form.apostrophes
    reader.start_from(replace(start.form, apostrophes=apostrophes))
    before = Position(0, block.offset, block.line - 1, block.row)
    return cell_fault(
        reader.place_of(row, before), error, has_names=survey.table.arrangement.has_names
    )
