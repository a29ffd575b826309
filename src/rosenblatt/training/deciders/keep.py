"""The choices of ``keep``: which of a run's weights make the predictions.

They are the last ones, their average (``average``), those in a pocket (``pocket``), or all of them, by
vote (``vote_record``).
"""

import numpy as np

from rosenblatt.core.types import Counts, Floats
from rosenblatt.training.blocks import Blocks
from rosenblatt.training.deciders.average import Average
from rosenblatt.training.deciders.lifetimes import visit
from rosenblatt.training.deciders.pocket import Pockets, PocketTrials
from rosenblatt.training.deciders.vote_record import VoteRecorder, Votes
from rosenblatt.training.panel import Panel

Decider = Average | Pockets | Votes
"""Makes the predictions; None stands for the last weights."""

_KINDS: dict[type[Decider], str] = {Average: "average", Pockets: "pocket", Votes: "vote"}

KEEPS = ("auto", "last", *_KINDS.values())
AVERAGED = ("auto", "average")
TRACED = ("pocket", "vote")
"""The choices of ``keep``, those that keep an average, and those that need the visit of each update."""


def new_decider(keep: str, start: Floats, constant: float) -> Decider | None:
    """Return the decider for a choice of ``keep``, before the first visit."""
    if keep in AVERAGED:
        return Average(np.zeros_like(start))
    if keep == "pocket":
        return Pockets.new(start)
    return Votes.new(start, constant) if keep == "vote" else None


def keep_of(decider: object) -> str:
    """Return the choice of ``keep`` for a decider."""
    return next((name for kind, name in _KINDS.items() if isinstance(decider, kind)), "last")


class KeepingBlocks:
    """Passes of a panel over the samples that also update the pockets or the votes."""

    def __init__(self, keep: str, panel: Panel, n_jobs: int) -> None:
        self._panel = panel
        self._blocks = Blocks(panel, n_jobs)
        self._keeping = PocketTrials(panel) if keep == "pocket" else VoteRecorder(panel)

    def visit(self, order: Counts, _max_epochs: int = 1, /) -> int:
        """Run one epoch in this order of visits."""
        self._keeping.add_epoch(visit(self._panel, self._blocks, order))
        return 1

    def mark(self) -> None:
        """Save the current weights, to detect a return to them."""
        self._blocks.mark()

    def write_back(self) -> None:
        """Copy all weights back to the panel."""
        self._blocks.write_back()

    def kept(self) -> Pockets | Votes:
        """Return the pockets or votes so far."""
        return self._keeping.kept()
