"""A search for the maximum margin: the best interval so far, its proofs, and when to stop."""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from rosenblatt.core.compiling import working_time
from rosenblatt.core.types import Counts, Floats
from rosenblatt.separability.signed_samples import Vectors
from rosenblatt.training.margins import Interval

# A margin below this fraction of the vectors' lengths may be nothing but rounding.
_TINY = 1e-11
_NEARLY_ZERO = 1e-6


class Round(NamedTuple):
    """One step of a search: the method, the number of vectors, and the interval proved so far."""

    method: str
    vectors: int
    lower: float
    upper: float
    seconds: float


@dataclass
class Search:
    """The vectors, the tolerance for their margin, and the best proofs found so far.

    ``weights`` prove the lower end, ``order`` and ``shares`` (with the same sum in each group) the
    upper.
    """

    vectors: Vectors
    tolerance: float
    deadline: float
    lower: float = 0.0
    upper: float = math.inf
    weights: Floats | None = None
    order: Counts = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    shares: Floats = field(default_factory=lambda: np.zeros(0))
    history: list[Round] = field(default_factory=list)
    started: float = field(default_factory=working_time)

    @property
    def interval(self) -> Interval:
        """The interval proved so far."""
        return Interval(self.lower, self.upper)

    @property
    def is_closed(self) -> bool:
        """Whether the interval is as narrow as requested."""
        return self.lower > 0.0 and self.upper - self.lower <= self.tolerance * self.upper

    @property
    def is_over(self) -> bool:
        """Whether to stop: the interval is closed, or time is up."""
        return self.is_closed or working_time() >= self.deadline

    @property
    def is_tiny(self) -> bool:
        """Whether the margin is so small, if the vectors are separable, that floats may not find it."""
        return self.upper <= _TINY * self._length

    @property
    def is_nearly_zero(self) -> bool:
        """Whether the combination found is probably zero except for rounding."""
        return self.lower <= 0.0 and self.upper <= _NEARLY_ZERO * self._length

    @property
    def _length(self) -> float:
        """The mean length of the vectors that prove the upper end."""
        return float(self.vectors.lengths[self.order].mean()) if len(self.order) else 0.0

    def offer_weights(self, weights: Floats, margins: Floats, bands: Floats | None = None) -> None:
        """Raise the lower end if these weights prove more."""
        lower = self.vectors.lower(weights, margins, bands)
        if lower > self.lower:
            self.lower, self.weights = lower, weights.copy()

    def offer_shares(self, order: Counts, shares: Floats) -> None:
        """Lower the upper end if these shares prove more; they are scaled to equal sums per group."""
        used = shares > 0.0
        order, scaled = order[used], self._scaled(order[used], shares[used])
        upper = self.distance(order, scaled)
        if upper < self.upper:
            self.upper, self.order, self.shares = upper, order, scaled

    def distance(self, order: Counts, shares: Floats) -> float:
        """Return the upper bound that the scaled shares prove: infinity if a group has no shares."""
        if len(np.unique(self.vectors.groups[order[shares > 0.0]])) < self.vectors.n_groups:
            return math.inf
        return self.vectors.upper(order, self._scaled(order, shares))

    def _scaled(self, order: Counts, shares: Floats) -> Floats:
        """Return the shares scaled to the same sum in each group, and to 1 in total."""
        groups = self.vectors.groups[order]
        sums = np.bincount(groups, weights=shares, minlength=self.vectors.n_groups)
        scaled: Floats = shares / (np.where(sums > 0.0, sums, 1.0)[groups] * self.vectors.n_groups)
        return scaled

    def record(self, method: str, vectors: int) -> None:
        """Add a round to the history."""
        seconds = working_time() - self.started
        self.history.append(Round(method, vectors, self.lower, self.upper, seconds))
