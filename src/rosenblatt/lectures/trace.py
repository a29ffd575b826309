"""A run, visit by visit: the table that the lectures write on the board.

Samples are shown as in the lectures: with a constant 1 in front, and negated if they belong to the
negative class, so that a correct score is always positive. The run is a simple, slow reimplementation of
`Perceptron.fit`.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.html import html_table
from rosenblatt.core.types import Floats, LabelsLike, MatrixLike, Signs, WeightsLike
from rosenblatt.estimators.common.validation import start_weights
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.kernels.finite import check_finite
from rosenblatt.kernels.sparse_input import as_dense
from rosenblatt.lectures.units import signed_sum
from rosenblatt.training.cycle import Cycle
from rosenblatt.training.outcomes import Outcome

Vector = tuple[float, ...]
Cells = tuple[str, ...]

_HEAD = ("epoch", "sample", "weights before", "w·x", "update", "weights after", "w·x after")


@dataclass(frozen=True)
class Visit:
    """One visit: the sample (with the constant, negated for the negative class) and its effect.

    ``row`` is the sample's row in X, counted from 0. ``score`` is w·x for the sample as shown: positive
    if the weights classify it correctly. It is rounded, but ``update`` was decided exactly.
    ``score_after`` is the same sample's score after the visit. An update adds ``step`` times the sample,
    which raises the score by step·‖x‖². The step is the learning rate times the class weight, if any.
    ``label`` is the sample's label in y.
    """

    epoch: int
    row: int
    sample: Vector
    weights_before: Vector
    score: float
    update: bool
    weights_after: Vector
    score_after: float
    step: float
    label: Any


@dataclass(frozen=True)
class Trace:
    """Every visit of a run, why it stopped, and its final weights (intercept first).

    ``cycle`` has the first two epochs that end with the same weights, if any: a run in cyclic order
    stops there, because it would repeat forever. ``eta0`` is the learning rate. A visit is a mistake if
    its score is at most ``margin``. ``classes`` are the labels, the positive one last.

    >>> print(trace([[2], [-1]], [1, -1], fit_intercept=False))
    epoch  sample  weights before  w·x  update  weights after  w·x after
    -----  ------  --------------  ---  ------  -------------  ---------
    1      (2)     (0)             0    yes     (2)            4
    1      (1)     (2)             2    no      (2)            2
    <BLANKLINE>
    An update raises w·x by ‖x‖².
    Epoch 2 changes nothing.
    Final weights (2): the point 2·x1 = 0.
    """

    visits: list[Visit]
    outcome: Outcome
    weights: Vector
    has_intercept: bool
    eta0: float
    cycle: Cycle | None = None
    margin: float = 0.0
    classes: tuple[Any, ...] = (-1, 1)

    def __iter__(self) -> Iterator[Visit]:
        return iter(self.visits)

    def __len__(self) -> int:
        return len(self.visits)

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        return html_table(" ".join(self._ending()), _HEAD, self._shown(), _cells)

    def table(self) -> str:
        """Return the table, without a final epoch that has no updates, and how the run ended."""
        table = aligned([_HEAD, *map(_cells, self._shown())])
        return "\n".join([table, "", *self._ending()])

    def to_csv(self) -> str:
        """Return one line of CSV per visit, with all digits.

        The sample and the weights before and after have one column per coordinate, numbered as in the
        equation: x1 is the first feature, x0 the constant, if any.

        >>> print(trace([[2], [-1]], [1, -1], fit_intercept=False).to_csv(), end="")
        epoch,row,update,score,x1,before1,after1,score_after
        1,0,true,0.0,2.0,0.0,2.0,4.0
        1,1,false,2.0,1.0,2.0,2.0,2.0
        2,0,false,4.0,2.0,2.0,2.0,4.0
        2,1,false,2.0,1.0,2.0,2.0,2.0
        """
        first = 0 if self.has_intercept else 1
        coordinates = range(first, first + len(self.weights))
        names = [f"{vector}{k}" for vector in ("x", "before", "after") for k in coordinates]
        lines = [["epoch", "row", "update", "score", *names, "score_after"]]
        for visit in self:
            vectors = (*visit.sample, *visit.weights_before, *visit.weights_after)
            numbers = map(repr, (visit.score, *vectors, visit.score_after))
            lines.append([str(visit.epoch), str(visit.row), str(visit.update).lower(), *numbers])
        return "".join(",".join(line) + "\n" for line in lines)

    def to_dict(self) -> dict[str, object]:
        """Return the trace as plain data, ready for JSON."""
        return {
            "visits": [dict(vars(visit)) for visit in self.visits],
            "outcome": self.outcome.name,
            "sentence": self.outcome.sentence,
            "weights": self.weights,
            "cycle": None if self.cycle is None else self.cycle._asdict(),
        }

    def _shown(self) -> list[Visit]:
        last = self.visits[-1].epoch if self.outcome is Outcome.SEPARATED else None
        return [visit for visit in self if visit.epoch != last]

    def _ending(self) -> Iterator[str]:
        """Yield the effect of an update, if there was one, how the run ended, and its final weights."""
        if self.margin > 0.0:
            yield f"A visit is a mistake if w·x ≤ {_number(self.margin)}."
        steps = {visit.step for visit in self if visit.update}
        if len(steps) == 1:
            step = _number(steps.pop())
            yield f"An update raises w·x by {'' if step == '1' else step + '·'}‖x‖²."
        elif steps:
            yield "An update raises w·x by its step times ‖x‖²."
        last = self.visits[-1].epoch
        if self.outcome is Outcome.SEPARATED:
            yield f"Epoch {last} changes nothing."
        elif self.cycle is not None:
            yield f"E{str(self.cycle)[1:]}."
        else:
            yield f"Stopped after epoch {last}: {self.outcome.sentence}."
        yield f"Final weights {_vector(self.weights)}: {self._equation()}."

    def _equation(self) -> str:
        """Return the equation of the set where the score is 0."""
        first = 0 if self.has_intercept else 1
        terms = [(w, f"x{k}") for k, w in enumerate(self.weights, start=first)]
        offset, coef = (terms[0][0], terms[1:]) if self.has_intercept else (0.0, terms)
        kind = {1: "point", 2: "line", 3: "plane"}.get(len(coef), "hyperplane")
        if any(value for value, _ in coef):
            return f"the {kind} {signed_sum([*coef, (offset, '')], _number)} = 0"
        if offset == 0.0:
            return f"no {kind}, because every score is 0"
        side = "positive" if offset > 0.0 else "negative"
        return f"no {kind}, because every sample is on the {side} side"


def trace(
    X: MatrixLike,
    y: LabelsLike,
    *,
    coef_init: WeightsLike = None,
    intercept_init: WeightsLike = None,
    **parameters: Any,
) -> Trace:
    """Run a perceptron on two classes (or one, without an intercept), and return every visit.

    ``parameters`` are those of `Perceptron`, and visits are the same as in its `fit`. The results of
    ``keep`` and ``certify`` are not included. The default order is "cyclic", as in the lectures. A trace
    stops as soon as the weights return to those of an earlier epoch; a fit remembers fewer epochs, so it
    may run a little longer.

    >>> run = trace([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    >>> sum(visit.update for visit in run), run.weights
    (7, (-3.0, 1.0, 1.0))
    """
    learner = Perceptron(**{"order": "cyclic", "keep": "last", **parameters})
    batch = learner.prepared(X, y)
    if len(batch.panel) != 1:
        raise InputError(f"y has {len(batch.classes)} classes: give samples of two classes")
    if learner.shards > 1:
        raise InputError(
            f"shards={learner.shards} learn in parallel, but a trace shows one visit after another: "
            "use shards=1"
        )
    problem, rate, intercept = batch.panel.problem, batch.rate, learner.fit_intercept
    signs, steps = problem.signs[:, 0], problem.steps_of(0).tolist()
    samples = _signed(batch.X, signs, intercept=intercept)
    (start,) = start_weights(
        coef_init, intercept_init, batch.start.shape, intercept=intercept, eta0=rate
    )
    weights = np.roll(start, 1) if intercept else start[:-1]  # in units of eta0
    # Visits share their vectors: a long run has few distinct ones.
    shown, labels = [tuple(sample) for sample in samples.tolist()], batch.y.tolist()

    def is_mistake(i: int) -> bool:
        side = _side(weights, samples[i], problem.required)
        is_wrong = problem.tie != signs[i] if side == 0 else side < 0
        return bool(is_wrong and signs[i] != 0)

    current = _scaled(rate, weights)
    visits: list[Visit] = []
    outcome, cycle = Outcome.BUDGET, None
    epoch_of = {weights.tobytes(): 0}
    for epoch in range(1, learner.max_iter + 1):
        for i in next(batch.epochs).tolist():
            before, score, update = current, _score(current, samples[i], i, rate), is_mistake(i)
            if update:
                weights = weights + steps[i] * samples[i] + 0.0
                current = _scaled(rate, weights)
            after = _score(current, samples[i], i, rate)
            step = rate * steps[i]
            visits.append(
                Visit(epoch, i, shown[i], before, score, update, current, after, step, labels[i])
            )
        has_no_updates = not any(visit.update for visit in visits[-len(samples) :])
        if has_no_updates and not any(map(is_mistake, range(len(samples)))):
            outcome = Outcome.SEPARATED
            break
        first = epoch_of.setdefault(weights.tobytes(), epoch)
        if first < epoch and learner.notices_cycles:
            outcome, cycle = Outcome.CYCLING, Cycle(first, epoch)
            break
    classes = tuple(batch.classes.labels.tolist())
    return Trace(visits, outcome, current, intercept, rate, cycle, float(learner.margin), classes)


def worked_example(
    *, coef_init: WeightsLike = None, intercept_init: WeightsLike = None, **parameters: Any
) -> Trace:
    """Return the trace of the lecture's example: six samples in the plane, start weights (1, 0, 0).

    Without an intercept, the start is (0, 0). Other start weights and parameters are passed to `trace`.

    >>> len(worked_example()), worked_example(fit_intercept=False).weights
    (18, (2.0, -1.0))
    """
    X = [[1, 1], [1, -1], [0, -1], [-1, -1], [-1, 1], [0, 1]]
    y = [1, 1, 1, -1, -1, -1]
    if coef_init is None and intercept_init is None and parameters.get("fit_intercept", True):
        intercept_init = 1
    return trace(X, y, coef_init=coef_init, intercept_init=intercept_init, **parameters)


def aligned(lines: Iterable[Cells]) -> str:
    """Format lines of cells as aligned columns, with dashes below the first line."""
    head, *rows = lines
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in (head, ["-" * width for width in widths], *rows)
    )


def _signed(X: MatrixLike, signs: Signs, *, intercept: bool) -> Floats:
    """Return the samples as the lectures show them: extended, negated for the negative class."""
    samples = np.asarray(as_dense(X), dtype=np.float64)
    check_finite(samples)
    if intercept:
        samples = np.column_stack([np.ones(len(samples)), samples])
    signed: Floats = samples * signs[:, None].astype(np.float64) + 0.0  # no -0.0
    return signed


def _scaled(rate: float, weights: Floats) -> Vector:
    return tuple((rate * weights + 0.0).tolist())


def _side(weights: Floats, sample: Floats, required: float) -> int:
    """Return the exact sign of a signed sample's score minus the required margin."""
    with np.errstate(over="ignore", invalid="ignore"):
        terms = weights * sample
        excess = float(terms.sum()) - required
        if abs(excess) > 1e-12 * (float(np.abs(terms).sum()) + required) + 1e-300:
            return 1 if excess > 0 else -1
    exact = -Fraction(required)
    for w, x in zip(weights.tolist(), sample.tolist(), strict=True):
        exact += Fraction(w) * Fraction(x)
    return (exact > 0) - (exact < 0)


def _score(weights: Vector, sample: Floats, row: int, rate: float) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        score = float(np.array(weights) @ sample) + 0.0
    if not math.isfinite(score):
        raise InputError(
            f"the score of row {row} of X overflows float64 with eta0={rate!r}: use a smaller eta0, or "
            "scale the samples down"
        )
    return score


def _number(value: float) -> str:
    return f"{value:.6g}"


def _vector(values: Vector) -> str:
    return f"({', '.join(map(_number, values))})"


def _cells(visit: Visit) -> Cells:
    return (
        str(visit.epoch),
        _vector(visit.sample),
        _vector(visit.weights_before),
        _number(visit.score),
        "yes" if visit.update else "no",
        _vector(visit.weights_after),
        _number(visit.score_after),
    )
