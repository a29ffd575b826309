"""The pocket: of the weights that a run passes through, the best of those that were tried.

On samples that nothing separates the last weights are as good as chance has them. So good ones are put
aside, in the pocket, for each halfspace on its own:

- **with the ratchet**, where all samples are at hand (`PocketTrials`): weights that have been right for
  longer without a break than those in the pocket are tried on all samples, and replace these if they are
  mistaken on fewer (on less weight, if samples have weights). So are, whatever their run, the last
  weights of each epoch; so the pocket's mistakes never grow, and are never more than theirs. Weights
  that are never tried may be mistaken on fewer: of 400 runs of 1 to 50 epochs on 20 to 60 samples with
  noise, some had been in 143, by 5 % of the samples on average.
- **without it**, in a stream (`Pockets.after`): the weights with the longest run of right answers, the
  first of equals.

The better weights are, the longer are their runs. So if visits are drawn at random from samples that are
rational numbers, and there are enough of them, the pocket has the fewest mistakes possible, with a
probability as near to 1 as one likes: S. Gallant, Perceptron-based learning algorithms (1990).

Whether a sample is mistaken is decided by the exact sign of its score, as ever. A trial reads all
samples, or until the pocket's mistakes are reached. How many trials there are depends on the data:
weights that fail do not make the next trial any harder to come by.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from rosenblatt.core.types import Counts, Floats
from rosenblatt.kernels.epochs.pocket_trials import (
    Pocket,
    PocketSamples,
    mass_of_mistakes,
    try_runs,
)
from rosenblatt.kernels.epochs.replay import replay
from rosenblatt.training.deciders.lifetimes import EpochTrace
from rosenblatt.training.panel import Panel


@dataclass(frozen=True)
class Pockets:
    """The pocket of each halfspace.

    ``weights`` are those in the pockets, ``longest`` the longest run of right answers that weights in
    the pocket had; ``runs`` are those of the last weights so far. ``mistakes``, with the ratchet, is
    what the pocket is mistaken on, each sample with its weight; without it None.

    >>> Pockets.new(np.zeros((1, 2))).longest
    array([0])
    """

    weights: Floats
    longest: Counts
    runs: Counts
    mistakes: Floats | None = None

    @staticmethod
    def new(start: Floats) -> "Pockets":
        """Return pockets with the weights before the first visit."""
        nothing = np.zeros(len(start), dtype=np.int64)
        return Pockets(start.copy(), nothing, nothing)

    def after(self, trace: EpochTrace) -> "Pockets":
        """Return the pockets after an epoch, without the ratchet."""
        weights, longest, runs = self.weights.copy(), self.longest.copy(), self.runs.copy()
        for life in trace.lives():
            k, lengths = life.k, life.runs(int(runs[life.k]))
            best = int(lengths.argmax())
            if lengths[best] > longest[k]:
                longest[k] = lengths[best]
                weights[k] = life.weights
                sequence = life.samples[:best]
                replay(trace.panel.problem.rows, life.signs, life.steps, sequence, weights[k])
            runs[k] = lengths[-1]
        return Pockets(weights, longest, runs)

    def deciding(self, _weights: Floats, _visits: Counts) -> Floats:
        """Return the weights that decide."""
        return self.weights

    def chosen(self, rows: Counts) -> "Pockets":
        """Return the pockets of the halfspaces in the given order."""
        return Pockets(self.weights[rows], self.longest[rows], self.runs[rows])

    def opened(self, origin: Floats, *, n_classes: int) -> "Pockets":
        """Return the pockets of a stream that was closed, made ready for new classes."""
        weights, longest, runs = self.weights, self.longest, self.runs
        if n_classes == 2:
            weights = np.vstack([-weights, weights]) + 0.0
            longest, runs = np.tile([longest, runs], 2)
        return Pockets(np.vstack([weights, origin]), np.append(longest, 0), np.append(runs, 0))

    def rescaled(self, factor: float) -> "Pockets":
        """Return the pockets with their weights in another unit; they may be of a stream now."""
        return replace(self, weights=self.weights * factor + 0.0, mistakes=None)

    def check(self, weights: Floats) -> None:
        """Raise ValueError unless the pockets belong to such weights."""
        counts = (self.longest, self.runs)
        fits = (
            self.weights.shape == weights.shape
            and self.weights.dtype == np.float64
            and bool(np.isfinite(self.weights).all())
            and all(n.shape == (len(weights),) and n.dtype == np.int64 for n in counts)
            and (self.mistakes is None or self.mistakes.shape == (len(weights),))
            and (self.mistakes is None or self.mistakes.dtype == np.float64)
        )
        if not fits:
            raise ValueError("the pockets do not fit the weights")


class PocketTrials:
    """Tries weights for the pockets of a panel, all of whose samples are at hand.

    >>> from rosenblatt.kernels.rows import as_rows
    >>> from rosenblatt.training.problem import Problem
    >>> one, signs = np.ones(3), np.array([[1], [-1], [1]], dtype=np.int8)
    >>> problem = Problem(as_rows([[1.0], [2.0], [3.0]], 1.0), signs, one, np.ones((1, 2)))
    >>> PocketTrials(Panel(problem, np.zeros((1, 2)), trace=True)).kept().mistakes
    array([3.])
    """

    def __init__(self, panel: Panel) -> None:
        self._panel = panel
        fewest = [self._mass(k, panel.weights[k], math.inf) for k in range(len(panel))]
        self._pockets = replace(Pockets.new(panel.weights), mistakes=np.array(fewest))

    def note(self, trace: EpochTrace) -> None:
        """Try what an epoch passed through."""
        pockets = self._pockets
        assert pockets.mistakes is not None
        weights, longest = pockets.weights.copy(), pockets.longest.copy()
        runs, mistakes = pockets.runs.copy(), pockets.mistakes.copy()
        for life in trace.lives():
            k, lengths = life.k, life.runs(int(runs[life.k]))
            longer = np.flatnonzero(lengths > longest[k])
            if len(longer):
                best = Pocket(weights[k], longest[k : k + 1], mistakes[k : k + 1])
                sequence, start = life.samples[: longer[-1]], life.weights.copy()
                try_runs(self._samples(k), life.steps, sequence, lengths, start, best)
            runs[k] = lengths[-1]
            mass = self._mass(k, self._panel.weights[k], mistakes[k])
            if mass < mistakes[k]:
                weights[k], mistakes[k] = self._panel.weights[k], mass
        self._pockets = Pockets(weights, longest, runs, mistakes)

    def kept(self) -> Pockets:
        """Return the pockets."""
        return self._pockets

    def _mass(self, k: int, weights: Floats, limit: float) -> float:
        """Return what these weights are mistaken on as halfspace k, or at least the limit."""
        return float(mass_of_mistakes(self._samples(k), weights, limit))

    def _samples(self, k: int) -> PocketSamples:
        """Return what says how much weights are mistaken on as halfspace k."""
        problem = self._panel.problem
        signs = np.ascontiguousarray(problem.signs[:, k])
        steps = np.ascontiguousarray(problem.steps_of(k))
        return PocketSamples(problem.rows, signs, steps, problem.tie)
