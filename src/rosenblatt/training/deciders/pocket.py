"""The pocket: the best weights of a run, among those that were tried.

On samples that nothing separates, how good the last weights are is left to chance. So good weights are
saved in a pocket, separately for each halfspace:

- **with the ratchet**, if all samples are in memory (`PocketTrials`): weights with a longer unbroken run
  of correct visits than those in the pocket are tried on all samples, and replace them if they make
  fewer mistakes (of less weight, if samples have weights). The last weights of each epoch are tried,
  too, whatever their run. So the pocket's mistakes never increase, and never exceed those of the last
  weights. Weights that are never tried may be better: of 400 runs of 1 to 50 epochs on 20 to 60 noisy
  samples, 143 passed through better ones, by 5% of the samples on average.
- **without it**, in a stream (`Pockets.after`): the weights with the longest run of correct visits, the
  first in case of a tie.

The better weights are, the longer are their runs. So if visits are drawn at random from samples that are
rational numbers, and there are enough of them, the pocket makes the fewest mistakes possible, with a
probability as close to 1 as desired: S. Gallant, Perceptron-based learning algorithms (1990).

As everywhere, the exact sign of the score decides what a mistake is. A trial reads all samples, or stops
when the pocket's mistakes are reached. How many trials there are depends on the data: weights that fail
do not raise the bar for the next trial.
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

    ``weights`` are those in the pockets, ``longest`` are the longest runs of correct visits of weights
    in the pocket, and ``runs`` are the current runs of the last weights. ``mistakes``, with the ratchet,
    is the total weight of the samples that the pocket misclassifies; without it None.

    >>> Pockets.new(np.zeros((1, 2))).longest
    array([0])
    """

    weights: Floats
    longest: Counts
    runs: Counts
    mistakes: Floats | None = None

    @staticmethod
    def new(start: Floats) -> "Pockets":
        """Return pockets that contain the weights before the first visit."""
        nothing = np.zeros(len(start), dtype=np.int64)
        return Pockets(start.copy(), nothing, nothing)

    def after(self, trace: EpochTrace) -> "Pockets":
        """Return the pockets after an epoch, without the ratchet."""
        weights, longest, runs = self.weights.copy(), self.longest.copy(), self.runs.copy()
        for halfspace in trace.halfspaces():
            k, lengths = halfspace.k, halfspace.runs(int(runs[halfspace.k]))
            best = int(lengths.argmax())
            if lengths[best] > longest[k]:
                longest[k] = lengths[best]
                weights[k] = halfspace.weights
                sequence, rows = halfspace.samples[:best], trace.panel.problem.rows
                replay(rows, halfspace.signs, halfspace.steps, sequence, weights[k])
            runs[k] = lengths[-1]
        return Pockets(weights, longest, runs)

    def deciding(self, _weights: Floats, _visits: Counts) -> Floats:
        """Return the weights in the pockets, which make the predictions."""
        return self.weights

    def chosen(self, rows: Counts) -> "Pockets":
        """Return the pockets of these halfspaces, in this order."""
        return Pockets(self.weights[rows], self.longest[rows], self.runs[rows])

    def opened(self, origin: Floats, *, n_classes: int) -> "Pockets":
        """Return the pockets of a closed stream, prepared for new classes."""
        weights, longest, runs = self.weights, self.longest, self.runs
        if n_classes == 2:
            weights = np.vstack([-weights, weights]) + 0.0
            longest, runs = np.tile([longest, runs], 2)
        return Pockets(np.vstack([weights, origin]), np.append(longest, 0), np.append(runs, 0))

    def rescaled(self, factor: float) -> "Pockets":
        """Return the pockets in another unit of the weights, without the ratchet's mistakes."""
        return replace(self, weights=self.weights * factor + 0.0, mistakes=None)

    def check(self, weights: Floats) -> None:
        """Raise ValueError if the pockets do not match the weights."""
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
    """Tries weights for the pockets of a panel whose samples are all in memory.

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

    def add_epoch(self, trace: EpochTrace) -> None:
        """Try weights that an epoch passed through."""
        pockets = self._pockets
        assert pockets.mistakes is not None
        weights, longest = pockets.weights.copy(), pockets.longest.copy()
        runs, mistakes = pockets.runs.copy(), pockets.mistakes.copy()
        for halfspace in trace.halfspaces():
            k, lengths = halfspace.k, halfspace.runs(int(runs[halfspace.k]))
            longer = np.flatnonzero(lengths > longest[k])
            if len(longer):
                best = Pocket(weights[k], longest[k : k + 1], mistakes[k : k + 1])
                sequence, start = halfspace.samples[: longer[-1]], halfspace.weights.copy()
                try_runs(self._samples(k), halfspace.steps, sequence, lengths, start, best)
            runs[k] = lengths[-1]
            mass = self._mass(k, self._panel.weights[k], mistakes[k])
            if mass < mistakes[k]:
                weights[k], mistakes[k] = self._panel.weights[k], mass
        self._pockets = Pockets(weights, longest, runs, mistakes)

    def kept(self) -> Pockets:
        """Return the pockets so far."""
        return self._pockets

    def _mass(self, k: int, weights: Floats, limit: float) -> float:
        """Return the weight of the samples misclassified as halfspace k; may stop at the limit."""
        return float(mass_of_mistakes(self._samples(k), weights, limit))

    def _samples(self, k: int) -> PocketSamples:
        """Return the samples as halfspace k sees them."""
        problem = self._panel.problem
        signs = np.ascontiguousarray(problem.signs[:, k])
        steps = np.ascontiguousarray(problem.steps_of(k))
        return PocketSamples(problem.rows, signs, steps, problem.tie)
