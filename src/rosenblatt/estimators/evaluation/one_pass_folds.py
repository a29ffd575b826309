"""The folds of a cross-validation, learned side by side in one reading of the samples.

Each fold has halfspaces of its own, which do not see the samples kept aside for its test. All of them
are columns of one panel: an epoch reads every sample once, for all folds. Steps and scales belong to
the samples, and are the same for every fold; classes, their weights and the start are a fold's own. So
each fold learns the same bits as alone.
"""

import warnings
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import distinct, positive_classes
from rosenblatt.core.types import Counts, Floats, Labels, LabelsLike, MatrixLike, WeightsLike
from rosenblatt.estimators.common.fit_problem import Lesson
from rosenblatt.estimators.common.linear_classifier import tie_sign
from rosenblatt.estimators.common.n_jobs import n_threads
from rosenblatt.estimators.common.targets import Samples, Targets, targets
from rosenblatt.estimators.common.validation import generator, weights_of_classes
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.kernels.rows import Rows, as_rows
from rosenblatt.kernels.scoring import count_mistakes
from rosenblatt.training.blocks import Blocks
from rosenblatt.training.loop import Run, learn
from rosenblatt.training.outcomes import Outcome
from rosenblatt.training.panel import Panel, Problem


@dataclass
class _Fold:
    """One fold: its perceptron, the samples it learns from, and where its halfspaces start."""

    model: Perceptron
    part: Counts
    classes: Labels
    origin: Floats
    start: Floats
    targets: Targets
    columns: slice


@dataclass
class Folds:
    """What was learned: a perceptron for each fold, and the samples that they share."""

    models: list[Perceptron]
    rows: Rows
    y: Labels

    def accuracy(self, k: int, part: Counts) -> float:
        """Return the share of the samples in a part that fold k, of two classes, is right about.

        Nothing is copied: the part's samples are counted where they lie.
        """
        model, labels = self.models[k], self.y[part]
        negative, positive = model.classes_
        sides = np.where(labels == positive, 1, np.where(labels == negative, -1, 0))
        signs = np.zeros(len(self.y), dtype=np.int8)
        signs[part] = sides
        tie = -1 if tie_sign(model.ties) < 0 else 1  # as predictions have it
        mistakes = count_mistakes(self.rows, signs, tie, model._deciding[0])
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

    ``parts`` are row numbers in ascending order, and the learner visits them in cyclic order. Folds that
    ``max_iter`` epochs did not separate are warned of together.

    >>> X, y = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), [1, 1, -1]
    >>> folds = learn_folds(Perceptron(), X, y, [np.array([0, 2]), np.array([1, 2])], None, None)
    >>> [model.n_mistakes_ for model in folds.models]
    [7, 4]
    >>> folds.accuracy(0, np.array([1]))
    1.0
    """
    n_jobs = n_threads(n_jobs)
    reader = clone(learner)
    X, y = reader._admitted(X, y)
    rows = as_rows(X, learner._constant)
    samples = reader._samples(rows, y, sample_weight, distinct(y))
    folds = _folds(reader, samples, parts)
    panel = _side_by_side(folds, record=learner.record, average=learner.keep == "average")
    problem = Problem(rows, tie_sign(learner.ties))
    runs = [Run(fold.columns) for fold in folds]
    epochs = repeat(_union(parts, len(y)))
    unit = float(learner.eta0)
    teacher = Blocks(problem, panel, n_jobs)
    learn(problem, panel, teacher, epochs, learner.max_iter, runs=runs, unit=unit)
    for fold, run in zip(folds, runs, strict=True):
        lesson = Lesson(
            X=X,
            y=y,
            classes=fold.classes,
            problem=problem,
            panel=panel.part(fold.columns),
            epochs=epochs,
            start=fold.start,
            origin=fold.origin,
            scales=samples.scales,
            unit=unit,
            part=fold.part,
        )
        fold.model._conclude(lesson, run)
    _warn(folds, learner.max_iter)
    return Folds([fold.model for fold in folds], rows, y)


def _folds(reader: Perceptron, samples: Samples, parts: list[Counts]) -> list[_Fold]:
    """Return what each fold is to learn; the reader has seen what the samples look like."""
    classes = distinct(samples.y)
    numbers = np.searchsorted(classes, samples.y)
    known: dict[tuple[bytes, bytes], Targets] = {}  # most folds have the same classes
    folds: list[_Fold] = []
    for part in parts:
        model = clone(reader)
        for name, value in reader._state().items():
            setattr(model, name, value)
        present = np.flatnonzero(np.bincount(numbers[part], minlength=len(classes)))
        own = classes[present]
        if len(own) < 2:
            raise InputError(
                f"the training part of fold {len(folds)} has one class only, {own.tolist()[0]!r}: "
                "learning needs at least two classes"
            )
        by_class = weights_of_classes(model.class_weight, samples.y[part], own)
        key = present.tobytes(), by_class.tobytes()
        if key not in known:
            numbered = samples._replace(y=numbers, by_class=by_class)
            known[key] = targets(numbered, present, positive_classes(present))
        found = known[key]
        seen = np.zeros(len(numbers), dtype=bool)
        seen[part] = True
        signs = found.signs * seen[:, None]
        if not signs.any(axis=0).all():
            raise InputError(
                "sample_weight and class_weight are zero for every sample in the training part of "
                f"fold {len(folds)}: there is nothing to learn"
            )
        origin = model._origin_weights(generator(model.random_state))
        first, height = folds[-1].columns.stop if folds else 0, signs.shape[1]
        start = np.tile(origin, (height, 1))
        columns = slice(first, first + height)
        folds.append(_Fold(model, part, own, origin, start, found._replace(signs=signs), columns))
    return folds


def _side_by_side(folds: list[_Fold], *, record: bool, average: bool) -> Panel:
    """Return the halfspaces of all folds as one panel."""
    shared = folds[0].targets
    weights = np.concatenate([fold.start for fold in folds])
    return Panel(
        weights,
        np.concatenate([fold.targets.signs for fold in folds], axis=1),
        shared.steps,
        shared.masses,
        np.concatenate([fold.targets.factors for fold in folds]),
        drift=np.zeros_like(weights) if average else None,
        record=record,
    )


def _union(parts: list[Counts], n_samples: int) -> Counts:
    """Return the samples that some fold learns from, in order."""
    seen = np.zeros(n_samples, dtype=bool)
    for part in parts:
        seen[part] = True
    return np.flatnonzero(seen)


def _warn(folds: list[_Fold], max_iter: int) -> None:
    n_open = sum(fold.model.outcome_ is Outcome.BUDGET for fold in folds)
    if n_open:
        warnings.warn(
            f"max_iter={max_iter} epochs were not enough for {n_open} of {len(folds)} folds: "
            "raise max_iter, or find out with certify=True whether the data is separable at all, "
            "for if it is not, no number of epochs is enough",
            ConvergenceWarning,
            stacklevel=4,
        )
