"""Workers as Ray actors: Ray restarts lost ones, on the same or another machine.

Workers hold no state that cannot be restored. The weights of a round and the descriptions of the shards
are put into Ray's object store once; a restarted worker fetches them again.
"""

import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from rosenblatt.cluster.engines.engine import LostWorkersError, Report, Shard, Work
from rosenblatt.cluster.engines.open_shards import OpenShards
from rosenblatt.cluster.engines.parcels import WorkParcel, answered, packed_work
from rosenblatt.cluster.engines.ray_session import open_ray

if TYPE_CHECKING:
    from ray import ObjectRef
    from ray.actor import ActorHandle

MOST_LOSSES = 5
"""How often in a row a worker may be lost during the same work."""
TIMEOUT = 120.0
"""Seconds for Ray to place all workers."""


class RayWorker:
    """The actor class."""

    def __init__(self) -> None:
        _preload()
        self._name = uuid.uuid4().hex  # a restarted worker has a new one
        self._open = OpenShards()
        self._start = -1
        self._shards: dict[int, Shard] = {}

    def name(self) -> str:
        """Return a unique name, which changes when the worker restarts."""
        return self._name

    def answer(
        self,
        start: int,
        number: int,
        shard: "Sequence[ObjectRef[Shard]]",
        work: WorkParcel,
        most: int,
    ) -> tuple[str, Report]:
        """Return the worker's name and the shard's report; ``shard`` refers to its description."""
        import ray

        if start != self._start:
            self._open.close()
            self._start, self._open, self._shards = start, OpenShards(), {}

        def described() -> Shard:
            if number not in self._shards:
                self._shards[number] = ray.get(shard[0])
            return self._shards[number]

        return self._name, answered(self._open, described, work, most)


class RayWorkers:
    """Actors; actor k has the shards whose number is k modulo the number of actors."""

    name = "ray"

    def __init__(self, n_workers: int, address: str | None, allow_open: bool) -> None:
        self._close_ray = open_ray(address, n_workers, allow_open)
        self.n_slots = n_workers
        self.n_restarts = 0
        self._actors: dict[int, ActorHandle] = {}
        self._names: dict[int, str] = {}
        self._shards: list[ObjectRef[Shard]] = []
        self._n_starts = 0
        self._parcel: ObjectRef[WorkParcel] | None = None
        self._waiting: dict[ObjectRef[tuple[str, Report]], int] = {}
        self._last_report = 0.0
        for slot in range(n_workers):  # they import in parallel with the driver's work
            self._actor(slot)

    def start(self, shards: Sequence[Shard]) -> None:
        """Replace the shards, and wait until all workers have started."""
        import ray

        self._check_connected()
        self._shards = [ray.put(shard) for shard in shards]
        self._n_starts += 1
        new = [slot for slot in range(min(self.n_slots, len(shards))) if slot not in self._names]
        names = {slot: self._actor(slot).name.remote() for slot in new}
        with _while_ray_runs():
            _, missing = ray.wait(list(names.values()), num_returns=len(names), timeout=TIMEOUT)
            if missing:
                raise self._too_few_processors(len(missing))
            self._names.update({slot: ray.get(name) for slot, name in names.items()})

    def begin(self, work: Work) -> None:
        """Put the work into Ray's object store, once for all workers."""
        import ray

        self._check_connected()
        with _while_ray_runs():
            self._parcel = ray.put(packed_work(work))
        self._last_report = time.monotonic()

    def send(self, shard: int) -> None:
        """Send the work to the shard's worker."""
        most = -(-len(self._shards) // self.n_slots)
        answer = self._actor(shard % self.n_slots).answer.remote(
            self._n_starts, shard, [self._shards[shard]], self._parcel, most
        )
        self._waiting[answer] = shard

    def receive(self, seconds: float) -> Sequence[tuple[int, Report]]:
        """Return the reports that have arrived; Ray itself repeats lost work."""
        import ray

        self._check_connected()
        with _while_ray_runs():
            done, _ = ray.wait(list(self._waiting), num_returns=1, timeout=seconds)
        if not done and time.monotonic() > self._last_report + TIMEOUT:
            self._check_processors()
        found = []
        for answer in done:
            shard = self._waiting.pop(answer)
            self._last_report = time.monotonic()
            found.append((shard, self._report(shard, answer)))
        return found

    def abandon(self) -> None:
        """Kill the busy actors: their state can be restored."""
        self._end({shard % self.n_slots for shard in self._waiting.values()})

    def close(self) -> None:
        """Kill the actors, and stop Ray if it was started for them."""
        self._end(set(self._actors))
        self._shards = []
        self._parcel = None
        self._close_ray()

    def _end(self, slots: set[int]) -> None:
        import ray

        self._waiting.clear()
        for slot in slots & set(self._actors):
            actor = self._actors.pop(slot)
            self._names.pop(slot, None)
            if ray.is_initialized():
                ray.kill(actor)

    def _check_connected(self) -> None:
        """Raise if this process was disconnected: Ray would restart and listen on all networks."""
        import ray

        if not ray.is_initialized():
            raise LostWorkersError(
                "this process was disconnected from Ray while an engine was using it: call "
                "ray.shutdown() only after closing the engine"
            )

    def _actor(self, slot: int) -> "ActorHandle":
        import ray

        if slot not in self._actors:
            self._actors[slot] = (
                ray.remote(RayWorker)
                .options(
                    num_cpus=1,
                    max_restarts=-1,
                    max_task_retries=MOST_LOSSES,
                    scheduling_strategy="SPREAD",
                )
                .remote()
            )
        return self._actors[slot]

    def _report(self, shard: int, answer: "ObjectRef[tuple[str, Report]]") -> Report:
        import ray
        from ray.exceptions import RayActorError, RayTaskError

        try:
            with _while_ray_runs(but=(RayActorError, RayTaskError)):
                name, report = ray.get(answer)
        except RayActorError as error:
            raise LostWorkersError(
                f"more than {MOST_LOSSES} Ray workers in a row were lost while working on shard {shard} "
                f"({_first_line(error)}): if the machines have too little memory for {self.n_slots} "
                "workers, use fewer"
            ) from error
        except RayTaskError as error:
            raise RuntimeError(f"a Ray worker failed:\n{error}") from error
        slot = shard % self.n_slots
        self.n_restarts += self._names.get(slot, name) != name
        self._names[slot] = name
        return report

    def _check_processors(self) -> None:
        """Raise if Ray has too few processors left for all workers after losing machines."""
        import ray

        n_missing = len(self._actors) - int(ray.cluster_resources().get("CPU", 0))
        if n_missing > 0:
            raise self._too_few_processors(n_missing)

    def _too_few_processors(self, n_missing: int) -> LostWorkersError:
        import ray

        total, free = ray.cluster_resources(), ray.available_resources()
        return LostWorkersError(
            f"Ray has too few processors for {n_missing} of {self.n_slots} workers, which need one "
            f"each: it has {total.get('CPU', 0):g}, of which {free.get('CPU', 0):g} are free; use fewer "
            "workers or add machines"
        )


def _preload() -> None:
    """Import the modules for shards of files in parallel with the driver: it takes two seconds."""
    import_module("rosenblatt.cluster.tasks")
    parsers = import_module("rosenblatt.io.samples.libsvm_parser")
    parsers.parse_libsvm(b"1 1:1\n", "", 1)  # loading the first compiled code takes longest


@contextmanager
def _while_ray_runs(but: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Translate Ray's errors into a `LostWorkersError`, except those in ``but``."""
    from ray.exceptions import RayError

    try:
        yield
    except but:
        raise
    except RayError as error:
        raise LostWorkersError(
            f"Ray has stopped on this machine, or its workers cannot start ({_first_line(error)}): "
            "check that rosenblatt is installed on all machines, then start again or resume from a "
            "checkpoint"
        ) from error


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
