"""Combining the surveys of several sources, so that all their blocks are read the same way."""

from collections.abc import Sequence

from rosenblatt.core.errors import InputError
from rosenblatt.io.blocks.block import Agreement, SurveyOptions
from rosenblatt.io.blocks.line_agreement import combine_line_surveys
from rosenblatt.io.blocks.line_survey import LineSurvey
from rosenblatt.io.blocks.survey import SourceSurvey
from rosenblatt.io.blocks.table_agreement import combine_table_surveys
from rosenblatt.io.blocks.table_survey import TableSurvey


def combine_surveys(surveys: Sequence[SourceSurvey], options: SurveyOptions) -> Agreement:
    r"""Combine the surveys of all sources, in order; raise InputError if they do not fit together.

    Raise `SurveyAgainError` if some sources of a table must be surveyed again.

    >>> from rosenblatt.io.blocks.survey import survey_source
    >>> path = getfixture("tmp_path") / "data.svm"
    >>> _ = path.write_text("+1 1:0.5 3:1\n-1 2:1\n")
    >>> found = combine_surveys([survey_source(str(path), 0, SurveyOptions())], SurveyOptions())
    >>> found.classes, found.class_counts, found.n_features, len(found.blocks)
    (array([-1,  1]), array([1, 1]), 3, 2)
    """
    if not surveys:
        raise InputError("there are no files to read; give at least one")
    first = surveys[0]
    for survey in surveys:
        if survey.kind != first.kind:
            raise InputError(
                f"{survey.identity.name}: this file has the kind {survey.kind}, but "
                f"{first.identity.name} has the kind {first.kind}; give files of one kind"
            )
    lines = [survey for survey in surveys if isinstance(survey, LineSurvey)]
    tables = [survey for survey in surveys if isinstance(survey, TableSurvey)]
    return (
        combine_table_surveys(tables, options) if tables else combine_line_surveys(lines, options)
    )
