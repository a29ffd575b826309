"""`rosenblatt separate --shards`: decide about files that are read block by block, never whole."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rosenblatt.cli.column_report import column_lines
from rosenblatt.cli.learn.sharded_progress import ShownRounds
from rosenblatt.cli.report import print_facts, print_json, time_text
from rosenblatt.cli.separability.separation_report import separation_facts
from rosenblatt.cluster.engine_choice import EngineChoice
from rosenblatt.cluster.files.plan import Plan
from rosenblatt.cluster.files.rows_in_files import sample_places
from rosenblatt.cluster.proofs.separate_files import separate_files
from rosenblatt.core.compiling import Stopwatch
from rosenblatt.core.errors import InputError
from rosenblatt.core.files import write_whole
from rosenblatt.io.blocks.block import SurveyAsked
from rosenblatt.separability.results.conflicts import Conflict, listed
from rosenblatt.separability.results.result import Separations
from rosenblatt.separability.results.result_text import joint_lines, separation_lines

_MOST_NAMED = 9


@dataclass(frozen=True)
class ShardedQuestion:
    """What is asked of which files, what works on it, and where the proof goes."""

    data: Sequence[str] | None
    asked: SurveyAsked
    choice: EngineChoice
    options: Mapping[str, Any]
    certificate: Path | None
    json: bool


def separate_in_shards(question: ShardedQuestion) -> None:
    """Decide, write the proof, and report."""
    if not question.data:
        raise InputError("--shards needs files: give at least one")
    certificate, watch = question.certificate, Stopwatch()
    with ShownRounds() as progress:
        result, plan = separate_files(
            question.data, question.asked, question.choice, progress=progress, **question.options
        )
    seconds, compile_seconds = watch.seconds(), watch.compile_seconds()
    if certificate is not None:
        proof = (result.joint if isinstance(result, Separations) else result).certificate
        if proof is None:
            raise InputError(f"{certificate}: nothing was written, for the verdict is {result}")
        write_whole(certificate, proof.to_json().encode())
    agreement, file = plan.agreement, plan.name
    if question.json:
        counts = zip(agreement.classes.tolist(), agreement.class_counts.tolist(), strict=True)
        print_json(
            {
                **separation_facts(result, partial(sample_places, plan)),
                "data": {
                    "file": file,
                    "samples": agreement.n_samples,
                    "features": agreement.n_features,
                    "classes": {str(label): count for label, count in counts},
                    "unlabelled": agreement.n_unlabelled,
                },
                "parameters": dict(question.options),
                "shards": plan.n_shards,
                "engine": question.choice.name,
                "seconds": seconds,
                "compile_seconds": compile_seconds,
                "certificate": None if certificate is None else str(certificate),
            }
        )
        return
    told = partial(_told, plan)
    if isinstance(result, Separations):
        verdicts = joint_lines(result, told, "--json")
    else:
        verdicts = separation_lines(result, told, "--json")
    lines = {
        "Data": f"{file}: {agreement.n_samples:,} samples, {agreement.n_features:,} features, "
        f"{len(agreement.classes):,} classes",
        **column_lines(agreement.form.encoder),
        **verdicts,
        "Shards": f"{plan.n_shards} on {question.choice.name}",
        "Time": time_text(seconds, compile_seconds),
    }
    if certificate is not None:
        lines["Certificate"] = str(certificate)
    print_facts(lines)


def _told(plan: Plan, conflict: Conflict) -> str:
    """Return a conflict in words, with the places of its samples."""
    return conflict.named(partial(_names, plan))


def _names(plan: Plan, rows: Sequence[int]) -> str:
    places = sample_places(plan, rows[:_MOST_NAMED])
    noun = "row" if places[0].startswith("row ") else "line"
    if any(", " in place for place in places):  # of several files
        noun, named = "sample", places
    else:
        named = [place.removeprefix(f"{noun} ") for place in places]
    return listed(noun, [*named, *[""] * (len(rows) - len(named))])
