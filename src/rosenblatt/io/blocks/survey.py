"""Surveying one source, on the machine of its worker."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rosenblatt.core.errors import InputError
from rosenblatt.io.blocks.block import SurveyOptions
from rosenblatt.io.blocks.line_survey import LineSurvey, survey_lines
from rosenblatt.io.blocks.surveyed_source import shared_source, shared_sources
from rosenblatt.io.blocks.table_survey import TableStart, TableSurvey, survey_table
from rosenblatt.io.samples.preparation import check_fits_kind
from rosenblatt.io.streams.sample_stream import kind_of

SourceSurvey = LineSurvey | TableSurvey
"""The survey of one source: small, whatever the size of the source."""


def sources_to_survey(
    paths: Sequence[str | Path], options: SurveyOptions
) -> tuple[list[str], SurveyOptions]:
    r"""Return the path or URL of each source, and the options with the detected kind of file.

    >>> folder = getfixture("tmp_path")
    >>> for name in "ab":
    ...     _ = (folder / f"{name}.svm").write_text("+1 1:0.5\n")
    >>> paths, options = sources_to_survey([folder / "*.svm"], SurveyOptions())
    >>> [Path(path).name for path in paths], options.reading.kind
    (['a.svm', 'b.svm'], 'libsvm')
    """
    sources = shared_sources(paths)
    if not sources:
        raise InputError("there are no files to read; give at least one")
    kind = kind_of(sources, options.reading)
    check_fits_kind(
        sources[0].name,
        options.columns,
        is_table=kind != "libsvm",
        has_zero_based=options.lines.zero_based is not None,
    )
    options = replace(options, reading=replace(options.reading, kind=kind))
    return [source.location for source in sources], options


def survey_source(
    path: str, number: int, options: SurveyOptions, start: TableStart | None = None
) -> SourceSurvey:
    r"""Survey a file or URL: its blocks, its labels, and the form of its samples.

    All samples are parsed, and an `InputError` names the first malformed line. ``start`` is given if a
    table is surveyed again: see `SurveyAgainError`.

    >>> path = getfixture("tmp_path") / "data.svm"
    >>> _ = path.write_text("+1 1:0.5 3:1\n-1 2:1\n")
    >>> survey = survey_source(str(path), 0, SurveyOptions())
    >>> survey.kind, survey.labels, [(block.offset, block.end) for block in survey.blocks]
    ('libsvm', array([-1.,  1.]), [(0, 13), (13, 20)])
    """
    kind = options.reading.kind
    if kind == "auto":
        kind = kind_of([shared_source(path)])
    if kind == "libsvm":
        return survey_lines(path, number, options)
    return survey_table(path, number, kind, options, start)
