"""The average of directions: all weights of a run, each divided by its length, and by how long it lived.

A run's weights become longer and longer, so that in their average the late ones weigh more; of their
directions each visit has the same say. It is the normalised average of Y. Freund & R. Schapire, Large
margin classification using the perceptron algorithm (1999): Σ c·w/‖w‖ over all weights w that a run has
passed through, c being the lifetime (see ``votes``), divided by the sum of lifetimes. Weights of length
0 have no direction and add nothing.

Sums are in floats, in the order of the run: one for all weights whose life is over, to which those that
still live are added when it is asked for. So chunks of any length give the same bits.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Floats, Signs
from rosenblatt.kernels.rows import DenseRows, Rows, axpy, length
from rosenblatt.training.deciders.lifetimes import Walk
from rosenblatt.training.panel import Panel, Problem


@dataclass(frozen=True)
class Directions:
    """The sums of directions of some halfspaces.

    ``sums`` are over all weights whose life is over, each times its lifetime; ``ages`` are those of the
    last weights.

    >>> Directions.new(np.zeros((1, 2))).ages
    array([0])
    """

    sums: Floats
    ages: Counts

    @staticmethod
    def new(start: Floats) -> "Directions":
        """Return the sums before the first visit."""
        return Directions(np.zeros_like(start), np.zeros(len(start), dtype=np.int64))

    def after(self, walk: Walk) -> "Directions":
        """Return the sums after an epoch, or a chunk of a stream."""
        sums, ages = self.sums.copy(), self.ages.copy()
        for life in walk.lives():
            ends = np.append(life.before, life.total)
            lifetimes = np.diff(ends, prepend=-ages[life.k])
            add_lives(
                walk.problem.rows,
                life.signs,
                life.steps,
                life.samples,
                lifetimes,
                life.weights.copy(),
                sums[life.k],
            )
            ages[life.k] = lifetimes[-1]
        return Directions(sums, ages)

    def deciding(self, weights: Floats, visits: Counts) -> Floats:
        """Return the averages of directions; the last weights are those of the run."""
        sums = self.sums.copy()
        for total, age, last in zip(sums, self.ages.tolist(), weights, strict=True):
            add_direction(np.ascontiguousarray(last), age, total)
        return sums / np.maximum(visits, 1)[:, None]

    def chosen(self, rows: Counts) -> "Directions":
        """Return the sums of the halfspaces in the given order."""
        return Directions(self.sums[rows], self.ages[rows])

    def opened(self, origin: Floats, *, n_classes: int) -> "Directions":
        """Return the sums of a stream that was closed, made ready for new classes."""
        sums, ages = self.sums, self.ages
        if n_classes == 2:
            sums, ages = np.vstack([-sums, sums]) + 0.0, np.tile(ages, 2)
        return Directions(np.vstack([sums, np.zeros_like(origin)]), np.append(ages, 0))

    def rescaled(self, _factor: float) -> "Directions":
        """Return the sums in another unit of the weights: directions have none."""
        return self

    def check(self, shape: tuple[int, int]) -> None:
        """Raise unless the sums belong to so many weights of that length."""
        fits = (
            self.sums.shape == shape
            and self.sums.dtype == np.float64
            and bool(np.isfinite(self.sums).all())
            and self.ages.shape == shape[:1]
            and self.ages.dtype == np.int64
        )
        if not fits:
            raise InputError("the sums of directions do not fit the weights")


class Adder:
    """Adds the directions of a panel while it learns."""

    def __init__(self, _problem: Problem, panel: Panel) -> None:
        self._directions = Directions.new(panel.weights)

    def note(self, walk: Walk) -> None:
        """Add those of an epoch."""
        self._directions = self._directions.after(walk)

    def kept(self) -> Directions:
        """Return the sums so far."""
        return self._directions


@njit(cache=True, nogil=True)
def add_direction(weights: Floats, lifetime: int, total: Floats) -> None:
    """Add the direction of the weights, times their lifetime, to the total in place.

    >>> total = np.zeros(2)
    >>> add_direction(np.array([3.0, 4.0]), 10, total)
    >>> total
    array([6., 8.])
    """
    last = weights.shape[0] - 1
    size = length(DenseRows(weights[:last].reshape(1, last), weights[last]), 0)
    if size > 0.0 and lifetime > 0:
        for j in range(weights.shape[0]):
            total[j] += lifetime * (weights[j] / size)


@njit(cache=True, nogil=True)
def add_lives(
    rows: Rows,
    signs: Signs,
    steps: Floats,
    sequence: Counts,
    lifetimes: Counts,
    weights: Floats,
    total: Floats,
) -> None:
    """Make the updates of an epoch again; add the direction of all weights that a mistake ended.

    Changed in place: ``weights``, and the ``total``. Weights t live for ``lifetimes[t]`` visits, up to
    mistake t of the ``sequence``; the last ones go on living.
    """
    for t in range(sequence.shape[0]):
        add_direction(weights, lifetimes[t], total)
        i = sequence[t]
        axpy(rows, i, signs[i] * steps[i], weights)
