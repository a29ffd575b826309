"""Parts that came before those which are to be before them: they wait, in bounded memory."""

import pickle
from collections import deque
from typing import IO, NamedTuple

from rosenblatt.cluster.models.model_shard import Part
from rosenblatt.io.sources.temporary_copy import nameless_file

_MOST_BYTES = 2**26


class _Written(NamedTuple):
    """Where a part is in the file."""

    start: int
    n_bytes: int


class WaitingParts:
    """Parts by the number of their lot, in order within it.

    Those that are too much for the memory are in a file, which is gone when this process ends.
    """

    def __init__(self) -> None:
        self._waiting: dict[int, deque[tuple[Part | _Written, int]]] = {}
        self._n_bytes = 0
        self._file: IO[bytes] | None = None

    def add(self, lot: int, part: Part) -> None:
        """Let a part wait."""
        n_bytes = sum(getattr(one, "nbytes", 0) for one in part.results)
        own: Part | _Written = part
        if self._n_bytes + n_bytes > _MOST_BYTES:
            own, n_bytes = self._written(part), 0
        self._n_bytes += n_bytes
        self._waiting.setdefault(lot, deque()).append((own, n_bytes))

    def next(self, lot: int) -> Part | None:
        """Return the next part of a lot, or None if none waits."""
        if not self._waiting.get(lot):
            self._waiting.pop(lot, None)
            return None
        own, n_bytes = self._waiting[lot].popleft()
        self._n_bytes -= n_bytes
        return own if isinstance(own, Part) else self._read(own)

    def close(self) -> None:
        """Let the file go."""
        if self._file is not None:
            self._file.close()

    def _written(self, part: Part) -> _Written:
        if self._file is None:
            self._file = nameless_file()
        start = self._file.seek(0, 2)
        pickle.dump(part, self._file)
        return _Written(start, self._file.tell() - start)

    def _read(self, own: _Written) -> Part:
        assert self._file is not None
        self._file.seek(own.start)
        part = pickle.load(self._file)
        assert isinstance(part, Part)
        return part
