"""Halfspaces that learn from chunk after chunk, in arrays that they keep.

On request they count the samples that were predicted wrongly *before* learning from them. While two
classes are known, these are the mistakes of their halfspace, so a tie counts as one for the perceptron;
with more classes, these are the samples whose own class did not have the highest score. A class cannot
be predicted before its first sample, which therefore counts as wrong. The last weights predict, even if
an average, a pocket or a vote is kept.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rosenblatt.core.classes import Classes
from rosenblatt.core.labels import class_indices, distinct
from rosenblatt.core.types import Counts, Flags, Floats, Labels
from rosenblatt.estimators.common.learned import Learned
from rosenblatt.estimators.streaming.chunk import Chunk
from rosenblatt.kernels.epochs.panel_types import MISSED, new_tallies
from rosenblatt.training.blocks import Blocks
from rosenblatt.training.deciders.average import Average
from rosenblatt.training.deciders.lifetimes import visit
from rosenblatt.training.deciders.pocket import Pockets
from rosenblatt.training.deciders.vote_record import Votes
from rosenblatt.training.panel import Panel
from rosenblatt.training.problem import Problem

if TYPE_CHECKING:
    from rosenblatt.estimators.streaming.online import OnlineClassifier
    from rosenblatt.estimators.streaming.perceptron_stream import PerceptronStream


class StreamRun(Protocol):
    """Learning that continues from chunk to chunk."""

    def visit(self, chunk: Chunk, known: Labels | None) -> int:
        """Visit each sample of a chunk once; every class must have a halfspace already.

        Return the number of wrong predictions, or 0 if ``known`` is None. Only the ``known`` classes and
        those that appeared earlier in the chunk can be predicted. Either at most two classes are known
        after the chunk, or at least two were known before it.
        """

    def learned(self) -> Learned:
        """Return the state learned so far, in copied arrays."""


class PanelRun:
    """A perceptron's panel; ``finished`` halfspaces do not learn any more.

    ``tally`` sums the tallies of the chunks: see ``panel_types``.
    """

    def __init__(
        self, learner: "PerceptronStream", start: Learned, finished: Flags | None = None
    ) -> None:
        self._learner = learner
        self._start = start
        self._finished = finished
        self.tally = new_tallies(1, len(start.weights))[0]
        self._kept = start.kept
        self._panel: Panel | None = None
        self._blocks: Blocks | None = None

    def visit(self, chunk: Chunk, known: Labels | None = None, order: Counts | None = None) -> int:
        """Visit each sample of a chunk once, in the order given: see `StreamRun`."""
        classes = self._start.classes
        problem = self._learner._problem(
            chunk.rows, chunk.y, chunk.sample_weight, classes, self._start.margin
        )
        many = len(classes) > 2 and not classes.multilabel and problem.own is None
        compares = known is not None and many and not _are_few(chunk.y, known)
        if compares and known is not None:
            problem.since = _first_visits(chunk.y, classes.labels, known)
        if self._panel is None or self._blocks is None:
            self._panel = self._new_panel(problem)
            together = many or (classes.multilabel and problem.required > 0.0)
            n_threads = 1 if together else self._learner._n_threads
            self._blocks = Blocks(self._panel, n_threads, together=together)
        else:
            self._blocks.continue_with(problem)
        panel = self._panel
        before, order = panel.mistakes.copy(), np.arange(len(chunk.y)) if order is None else order
        if isinstance(self._kept, Pockets | Votes):
            self._kept = self._kept.after(visit(panel, self._blocks, order))
        else:
            self._blocks.visit(order)
        self.tally += panel.tally
        if known is None:
            return 0
        if classes.multilabel:
            if problem.required > 0.0:
                return int(panel.tally[MISSED, 0])
            return int(np.count_nonzero(panel.counts.any(axis=0)))
        if compares:
            new = problem.since[(problem.since >= 0) & (problem.since < len(chunk.y))]
            right = ~panel.counts[:, new].any(axis=0)  # the comparison skipped them
            return int(panel.tally[MISSED, 0]) + int(np.count_nonzero(right))
        made = panel.mistakes - before
        if problem.own is not None:
            return int(made.sum())
        return int(made[_deciding(classes, chunk.y, known)].sum())

    def _new_panel(self, problem: Problem) -> Panel:
        start, kept = self._start, self._kept
        panel = Panel(
            problem,
            start.weights.copy(),
            drift=kept.drift.copy() if isinstance(kept, Average) else None,
            visits=start.visits.copy(),
            trace=isinstance(kept, Pockets | Votes),
        )
        if self._finished is not None:
            panel.clean[:] = self._finished
        return panel

    def panel(self) -> Panel | None:
        """Return the panel with the current weights, or None before the first chunk."""
        if self._blocks is not None:
            self._blocks.write_back()
        return self._panel

    def learned(self) -> Learned:
        """Return the state learned so far, in copied arrays."""
        panel, start = self.panel(), self._start
        if panel is None:
            return start
        return replace(
            start,
            weights=panel.weights.copy(),
            visits=panel.visits.copy(),
            updates=start.updates + panel.updates,
            mistakes=start.mistakes + panel.mistakes,
            kept=self._kept if panel.drift is None else Average(panel.drift.copy()),
        )


class ArraysRun:
    """Arrays that a rule changes in place, sample by sample."""

    def __init__(
        self, learner: "OnlineClassifier", start: Learned, finished: Flags | None = None
    ) -> None:
        self._learner = learner
        self._start = start
        self._finished = np.zeros(len(start.weights), bool) if finished is None else finished
        self._arrays = learner._arrays(start)

    def visit(self, chunk: Chunk, known: Labels | None = None) -> int:
        """Visit each sample of a chunk once: see `StreamRun`."""
        start = self._start
        problem = self._learner._problem(chunk.rows, chunk.y, chunk.sample_weight, start.classes)
        rule = self._learner._rule(start, problem, self._arrays)
        rule.learning &= ~self._finished
        if known is not None:
            rule.scores = np.zeros(problem.signs.shape)
        rule.visit(np.arange(len(chunk.y)))
        return 0 if known is None else _n_wrong(start.classes, problem, rule.scores, chunk.y, known)

    def learned(self) -> Learned:
        """Return the state learned so far, in copied arrays."""
        return self._learner._with_arrays(self._start, self._arrays.copied())


def _first_visits(y: Labels, labels: Labels, known: Labels) -> Counts:
    """Return the visit at which each class first appears, -1 for known ones."""
    since = np.full(len(labels), -1, dtype=np.int64)
    for k in np.flatnonzero(~np.isin(labels, known)).tolist():
        found = y == labels[k]
        since[k] = int(np.argmax(found)) if found.any() else len(y)
    return since


def _are_few(y: Labels, known: Labels) -> bool:
    """Return whether at most two classes are known after these samples."""
    return len(known) < 3 and len(_all_known(y, known)) < 3


def _all_known(y: Labels, known: Labels) -> Labels:
    return np.union1d(known, distinct(y)) if len(known) else distinct(y)


def _deciding(classes: Classes, y: Labels, known: Labels) -> Any:
    """Return the halfspace that decides between two classes, or that of a single class."""
    if len(classes) < 3:
        return classes.used
    return np.searchsorted(classes.labels, _all_known(y, known)[-1:])


def _n_wrong(classes: Classes, problem: Problem, scores: Floats, y: Labels, known: Labels) -> int:
    """Count the wrong predictions, from the scores before learning from each sample."""
    labels, used = classes.labels, scores[:, classes.used]
    one_decides = len(classes) > 2 and problem.own is None and _are_few(y, known)
    if len(classes) == 2 or one_decides:
        # one halfspace decides, the greater class's; a tie is positive
        positive = scores[:, _deciding(classes, y, known)][:, 0]
        labels = classes.labels if len(classes) == 2 else _all_known(y, known)
        used = np.column_stack([-positive, np.where(positive == 0.0, np.inf, positive)])
        used = used[:, -len(labels) :]
    is_known = _first_visits(y, labels, known) < np.arange(len(y))[:, None]
    own = class_indices(y, labels)
    wrong = np.where(is_known, used, -np.inf).argmax(axis=1) != own
    wrong |= ~is_known[np.arange(len(y)), own]
    return int(np.count_nonzero(wrong & (problem.steps > 0.0)))
