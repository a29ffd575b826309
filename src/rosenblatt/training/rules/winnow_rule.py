"""Winnow's rule: weights are multiplied, so the exponents are what is learned."""

from dataclasses import dataclass

import numpy as np

from rosenblatt.core.types import Counts, Flags, Floats
from rosenblatt.kernels.epochs.online_rules import Growth, PassRecord, winnow_pass
from rosenblatt.kernels.epochs.ordered_sums import BALANCED
from rosenblatt.training.problem import Problem
from rosenblatt.training.rules.online_rule import Arrays, OnlineRule


@dataclass(frozen=True)
class Exponents:
    """The exponents of Winnow's weights, and how they grow; the weights make the predictions."""

    exponents: Floats
    growth: Growth

    def deciding(self, weights: Floats, _visits: Counts) -> Floats:
        """Return the weights."""
        return weights

    def chosen(self, rows: Counts) -> "Exponents":
        """Return the exponents of these halfspaces, in this order."""
        return Exponents(self.exponents[rows], self.growth)

    def opened(self, origin: Floats, *, n_classes: int) -> "Exponents":
        """Return the exponents of a closed stream, prepared for new classes."""
        assert (
            n_classes != 2
        )  # the weights are products, so no second halfspace can mirror the first
        return Exponents(np.vstack([self.exponents, np.zeros_like(origin)]), self.growth)

    def rescaled(self, _factor: float) -> "Exponents":
        """Return the same exponents: Winnow's weights have no unit."""
        return self

    def check(self, weights: Floats) -> None:
        """Raise ValueError unless the weights follow from the exponents."""
        exponents = self.exponents
        if exponents.shape != weights.shape or exponents.dtype != np.float64:
            raise ValueError("the exponents do not fit the weights")
        base, kind, threshold = self.growth
        if not (isinstance(base, float) and base > 1.0 and isinstance(threshold, float)):
            raise ValueError("the parameters of Winnow's rule are invalid")
        with np.errstate(over="ignore", invalid="ignore"):
            powers = base**exponents
            if kind == BALANCED:
                powers -= base**-exponents
        powers[:, -1] = (powers[:, -1] if kind == BALANCED else 0.0) - threshold
        # The difference of two rounded powers near 1 is no more accurate than this.
        slack = 2e-15 if kind == BALANCED else 1e-290
        if not np.allclose(powers, weights, rtol=1e-9, atol=slack):
            raise ValueError("the weights do not follow from their exponents")


class WinnowRule(OnlineRule):
    """Winnow's updates; ``arrays.extra`` has the exponents of the weights."""

    def __init__(
        self, problem: Problem, arrays: Arrays, growth: Growth, *, misses_samples: bool = False
    ) -> None:
        super().__init__(problem, arrays, misses_samples=misses_samples)
        self._growth = growth

    def _pass(self, order: Counts, learning: Flags, arrays: Arrays, tally: Floats) -> int:
        problem, exponents = self.problem, arrays.extra
        assert exponents is not None
        samples = problem.rows, problem.signs, problem.steps
        parts = arrays.weights, exponents, PassRecord(arrays.visits, tally, self.scores)
        return int(winnow_pass(*samples, order, learning, self._growth, *parts))
