"""The rational twin: the perceptron in whole numbers, written from its description alone.

Every float64 is m·2ᵉ with whole m, so the sign of a score is that of a sum of products of whole numbers.
The weights are floats in units of the learning rate; an update changes each of them by one rounded
product and one rounded addition: Python's own. An update is due while the margin is at most the required
one, and it is a mistake if the margin is at most 0.
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


class Update(NamedTuple):
    """An update: the sample, whether it was a mistake, and for joint learning the rival class."""

    sample: int
    is_mistake: bool
    rival: int = -1


@dataclass
class Halfspace:
    """One weight vector, the constant's weight last, and its updates in sequence."""

    weights: list[float]
    n_visits: int = 0
    updates: list[Update] = field(default_factory=list)
    lives: list[tuple[list[float], int]] = field(default_factory=list)

    @property
    def n_mistakes(self) -> int:
        return sum(update.is_mistake for update in self.updates)

    def excess(self, exact: list[int], label: int, required: float) -> int:
        """Return the sign of label · score − required; the exact row ends with its scale."""
        signed = whole([*(label * w for w in self.weights), -required])
        return sign(sum(map(mul, exact, signed)))

    def add(self, step: float, row: Row) -> None:
        """Add a multiple of a sample: one rounded product and one rounded addition per weight."""
        self.lives.append((self.weights, self.n_visits))
        self.weights = [w + step * x for w, x in zip(self.weights, row, strict=True)]

    def visit(self, task: "Task", i: int, label: int) -> None:
        """Visit a sample with label -1 or 1, and learn from it if its margin is too small."""
        if task.is_due(self.excess(task.exact[i], label, task.required), label):
            is_mistake = task.is_due(self.excess(task.exact[i], label, 0.0), label)
            self.updates.append(Update(i, is_mistake))
            self.add(label * task.steps[i], task.rows[i])
        self.n_visits += 1


@dataclass
class Task:
    """The extended rows to learn, their steps, and the required margin in units of the learning rate.

    If it ``ends_in_cycles``, a run ends when the weights return to those of the start, or of the last
    epoch whose number is a power of two; ``n_cycles`` counts such runs.
    """

    rows: list[list[float]]
    steps: list[float]
    tie: int = 0
    required: float = 0.0
    ends_in_cycles: bool = False
    n_cycles: int = 0

    def is_due(self, excess: int, label: int) -> bool:
        """Return whether the sign of an excess means an update: 0 does, unless a tie is that label."""
        return excess < 0 or (excess == 0 and self.tie != label)

    def is_back(self, weights: object, mark: object, n_updates: int) -> bool:
        """Return whether the weights have returned after an epoch with updates."""
        is_back = self.ends_in_cycles and n_updates > 0 and weights == mark
        self.n_cycles += is_back
        return is_back

    def __post_init__(self) -> None:
        self.exact = [whole([*row, 1.0]) for row in self.rows]
        self.zeros = [0.0] * len(self.rows[0])


def run_one(
    task: Task, labels: list[int], start: Row, n_epochs: int
) -> tuple[Halfspace, list[int]]:
    """Learn in cyclic order until an epoch has no updates; also return the updates per epoch."""
    halfspace, is_back = Halfspace(list(start)), False
    by_epoch: list[int] = []
    while len(by_epoch) < n_epochs and (not by_epoch or by_epoch[-1]) and not is_back:
        if len(by_epoch) & (len(by_epoch) - 1) == 0:
            mark = list(halfspace.weights)
        before = len(halfspace.updates)
        for i, step in enumerate(task.steps):
            if step != 0.0:
                halfspace.visit(task, i, labels[i])
        by_epoch.append(len(halfspace.updates) - before)
        is_back = task.is_back(halfspace.weights, mark, by_epoch[-1])
    return halfspace, by_epoch


def run_jointly(
    task: Task, own: list[int], n_classes: int, n_epochs: int
) -> tuple[list[Halfspace], list[Update], list[int]]:
    """Learn all classes together: a sample is right if its own class scores highest by the margin."""
    panel = [Halfspace(list(task.zeros)) for _ in range(n_classes)]
    updates: list[Update] = []
    by_epoch: list[int] = []
    is_back = False
    while len(by_epoch) < n_epochs and (not by_epoch or by_epoch[-1]) and not is_back:
        if len(by_epoch) & (len(by_epoch) - 1) == 0:
            mark = [list(halfspace.weights) for halfspace in panel]
        before = len(updates)
        for i, step in enumerate(task.steps):
            if step != 0.0:
                updates += visit_jointly(task, panel, i, own[i])
        by_epoch.append(len(updates) - before)
        weights = [list(halfspace.weights) for halfspace in panel]
        is_back = task.is_back(weights, mark, by_epoch[-1])
    return panel, updates, by_epoch


def visit_jointly(task: Task, panel: list[Halfspace], i: int, own: int) -> list[Update]:
    """Visit a sample, learn from it if its lead is too small, and return the updates: one or none."""
    *scores, required = joint_scores(
        [halfspace.weights for halfspace in panel], task.exact[i], task.required
    )
    best = max(score for k, score in enumerate(scores) if k != own)
    rival = next(k for k, score in enumerate(scores) if k != own and score == best)
    lead = scores[own] - best
    found = []
    if lead <= required:
        found = [Update(i, lead <= 0, rival)]
        panel[own].add(task.steps[i], task.rows[i])
        panel[rival].add(-task.steps[i], task.rows[i])
    for halfspace in panel:
        halfspace.n_visits += 1
    return found


def joint_scores(panel: Sequence[Row], exact: list[int], required: float = 0.0) -> list[int]:
    """Return the exact scores of all weight vectors and the margin, scaled to whole numbers."""
    *row, scale = exact
    width = len(row)
    *flat, last = whole([*(weight for weights in panel for weight in weights), required])
    scores = [sum(map(mul, row, flat[k * width : (k + 1) * width])) for k in range(len(panel))]
    return [*scores, last * scale]


def decide(panel: Sequence[Row], row: list[int], tie: int) -> int:
    """Return the class number: by the sign of one score, or the first of the highest scores."""
    *scores, _ = joint_scores(panel, row)
    if len(scores) > 1:
        return scores.index(max(scores))
    return int(scores[0] > 0 or (scores[0] == 0 and tie >= 0))


def votes(halfspace: Halfspace, row: list[int], tie: int) -> int:
    """Return by how many visits the positive side outvotes the negative one.

    ``lives`` has the weights that each update replaced, and the visits before it. Weights live from the
    update that made them until the visit before the one that replaces them.
    """
    total, born = 0, 0
    for weights, end in [*halfspace.lives, (halfspace.weights, halfspace.n_visits)]:
        total += (Halfspace(weights).excess(row, 1, 0.0) or tie) * (end - born)
        born = end
    return total
