"""Work and answers that travel between processes."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace

from rosenblatt.cluster.engines.engine import Report, Shard, Work
from rosenblatt.cluster.engines.open_shards import OpenShards
from rosenblatt.cluster.engines.versions import Versions, check_versions, own_versions
from rosenblatt.core.errors import InputError


@dataclass(frozen=True)
class WorkParcel:
    """A round's work, and the driver's versions."""

    work: Work
    versions: Versions


def packed_work(work: Work) -> WorkParcel:
    """Return the work with this process's versions."""
    return WorkParcel(work, own_versions())


def answered(
    shards: OpenShards, shard: Callable[[], Shard], parcel: WorkParcel, most: int
) -> Report:
    """Do the work on a worker; errors become part of the report. See `OpenShards.report`."""
    try:
        check_versions(parcel.versions)
        found = shard()
    except Exception as error:
        return Report(0.0, error=_portable(error))
    report = shards.report(found, parcel.work, most)
    return report if report.error is None else replace(report, error=_portable(report.error))


def _portable(error: Exception) -> Exception:
    """Return an error that any process can unpickle; other errors become text with a traceback."""
    if isinstance(error, InputError):
        return InputError(str(error))
    lines = "".join(traceback.format_exception(error))
    return RuntimeError(f"a worker failed:\n{lines}")
