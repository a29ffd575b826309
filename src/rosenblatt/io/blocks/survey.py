"""What one source holds, found out in one reading of it, where its samples are to be worked on."""

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
"""What one source holds: small, whatever the size of the source."""


def sources_to_survey(
    places: Sequence[str | Path], options: SurveyOptions
) -> tuple[list[str], SurveyOptions]:
    r"""Return one place for each source that is meant, and what to ask: of what kind they are, too.

    >>> folder = getfixture("tmp_path")
    >>> for name in "ab":
    ...     _ = (folder / f"{name}.svm").write_text("+1 1:0.5\n")
    >>> places, options = sources_to_survey([folder / "*.svm"], SurveyOptions())
    >>> [Path(place).name for place in places], options.reading.kind
    (['a.svm', 'b.svm'], 'libsvm')
    """
    sources = shared_sources(places)
    if not sources:
        raise InputError("there are no files to read; give at least one")
    kind = kind_of(sources, options.reading.kind)
    check_fits_kind(
        sources[0].name,
        options.columns,
        is_table=kind != "libsvm",
        has_zero_based=options.lines.zero_based is not None,
    )
    options = replace(options, reading=replace(options.reading, kind=kind))
    return [source.location for source in sources], options


def survey_source(
    place: str, number: int, options: SurveyOptions, start: TableStart | None = None
) -> SourceSurvey:
    r"""Return what a source, a file or a URL, holds: its blocks, its labels, how samples are written.

    All samples are parsed: whatever is wrong with a line is an `InputError` that names it. ``start`` is
    what a table begins with that is surveyed again: see `SurveyAgainError`.

    >>> path = getfixture("tmp_path") / "data.svm"
    >>> _ = path.write_text("+1 1:0.5 3:1\n-1 2:1\n")
    >>> survey = survey_source(str(path), 0, SurveyOptions())
    >>> survey.kind, survey.labels, [(block.offset, block.end) for block in survey.blocks]
    ('libsvm', array([-1.,  1.]), [(0, 13), (13, 20)])
    """
    kind = options.reading.kind
    if kind == "auto":
        kind = kind_of([shared_source(place)])
    if kind == "libsvm":
        return survey_lines(place, number, options)
    return survey_table(place, number, kind, options, start)
