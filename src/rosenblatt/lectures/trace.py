"""A run, visit by visit: the table that lectures draw on the board.

The samples are shown as lectures show them: extended by the constant 1, put first, scaled if the run
scales them, and negated when they belong to the negative class, so that every score ought to be above 0.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats, LabelsLike, MatrixLike, WeightsLike
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.kernels.epochs.panel_types import MISTAKES
from rosenblatt.kernels.sparse_input import as_dense
from rosenblatt.training.blocks import Blocks
from rosenblatt.training.outcomes import Outcome
from rosenblatt.training.rules.perceptron_rule import count_errors

_COLUMNS: tuple[str, ...] = ("epoch", "sample", "weights before", "w·x", "update", "weights after")

Vector = tuple[float, ...]


@dataclass(frozen=True)
class Visit:
    """One visit: the sample (extended, and negated for the negative class) and what it did.

    ``row`` is the sample's place in X; ``score`` is w·x for the sample as shown, so that it is
    positive when the weights are right about it.
    """

    epoch: int
    row: int
    sample: Vector
    weights_before: Vector
    score: float
    update: bool
    weights_after: Vector


@dataclass(frozen=True)
class Trace:
    """Every visit of a run, why it stopped, and the weights it ended with (the intercept first)."""

    visits: list[Visit]
    outcome: Outcome
    weights: Vector
    has_intercept: bool

    def __iter__(self) -> Iterator[Visit]:
        return iter(self.visits)

    def __len__(self) -> int:
        return len(self.visits)

    def to_dict(self) -> dict[str, object]:
        """Return the trace as plain data, ready for JSON."""
        return {
            "visits": [asdict(visit) for visit in self.visits],
            "outcome": self.outcome.name,
            "sentence": self.outcome.sentence,
            "weights": self.weights,
        }

    def table(self) -> str:
        """Return the table of all epochs but a last one that changes nothing, and how it ended."""
        clean = self.outcome is Outcome.SEPARATED
        last = self.visits[-1].epoch
        shown = [step for step in self.visits if not (clean and step.epoch == last)]
        lines = [_COLUMNS, *(_cells(step) for step in shown)]
        widths = [max(len(line[k]) for line in lines) for k in range(len(_COLUMNS))]
        text = [_aligned(line, widths) for line in lines]
        text.insert(1, "  ".join("-" * width for width in widths))
        if clean:
            text += ["", f"Epoch {last} changes nothing."]
        else:
            text += ["", f"Stopped after epoch {last}: {self.outcome.sentence}."]
        text.append(f"Final weights {_vector(self.weights)}: {self._equation()}.")
        return "\n".join(text)

    def __str__(self) -> str:
        return self.table()

    def _equation(self) -> str:
        """Return the hyperplane's equation, such as ``the line 2·x1 - x2 = 0``."""
        offset, coef = (
            (self.weights[0], self.weights[1:]) if self.has_intercept else (0.0, self.weights)
        )
        terms = [(c, f"x{k}") for k, c in enumerate(coef, start=1) if c != 0.0]
        if offset != 0.0:
            terms.append((offset, ""))
        text = ""
        for value, name in terms:
            sign = "-" if value < 0 else "+"
            size = "" if name and abs(value) == 1.0 else _number(abs(value))
            product = f"{size}·{name}" if size and name else size + name
            text += f" {sign} {product}" if text else f"{'-' if value < 0 else ''}{product}"
        kind = {1: "point", 2: "line", 3: "plane"}.get(len(coef), "hyperplane")
        return f"the {kind} {text or '0'} = 0"


def trace(
    X: MatrixLike,
    y: LabelsLike,
    *,
    coef_init: WeightsLike = None,
    intercept_init: WeightsLike = None,
    **parameters: Any,
) -> Trace:
    """Run a perceptron on two classes and return every visit.

    ``parameters`` are those of `Perceptron`; the run is the same as its `fit`, visit for visit.

    >>> print(trace([[3, 3], [4, 3], [1, 1]], [1, 1, -1], max_iter=2))
    epoch  sample        weights before  w·x  update  weights after
    -----  ------------  --------------  ---  ------  -------------
    1      (1, 3, 3)     (0, 0, 0)       0    yes     (1, 3, 3)
    1      (1, 4, 3)     (1, 3, 3)       22   no      (1, 3, 3)
    1      (-1, -1, -1)  (1, 3, 3)       -7   yes     (0, 2, 2)
    2      (1, 3, 3)     (0, 2, 2)       12   no      (0, 2, 2)
    2      (1, 4, 3)     (0, 2, 2)       14   no      (0, 2, 2)
    2      (-1, -1, -1)  (0, 2, 2)       -4   yes     (-1, 1, 1)
    <BLANKLINE>
    Stopped after epoch 2: the last epoch allowed still made mistakes: the data may need more epochs, \
or may not be separable at all.
    Final weights (-1, 1, 1): the line x1 + x2 - 1 = 0.
    """
    learner = Perceptron(**parameters)
    batch = learner.prepared(X, y, coef_init, intercept_init)
    if len(batch.panel) != 1:
        raise InputError(f"y has {len(batch.classes)} classes: a trace shows two")
    panel, blocks = batch.panel, Blocks(batch.panel)
    dense = as_dense(X)
    if learner.fit_intercept:
        dense = np.column_stack([np.ones(len(dense)), dense])
    samples = dense * (panel.problem.signs[:, 0] * panel.problem.scales)[:, None]

    def weights() -> Floats:
        """Return the weights as lectures write them: the intercept, if any, first."""
        own = batch.rate * panel.weights[0]
        return np.roll(own, 1) if learner.fit_intercept else own[:-1]

    visits: list[Visit] = []
    outcome = Outcome.BUDGET
    for epoch in range(1, learner.max_iter + 1):
        mistakes = 0
        for i in next(batch.epochs):
            before = weights()
            blocks.visit(np.array([i]))
            blocks.write_back()
            update = int(panel.tally[MISTAKES, 0])
            mistakes += update
            visits.append(
                Visit(
                    epoch,
                    int(i),
                    tuple(samples[i].tolist()),
                    tuple(before.tolist()),
                    float(before @ samples[i]),
                    bool(update),
                    tuple(weights().tolist()),
                )
            )
        if mistakes == 0 and count_errors(panel.problem, panel.weights[0]) == 0:
            outcome = Outcome.SEPARATED
            break
    return Trace(visits, outcome, tuple(weights().tolist()), learner.fit_intercept)


def worked_example() -> Trace:
    """Return the lecture's example: six samples in the plane, from the weights (1, 0, 0).

    >>> len(worked_example())
    18
    """
    X = [[1, 1], [1, -1], [0, -1], [-1, -1], [-1, 1], [0, 1]]
    y = [1, 1, 1, -1, -1, -1]
    return trace(X, y, coef_init=[0, 0], intercept_init=1)


def _cells(step: Visit) -> tuple[str, ...]:
    return (
        str(step.epoch),
        _vector(step.sample),
        _vector(step.weights_before),
        _number(step.score),
        "yes" if step.update else "no",
        _vector(step.weights_after),
    )


def _aligned(cells: tuple[str, ...], widths: list[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _vector(values: Vector) -> str:
    return f"({', '.join(_number(value) for value in values)})"


def _number(value: float) -> str:
    return f"{value + 0.0:.6g}"
