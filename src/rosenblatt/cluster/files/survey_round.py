"""The first round: a survey of the files, so that all shards agree on classes and encoding."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rosenblatt.cluster.engines.engine import Answer, Engine, RoundWatcher, Work
from rosenblatt.cluster.files.plan import Plan
from rosenblatt.io.blocks.agreement import combine_surveys
from rosenblatt.io.blocks.block import SurveyOptions
from rosenblatt.io.blocks.survey import SourceSurvey, sources_to_survey, survey_source
from rosenblatt.io.blocks.table_agreement import SurveyAgainError
from rosenblatt.io.blocks.table_survey import TableStart
from rosenblatt.io.sources.source import is_local
from rosenblatt.training.shards.dealing import check_shards


@dataclass(frozen=True)
class SurveyShard:
    """The sources, with their numbers, that one worker surveys."""

    sources: tuple[tuple[int, str], ...]
    options: SurveyOptions
    start: TableStart | None = None

    @property
    def key(self) -> str:
        """A unique key."""
        return hashlib.sha256(repr(self).encode()).hexdigest()

    def open(self) -> "SurveyShard":
        """Return itself: there is nothing to open."""
        return self

    def answer(self, work: Work) -> Answer:
        """Return the surveys of the sources."""
        assert work.task == "survey"
        found = [survey_source(place, n, self.options, self.start) for n, place in self.sources]
        return Answer(facts={"surveys": found})

    def close(self) -> None:
        """Do nothing: all sources are closed."""


def survey(
    engine: Engine,
    places: Sequence[str | Path],
    options: SurveyOptions,
    watch: RoundWatcher | None = None,
) -> Plan:
    """Let the workers survey all sources; return the plan."""
    names, options = sources_to_survey(places, options)
    if engine.name == "ray":  # its workers have another current folder
        names = [str(Path(name).absolute()) if is_local(name) else name for name in names]
    surveys: dict[int, SourceSurvey] = {}
    numbers, start = list(range(len(names))), None
    while True:
        n_parts = min(options.n_shards, len(numbers))
        own = [tuple((n, names[n]) for n in numbers[k::n_parts]) for k in range(n_parts)]
        engine.start([SurveyShard(part, options, start) for part in own])
        for answer in engine.round(Work("survey"), watch):
            surveys.update((one.number, one) for one in answer.facts["surveys"])
        try:
            agreement = combine_surveys([surveys[n] for n in range(len(names))], options)
        except SurveyAgainError as error:
            numbers, start = list(error.numbers), error.start
        else:
            n_samples = int(agreement.class_counts.sum())
            check_shards(options.n_shards, n_samples, len(agreement.blocks))
            return Plan(tuple(names), agreement, options.n_shards)
