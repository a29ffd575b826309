"""Which of all weights that a run passes through decide, and what keeps them while a panel learns.

They are the last ones, their average (``average``), those in a pocket (``pocket``), or all of them, by a
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
"""What decides; None stands for the last weights."""

_KINDS: dict[type[Decider], str] = {Average: "average", Pockets: "pocket", Votes: "vote"}

KEEPS = ("last", *_KINDS.values())
TRACED = ("pocket", "vote")
"""The choices of ``keep``, and those that need to know when each mistake was made."""


def new_decider(keep: str, start: Floats, constant: float) -> Decider | None:
    """Return what decides before the first visit."""
    if keep == "average":
        return Average(np.zeros_like(start))
    if keep == "pocket":
        return Pockets.new(start)
    return Votes.new(start, constant) if keep == "vote" else None


def keep_of(decider: object) -> str:
    """Return the name of what decides."""
    return next((name for kind, name in _KINDS.items() if isinstance(decider, kind)), "last")


class KeepingBlocks:
    """Takes a panel over the samples and keeps, beside the last weights, what decides."""

    def __init__(self, keep: str, panel: Panel, n_jobs: int) -> None:
        self._panel = panel
        self._blocks = Blocks(panel, n_jobs)
        self._keeping = PocketTrials(panel) if keep == "pocket" else VoteRecorder(panel)

    def visit(self, order: Counts, _most: int = 1, /) -> int:
        """Let the halfspaces that are still learning visit the samples in order, once."""
        self._keeping.note(visit(self._panel, self._blocks, order))
        return 1

    def mark(self) -> None:
        """Remember the weights as they are now, so that a return to them is noticed."""
        self._blocks.mark()

    def write_back(self) -> None:
        """Write what was learned back to the panel."""
        self._blocks.write_back()

    def kept(self) -> Pockets | Votes:
        """Return what decides, as of now."""
        return self._keeping.kept()
