"""Samples in memory, dealt to shards and given out in chunks, as workers read them from files."""

import pickle
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from rosenblatt.core.types import MatrixLike
from rosenblatt.separability.sharded.claims import Asked, Chunk, Claim
from rosenblatt.separability.sharded.picked_rows import FirstRows, WorstRows
from rosenblatt.separability.sharded.separate_sharded import LocalShards

Shard = list[Chunk]


@st.composite
def dealt(draw: st.DrawFn, X: MatrixLike, y: np.ndarray) -> list[Shard]:
    """One to four shards of chunks, none of which need hold a sample of each class."""
    codes, n = np.unique(y, return_inverse=True)[1], len(y)
    owners = np.array(
        draw(st.lists(st.integers(0, draw(st.integers(0, 3))), min_size=n, max_size=n))
    )
    chunk = draw(st.integers(1, n))
    shards = []
    for k in range(int(owners.max()) + 1):
        rows = np.flatnonzero(owners == k)
        cuts = [rows[start : start + chunk] for start in range(0, len(rows), chunk)]
        shards.append([Chunk(X[some], codes[some], some) for some in cuts])
    return shards


class SentShards(LocalShards):
    """Shards that are elsewhere: all that they are told, and all that they say, is sent."""

    def first(self, asked: Asked, n_rows: int) -> list[FirstRows]:
        return _sent(super().first(_sent(asked), n_rows))

    def worst(self, asked: Asked, claims: Sequence[Claim], n_rows: int) -> list[list[WorstRows]]:
        return _sent(super().worst(_sent(asked), _sent(claims), n_rows))


def _sent(message):
    return pickle.loads(pickle.dumps(message))


def local(shards: list[Shard]) -> LocalShards:
    return SentShards([lambda shard=shard: iter(shard) for shard in shards])
