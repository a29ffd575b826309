"""Workers that are those of Dask: work is a task, which Dask does again where a worker was lost.

What is scattered to the workers is lost with them. Then Dask forgets the tasks that needed it, and both
are sent again.
"""

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from rosenblatt.cluster.engines.clusters.dask_session import open_dask
from rosenblatt.cluster.engines.engine import LostWorkersError, Shard, Work
from rosenblatt.cluster.engines.open_shards import OpenShards, Report
from rosenblatt.cluster.engines.preload import preload
from rosenblatt.cluster.engines.transport.parcels import (
    AnswerParcel,
    WorkParcel,
    answered,
    packed_work,
    unpacked_report,
)

if TYPE_CHECKING:
    from distributed import Future

Thing = TypeVar("Thing")

MOST_LOSSES = 5
"""How often in a row a worker may be lost over the same work."""
PATIENCE = 120.0
"""Seconds that Dask has to have a worker."""

_OPEN = OpenShards()
"""The shards that this process has opened, if it is a worker."""


def answer(shard: Shard, work: WorkParcel, most: int) -> AnswerParcel:
    """Return what a shard answers, where the worker is."""
    return answered(_OPEN, lambda: shard, work, most)


class DaskWorkers:
    """Dask's workers; a shard prefers the one of its number modulo their number."""

    name = "dask"

    def __init__(self, n_workers: int, address: str | None, allow_open: bool) -> None:
        self._client, self._close_dask = open_dask(address, n_workers, allow_open, MOST_LOSSES)
        self.n_slots = n_workers
        self.n_restarts = 0
        self._shards: Sequence[Shard] = ()
        self._work = Work("")
        self._descriptions: dict[int, Future[Shard]] = {}
        self._parcel: Future[WorkParcel] | None = None
        self._waiting: dict[Future[AnswerParcel], int] = {}
        self._losses: Counter[int] = Counter()
        self._known: set[str] = set()
        self._last_report = 0.0
        # While the driver goes on; whoever comes later loads when there is work.
        self._preloading = [
            self._client.submit(preload, workers=[worker], pure=False) for worker in self._present()
        ]

    def start(self, shards: Sequence[Shard]) -> None:
        """Take these shards in place of those before, and wait for a worker."""
        try:
            self._client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError as error:
            raise self._no_workers() from error
        self._shards = tuple(shards)
        self._descriptions = {}

    def begin(self, work: Work) -> None:
        """Scatter the work, once for all."""
        self._work = work
        self._losses.clear()
        self._parcel = self._scattered(packed_work(work))
        self._last_report = time.monotonic()

    def send(self, shard: int) -> None:
        """Submit the work for a shard."""
        workers = self._present()
        if shard not in self._descriptions:
            self._descriptions[shard] = self._scattered(self._shards[shard])
        future = self._client.submit(
            answer,
            self._descriptions[shard],
            self._parcel,
            2 * -(-len(self._shards) // self.n_slots),  # a shard may change its worker
            workers=[workers[shard % len(workers)]] if workers else None,
            allow_other_workers=True,
            pure=False,
        )
        self._waiting[future] = shard

    def receive(self, seconds: float) -> Sequence[tuple[int, Report]]:
        """Return the reports that have come; work that Dask forgot is sent again."""
        from distributed import CancelledError, wait

        with suppress(TimeoutError, CancelledError), self._client.as_current():
            wait(list(self._waiting), seconds, "FIRST_COMPLETED")
        done = [future for future in self._waiting if future.status != "pending"]
        is_late = not done and time.monotonic() > self._last_report + PATIENCE
        if is_late and not self._client.nthreads():
            raise self._no_workers()
        found = []
        for future in done:
            shard = self._waiting.pop(future)
            self._last_report = time.monotonic()
            report = self._report(shard, future)
            if report is not None:
                found.append((shard, report))
        if not self._waiting:
            self._present()
        return found

    def abandon(self) -> None:
        """Cancel what nobody waits for."""
        self._client.cancel(list(self._waiting), force=True)
        self._waiting.clear()

    def close(self) -> None:
        """Leave the cluster, and end it if it was started for this."""
        self._waiting.clear()
        self._descriptions.clear()
        self._preloading.clear()
        self._parcel = None
        self._close_dask()

    def _report(self, shard: int, future: "Future[AnswerParcel]") -> Report | None:
        """Return the report, or None if it was lost and the work was sent again."""
        from distributed import CancelledError, KilledWorker

        try:
            return unpacked_report(future.result(), self._work.weights)
        except KilledWorker as error:
            raise self._lost(shard) from error
        except (CancelledError, OSError):
            self._send_again(shard)
            return None

    def _present(self) -> list[str]:
        """Return the addresses of the workers, and count those that are gone."""
        workers = sorted(self._client.nthreads())
        self._known.update(workers)
        self.n_restarts = len(self._known) - len(workers)
        return workers

    def _scattered(self, thing: Thing) -> "Future[Thing]":
        """Scatter something to a worker, and to another if that one is lost meanwhile."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return self._client.scatter(thing, hash=False)
            except (OSError, TimeoutError) as error:
                if time.monotonic() > deadline:
                    raise self._no_workers() from error
                time.sleep(0.1)

    def _send_again(self, shard: int) -> None:
        self._losses[shard] += 1
        if self._losses[shard] > MOST_LOSSES:
            raise self._lost(shard)
        self._parcel = self._scattered(packed_work(self._work))
        self._descriptions.pop(shard, None)
        self.send(shard)

    def _lost(self, shard: int) -> LostWorkersError:
        return LostWorkersError(
            f"several workers of Dask in a row were lost over shard {shard}: if the machines have too "
            "little memory, use fewer workers"
        )

    def _no_workers(self) -> LostWorkersError:
        return LostWorkersError(
            f"Dask has had no worker for {PATIENCE:g} seconds: start some, or give another address"
        )
