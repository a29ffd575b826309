"""A run, visit by visit: the table that lectures draw on the board.

The samples are shown as lectures show them: extended by the constant 1, put first, scaled if the run
scales them, and negated when they belong to the negative class, so that every score ought to be above 0.
"""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats, LabelsLike, MatrixLike, WeightsLike
from rosenblatt.estimators.common.fit_problem import FitProblem
from rosenblatt.estimators.common.validation import start_weights
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.kernels.epochs.panel_types import MISTAKES
from rosenblatt.kernels.sparse_input import as_dense
from rosenblatt.lectures import trace_formats
from rosenblatt.training.blocks import Blocks
from rosenblatt.training.cycle import Cycle
from rosenblatt.training.outcomes import Outcome
from rosenblatt.training.rules.perceptron_rule import count_left

Vector = tuple[float, ...]


@dataclass(frozen=True)
class Visit:
    """One visit: the sample (extended, and negated for the negative class) and what it did.

    ``row`` is the sample's place in X, counted from 0; ``score`` is w·x for the sample as shown, so that
    it is positive when the weights are right about it. It is rounded; ``update`` was decided exactly.
    ``score_after`` is w·x for the same sample after the visit. An update adds ``step`` times the sample,
    and so raises the score by step·‖x‖²: the step is the learning rate, times the weight of
    its class if classes have weights. ``label`` is the sample's own.
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
    """Every visit of a run, why it stopped, and the weights it ended with (the intercept first).

    ``cycle``, unless None, are the first two epochs that end with the same weights, in the order
    "cyclic": there the run stops, because it would repeat forever. ``eta0`` is the learning rate; a
    visit is a mistake up to the ``margin``. ``classes`` are the labels, the positive one last.

    >>> run = trace([[2], [-1]], [1, -1], fit_intercept=False)
    >>> len(run), run.weights
    (4, (2.0,))
    >>> print(run)
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
        return trace_formats.as_html(self)

    def table(self) -> str:
        """Return the table of all epochs but a last one that changes nothing, and how it ended.

        >>> print(worked_example(max_iter=1).table().splitlines()[5])
        1      (-1, 1, 1)   (1, 0, 0)       -1   yes     (0, 1, 1)      2
        """
        return trace_formats.as_text(self)

    def to_markdown(self) -> str:
        """Return the same table in Markdown, and the same sentences below it.

        >>> print(trace([[2], [-1]], [1, -1], fit_intercept=False).to_markdown())
        | epoch | sample | weights before | w·x | update | weights after | w·x after |
        | ----- | ------ | -------------- | --- | ------ | ------------- | --------- |
        | 1     | (2)    | (0)            | 0   | yes    | (2)           | 4         |
        | 1     | (1)    | (2)            | 2   | no     | (2)           | 2         |
        <BLANKLINE>
        An update raises w·x by ‖x‖².
        Epoch 2 changes nothing.
        Final weights (2): the point 2·x1 = 0.
        """
        return trace_formats.as_markdown(self)

    def to_latex(self) -> str:
        r"""Return the same table in LaTeX, for documents that use the package booktabs.

        >>> print(trace([[2], [-1]], [1, -1], fit_intercept=False).to_latex())
        % needs \usepackage{booktabs}
        \begin{tabular}{rllrllr}
        \toprule
        epoch & sample & weights before & $w \cdot x$ & update & weights after & $w \cdot x$ after \\
        \midrule
        1 & $(2)$ & $(0)$ & $0$ & yes & $(2)$ & $4$ \\
        1 & $(1)$ & $(2)$ & $2$ & no & $(2)$ & $2$ \\
        \bottomrule
        \end{tabular}
        <BLANKLINE>
        An update raises $w \cdot x$ by $\|x\|^{2}$.
        Epoch 2 changes nothing.
        Final weights $(2)$: the point $2 x_{1} = 0$.
        """
        return trace_formats.as_latex(self)

    def to_csv(self) -> str:
        """Return every visit as a line of CSV, with all digits.

        Sample, weights before and weights after have one column for each coordinate, numbered as in the
        equation: x1 is the first feature, x0 the constant, if there is one. An update adds eta0 · x.

        >>> print(trace([[2], [-1]], [1, -1], fit_intercept=False).to_csv(), end="")
        epoch,row,update,score,x1,before1,after1,score_after
        1,0,true,0.0,2.0,0.0,2.0,4.0
        1,1,false,2.0,1.0,2.0,2.0,2.0
        2,0,false,4.0,2.0,2.0,2.0,4.0
        2,1,false,2.0,1.0,2.0,2.0,2.0
        """
        return trace_formats.as_csv(self)

    def to_json(self) -> str:
        """Return `to_dict` as a JSON document.

        >>> json.loads(worked_example().to_json())["weights"]
        [0.0, 2.0, -1.0]
        """
        return json.dumps(self.to_dict(), indent=2, allow_nan=False, ensure_ascii=False)

    def to_dict(self) -> dict[str, object]:
        """Return the trace as plain data, ready for JSON.

        >>> worked_example().to_dict()["outcome"]
        'SEPARATED'
        """
        return {
            "visits": [dict(vars(visit)) for visit in self.visits],
            "outcome": self.outcome.name,
            "sentence": self.outcome.sentence,
            "weights": self.weights,
            "cycle": None if self.cycle is None else self.cycle._asdict(),
        }


def trace(
    X: MatrixLike,
    y: LabelsLike,
    *,
    coef_init: WeightsLike = None,
    intercept_init: WeightsLike = None,
    **parameters: Any,
) -> Trace:
    """Run a perceptron on two classes, or without an intercept on one, and return every visit.

    ``parameters`` are those of `Perceptron`; the run is the same as its `fit`, visit for visit. What
    ``keep`` and ``certify`` add to a fit is not shown. The order is that of the lectures, "cyclic",
    unless another one is given. Where the weights return to those of an earlier epoch, a trace stops at
    once; a fit, which remembers fewer of them, may take some epochs more.

    >>> print(trace([[3, 3], [4, 3], [1, 1]], [1, 1, -1], max_iter=2))
    epoch  sample        weights before  w·x  update  weights after  w·x after
    -----  ------------  --------------  ---  ------  -------------  ---------
    1      (1, 3, 3)     (0, 0, 0)       0    yes     (1, 3, 3)      19
    1      (1, 4, 3)     (1, 3, 3)       22   no      (1, 3, 3)      22
    1      (-1, -1, -1)  (1, 3, 3)       -7   yes     (0, 2, 2)      -4
    2      (1, 3, 3)     (0, 2, 2)       12   no      (0, 2, 2)      12
    2      (1, 4, 3)     (0, 2, 2)       14   no      (0, 2, 2)      14
    2      (-1, -1, -1)  (0, 2, 2)       -4   yes     (-1, 1, 1)     -1
    <BLANKLINE>
    An update raises w·x by ‖x‖².
    Stopped after epoch 2: the last epoch allowed still made mistakes: the data may need more epochs, \
or may not be separable at all.
    Final weights (-1, 1, 1): the line x1 + x2 - 1 = 0.
    """
    learner = Perceptron(**{"order": "cyclic", **parameters})
    batch = learner.prepared(X, y)
    if len(batch.panel) != 1:
        raise InputError(f"y has {len(batch.classes)} classes: a trace shows two")
    if learner.shards > 1:
        raise InputError(
            f"shards={learner.shards} learn side by side, but a trace shows one visit after another: "
            "use shards=1"
        )
    panel, intercept = batch.panel, learner.fit_intercept
    if coef_init is not None or intercept_init is not None:
        panel.weights = start_weights(
            coef_init, intercept_init, panel.weights.shape, intercept=intercept, eta0=batch.rate
        )
    blocks = Blocks(panel)
    samples = _signed(batch, intercept=intercept)

    def weights() -> Floats:
        """Return the weights as lectures write them: the intercept, if any, first."""
        own = batch.rate * panel.weights[0] + 0.0  # no -0.0
        return np.roll(own, 1) if intercept else own[:-1]

    # Visits share their vectors: a long run has few that differ.
    shown = [tuple(sample) for sample in samples.tolist()]
    labels = batch.y.tolist()
    steps = (batch.rate * panel.problem.steps_of(0)).tolist()
    now = weights()
    before = tuple(now.tolist())
    visits: list[Visit] = []
    outcome, cycle = Outcome.BUDGET, None
    ends = {panel.weights.tobytes(): 0}
    for epoch in range(1, learner.max_iter + 1):
        mistakes = 0
        for i in next(batch.epochs).tolist():
            blocks.visit(np.array([i]))
            score = score_after = _score(now, samples[i], i, batch.rate)
            after, update = before, bool(panel.tally[MISTAKES, 0])
            if update:
                blocks.write_back()
                now = weights()
                after = tuple(now.tolist())
                mistakes += 1
                score_after = _score(now, samples[i], i, batch.rate)
            visits.append(
                Visit(
                    epoch,
                    i,
                    shown[i],
                    before,
                    score,
                    update,
                    after,
                    score_after,
                    step=steps[i],
                    label=labels[i],
                )
            )
            before = after
        if mistakes == 0 and count_left(panel.problem, panel.weights[0]) == 0:
            outcome = Outcome.SEPARATED
            break
        first = ends.setdefault((panel.weights + 0.0).tobytes(), epoch)
        if first < epoch and learner.notices_cycles:
            outcome, cycle = Outcome.CYCLING, Cycle(first, epoch)
            break
    return Trace(
        visits,
        outcome,
        before,
        intercept,
        batch.rate,
        cycle,
        margin=float(learner.margin),
        classes=tuple(batch.classes.labels.tolist()),
    )


def worked_example(
    *, coef_init: WeightsLike = None, intercept_init: WeightsLike = None, **parameters: Any
) -> Trace:
    """Return the lecture's example: six samples in the plane, from the weights (1, 0, 0).

    Other weights to start from, and all parameters, are those of `trace`. Without an intercept it starts
    from (0, 0).

    >>> len(worked_example())
    18
    >>> worked_example(fit_intercept=False).weights
    (2.0, -1.0)
    """
    X = [[1, 1], [1, -1], [0, -1], [-1, -1], [-1, 1], [0, 1]]
    y = [1, 1, 1, -1, -1, -1]
    if coef_init is None and intercept_init is None and parameters.get("fit_intercept", True):
        intercept_init = 1
    return trace(X, y, coef_init=coef_init, intercept_init=intercept_init, **parameters)


def _signed(batch: FitProblem, *, intercept: bool) -> Floats:
    """Return the samples as lectures write them: extended, and those of one class negated."""
    dense, problem = as_dense(batch.X), batch.panel.problem
    if intercept:
        dense = np.column_stack([np.ones(len(dense)), dense])
    signed: Floats = dense * problem.signs[:, :1].astype(np.float64) + 0.0  # no -0.0
    return signed


def _score(weights: Floats, sample: Floats, row: int, rate: float) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        score = float(weights @ sample) + 0.0
    if not math.isfinite(score):
        raise InputError(
            f"the score of row {row} of X is beyond float64 with eta0={rate!r}: use a smaller eta0, or "
            "scale the samples down"
        )
    return score
