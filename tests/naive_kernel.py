"""A slow reference kernel perceptron in plain Python, which sums every term for every score."""

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np

Kernel = Callable[[Sequence[float], Sequence[float]], float]


def dot(x: Sequence[float], z: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(x, z, strict=True))


def poly(degree: int, coef0: float = 1.0, gamma: float = 1.0) -> Kernel:
    return lambda x, z: (gamma * dot(x, z) + coef0) ** degree


def rbf(gamma: float) -> Kernel:
    return lambda x, z: math.exp(-gamma * sum((a - b) ** 2 for a, b in zip(x, z, strict=True)))


class Dual:
    """One halfspace: its mistakes as (row, coefficient, number of earlier visits)."""

    def __init__(self, kernel: Kernel, X: Sequence[Sequence[float]]) -> None:
        self.kernel, self.X = kernel, X
        self.mistakes: list[tuple[int, float, int]] = []
        self.visits = 0

    def score(self, x: Sequence[float], n_mistakes: int | None = None) -> float:
        return sum(c * self.kernel(self.X[i], x) for i, c, _ in self.mistakes[:n_mistakes])

    def visit(self, order: Iterable[int], signs: Sequence[int]) -> int:
        """Visit samples in order; return the mistakes."""
        before = len(self.mistakes)
        for i in order:
            if signs[i] * self.score(self.X[i]) <= 0:
                self.mistakes.append((i, float(signs[i]), self.visits))
            self.visits += 1
        return len(self.mistakes) - before

    def lifetimes(self) -> list[int]:
        ends = [moment for _, _, moment in self.mistakes[1:]] + [self.visits]
        return [end - moment for end, (_, _, moment) in zip(ends, self.mistakes, strict=True)]

    def average(self, x: Sequence[float]) -> float:
        lives = enumerate(self.lifetimes(), start=1)
        return sum(life * self.score(x, n) for n, life in lives) / self.visits

    def vote(self, x: Sequence[float]) -> float:
        lives = enumerate(self.lifetimes(), start=1)
        votes = (life * (1 if self.score(x, n) >= 0 else -1) for n, life in lives)
        return sum(votes) / self.visits


def learned(
    kernel: Kernel,
    X: Sequence[Sequence[float]],
    signs: Sequence[int],
    orders: Iterable[Iterable[int]],
) -> tuple[Dual, list[int]]:
    """Run one epoch per order until one makes no mistake; also return the mistakes of each epoch."""
    dual, history = Dual(kernel, X), []
    for order in orders:
        history.append(dual.visit(order, signs))
        if history[-1] == 0:
            break
    return dual, history


class Budgeted:
    """One halfspace that forgets a random mistake when the budget is full."""

    def __init__(
        self, kernel: Kernel, X: Sequence[Sequence[float]], budget: int, seed: int
    ) -> None:
        self.kernel, self.X, self.budget, self.seed = kernel, X, budget, seed
        self.terms: list[tuple[int, int]] = []
        self.mistakes = 0

    def score(self, x: Sequence[float]) -> float:
        return sum(sign * self.kernel(self.X[i], x) for i, sign in self.terms)

    def visit(self, order: Iterable[int], signs: Sequence[int]) -> int:
        """Visit samples in order; return the mistakes."""
        before = self.mistakes
        for i in order:
            if signs[i] * self.score(self.X[i]) <= 0:
                if len(self.terms) == self.budget:
                    draws = np.random.SeedSequence([self.seed, self.mistakes])
                    del self.terms[int(draws.generate_state(1, np.uint64)[0]) % self.budget]
                self.terms.append((i, signs[i]))
                self.mistakes += 1
        return self.mistakes - before
