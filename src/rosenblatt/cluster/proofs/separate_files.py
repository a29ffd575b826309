"""`separate`: is there a separating hyperplane for files, decided in shards on one machine or many."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rosenblatt.cluster.engine_choice import EngineChoice
from rosenblatt.cluster.engines.engine import Engine, Work
from rosenblatt.cluster.files.file_shard import file_shards
from rosenblatt.cluster.files.plan import Plan
from rosenblatt.cluster.files.reading_options import files_asked
from rosenblatt.cluster.files.survey_round import survey
from rosenblatt.cluster.proofs.proof_rounds import digest_of_all
from rosenblatt.cluster.run_progress import Progress
from rosenblatt.core.errors import InputError
from rosenblatt.io.blocks.block import SurveyAsked
from rosenblatt.separability.results.result import Separation, Separations
from rosenblatt.separability.sharded.claims import Asked, Claim
from rosenblatt.separability.sharded.picked_rows import FirstRows, WorstRows
from rosenblatt.separability.sharded.separate_sharded import separate_sharded


@dataclass(frozen=True)
class _AskedShards:
    """Shards of files, which an engine asks."""

    engine: Engine
    progress: Progress
    n_shards: int

    def __len__(self) -> int:
        return self.n_shards

    def first(self, asked: Asked, n_rows: int) -> list[FirstRows]:
        """Return the samples of each shard to begin with."""
        work = Work("first", details={"asked": asked, "n_rows": n_rows})
        return [answer.facts["first"] for answer in self.engine.round(work, self.progress)]

    def worst(self, asked: Asked, claims: Sequence[Claim], n_rows: int) -> list[list[WorstRows]]:
        """Return the samples of each shard that contradict each claim most."""
        details = {"asked": asked, "claims": list(claims), "n_rows": n_rows}
        answers = self.engine.round(Work("worst", details=details), self.progress)
        return [answer.facts["worst"] for answer in answers]


def separate_files(
    files: Sequence[str | Path],
    asked: SurveyAsked,
    choice: EngineChoice,
    *,
    progress: Progress | None = None,
    **options: Any,
) -> tuple[Separation | Separations, Plan]:
    """Decide about the samples of files; the options are those of `rosenblatt.separate`."""
    progress = Progress() if progress is None else progress
    with choice.opened(asked.n_shards) as engine:
        with progress.stage("reading what the files hold"):
            plan = survey(engine, files, asked, progress)
        labels = plan.agreement.classes
        if len(labels) == 1 and options.get("fit_intercept", True):
            raise InputError(
                f"{' '.join(plan.places)}: every sample has the label {labels[0]}; with an intercept "
                "there is nothing to separate: use fit_intercept=False (--no-intercept) to ask for a "
                "hyperplane through the origin that has all samples on one side"
            )
        engine.start(file_shards(plan))
        with progress.stage("deciding"):
            found = separate_sharded(
                _AskedShards(engine, progress, plan.n_shards),
                plan.agreement.classes,
                partial(digest_of_all, engine, progress),
                **options,
            )
    return found, plan


def separate(
    files: str | Path | Sequence[str | Path],
    *,
    shards: int = 2,
    engine: str = "threads",
    address: str | None = None,
    workers: int | None = None,
    allow_open: bool = False,
    fit_intercept: bool = True,
    margin: str = "augmented",
    tolerance: float = 1e-6,
    exact: bool = False,
    time_limit: float | None = None,
    unit_length: bool = False,
    **reading: Any,
) -> Separation | Separations:
    r"""Decide whether a hyperplane separates the classes of files that no single machine need hold.

    The driver holds a few samples and decides about them; the shards answer with those that contradict
    it most, until none does: constraint generation. The verdict is that of `rosenblatt.separate` on all
    samples, and the certificate speaks of all of them. For the first five options see `learn`; the
    others are those of `rosenblatt.separate`; ``reading`` is how files are read, as in `learn`.

    >>> from rosenblatt import cluster, read
    >>> path = getfixture("tmp_path") / "data.svm"
    >>> _ = path.write_text("+1 1:2\n-1 1:1\n+1 1:3\n-1 2:1\n+1 1:1\n")
    >>> found = cluster.separate(path, shards=2)
    >>> found.verdict.name, found.certificate.verify(*read(path)[:2])
    ('INSEPARABLE', True)
    >>> print(found.conflicts[0])
    rows 1 and 4 are equal and carry the opposite labels -1 and 1
    """
    found, _ = separate_files(
        [files] if isinstance(files, str | Path) else list(files),
        files_asked(shards, **reading),
        EngineChoice(engine, address, workers, allow_open),
        fit_intercept=fit_intercept,
        margin=margin,
        tolerance=tolerance,
        exact=exact,
        time_limit=time_limit,
        unit_length=unit_length,
    )
    return found
