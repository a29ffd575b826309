"""What decides beside the last weights, and who keeps it while a panel learns.

``keep`` says which of all weights that a run passes through decide: the last ones, their average (see
``panel``), the ones in the pocket (``pocket``), or all of them, by a vote (``vote``).
"""

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Floats
from rosenblatt.training.blocks import Blocks
from rosenblatt.training.deciders.lifetimes import visit
from rosenblatt.training.deciders.pocket import Pockets, Ratchet
from rosenblatt.training.deciders.vote import Recorder, Votes
from rosenblatt.training.panel import Panel, Problem

Kept = Pockets | Votes
"""What is kept beside the last weights; None where they, or their average, decide."""

_KINDS: dict[str, type[Kept]] = {"pocket": Pockets, "vote": Votes}
_NOTES: dict[str, type[Ratchet | Recorder]] = {"pocket": Ratchet, "vote": Recorder}

KEEPS = ("last", "average", *_KINDS)
TRACED = tuple(_KINDS)
"""The choices of ``keep``, and those that need to know when each mistake was made."""


def new_kept(keep: str, start: Floats, constant: float) -> Kept | None:
    """Return what is kept before the first visit of a stream."""
    if keep == "pocket":
        return Pockets.new(start)
    return Votes.new(start, constant) if keep == "vote" else None


def keep_of(kept: Kept | None, drift: Floats | None) -> str:
    """Return the name of what decides."""
    if kept is None:
        return "last" if drift is None else "average"
    return next(keep for keep, kind in _KINDS.items() if isinstance(kept, kind))


def check_keep(keep: str, multiclass: str) -> None:
    """Raise if what is to be kept cannot be, where classes learn jointly."""
    if keep in TRACED and multiclass == "joint":
        raise InputError(
            f"keep={keep!r} and multiclass='joint' do not go together: what is kept belongs to one "
            "halfspace, whose mistakes are its own; use multiclass='one-vs-rest', or keep='average'"
        )


class Keeper:
    """A teacher of a panel that keeps, beside the last weights, what decides."""

    def __init__(self, keep: str, problem: Problem, panel: Panel, n_jobs: int) -> None:
        self._problem = problem
        self._panel = panel
        self._teacher = Blocks(problem, panel, n_jobs)
        self._notes = _NOTES[keep](problem, panel)

    def visit(self, order: Counts, _most: int = 1, /) -> int:
        """Let the halfspaces that are still learning visit the samples in order, once."""
        self._notes.note(visit(self._problem, self._panel, self._teacher, order))
        return 1

    def settle(self) -> None:
        """Write what was learned back to the panel."""
        self._teacher.settle()

    def kept(self) -> Kept:
        """Return what decides, as of now."""
        return self._notes.kept()
