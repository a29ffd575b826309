"""Halfspaces that go on learning from one chunk after another, in memory that stays theirs.

Each of them counts, if asked to, the samples that were put in a wrong class *before* they were learned
from. While two classes are known, these are the mistakes of their halfspace, so that the perceptron's
tie is one; with more classes, the samples whose own class did not have the highest score. A class is not
predicted before its first sample, which is therefore a mistake. It is the last weights that predict,
whatever is kept beside them.
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
    """What goes on learning."""

    def visit(self, chunk: Chunk, known: Labels | None) -> int:
        """Visit each sample of a chunk once, all of whose classes have a halfspace.

        Returned is how many were put in a wrong class, where only the ``known`` classes, and those that
        have turned up within the chunk, can be predicted; 0 if these are None: nobody asks. With the
        chunk, at most two classes are known, or at least two were known before it.
        """

    def learned(self) -> Learned:
        """Return what has been learned so far, in arrays that do not change."""


class PanelRun:
    """A panel of the perceptron's; halfspaces that are ``finished`` do not learn any more.

    ``tally`` adds up what the chunks did: see ``panel_types``.
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
        problem = self._learner._problem(chunk.rows, chunk.y, chunk.sample_weight, classes)
        many = len(classes) > 2 and not classes.multilabel and problem.own is None
        compares = known is not None and many and not _are_few(chunk.y, known)
        if compares and known is not None:
            problem.since = _first_visits(chunk.y, classes.labels, known)
        if self._panel is None or self._blocks is None:
            self._panel = self._new_panel(problem)
            n_threads = 1 if many else self._learner._n_threads
            self._blocks = Blocks(self._panel, n_threads, together=many)
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
            return int(np.count_nonzero(panel.counts.any(axis=0)))
        if compares:
            new = problem.since[(problem.since >= 0) & (problem.since < len(chunk.y))]
            right = ~panel.counts[:, new].any(axis=0)  # whom the comparison has not looked at
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
        """Return the panel, with what has been learned so far, or None before the first chunk."""
        if self._blocks is not None:
            self._blocks.write_back()
        return self._panel

    def learned(self) -> Learned:
        """Return what has been learned so far, in arrays that do not change."""
        panel, start = self.panel(), self._start
        if panel is None:
            return start
        return replace(
            start,
            weights=panel.weights.copy(),
            visits=panel.visits.copy(),
            mistakes=start.mistakes + panel.mistakes,
            kept=self._kept if panel.drift is None else Average(panel.drift.copy()),
        )


class ArraysRun:
    """Arrays that a rule of one sample after the other changes in place."""

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
        """Return what has been learned so far, in arrays that do not change."""
        return self._learner._with_arrays(self._start, self._arrays.copied())


def _first_visits(y: Labels, labels: Labels, known: Labels) -> Counts:
    """Return the visit at which each class turns up, -1 for those that were known before."""
    since = np.full(len(labels), -1, dtype=np.int64)
    for k in np.flatnonzero(~np.isin(labels, known)).tolist():
        found = y == labels[k]
        since[k] = int(np.argmax(found)) if found.any() else len(y)
    return since


def _are_few(y: Labels, known: Labels) -> bool:
    """Say whether at most two classes are known after some samples."""
    return len(known) < 3 and len(_all_known(y, known)) < 3


def _all_known(y: Labels, known: Labels) -> Labels:
    return np.union1d(known, distinct(y)) if len(known) else distinct(y)


def _deciding(classes: Classes, y: Labels, known: Labels) -> Any:
    """Return which halfspace decides between two classes, or is about the only one."""
    if len(classes) < 3:
        return classes.used
    return np.searchsorted(classes.labels, _all_known(y, known)[-1:])


def _n_wrong(classes: Classes, problem: Problem, scores: Floats, y: Labels, known: Labels) -> int:
    """Return how many samples were put in a wrong class, by the scores before each was learned from."""
    labels, used = classes.labels, scores[:, classes.used]
    if len(classes) == 2 or (len(classes) > 2 and _are_few(y, known)):
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
