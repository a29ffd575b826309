"""Is there a separating hyperplane for samples that no single machine holds: `separate_sharded`."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import numpy as np

from rosenblatt.certificates import Digest
from rosenblatt.core.compiling import working_time
from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Labels
from rosenblatt.separability.checked_input import check_classes
from rosenblatt.separability.question import checked_limit
from rosenblatt.separability.results.result import Separation, Separations
from rosenblatt.separability.sharded.claims import Asked, Chunk, Claim
from rosenblatt.separability.sharded.inquiry import Inquiry, Wanted, completed
from rosenblatt.separability.sharded.picked_rows import (
    FirstRows,
    WorstRows,
    first_rows,
    gathered,
    worst_rows,
)

_FIRST = 4000
_WORST = 2000
_MOST = 20_000
"""How many samples all shards together send: at first, and in a round, the more the wider they are."""


class Shards(Protocol):
    """Whoever asks the shards: each method is one pass over all samples, all shards at once."""

    def __len__(self) -> int:
        """Return how many shards there are."""

    def first(self, asked: Asked, n_rows: int) -> Sequence[FirstRows]:
        """Return `first_rows` of each shard."""

    def worst(
        self, asked: Asked, claims: Sequence[Claim], n_rows: int
    ) -> Sequence[Sequence[WorstRows]]:
        """Return `worst_rows` of each shard: for each claim, in their order."""


class LocalShards:
    """Shards that are read here, one after another: each is called for its chunks, once a pass."""

    def __init__(self, shards: Sequence[Callable[[], Iterable[Chunk]]]) -> None:
        self._shards = shards

    def __len__(self) -> int:
        return len(self._shards)

    def first(self, asked: Asked, n_rows: int) -> list[FirstRows]:
        """Return `first_rows` of each shard."""
        return [first_rows(asked, chunks(), n_rows) for chunks in self._shards]

    def worst(self, asked: Asked, claims: Sequence[Claim], n_rows: int) -> list[list[WorstRows]]:
        """Return `worst_rows` of each shard: for each claim, in their order."""
        return [worst_rows(asked, claims, chunks(), n_rows) for chunks in self._shards]


def separate_sharded(
    shards: Shards,
    classes: Labels,
    digest: Callable[[], Digest],
    *,
    fit_intercept: bool = True,
    margin: str = "augmented",
    tolerance: float = 1e-6,
    exact: bool = False,
    time_limit: float | None = None,
    unit_length: bool = False,
) -> Separation | Separations:
    """Decide about the samples of shards as `separate` does, whose options these are.

    The verdict is that of `separate` on all samples, and so is the square of the margin if it is wanted
    exactly. Rows have their numbers among all samples. Where all samples are few enough to be sent at
    first (some thousand), the whole result is that of one machine; else the interval is as narrow, but
    its ends may be proved by other weights and rows, and of samples that contradict each other only
    those are named that were come upon.

    Parameters
    ----------
    shards : Shards
        Who asks them. A pass over all samples is made at first, and one in each round, for all classes
        together.
    classes : array
        All labels, sorted; each has a sample.
    digest : callable
        Returns the digest of all samples, in their order; called once, and not if nothing is proved.

    Returns
    -------
    Separation, or Separations for more than two classes.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array(["no", "no", "yes", "yes"])
    >>> codes, numbers = np.array([0, 0, 1, 1]), np.arange(4)
    >>> halves = [lambda k=k: [Chunk(X[k::2], codes[k::2], numbers[k::2])] for k in range(2)]
    >>> s = separate_sharded(LocalShards(halves), np.array(["no", "yes"]), lambda: Digest.of(X, y))
    >>> print(s)
    SEPARABLE: a hyperplane has every sample strictly on its own side
    >>> s.certificate.verify(X, y)
    True
    >>> s.support
    array([1, 2])
    """
    limit = checked_limit(
        fit_intercept=fit_intercept,
        margin=margin,
        tolerance=tolerance,
        exact=exact,
        time_limit=time_limit,
        unit_length=unit_length,
    )
    if fit_intercept:
        check_classes(classes)
    deadline = working_time() + limit
    asked = Asked(classes, 1.0 if fit_intercept else 0.0, margin, unit_length)
    working, n_samples = _first(shards, asked)
    last = len(classes) - 1
    positives = [last] if last < 2 else [*range(len(classes)), None]
    wanted = Wanted(tolerance, exact)
    inquiries = [Inquiry(asked, one, wanted, working, n_samples) for one in positives]
    n_rows = min(max(_WORST, 2 * (working.X.shape[1] + 1)), _MOST)
    _run(shards, asked, inquiries, -(-n_rows // len(shards)), deadline)
    found = [inquiry.result() for inquiry in inquiries]
    if any(one.certificate is not None for one in found):
        known = digest()
        found = [completed(one, known) for one in found]
    if len(found) == 1:
        return found[0]
    return Separations(classes, dict(zip(classes.tolist(), found[:-1], strict=True)), found[-1])


def _first(shards: Shards, asked: Asked) -> tuple[Chunk, int]:
    """Return the samples to begin with, and how many there are in all."""
    first = shards.first(asked, -(-_FIRST // len(shards)))
    rows = [one.rows for one in first if one.rows is not None]
    if not rows:
        raise InputError("the shards have no samples: give files with at least one")
    working = gathered(rows)
    missing = np.setdiff1d(np.arange(len(asked.classes)), working.codes)
    if len(missing):
        label = asked.classes.tolist()[missing[0]]
        raise InputError(
            f"classes has {label!r}, which no sample has: name the labels in the files"
        )
    return working, sum(one.n_samples for one in first)


def _run(
    shards: Shards, asked: Asked, inquiries: Sequence[Inquiry], n_rows: int, deadline: float
) -> None:
    """Go on in rounds, each of them one pass for all inquiries that are open, until none is."""
    while True:
        is_open = [inquiry for inquiry in inquiries if not inquiry.is_over]
        tried: list[tuple[Inquiry, Claim]] = []
        for k, inquiry in enumerate(is_open):
            # Time is shared out fairly: a question that is hard leaves the others theirs.
            left = max(0.0, deadline - working_time())
            claim = inquiry.decide(left / (len(is_open) - k))
            if claim is not None:
                tried.append((inquiry, claim))
        if not tried:
            return
        answers = shards.worst(asked, [claim for _, claim in tried], n_rows)
        for k, (inquiry, _) in enumerate(tried):
            inquiry.take([shard[k] for shard in answers])
            if working_time() >= deadline:
                inquiry.stop()
