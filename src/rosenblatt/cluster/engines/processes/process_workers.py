"""Workers that are processes on this machine; a process that is lost is replaced.

Weights and answers lie in memory that both sides share, and all else goes through a pipe that nobody
else has. Nothing listens, and nothing has a name that could be left behind.
"""

import os
import pickle
import signal
import subprocess
import sys
import weakref
from collections import Counter
from collections.abc import Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import recv_handle, send_handle
from typing import Any

import numpy as np

from rosenblatt.cluster.engines.engine import LostWorkersError, Shard, Work
from rosenblatt.cluster.engines.open_shards import Report
from rosenblatt.cluster.engines.processes.process_main import Reply, Request
from rosenblatt.cluster.engines.processes.shared_block import (
    Message,
    SharedBlock,
    mapped,
    message_of,
    n_bytes_of,
    thing_of,
)
from rosenblatt.cluster.engines.transport.parcels import packed_work, unpacked_report
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Bytes

MOST_LOSSES = 5
"""How often in a row a worker may be lost over the same work."""
_PATIENCE = 3.0
"""Seconds that workers have to end by themselves."""
_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[2:]; "
    "from rosenblatt.cluster.engines.processes.process_main import main; main(int(sys.argv[1]))"
)


class _Process:
    """A process, and what is known of it."""

    def __init__(self) -> None:
        self.connection, other = Pipe()
        handle = other.fileno()
        # A group of its own: Ctrl-C is for the driver, which ends its workers.
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                _PROGRAM,
                str(handle),
                *(path or os.getcwd() for path in sys.path),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[handle],
            process_group=0,
        )
        other.close()
        self.pid = self._process.pid
        self.shard: int | None = None
        self.start = -1
        self.described: set[int] = set()
        self.block: SharedBlock | None = None

    def end(self, seconds: float) -> int:
        """Return the exit status; a process that does not end by itself is ended."""
        self.connection.close()
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()


class _Inbox:
    """The block with the answers of a shard, and the last of them, if it is still read."""

    def __init__(self) -> None:
        self._memory = memoryview(b"")
        self._last: weakref.ref[Bytes] | None = None

    def is_free(self) -> bool:
        """Say whether another answer can be written to the block."""
        return len(self._memory) > 0 and (self._last is None or self._last() is None)

    def replace(self, handle: int) -> None:
        """Take another block; whoever reads the one before keeps it."""
        self._memory = mapped(handle)

    def thing(self, message: Message) -> Any:
        """Return the object of a message, whose arrays keep the block."""
        memory = np.frombuffer(self._memory, np.uint8)
        if message.sizes:  # or else the one before is still the last in the block
            self._last = weakref.ref(memory)
        return thing_of(message, memory.data)


class ProcessWorkers:
    """Processes, each with the shards of its number modulo their number."""

    name = "processes"

    def __init__(self, n_workers: int) -> None:
        if os.name != "posix":
            raise InputError(
                "the engine 'processes' is for Linux and macOS: use 'threads', 'ray' or 'dask' here"
            )
        self.n_slots = n_workers
        self.n_restarts = 0
        self._processes: dict[int, _Process] = {}
        self._leaving: list[_Process] = []
        self._descriptions: list[bytes] = []
        self._inboxes: list[_Inbox] = []
        self._n_starts = 0
        self._block: SharedBlock | None = None
        self._work = Work("")
        self._message = Message(b"", ())
        self._losses: Counter[int] = Counter()
        for slot in range(n_workers):  # they load what they need while the driver goes on
            self._process(slot)

    def start(self, shards: Sequence[Shard]) -> None:
        """Take these shards in place of those before."""
        self._descriptions = [pickle.dumps(shard) for shard in shards]
        self._forget_answers()
        self._n_starts += 1

    def begin(self, work: Work) -> None:
        """Write the weights to the block that all processes read."""
        self._work = work
        self._losses.clear()
        self._message, arrays = message_of(packed_work(work))
        n_bytes = n_bytes_of(self._message)
        if n_bytes and (self._block is None or len(self._block) < n_bytes):
            if self._block is not None:
                self._block.close()
            self._block = SharedBlock(n_bytes)
        if self._block is not None:
            self._block.write(arrays)

    def send(self, shard: int) -> None:
        """Send the work to the shard's process, or to a new one if that has gone."""
        slot = shard % self.n_slots
        while True:
            process = self._process(slot)
            process.shard = shard
            try:
                self._request(process, shard)
            except OSError:
                self._lost(slot)
            else:
                return

    def receive(self, seconds: float) -> Sequence[tuple[int, Report]]:
        """Return the reports that have come; work whose process has gone is sent again."""
        slots = {one.connection: slot for slot, one in self._busy()}
        found = []
        for connection in wait(list(slots), seconds):
            assert isinstance(connection, Connection)
            slot = slots[connection]
            shard = self._processes[slot].shard
            assert shard is not None
            try:
                found.append((shard, self._report(connection, shard)))
            except (EOFError, OSError):
                self._lost(slot)
                self.send(shard)
            else:
                self._processes[slot].shard = None
                del self._losses[shard]
        return found

    def abandon(self) -> None:
        """Let the processes go that are at work: what they hold can be had again."""
        for slot, process in list(self._busy()):
            process.connection.close()
            self._leaving.append(self._processes.pop(slot))
        self._forget_answers()

    def close(self) -> None:
        """End all processes."""
        ended = [*self._processes.values(), *self._leaving]
        self._processes.clear()
        self._leaving.clear()
        for process in ended:
            process.connection.close()
        for process in ended:
            process.end(_PATIENCE)
        self._forget_answers()
        if self._block is not None:
            self._block.close()
            self._block = None

    def _process(self, slot: int) -> _Process:
        if slot not in self._processes:
            self._processes[slot] = _Process()
        return self._processes[slot]

    def _busy(self) -> list[tuple[int, _Process]]:
        return [(slot, one) for slot, one in self._processes.items() if one.shard is not None]

    def _forget_answers(self) -> None:
        self._inboxes = [_Inbox() for _ in self._descriptions]

    def _request(self, process: _Process, shard: int) -> None:
        if process.start != self._n_starts:
            process.start, process.described = self._n_starts, set()
        is_new = self._block is not None and process.block is not self._block
        request = Request(
            start=self._n_starts,
            shard=shard,
            description=None if shard in process.described else self._descriptions[shard],
            work=self._message,
            brings_block=is_new,
            new_block=not self._inboxes[shard].is_free(),
            most_open=-(-len(self._descriptions) // self.n_slots),
        )
        process.connection.send(request)
        if is_new and self._block is not None:
            send_handle(process.connection, self._block.handle, process.pid)
            process.block = self._block
        process.described.add(shard)

    def _report(self, connection: Connection, shard: int) -> Report:
        reply: Reply = connection.recv()
        inbox = self._inboxes[shard]
        if reply.new_block:
            inbox.replace(recv_handle(connection))
        return unpacked_report(inbox.thing(reply.answer), self._work.weights)

    def _lost(self, slot: int) -> None:
        """Note that a process has gone, and give up if that happens again and again."""
        process = self._processes.pop(slot)
        status = process.end(_PATIENCE)
        self.n_restarts += 1
        assert process.shard is not None
        self._losses[process.shard] += 1
        if self._losses[process.shard] > MOST_LOSSES:
            how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
            raise LostWorkersError(
                f"{self._losses[process.shard]} worker processes in a row were lost over shard "
                f"{process.shard}, the last of them by {how}: if the machine has too little memory for "
                f"{self.n_slots} of them, use fewer"
            )
