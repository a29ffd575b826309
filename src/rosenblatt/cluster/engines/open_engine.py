"""An engine by its name."""

from rosenblatt.cluster.engines.clusters.dask_workers import DaskWorkers
from rosenblatt.cluster.engines.clusters.ray_workers import RayWorkers
from rosenblatt.cluster.engines.engine import Engine
from rosenblatt.cluster.engines.processes.process_workers import ProcessWorkers
from rosenblatt.cluster.engines.thread_workers import ThreadWorkers
from rosenblatt.cluster.engines.worker_engine import WorkerEngine
from rosenblatt.core.checks import check_choice, whole
from rosenblatt.core.errors import InputError

ENGINES = ("threads", "processes", "ray", "dask")


def open_engine(
    name: str, *, address: str | None = None, n_workers: int, allow_open: bool = False
) -> Engine:
    """Return an engine with so many workers; whoever opens it closes it.

    Without an ``address`` the workers of Ray and Dask are processes on this machine; with one, those of
    a cluster that is running there. A cluster that takes orders from anybody is refused, unless
    ``allow_open`` says that this is known.

    >>> from contextlib import closing
    >>> with closing(open_engine("threads", n_workers=2)) as engine:
    ...     engine.name
    'threads'
    """
    check_choice("engine", name, ENGINES)
    if address is not None and name in ("threads", "processes"):
        raise InputError(
            f"the address {address!r} was given to the engine {name!r}, which runs on this machine: "
            "use 'ray' or 'dask', or no address"
        )
    n_workers = whole("n_workers", n_workers, 1)
    if name == "threads":
        return WorkerEngine(ThreadWorkers(n_workers))
    if name == "processes":
        return WorkerEngine(ProcessWorkers(n_workers))
    if name == "ray":
        return WorkerEngine(RayWorkers(n_workers, address, allow_open))
    return WorkerEngine(DaskWorkers(n_workers, address, allow_open))
