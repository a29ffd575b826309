"""The rational twin: the perceptron in whole numbers, written from its description alone.

Every float64 is m·2ᵉ with whole m, so the sign of a score is that of a sum of products of whole numbers.
The weights are floats in units of the learning rate; a mistake changes each of them by one rounded
product and one rounded addition: Python's own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import mul
from typing import NamedTuple

Row = Sequence[float]


def whole(numbers: Iterable[float]) -> list[int]:
    """Scale floats to whole numbers with the same ratios and signs."""
    ratios = [float(number).as_integer_ratio() for number in numbers]
    largest = max((under for _, under in ratios), default=1)
    return [over * (largest // under) for over, under in ratios]


def sign(number: int) -> int:
    """Return -1, 0 or 1."""
    return (number > 0) - (number < 0)


class Mistake(NamedTuple):
    """A mistake: the visits before it, the sample, and for joint learning the rival class."""

    visit: int
    sample: int
    rival: int = -1


@dataclass
class Halfspace:
    """One weight vector, the constant's weight last, and its mistakes in sequence."""

    weights: list[float]
    n_visits: int = 0
    mistakes: list[Mistake] = field(default_factory=list)
    lives: list[tuple[list[float], int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._exact = whole(self.weights)

    def score(self, row: list[int]) -> int:
        """Return a number with the sign of the exact score."""
        return sum(map(mul, row, self._exact))

    def add(self, step: float, row: Row) -> None:
        """Add a multiple of a sample: one rounded product and one rounded addition per weight."""
        self.weights = [w + step * x for w, x in zip(self.weights, row, strict=True)]
        self._exact = whole(self.weights)

    def visit(self, i: int, row: Row, exact: list[int], label: int, step: float, tie: int) -> bool:
        """Visit a sample with label -1 or 1; return whether it is a mistake."""
        mistaken = (sign(self.score(exact)) or tie) != label
        if mistaken:
            self.mistakes.append(Mistake(self.n_visits, i))
            self.lives.append((self.weights, self.n_visits))
            self.add(label * step, row)
        self.n_visits += 1
        return mistaken


@dataclass
class Task:
    """The extended rows to learn, and their steps.

    If it ``ends_in_cycles``, a run ends when the weights return to those of the start, or of the last
    epoch whose number is a power of two; ``n_cycles`` counts such runs.
    """

    rows: list[list[float]]
    steps: list[float]
    tie: int = 0
    ends_in_cycles: bool = False
    n_cycles: int = 0

    def is_back(self, weights: object, mark: object, mistaken: int) -> bool:
        """Return whether the weights have returned after an epoch with mistakes."""
        is_back = self.ends_in_cycles and mistaken > 0 and weights == mark
        self.n_cycles += is_back
        return is_back

    def __post_init__(self) -> None:
        self.exact = [whole(row) for row in self.rows]
        self.zeros = [0.0] * len(self.rows[0])


def run_one(
    task: Task, labels: list[int], start: Row, n_epochs: int
) -> tuple[Halfspace, list[int]]:
    """Learn in cyclic order until an epoch has no mistakes; also return the mistakes per epoch."""
    halfspace, is_back = Halfspace(list(start)), False
    by_epoch: list[int] = []
    while len(by_epoch) < n_epochs and (not by_epoch or by_epoch[-1]) and not is_back:
        if len(by_epoch) & (len(by_epoch) - 1) == 0:
            mark = list(halfspace.weights)
        mistaken = 0
        for i, row in enumerate(task.rows):
            if task.steps[i] != 0.0:
                mistaken += halfspace.visit(
                    i, row, task.exact[i], labels[i], task.steps[i], task.tie
                )
        by_epoch.append(mistaken)
        is_back = task.is_back(halfspace.weights, mark, mistaken)
    return halfspace, by_epoch


def run_jointly(task: Task, own: list[int], n_classes: int, n_epochs: int) -> tuple:
    """Learn all classes together: a sample is right if its own class alone scores highest."""
    panel = [Halfspace([0.0] * len(task.rows[0])) for _ in range(n_classes)]
    mistakes: list[Mistake] = []
    by_epoch: list[int] = []
    is_back = False
    while len(by_epoch) < n_epochs and (not by_epoch or by_epoch[-1]) and not is_back:
        if len(by_epoch) & (len(by_epoch) - 1) == 0:
            mark = [list(halfspace.weights) for halfspace in panel]
        before = len(mistakes)
        for i, row in enumerate(task.rows):
            if task.steps[i] == 0.0:
                continue
            rival = best_rival(panel, task.exact[i], own[i])
            if rival >= 0:
                mistakes.append(Mistake(0, i, rival))
                panel[own[i]].add(task.steps[i], row)
                panel[rival].add(-task.steps[i], row)
        by_epoch.append(len(mistakes) - before)
        weights = [list(halfspace.weights) for halfspace in panel]
        is_back = task.is_back(weights, mark, by_epoch[-1])
    return panel, mistakes, by_epoch


def best_rival(panel: list[Halfspace], row: list[int], own: int) -> int:
    """Return the first rival with the highest score, or -1 if the own class scores above it."""
    scores = joint_scores([halfspace.weights for halfspace in panel], row)
    best = max(score for k, score in enumerate(scores) if k != own)
    if scores[own] > best:
        return -1
    return next(k for k, score in enumerate(scores) if k != own and score == best)


def joint_scores(panel: Sequence[Row], row: list[int]) -> list[int]:
    """Return the exact scores of all weight vectors, scaled to whole numbers."""
    width = len(row)
    flat = whole(weight for weights in panel for weight in weights)
    return [sum(map(mul, row, flat[k * width : (k + 1) * width])) for k in range(len(panel))]


def decide(panel: Sequence[Row], row: list[int], tie: int) -> int:
    """Return the class number: by the sign of one score, or the first of the highest scores."""
    scores = joint_scores(panel, row)
    if len(scores) > 1:
        return scores.index(max(scores))
    return int(scores[0] > 0 or (scores[0] == 0 and tie >= 0))


def votes(halfspace: Halfspace, row: list[int], tie: int) -> int:
    """Return by how many visits the positive side outvotes the negative one.

    ``lives`` has the weights that each mistake replaced, and the visits before it. Weights live from the
    mistake that made them until the visit before the one that replaces them.
    """
    total, born = 0, 0
    for weights, end in [*halfspace.lives, (halfspace.weights, halfspace.n_visits)]:
        score = sum(map(mul, row, whole(weights)))
        total += (sign(score) or tie) * (end - born)
        born = end
    return total
