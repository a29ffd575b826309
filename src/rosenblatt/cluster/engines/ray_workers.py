"""Workers that are actors on Ray: Ray starts one again that is lost, here or on another machine.

A worker holds nothing that matters. The weights of a round are put into Ray's memory once, and so is the
description of each shard, which a worker that was started again fetches again.
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
"""How often in a row a worker may be lost over the same work."""
PATIENCE = 120.0
"""Seconds that Ray has to find room for all workers."""


class RayWorker:
    """What runs on Ray."""

    def __init__(self) -> None:
        _preload()
        self._name = uuid.uuid4().hex  # a worker that was started again has another
        self._open = OpenShards()
        self._start = -1
        self._shards: dict[int, Shard] = {}

    def name(self) -> str:
        """Return what tells it from every other, and from itself before it was lost."""
        return self._name

    def answer(
        self,
        start: int,
        number: int,
        shard: "Sequence[ObjectRef[Shard]]",
        work: WorkParcel,
        most: int,
    ) -> tuple[str, Report]:
        """Return its name, and what a shard answers; ``shard`` is where its description is."""
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
    """Actors, each with the shards of its number modulo their number."""

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
        for slot in range(n_workers):  # they load what they need while the driver goes on
            self._actor(slot)

    def start(self, shards: Sequence[Shard]) -> None:
        """Take these shards in place of those before, and wait until all workers are there."""
        import ray

        self._check_connected()
        self._shards = [ray.put(shard) for shard in shards]
        self._n_starts += 1
        new = [slot for slot in range(min(self.n_slots, len(shards))) if slot not in self._names]
        names = {slot: self._actor(slot).name.remote() for slot in new}
        with _while_ray_runs():
            _, missing = ray.wait(list(names.values()), num_returns=len(names), timeout=PATIENCE)
            if missing:
                raise self._no_room(len(missing))
            self._names.update({slot: ray.get(name) for slot, name in names.items()})

    def begin(self, work: Work) -> None:
        """Put the work into Ray's memory, once for all."""
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
        """Return the reports that have come; Ray itself sees to it that lost work is done again."""
        import ray

        self._check_connected()
        with _while_ray_runs():
            done, _ = ray.wait(list(self._waiting), num_returns=1, timeout=seconds)
        if not done and time.monotonic() > self._last_report + PATIENCE:
            self._check_room()
        found = []
        for answer in done:
            shard = self._waiting.pop(answer)
            self._last_report = time.monotonic()
            found.append((shard, self._report(shard, answer)))
        return found

    def abandon(self) -> None:
        """Let the actors go that are at work: what they hold can be had again."""
        self._end({shard % self.n_slots for shard in self._waiting.values()})

    def close(self) -> None:
        """Let the actors go, and Ray, if it was started for them."""
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
        """Raise if somebody has left Ray: it would start anew by itself, and listen to all networks."""
        import ray

        if not ray.is_initialized():
            raise LostWorkersError(
                "this process was disconnected from Ray while an engine worked with it: call "
                "ray.shutdown() only after the engine was closed"
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
                f"more than {MOST_LOSSES} workers on Ray in a row were lost over shard {shard}: if the "
                f"machines have too little memory for {self.n_slots} of them, use fewer "
                f"({_sentence(error)})"
            ) from error
        except RayTaskError as error:
            raise RuntimeError(f"a worker on Ray failed:\n{error}") from error
        slot = shard % self.n_slots
        self.n_restarts += self._names.get(slot, name) != name
        self._names[slot] = name
        return report

    def _check_room(self) -> None:
        """Raise if Ray, after machines were lost, has too few left for all workers."""
        import ray

        n_missing = len(self._actors) - int(ray.cluster_resources().get("CPU", 0))
        if n_missing > 0:
            raise self._no_room(n_missing)

    def _no_room(self, n_missing: int) -> LostWorkersError:
        import ray

        there, free = ray.cluster_resources(), ray.available_resources()
        return LostWorkersError(
            f"Ray has no room for {n_missing} of {self.n_slots} workers, which need a processor each: "
            f"it has {there.get('CPU', 0):g}, of which {free.get('CPU', 0):g} are free; use fewer "
            "workers, or add machines"
        )


def _preload() -> None:
    """Import what shards of files need while the driver does other things: it takes two seconds."""
    import_module("rosenblatt.cluster.tasks.all_tasks")
    parsers = import_module("rosenblatt.io.samples.libsvm_parser")
    parsers.parse_libsvm(b"1 1:1\n", "", 1)  # the first compiled code that is loaded takes longest


@contextmanager
def _while_ray_runs(but: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Say in a sentence what Ray cannot mend; ``but`` are errors that are somebody else's to explain."""
    from ray.exceptions import RayError

    try:
        yield
    except but:
        raise
    except RayError as error:
        raise LostWorkersError(
            f"Ray has ended on this machine, or its workers cannot start ({_sentence(error)}): see that "
            "rosenblatt is installed on all machines, then begin again, or go on from a checkpoint"
        ) from error


def _sentence(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
