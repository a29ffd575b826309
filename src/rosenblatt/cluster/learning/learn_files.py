"""`learn`: a linear model learned from files in shards, on one machine or many."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Normalizer

from rosenblatt.cluster.engine_choice import EngineChoice
from rosenblatt.cluster.files.reading_options import file_survey_options
from rosenblatt.cluster.files.survey_round import survey
from rosenblatt.cluster.learning.round_checkpoint import check_resumable
from rosenblatt.cluster.learning.sharded_learning import (
    Progress,
    Saving,
    ShardedLearning,
    Slowest,
    check_learner,
)
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Labels
from rosenblatt.estimators.common.run import Progressive
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.io.blocks.block import SurveyOptions
from rosenblatt.tables.encoder import TableEncoder
from rosenblatt.training.outcomes import Outcome


@dataclass(frozen=True)
class ShardedRun:
    """The result of learning in shards.

    ``model`` predicts: the learner or, for a table, a pipeline that encodes it first. ``n_wrong`` counts
    the training errors, ``longest`` is the length of the longest row, ``n_restarts`` counts the workers
    that were lost and replaced, and ``slowest`` is the shard that took longest.
    """

    model: Any
    learner: Perceptron
    outcome: Outcome
    n_wrong: int
    longest: float
    progressive: Progressive
    n_shards: int
    engine: str
    n_samples: int
    n_features: int
    classes: Labels
    class_counts: Counts
    n_unlabeled: int
    slowest: Slowest
    n_restarts: int
    resumed_after: int
    seconds: float
    notes: dict[str, Any]
    files: str

    @property
    def encoder(self) -> TableEncoder | Normalizer | None:
        """The encoder of a table, the `Normalizer` of a libsvm file, or None."""
        return self.model.steps[0][1] if isinstance(self.model, Pipeline) else None

    @property
    def by_class(self) -> dict[str, int]:
        """The number of samples per label."""
        pairs = zip(self.classes.tolist(), self.class_counts.tolist(), strict=True)
        return {str(label): count for label, count in pairs}

    @property
    def radius(self) -> float | None:
        """The length R in the theorem about mixed weights, or None if it does not apply.

        The theorem assumes updates without class weights.
        """
        learner = self.learner
        if learner.class_weight:
            return None
        is_joint = learner.multiclass == "joint" and len(self.classes) > 2
        # Jointly, a sample appears in the block of its class and, negated, in its rival's.
        return self.longest * (math.sqrt(2.0) * (1.0 + 2.0**-52) if is_joint else 1.0)


def learn_files(
    files: Sequence[str | Path],
    learner: Perceptron,
    options: SurveyOptions,
    choice: EngineChoice,
    *,
    saving: Saving | None = None,
    progress: Progress | None = None,
    adapt: Callable[[Perceptron, Labels, int], Perceptron] | None = None,
) -> ShardedRun:
    """Learn from files in shards: survey them, learn, and count the training errors.

    ``adapt``, if given, returns the learner for the classes and the number of samples found.
    """
    check_learner(learner)
    if saving is not None:
        check_resumable(learner)
    progress = Progress() if progress is None else progress
    with choice.opened(options.n_shards) as engine:
        with progress.stage("surveying the files"):
            plan = survey(engine, files, options, progress)
        if adapt is not None:
            learner = adapt(learner, plan.agreement.classes, plan.agreement.n_samples)
        learning = ShardedLearning(plan, learner, engine, progress, saving)
        learning.run()
    model, agreement = learning.model(), plan.agreement
    fitted: Perceptron = model.steps[-1][1] if agreement.form.encoder is not None else model
    return ShardedRun(
        model=model,
        learner=fitted,
        outcome=fitted.outcome_,
        n_wrong=learning.n_wrong,
        longest=learning.longest,
        progressive=learning.progressive,
        n_shards=plan.n_shards,
        engine=engine.name,
        n_samples=agreement.n_samples,
        n_features=agreement.n_features,
        classes=agreement.classes,
        class_counts=agreement.class_counts,
        n_unlabeled=agreement.n_unlabeled,
        slowest=learning.slowest,
        n_restarts=engine.n_restarts,
        resumed_after=learning.resumed_after,
        seconds=learning.seconds,
        notes=learning.notes,
        files=plan.name,
    )


def learn(
    files: str | Path | Sequence[str | Path],
    learner: Perceptron | None = None,
    *,
    shards: int = 2,
    engine: str = "threads",
    address: str | None = None,
    workers: int | None = None,
    allow_open: bool = False,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    **reading: Any,
) -> ShardedRun:
    r"""Learn from files of any size in shards, whose weights are mixed after each epoch.

    Each worker reads its own blocks of the files, in bounded memory; the driver reads none. The weights
    depend only on the files, the learner's parameters and the number of ``shards``: the bits are the
    same on each ``engine`` ("threads" or "ray"), with any number of ``workers``, even if workers are
    lost. For one file and at least two shards they equal those of ``Perceptron(shards=…).fit``, except
    for a Parquet or Arrow file with at least 16 row groups per shard, whose row groups are dealt.

    ``address`` is that of a running Ray cluster; one that does not require a token is refused unless
    ``allow_open`` is true. After each epoch the run is saved to the file ``checkpoint``; with
    ``resume`` it continues from there, if the file exists. The ``reading`` options are ``kind``,
    ``label``, ``header``, ``decimal``, ``zero_based`` and ``text_labels`` as in `rosenblatt.stream`,
    and ``ignore``, ``categorical``, ``numeric``, ``text``, ``missing``, ``scale`` and ``min_count`` as
    in `TableEncoder`.

    >>> from rosenblatt import Perceptron, cluster, read
    >>> path = getfixture("tmp_path") / "data.svm"
    >>> _ = path.write_text("+1 1:2\n-1 1:1\n+1 1:3\n-1 2:1\n")
    >>> learner = Perceptron(keep="last", shards=2)
    >>> run = cluster.learn(path, learner, shards=2)
    >>> run.outcome.name, run.n_wrong
    ('SEPARATED', 0)
    >>> X, y = read(path)
    >>> bool((run.model.coef_ == learner.fit(X, y).coef_).all())
    True
    """
    places = [files] if isinstance(files, str | Path) else list(files)
    if resume and checkpoint is None:
        raise InputError("resume=True needs a checkpoint to continue from: give its file name")
    if checkpoint is not None and Path(checkpoint).is_file() and not resume:
        raise InputError(
            f"checkpoint={str(checkpoint)!r} exists already: use resume=True to continue from it, or "
            "give another file name"
        )
    return learn_files(
        places,
        Perceptron() if learner is None else learner,
        file_survey_options(shards, **reading),
        EngineChoice(engine, address, workers, allow_open),
        saving=None if checkpoint is None else Saving(Path(checkpoint), resume),
    )
