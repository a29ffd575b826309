"""ALMA: weights of an almost maximal margin, one visit at a time (see `enlarge_margin`)."""

from dataclasses import dataclass

import numpy as np

from rosenblatt.core.types import Counts, Flags, Floats
from rosenblatt.kernels.epochs.online_rules import enlarge_margin
from rosenblatt.training.history import Epoch
from rosenblatt.training.loop import Log
from rosenblatt.training.outcomes import Outcome
from rosenblatt.training.problem import Problem

_NEW = (1.0, 0.0, 1.0)


@dataclass(frozen=True)
class AlmaState:
    """For each halfspace its factor, the squared length of its weights, and corrections so far, plus 1.

    >>> AlmaState.new(1).n_corrections
    0
    """

    numbers: Floats

    @staticmethod
    def new(n_halfspaces: int) -> "AlmaState":
        """Return the state before the first visit."""
        return AlmaState(np.tile(_NEW, (n_halfspaces, 1)))

    @property
    def n_corrections(self) -> int:
        """How often the weights were changed, all halfspaces together."""
        return int(self.numbers[:, 2].sum()) - len(self.numbers)

    def deciding(self, weights: Floats, _visits: Counts) -> Floats:
        """Return the weights."""
        return weights

    def chosen(self, rows: Counts) -> "AlmaState":
        """Return the state of the halfspaces in the given order."""
        return AlmaState(self.numbers[rows])

    def opened(self, _origin: Floats, *, n_classes: int) -> "AlmaState":
        """Return the state of a stream that was closed, made ready for new classes."""
        numbers = np.tile(self.numbers, (2, 1)) if n_classes == 2 else self.numbers
        return AlmaState(np.vstack([numbers, _NEW]))

    def rescaled(self, _factor: float) -> "AlmaState":
        """Return the same: these weights have no unit."""
        return self

    def check(self, weights: Floats) -> None:
        """Raise ValueError unless the state belongs to such weights."""
        numbers = self.numbers
        fits = numbers.shape == (len(weights), 3) and numbers.dtype == np.float64
        if not fits or not (np.isfinite(numbers).all() and (numbers >= [1e-150, 0.0, 1.0]).all()):
            raise ValueError("the stream does not fit the weights")


class AlmaRule:
    """Halfspaces that enlarge their margins; ``weights`` and ``state`` are what they have learned."""

    epochs_at_once = 1

    def __init__(self, problem: Problem, alpha: float, weights: Floats, state: AlmaState) -> None:
        self._problem, self._alpha = problem, alpha
        self._factored, self._numbers = weights / state.numbers[:, :1], state.numbers.copy()
        self._n_before = state.n_corrections
        self.weights, self.state = weights, state

    @property
    def learning(self) -> Flags:
        """All halfspaces: there is always a larger margin to aim at."""
        return np.ones(len(self.weights), dtype=np.bool_)

    def visit(self, order: Counts, _most: int = 1) -> int:
        """Let all halfspaces visit the samples in order, once."""
        for k, (weights, numbers) in enumerate(zip(self._factored, self._numbers, strict=True)):
            signs = np.ascontiguousarray(self._problem.signs[:, k])
            enlarge_margin(self._problem.rows, signs, order, self._alpha, weights, numbers)
        self.write_back()
        return 1

    def record(self, log: Log, _n_epochs: int, seconds: float) -> None:
        """Add the corrections so far to the log."""
        corrections, norm = self.state.n_corrections - self._n_before, np.linalg.norm(self.weights)
        log.history.append(Epoch(corrections, None, float(norm), seconds))

    def write_back(self) -> None:
        """Multiply the weights by their factors."""
        self.weights, self.state = (
            self._factored * self._numbers[:, :1],
            AlmaState(self._numbers.copy()),
        )

    def outcome(self, _columns: slice) -> Outcome:
        """Return that a stream has no end."""
        return Outcome.STREAM
