"""The folds of a cross-validation, learned in parallel with one reading of the samples per epoch.

Each fold has its own halfspaces, which skip its test samples. The halfspaces of all folds are columns of
one panel, so an epoch reads each sample once for all folds. Steps belong to the samples and are shared;
classes, their weights and the start belong to a fold. So each fold learns the same bits as in a separate
fit to all samples, with weight 0 for its test samples and the same required margin. Classes that learn
jointly share their weights' updates, so there each fold is such a fit.
"""

import warnings
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.core.classes import Classes
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import distinct
from rosenblatt.core.types import Counts, Floats, Labels, LabelsLike, MatrixLike, WeightsLike
from rosenblatt.estimators.common.fit_problem import FitProblem
from rosenblatt.estimators.common.linear_classifier import tie_sign
from rosenblatt.estimators.common.validation import generator, n_threads, weights_of_classes
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.kernels.rows import Rows, as_rows, widened
from rosenblatt.kernels.scoring import count_mistakes
from rosenblatt.training.blocks import Blocks
from rosenblatt.training.deciders.keep import AVERAGED
from rosenblatt.training.loop import Log, orders, train
from rosenblatt.training.outcomes import Outcome
from rosenblatt.training.panel import Panel
from rosenblatt.training.problem import Problem, new_problem
from rosenblatt.training.rules.perceptron_rule import PerceptronRule


@dataclass
class _Fold:
    """One fold: its perceptron, its training samples, its problem, and its columns of the panel."""

    model: Perceptron
    part: Counts
    classes: Classes
    n_features: int
    problem: Problem
    columns: slice

    @property
    def start(self) -> Floats:
        """The start weights of its halfspaces."""
        return np.zeros((self.problem.n_halfspaces, self.n_features + 1))


@dataclass
class Folds:
    """The learned perceptrons, one per fold, and the samples that they share."""

    models: list[Perceptron]
    rows: Rows
    y: Labels

    def accuracy(self, k: int, part: Counts) -> float:
        """Return the accuracy of fold k, with two classes, on a part of the samples.

        The part's samples are not copied.
        """
        model, labels = self.models[k], self.y[part]
        negative, positive = model.classes_
        sides = np.where(labels == positive, 1, np.where(labels == negative, -1, 0))
        signs = np.zeros(len(self.y), dtype=np.int8)
        signs[part] = sides
        tie = -1 if tie_sign(model.ties) < 0 else 1  # as in predict
        mistakes = count_mistakes(self.rows, signs, tie, model._state.deciding[0])
        return float((np.count_nonzero(sides) - mistakes) / len(part))


def learn_folds(
    learner: Perceptron,
    X: MatrixLike,
    y: LabelsLike,
    parts: list[Counts],
    sample_weight: WeightsLike,
    n_jobs: Any,
) -> Folds:
    """Learn one perceptron from each part of the samples, all in one pass per epoch.

    ``parts`` hold row numbers in ascending order; the learner's order must be "cyclic" or "shuffle". If
    `fit` would warn that ``max_iter`` epochs were not enough, one warning covers all folds.

    >>> X, y = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), [1, 1, -1]
    >>> parts = [np.array([0, 2]), np.array([1, 2])]
    >>> folds = learn_folds(Perceptron(order="cyclic"), X, y, parts, None, None)
    >>> [model.n_mistakes_ for model in folds.models]
    [7, 4]
    >>> folds.accuracy(0, np.array([1]))
    1.0
    """
    X, y, features = learner._samples(X, y)
    rows = widened(as_rows(X, learner._constant))
    whole, margin = learner.measured_problem(rows, y, sample_weight, Classes(distinct(y)))
    if learner.multiclass == "joint" and len(distinct(y)) > 2:
        return _joint_folds(learner, X, rows, y, parts, whole.steps, margin)
    folds = _folds(learner, whole, y, parts, features.count)
    panel = _side_by_side(folds, record=learner.record, average=learner.keep in AVERAGED)
    logs, rate = [Log(fold.columns) for fold in folds], float(learner.eta0)
    blocks = Blocks(panel, n_threads(n_jobs))
    mark = blocks.mark if learner.notices_cycles else None
    rule = PerceptronRule(panel, blocks, rate=rate, mark=mark)
    epochs = orders(learner.order, len(y), generator(learner.random_state))
    if learner.order == "cyclic":
        epochs = repeat(_union(parts, len(y)))
    train(rule, epochs, learner.max_iter, logs)
    for fold, log in zip(folds, logs, strict=True):
        batch = FitProblem(
            X=X,
            y=y,
            classes=fold.classes,
            features=features,
            panel=panel.part(fold.columns),
            epochs=epochs,
            start=fold.start,
            rate=rate,
            part=fold.part,
            margin=margin,
        )
        fold.model._assign(*fold.model._result(batch, log))
    models = [fold.model for fold in folds]
    _warn(learner, models)
    return Folds(models, rows, y)


def _joint_folds(
    learner: Perceptron,
    X: MatrixLike,
    rows: Rows,
    y: Labels,
    parts: list[Counts],
    steps: Floats,
    margin: float,
) -> Folds:
    """Learn one perceptron with joint classes from each part."""
    models = []
    for part in parts:
        weights = np.zeros(len(y))
        weights[part] = steps[part]
        own = Classes(distinct(y[part]))
        by_class = weights_of_classes(learner.class_weight, y[part], own)
        by_label = dict(zip(own.labels.tolist(), by_class.tolist(), strict=True))
        is_balanced = learner.class_weight == "balanced"  # by the labels of this part only
        model = clone(learner).set_params(margin=margin)
        model.class_weight = by_label if is_balanced else learner.class_weight
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, y, sample_weight=weights)
        models.append(model.set_params(margin=learner.margin, class_weight=learner.class_weight))
    _warn(learner, models)
    return Folds(models, rows, y)


def _folds(
    learner: Perceptron, whole: Problem, y: Labels, parts: list[Counts], n_features: int
) -> list[_Fold]:
    """Return the folds and their problems, parts of the ``whole`` problem."""
    classes = distinct(y)
    numbers = np.searchsorted(classes, y)
    known: dict[tuple[bytes, bytes], Problem] = {}  # most folds have the same classes
    folds: list[_Fold] = []
    for part in parts:
        model = clone(learner)
        present = np.flatnonzero(np.bincount(numbers[part], minlength=len(classes)))
        own = classes[present]
        if len(own) < 2 and model.fit_intercept:
            raise InputError(
                f"the training part of fold {len(folds)} has only one class, {own.tolist()[0]!r}: "
                "learning needs at least two classes, or one without an intercept, fit_intercept=False"
            )
        by_class = weights_of_classes(model.class_weight, y[part], Classes(own))
        key = present.tobytes(), by_class.tobytes()
        if key not in known:
            known[key] = new_problem(
                whole.rows, numbers, Classes(present), whole.steps, by_class, tie=whole.tie
            )
            known[key].required = whole.required
        found = known[key]
        seen = np.zeros(len(numbers), dtype=bool)
        seen[part] = True
        signs = found.signs * seen[:, None]
        if not signs.any(axis=0).all():
            raise InputError(
                "sample_weight and class_weight are zero for every sample in the training part of "
                f"fold {len(folds)}: there is nothing to learn"
            )
        first = folds[-1].columns.stop if folds else 0
        columns = slice(first, first + signs.shape[1])
        problem = replace(found, signs=signs)
        folds.append(_Fold(model, part, Classes(own), n_features, problem, columns))
    return folds


def _side_by_side(folds: list[_Fold], *, record: bool, average: bool) -> Panel:
    """Return the halfspaces of all folds as one panel."""
    problems = [fold.problem for fold in folds]
    problem = replace(
        problems[0],
        signs=np.concatenate([one.signs for one in problems], axis=1),
        factors=np.concatenate([one.factors for one in problems]),
    )
    weights = np.concatenate([fold.start for fold in folds])
    drift = np.zeros_like(weights) if average else None
    return Panel(problem, weights, drift, record=record)


def _union(parts: list[Counts], n_samples: int) -> Counts:
    """Return the samples in any training part, in ascending order."""
    seen = np.zeros(n_samples, dtype=bool)
    for part in parts:
        seen[part] = True
    return np.flatnonzero(seen)


def _warn(learner: Perceptron, models: list[Perceptron]) -> None:
    n_open = sum(model.outcome_ is Outcome.BUDGET for model in models)
    if n_open and learner.keep == "last":
        warnings.warn(
            f"max_iter={learner.max_iter} epochs were not enough for {n_open} of {len(models)} folds: "
            "raise max_iter, or check with certify=True whether the data is separable; if it is not, "
            "more epochs cannot help",
            ConvergenceWarning,
            stacklevel=4,
        )
