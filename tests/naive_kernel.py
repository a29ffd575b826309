"""The slow twin of the kernel perceptron: plain Python, one sample at a time, every term every time."""

import math
from collections.abc import Callable, Iterable, Sequence

Kernel = Callable[[Sequence[float], Sequence[float]], float]


def dot(x: Sequence[float], z: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(x, z, strict=True))


def poly(degree: int, coef0: float = 1.0, gamma: float = 1.0) -> Kernel:
    return lambda x, z: (gamma * dot(x, z) + coef0) ** degree


def rbf(gamma: float) -> Kernel:
    return lambda x, z: math.exp(-gamma * sum((a - b) ** 2 for a, b in zip(x, z, strict=True)))


class Dual:
    """One halfspace: its mistakes as (row, coefficient, visits before it)."""

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
    """Run one epoch for each order until one makes no mistake; return the mistakes of each too."""
    dual, history = Dual(kernel, X), []
    for order in orders:
        history.append(dual.visit(order, signs))
        if history[-1] == 0:
            break
    return dual, history


class Forgetful:
    """The self-tuned Forgetron, its factor found by bisection."""

    def __init__(self, kernel: Kernel, budget: int) -> None:
        self.kernel, self.budget = kernel, budget
        self.terms: list[tuple[Sequence[float], int, float]] = []
        self.mistakes, self.shrinkage, self.removal = 0, 0.0, 0.0

    def score(self, x: Sequence[float]) -> float:
        """Return the score of a sample of length 1 in the feature space."""
        length = math.sqrt(self.kernel(x, x))
        return sum(
            y * weight * self.kernel(z, x) / (length * math.sqrt(self.kernel(z, z)))
            for z, y, weight in self.terms
        )

    def visit(self, x: Sequence[float], y: int) -> bool:
        """Visit a sample; answer whether it was a mistake."""
        if y * self.score(x) > 1e-12:
            return False
        self.mistakes += 1
        self.terms.append((x, y, 1.0))
        if len(self.terms) > self.budget:
            self._forget()
        return True

    def _forget(self) -> None:
        oldest, sign, weight = self.terms[0]
        margin = sign * self.score(oldest)

        def cost(factor: float) -> float:
            w, m = factor * weight, factor * margin
            return w * w + 2 * w - 2 * w * m

        allowed = 15 / 32 * self.mistakes - self.removal
        low, high = 0.0, 1.0
        if cost(1.0) <= allowed:
            low = 1.0
        else:
            for _ in range(200):
                middle = (low + high) / 2
                low, high = (middle, high) if cost(middle) <= allowed else (low, middle)
        self.shrinkage += 1 - low
        self.removal += cost(low)
        self.terms = [(z, y, low * w) for z, y, w in self.terms[1:]]
