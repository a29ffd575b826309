"""Work and answers on their way between processes: arrays become changes, errors become sentences."""

import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rosenblatt.cluster.engines.engine import Answer, Shard, Work
from rosenblatt.cluster.engines.open_shards import OpenShards, Report
from rosenblatt.cluster.engines.transport.changes import Changes, changed, changes
from rosenblatt.cluster.engines.transport.versions import Versions, check_versions, own_versions
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats


@dataclass(frozen=True)
class WorkParcel:
    """A round's work, and whose it is."""

    task: str
    weights: Changes | None
    details: Mapping[str, Any]
    versions: Versions


@dataclass(frozen=True)
class AnswerParcel:
    """A report: ``weights`` are changes of those of the work, ``drift`` is one of zeros."""

    seconds: float
    weights: Changes | None = None
    drift: Changes | None = None
    facts: Mapping[str, Any] | None = None
    error: Exception | None = None


def packed_work(work: Work) -> WorkParcel:
    """Return the work as it travels."""
    weights = None if work.weights is None else changes(None, work.weights)
    return WorkParcel(work.task, weights, work.details, own_versions())


def answered(
    shards: OpenShards, shard: Callable[[], Shard], parcel: WorkParcel, most: int
) -> AnswerParcel:
    """Do the work, where the worker is, with a shard that is found there; see `OpenShards.report`."""
    try:
        check_versions(parcel.versions)
        found = shard()
    except Exception as error:
        return failed(error)
    weights = None if parcel.weights is None else changed(None, parcel.weights)
    report = shards.report(found, Work(parcel.task, weights, parcel.details), most)
    if report.answer is None:
        return failed(report.error, report.seconds)
    answer = report.answer
    return AnswerParcel(
        report.seconds,
        None if answer.weights is None else changes(weights, answer.weights),
        None if answer.drift is None else changes(None, answer.drift),
        answer.facts,
    )


def unpacked_report(parcel: AnswerParcel, weights: Floats | None) -> Report:
    """Return the report of a shard whose work began with these weights."""
    if parcel.facts is None:
        return Report(parcel.seconds, error=parcel.error)
    answer = Answer(
        None if parcel.weights is None else changed(weights, parcel.weights),
        None if parcel.drift is None else changed(None, parcel.drift),
        parcel.facts,
    )
    return Report(parcel.seconds, answer)


def failed(error: Exception | None, seconds: float = 0.0) -> AnswerParcel:
    """Return an error that any process can read: the sentence of ours, the traceback of others."""
    if isinstance(error, InputError):
        return AnswerParcel(seconds, error=InputError(str(error)))
    lines = "".join(traceback.format_exception(error))
    return AnswerParcel(seconds, error=RuntimeError(f"a worker failed:\n{lines}"))
