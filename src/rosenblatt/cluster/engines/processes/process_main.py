"""What a worker process does: it answers requests until its driver has gone."""

import os
import pickle
import signal
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from select import poll
from threading import Thread, main_thread

from rosenblatt.cluster.engines.engine import Shard
from rosenblatt.cluster.engines.open_shards import OpenShards
from rosenblatt.cluster.engines.preload import preload
from rosenblatt.cluster.engines.processes.shared_block import (
    Message,
    SharedBlock,
    mapped,
    message_of,
    n_bytes_of,
    thing_of,
)
from rosenblatt.cluster.engines.transport.parcels import answered, failed

_GRACE = 2.0
"""Seconds that a worker has to leave the work of a driver that has gone."""


@dataclass(frozen=True)
class Request:
    """What a worker is to do: the work of a round, for a shard.

    A new ``start`` makes it forget the shards before. ``description`` is the pickled shard where the
    worker does not have it yet. If it ``brings_block``, the handle of the block follows that holds the
    arrays of this work, and of all after it. An answer goes to a ``new_block`` while the one before is
    still read.
    """

    start: int
    shard: int
    description: bytes | None
    work: Message
    brings_block: bool
    new_block: bool
    most_open: int


@dataclass(frozen=True)
class Reply:
    """What came of it; the handle of a ``new_block`` for the shard's answers follows, if it has one."""

    answer: Message
    new_block: bool


class _Worker:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._open = OpenShards()
        self._start = -1
        self._shards: dict[int, Shard] = {}
        self._blocks: dict[int, SharedBlock] = {}
        self._memory = memoryview(b"")
        self.is_busy = False

    def serve(self) -> None:
        """Answer requests for as long as there are any."""
        while True:
            request: Request = self._connection.recv()
            if request.brings_block:
                self._memory = mapped(recv_handle(self._connection))
            if request.start != self._start:
                self._start = request.start
                self._open.close()
                self._open = OpenShards()
                self._shards.clear()
                for shard in list(self._blocks):
                    self._blocks.pop(shard).close()
            self.is_busy = True
            self._reply(request)
            self.is_busy = False

    def _reply(self, request: Request) -> None:
        def shard() -> Shard:
            if request.description is not None:
                self._shards[request.shard] = pickle.loads(request.description)
            return self._shards[request.shard]

        try:
            work = thing_of(request.work, self._memory)
            answer, arrays = message_of(answered(self._open, shard, work, request.most_open))
        except Exception as error:  # something that cannot be pickled, or read
            answer, arrays = message_of(failed(error))
        n_bytes = n_bytes_of(answer)
        old = self._blocks.get(request.shard)
        if n_bytes == 0 or (old is not None and not request.new_block and len(old) >= n_bytes):
            if old is not None:
                old.write(arrays)
            self._connection.send(Reply(answer, new_block=False))
            return
        if old is not None:
            old.close()
        block = self._blocks[request.shard] = SharedBlock(n_bytes)
        block.write(arrays)
        self._connection.send(Reply(answer, new_block=True))
        send_handle(self._connection, block.handle, os.getppid())


def _end_with_driver(worker: _Worker, handle: int) -> None:
    """Leave the work, however far it is, when nobody waits for it any more."""
    watched = poll()
    watched.register(handle, 0)  # hears of nothing but the end
    watched.poll()
    if worker.is_busy:
        signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)  # wakes it, too, if it sleeps
    time.sleep(_GRACE)
    os._exit(1)


def main(handle: int) -> None:
    """Serve the driver that is at the other end of the handle."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.set_inheritable(handle, False)
    worker = _Worker(Connection(handle))
    try:
        Thread(target=_end_with_driver, args=[worker, handle], daemon=True).start()
        preload()
        worker.serve()
    except (EOFError, ConnectionError, KeyboardInterrupt):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
