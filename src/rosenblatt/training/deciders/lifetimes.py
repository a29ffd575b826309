"""How long the weights lived: what the mistakes of an epoch say about the visits between them.

Weights live from the mistake that made them to the one that ends them. Only visits that the halfspace
sees are counted.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rosenblatt.core.types import Counts, Floats, Signs
from rosenblatt.training.blocks import Blocks
from rosenblatt.training.panel import Panel


class Life(NamedTuple):
    """What one halfspace, number ``k``, did in an epoch.

    ``weights`` are those at the beginning; ``samples`` those of its mistakes, in sequence; ``before``
    says how many visits the epoch had before each of them, and ``total`` how many in all. ``signs`` and
    ``steps`` say, for all samples, which side they belong to and how far a mistake on them moves the
    weights.
    """

    k: int
    weights: Floats
    samples: Counts
    before: Counts
    total: int
    signs: Signs
    steps: Floats

    def runs(self, run: int) -> Counts:
        """Return the numbers of right answers before, between and after the mistakes.

        ``run`` is how many there were just before the epoch.
        """
        begins = np.append(-run, self.before + 1)
        runs: Counts = np.append(self.before, self.total) - begins
        return runs


class EpochTrace(NamedTuple):
    """One epoch of a panel that keeps a trail: ``weights`` are those at its beginning.

    ``learning`` says which halfspaces it visits, ``visits`` how many visits they had before.
    """

    panel: Panel
    order: Counts
    weights: Floats
    visits: Counts
    learning: list[int]

    def lives(self) -> Iterator[Life]:
        """Yield what each halfspace that is learning did."""
        panel, problem = self.panel, self.panel.problem
        assert panel.trail is not None
        for k in self.learning:
            signs, visits = np.ascontiguousarray(problem.signs[:, k]), panel.trail[k]
            seen = signs[self.order] != 0
            rank = np.cumsum(seen)
            yield Life(
                k=k,
                weights=self.weights[k],
                samples=self.order[visits],
                before=rank[visits] - 1,
                total=int(rank[-1]),
                signs=signs,
                steps=np.ascontiguousarray(problem.steps_of(k)),
            )


def visit(panel: Panel, blocks: Blocks, order: Counts) -> EpochTrace:
    """Let a panel visit the samples in order, once, and write back; return what happened."""
    learning = np.flatnonzero(~panel.finished).tolist()
    trace = EpochTrace(panel, order, panel.weights.copy(), panel.visits.copy(), learning)
    blocks.visit(order)
    blocks.write_back()
    return trace
