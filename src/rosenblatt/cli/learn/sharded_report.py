"""What `rosenblatt learn --shards` prints, for programs and for people."""

import math
from pathlib import Path

from rosenblatt.cli.column_report import column_lines, table_facts
from rosenblatt.cli.learn.sharded_progress import SLOW
from rosenblatt.cli.report import Facts, finite_or_none, time_text
from rosenblatt.cluster.learning.learn_files import ShardedRun
from rosenblatt.training.margins import Interval
from rosenblatt.training.outcomes import Outcome

_MOST_CLASSES = 20


def sharded_facts(run: ShardedRun, model: Path | None, compile_seconds: float) -> Facts:
    """Return what a program wants to know."""
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
            "unlabelled": run.n_unlabeled,
        },
        "columns": table_facts(run.encoder),
        "model": None if model is None else str(model),
    }


def sharded_lines(run: ShardedRun, model: Path | None, compile_seconds: float) -> dict[str, str]:
    """Return what a reader wants to know."""
    learner = run.learner
    lines = {"Data": _data(run), **column_lines(run.encoder), "Outcome": str(run.outcome)}
    lines["Shards"] = f"{run.n_shards} on {run.engine}" + _faults(run)
    lines["Epochs"] = f"{learner.n_iter_:,} of at most {learner.max_iter:,}"
    if run.resumed_after:
        lines["Epochs"] += f", of which {run.resumed_after:,} before it was resumed"
    lines["Mistakes"] = f"{learner.n_mistakes_:,}"
    if run.outcome is Outcome.MIXED and run.radius is not None:
        lines["Bound"] = _bound(run, run.radius)
    if run.outcome is not Outcome.SEPARATED:
        lines["Left"] = (
            f"{run.n_wrong:,} of {run.n_samples:,} samples are in a wrong class now; more epochs: "
            "--max-epochs, whether anything separates them: rosenblatt separate"
            + ("" if learner.keep == "average" else ", where classes overlap: --keep average")
        )
    lines["Progressive"] = (
        f"{run.progressive.error:.4f}: {run.progressive.mistakes:,} of {run.progressive.samples:,} "
        "samples were wrong when each was predicted, by its shard, before it was learned from, in the "
        "first epoch; this is not an error on samples kept aside"
    )
    lines["Time"] = time_text(run.seconds, compile_seconds)
    if model is not None:
        lines["Model"] = str(model)
    return lines


def _bound(run: ShardedRun, radius: float) -> str:
    """Return what the theorem about mixed weights says, where no margin is known."""
    squared = radius**2
    upper = max((one.upper for one in _margins(run)), default=math.inf)
    known = f", which is at most {upper:.3g}" if math.isfinite(upper) else ""
    each = (
        "each class" if len(run.classes) > 2 and run.learner.multiclass != "joint" else "this run"
    )
    return (
        f"with a margin γ{known}, {each} would make mistakes in at most {squared:.3g}/γ² epochs, and "
        f"{run.n_shards * squared:.3g}/γ² mistakes"
    )


def _data(run: ShardedRun) -> str:
    named = [f"{name} ({count:,})" for name, count in run.by_class.items()]
    more = len(named) - _MOST_CLASSES
    classes = ", ".join(named[:_MOST_CLASSES]) + (f" and {more:,} more" if more > 0 else "")
    text = f"{run.files}: {run.n_samples:,} samples, {run.n_features:,} features, classes {classes}"
    if run.n_unlabeled:
        text += f"; unlabeled and left out: {run.n_unlabeled:,}"
    return text


def _faults(run: ShardedRun) -> str:
    slowest, text = run.slowest, ""
    if run.n_shards > 1:
        text = f"; slowest: shard {slowest.shard + 1}, {slowest.times:.1f} times the median"
    if slowest.times >= SLOW and slowest.worker:
        text += f", on {slowest.worker}"
    if run.n_restarts:
        noun = "worker was" if run.n_restarts == 1 else "workers were"
        text += f"; {run.n_restarts} {noun} lost and came back"
    return text


def _margins(run: ShardedRun) -> list[Interval]:
    margin = getattr(run.learner, "margin_", [])
    return [margin] if isinstance(margin, Interval) else list(margin)
