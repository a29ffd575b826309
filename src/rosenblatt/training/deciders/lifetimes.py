"""How long each weight vector survived in an epoch, computed from the visits of the mistakes.

Weights survive from the mistake that made them to the next one. Only visits to samples that the
halfspace sees are counted.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rosenblatt.core.types import Counts, Floats, Signs
from rosenblatt.training.blocks import Blocks
from rosenblatt.training.panel import Panel


class HalfspaceTrace(NamedTuple):
    """One epoch of halfspace ``k``.

    ``weights`` are those at the beginning; ``samples`` those of its mistakes, in sequence; ``before`` is
    the number of visits in the epoch before each mistake, and ``total`` that of all visits. ``signs``
    and ``steps`` have, for every sample, its side and how far a mistake on it moves the weights.
    """

    k: int
    weights: Floats
    samples: Counts
    before: Counts
    total: int
    signs: Signs
    steps: Floats

    def runs(self, run: int) -> Counts:
        """Return the numbers of consecutive correct visits before, between and after the mistakes.

        ``run`` is the number of correct visits just before the epoch.
        """
        begins = np.append(-run, self.before + 1)
        runs: Counts = np.append(self.before, self.total) - begins
        return runs


class EpochTrace(NamedTuple):
    """One epoch of a panel that keeps a trail; ``weights`` and ``visits`` are from before it.

    ``learning`` has the numbers of the halfspaces that are still learning.
    """

    panel: Panel
    order: Counts
    weights: Floats
    visits: Counts
    learning: list[int]

    def halfspaces(self) -> Iterator[HalfspaceTrace]:
        """Yield the epoch of each halfspace that is learning."""
        panel, problem = self.panel, self.panel.problem
        assert panel.trail is not None
        for k in self.learning:
            signs, visits = np.ascontiguousarray(problem.signs[:, k]), panel.trail[k]
            seen = signs[self.order] != 0
            rank = np.cumsum(seen)
            yield HalfspaceTrace(
                k=k,
                weights=self.weights[k],
                samples=self.order[visits],
                before=rank[visits] - 1,
                total=int(rank[-1]),
                signs=signs,
                steps=np.ascontiguousarray(problem.steps_of(k)),
            )


def visit(panel: Panel, blocks: Blocks, order: Counts) -> EpochTrace:
    """Run one epoch of a panel, write the weights back, and return what happened."""
    learning = np.flatnonzero(~panel.finished).tolist()
    trace = EpochTrace(panel, order, panel.weights.copy(), panel.visits.copy(), learning)
    blocks.visit(order)
    blocks.write_back()
    return trace
