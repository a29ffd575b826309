"""The report of `rosenblatt learn --shards`, for programs and for people."""

import math
from pathlib import Path

from rosenblatt.cli.column_report import column_lines, table_facts
from rosenblatt.cli.learn.sharded_progress import SLOW
from rosenblatt.cli.report import (
    Facts,
    classes_text,
    finite_or_none,
    lone_class_lines,
    progressive_text,
    time_text,
)
from rosenblatt.cluster.learning.learn_files import ShardedRun
from rosenblatt.core.digits import counted, errors_text
from rosenblatt.training.margins import Interval
from rosenblatt.training.outcomes import Outcome


def sharded_facts(run: ShardedRun, model: Path | None, compile_seconds: float) -> Facts:
    """Return the report as JSON."""
    learner = run.learner
    return {
        "outcome": run.outcome.name,
        "sentence": run.outcome.sentence,
        "shards": run.n_shards,
        "engine": run.engine,
        "restarts": run.n_restarts,
        "slowest": {
            "shard": run.slowest.shard + 1,
            "times_the_median": run.slowest.times,
            "worker": run.slowest.worker,
        },
        "resumed_after": run.resumed_after,
        "epochs": learner.n_iter_,
        "max_epochs": learner.max_iter,
        "mistakes": learner.n_mistakes_,
        "updates": learner.n_updates_,
        "training_mistakes": run.n_wrong,
        "progressive": {
            "samples": run.progressive.samples,
            "mistakes": run.progressive.mistakes,
            "error": finite_or_none(run.progressive.error),
        },
        "margins": [
            {"lower": one.lower, "upper": finite_or_none(one.upper)} for one in _margins(run)
        ],
        "seconds": run.seconds,
        "compile_seconds": compile_seconds,
        "learner": type(learner).__name__,
        "parameters": learner.get_params(),
        "data": {
            "file": run.files,
            "samples": run.n_samples,
            "features": run.n_features,
            "classes": run.by_class,
            "unlabeled": run.n_unlabeled,
        },
        "columns": table_facts(run.encoder),
        "model": None if model is None else str(model),
    }


def sharded_lines(run: ShardedRun, model: Path | None, compile_seconds: float) -> dict[str, str]:
    """Return the report for people."""
    learner = run.learner
    lines = {"Data": _data(run), **lone_class_lines(run.by_class), **column_lines(run.encoder)}
    lines["Outcome"] = str(run.outcome)
    lines["Shards"] = f"{run.n_shards} on {run.engine}" + _faults(run)
    lines["Epochs"] = f"{learner.n_iter_:,} of at most {learner.max_iter:,}"
    if run.resumed_after:
        lines["Resumed"] = f"after epoch {run.resumed_after:,}"
    lines["Mistakes"] = f"{learner.n_mistakes_:,}"
    if learner.required_margin_:
        lines["Updates"] = f"{learner.n_updates_:,}, for mistakes and for small margins"
    if run.outcome is Outcome.MIXED and run.radius is not None:
        lines["Bound"] = _bound(run, run.radius)
    if run.outcome is not Outcome.SEPARATED:
        lines["Training errors"] = errors_text(run.n_wrong, run.n_samples)
    lines["Progressive error"] = progressive_text(run.progressive, "epoch of each shard")
    lines["Time"] = time_text(run.seconds, compile_seconds)
    if model is not None:
        lines["Model"] = str(model)
    return lines


def _bound(run: ShardedRun, radius: float) -> str:
    """Return the bound on updates with mixed weights, for a margin that is not known."""
    learner = run.learner
    squared = radius**2 + 2.0 * learner.required_margin_ / learner.eta0
    what = "updates" if learner.required_margin_ else "mistakes"
    upper = max((one.upper for one in _margins(run)), default=math.inf)
    known = f", which is at most {upper:.3g}" if math.isfinite(upper) else ""
    each = (
        "each class" if len(run.classes) > 2 and run.learner.multiclass != "joint" else "this run"
    )
    return (
        f"if the margin is γ{known}, {each} has {what} in at most {squared:.3g}/γ² epochs, and at "
        f"most {run.n_shards * squared:.3g}/γ² {what}"
    )


def _data(run: ShardedRun) -> str:
    classes = classes_text(run.by_class)
    counts = f"{counted(run.n_samples, 'sample')}, {counted(run.n_features, 'feature')}"
    text = f"{run.files}: {counts}, classes {classes}"
    if run.n_unlabeled:
        text += f"; excluded: {run.n_unlabeled:,} without a label"
    return text


def _faults(run: ShardedRun) -> str:
    slowest, text = run.slowest, ""
    if run.n_shards > 1:
        text = f"; slowest: shard {slowest.shard + 1}, {slowest.times:.1f} times the median"
    if slowest.times >= SLOW and slowest.worker:
        text += f", on {slowest.worker}"
    if run.n_restarts:
        noun = "worker was" if run.n_restarts == 1 else "workers were"
        text += f"; {run.n_restarts} {noun} lost and replaced"
    return text


def _margins(run: ShardedRun) -> list[Interval]:
    margin = getattr(run.learner, "margin_", [])
    return [margin] if isinstance(margin, Interval) else list(margin)
