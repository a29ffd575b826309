"""The open shards of a worker."""

import time
from dataclasses import replace
from threading import Lock

from rosenblatt.cluster.engines.engine import Answer, OpenShard, Report, Shard, Work


class OpenShards:
    """Keeps shards open between rounds, by key, so that each is opened once."""

    def __init__(self) -> None:
        self._open: dict[str, OpenShard] = {}
        self._lock = Lock()
        self._is_closed = False

    def report(self, shard: Shard, work: Work, most: int) -> Report:
        """Return the shard's report; at most ``most`` recently used shards stay open."""
        start = time.perf_counter()
        try:
            answer = self._answer(shard, _guarded(work), most)
        except Exception as error:
            return Report(time.perf_counter() - start, error=error)
        return Report(time.perf_counter() - start, answer)

    def _answer(self, shard: Shard, work: Work, most: int) -> Answer:
        # Remove the shard while it is in use; if it fails, it is not used again.
        with self._lock:
            opened = self._open.pop(shard.key, None)
        if opened is None:
            opened = shard.open()
        try:
            answer = opened.answer(work)
        except BaseException:
            opened.close()
            raise
        with self._lock:
            self._open[shard.key] = opened
            most = 0 if self._is_closed else most
            too_many = list(self._open)[: max(0, len(self._open) - most)]
            left = [self._open.pop(key) for key in too_many]
        for one in left:
            one.close()
        return answer

    def close(self) -> None:
        """Close all shards; those in use close when their work ends."""
        with self._lock:
            self._is_closed = True
            left = list(self._open.values())
            self._open.clear()
        for one in left:
            one.close()


def _guarded(work: Work) -> Work:
    """Return the work with read-only weights, because all shards share them."""
    if work.weights is None:
        return work
    weights = work.weights.view()
    weights.flags.writeable = False
    return replace(work, weights=weights)
