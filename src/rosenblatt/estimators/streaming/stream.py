"""Learning from a stream: chunks or single samples, visited once, in the order given.

While not all classes are known, one more weight vector learns "none of these" for every sample; a class
that turns up starts from it, so the weights have the same bits as if all classes had been known from the
beginning.

Single samples and small chunks are learned in place, on a desk (see ``one_sample_cache``): at the cost
of what they store, whatever the number of features. The norm in the record of such a chunk is carried
from update to update and summed anew in time (see ``single_sample``). Classes that learn jointly,
matrices of labels, pockets and votes have no desk: their samples are learned with care, one by one or
not. The first must be known from the beginning, for a class that is not yet there can be no one's rival.
"""

import time
from abc import abstractmethod
from typing import Any, Self

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import joined, named_classes, positive_classes
from rosenblatt.core.types import (
    ClassWeights,
    Floats,
    Labels,
    LabelsLike,
    MatrixLike,
    SampleLike,
    Seed,
    WeightsLike,
)
from rosenblatt.estimators.common.class_signs import factors_of, signs_of
from rosenblatt.estimators.common.keep import TRACED, keep_of, new_kept
from rosenblatt.estimators.common.linear_classifier import HalfspaceClassifier, tie_sign
from rosenblatt.estimators.common.targets import Samples, Vectors, opened, owners, sources, targets
from rosenblatt.estimators.common.validation import (
    admitted,
    as_label,
    as_label_row,
    check_features,
    check_labels,
    check_rule_of_labels,
    check_weights,
    generator,
    is_label_row,
    is_named,
    needs_all,
    not_named,
    weights_of_classes,
    weights_of_samples,
)
from rosenblatt.estimators.streaming.one_sample_cache import Desk
from rosenblatt.kernels.rows import Rows, as_rows
from rosenblatt.training.blocks import Blocks
from rosenblatt.training.deciders.lifetimes import visit
from rosenblatt.training.history import Epoch, History
from rosenblatt.training.outcomes import Outcome
from rosenblatt.training.panel import Panel, Problem


class StreamClassifier(HalfspaceClassifier):
    """Abstract: a learner of halfspaces by the perceptron's update, one visit at a time."""

    eta0: float
    multiclass: str
    class_weight: ClassWeights
    unit_length: bool
    start: str
    keep: str
    random_state: Seed
    outcome_: Outcome
    history_: Any  # a History, or steps of a descent
    n_iter_: int

    @abstractmethod
    def check_parameters(self) -> None:
        """Raise, naming it, for the first parameter whose value is not accepted."""

    @abstractmethod
    def _samples(
        self, rows: Rows, y: Labels, sample_weight: WeightsLike, classes: Labels
    ) -> Samples:
        """Return the labels and how far a mistake on each sample moves the weights."""

    def partial_fit(
        self,
        X: MatrixLike,
        y: LabelsLike,
        classes: LabelsLike = None,
        sample_weight: WeightsLike = None,
    ) -> Self:
        """Learn from one chunk of a stream: one visit to each sample, in the order given.

        ``classes``, in the first call, names all classes beforehand, which saves some work; without
        it classes are learned as they turn up. A class that turns up although it was not named, or
        was not in the data of an earlier `fit`, starts from the start weights. Classes that learn
        jointly must all be named. Where y is a matrix of labels, its columns are the classes.
        """
        with self._lock:
            started = time.perf_counter()
            desk = self._instructed_desk()
            before = 0 if desk is None else desk.n_mistakes
            if desk is not None and desk.learn_rows(X, y, sample_weight):
                mistakes, norm = desk.n_mistakes - before, desk.norm
            else:
                mistakes = self._learn_chunk(X, y, classes, sample_weight)
                desk = self._instructed_desk()
                weights = self._weights[self._used]
                norm = float(np.linalg.norm(weights)) if desk is None else desk.norm
            if not hasattr(self, "history_"):  # a model file may leave it out
                vars(self)["history_"] = History()
            seconds = time.perf_counter() - started
            self.history_.append(Epoch(mistakes, None, self._unit * norm, seconds))
            vars(self)["n_iter_"] = len(self.history_)
        return self

    def learn_one(self, x: SampleLike, y: LabelsLike, sample_weight: float | None = None) -> Self:
        """Learn from one sample of a stream and its label.

        The sample is a vector, a sparse row, or a dict of names to values. A stream of dicts may bring
        new names at any time: a feature has the weight 0 until it appears, so that the weights have the
        same bits as those of a stream of rows with a column for each name, in order of appearance.

        >>> from rosenblatt import Perceptron
        >>> p = Perceptron().learn_one({"sun": 1.0, "wind": 2.0}, "stay")
        >>> p.learn_one({"rain": 3, "sun": 0.5}, "go").predict_one({"rain": 1, "snow": 7})
        'go'
        >>> p.feature_names_in_, p.coef_
        (array(['sun', 'wind', 'rain'], dtype=object), array([[ 0.5,  2. , -3. ]]))
        """
        with self._lock:
            desk = self._desk
            if (
                desk is None
                or (desk.class_weight is not None and desk.class_weight != self.class_weight)
                or not desk.learn(x, y, 1.0 if sample_weight is None else sample_weight)
            ):
                self._learn_carefully(x, y, sample_weight)
        return self

    def _instructed_desk(self) -> Desk | None:
        """Return the desk if there is one and it can be learned on as it is."""
        desk = self._desk
        return desk if desk is not None and desk.is_instructed(self.class_weight) else None

    def _learn_chunk(
        self, X: MatrixLike, y: LabelsLike, classes: LabelsLike, sample_weight: WeightsLike
    ) -> int:
        """Learn from a chunk that may be anything; return the mistakes made."""
        self.check_parameters()
        with self._all_or_nothing():
            first = not hasattr(self, "classes_")
            if hasattr(self, "_columns") and not hasattr(X, "columns"):
                raise InputError(
                    f"X is a {type(X).__name__}, but {type(self).__name__} has learned from dicts of "
                    "names to values: give a data frame with these names, or dicts to learn_one"
                )
            X, y = admitted(self, X, y, reset=first)
            if first:
                self._begin_stream(y, classes)
            return self._learn_rows(as_rows(X, self._constant), y, sample_weight)

    def _learn_carefully(self, x: SampleLike, y: LabelsLike, sample_weight: WeightsLike) -> None:
        """Learn from a sample that may be anything."""
        if is_named(x):
            self._learn_features(dict(x), y, sample_weight)
            return
        if self._instructed_desk() is None:
            self.check_parameters()
        row = self._one_row(x, self._constant)
        if not np.isfinite(row.values).all():
            raise InputError("the sample contains NaN or infinity: give finite values")
        labels = self._labels_of_one(y)
        with self._all_or_nothing():
            if not hasattr(self, "classes_"):
                self.n_features_in_ = int(np.shape(x)[-1])
                self._begin_stream(labels, None)
            self._learn_rows(row, labels, sample_weight)

    def _labels_of_one(self, y: LabelsLike) -> Labels:
        """Return the label, or the labels, of one sample."""
        first = not hasattr(self, "classes_")
        if self.multilabel_ or (first and is_label_row(y)):
            return as_label_row(y, np.shape(y)[-1] if first else len(self.classes_))
        return as_label(y)

    def _learn_features(self, x: dict[Any, Any], y: LabelsLike, sample_weight: WeightsLike) -> None:
        """Learn from a dict with new names, or of a new class, or the first one."""
        if self.multilabel_ or self.multiclass == "joint" or is_label_row(y):
            raise InputError(
                "the sample is a dict, from which neither classes that learn jointly nor matrices of "
                "labels are learned: give a vector or a sparse row"
            )
        if self.keep in TRACED:
            raise InputError(
                f"the sample is a dict, from which keep={self.keep!r} does not learn: give a vector or "
                "a sparse row, or use keep='last' or 'average'"
            )
        desk = self._instructed_desk()
        if desk is None:
            self.check_parameters()
        check_features(x)
        (label,) = as_label(y).tolist()
        weight = float(weights_of_samples(sample_weight, 1)[0])
        if desk is not None and desk.named and desk.knows(label):
            self._learn_new_names(desk, x, label, weight)
            return
        with self._all_or_nothing():
            if not hasattr(self, "classes_"):
                self._check_start()
                self.n_features_in_ = 0
                self._columns = {}
                self._begin_stream(as_label(y), None)
            self._columns = self._known_columns()
            self._admit(as_label(y))
            desk = self._sit_down()
            if desk is None:
                raise needs_all(self.class_weight)
            self._learn_new_names(desk, x, label, weight)

    def _learn_new_names(self, desk: Desk, x: dict[Any, Any], y: LabelsLike, weight: float) -> None:
        """Learn from a dict, some of whose names may be new: all of it, or nothing."""
        new = [name for name in x if name not in self._columns]
        if new:
            self._check_start()
        width, tallies = desk.width, desk.tallies.copy()
        try:
            desk.widen(new)
            self._show(desk)
            if not desk.learn(x, y, weight):
                raise InputError(
                    "the sample, or its weight, is so large (or, with unit_length, so small) that "
                    "float64 might overflow: give values well below 1e130"
                )
        except BaseException:
            if (desk.tallies == tallies).all():  # else it was learned before the interruption
                desk.narrow(width)
                self._show(desk)
            raise

    def _check_start(self) -> None:
        """Raise if a name that appears in mid-stream would have no weight to start from."""
        if self.start == "random":
            raise InputError(
                "start='random' draws a direction for all features at once, but a dict may bring new "
                "ones at any time: use start='zero', or rows"
            )

    def _begin_stream(self, y: Labels, classes: LabelsLike) -> None:
        """Set the state before the first sample of a stream.

        A stream is open, ready for new classes, unless its classes are named: by ``classes``, or by
        weights for them, whose meaning depends on whether there are two classes or more.
        """
        if isinstance(self.class_weight, str):
            raise needs_all(self.class_weight)
        self.multilabel_ = y.ndim == 2
        known, is_open = self._first_classes(y, classes)
        n_halfspaces = len(known) + 1 if is_open else len(self._positives_of(known))
        self._unit = float(self.eta0)
        self._origin = self._origin_weights(generator(self.random_state))
        self._weights = np.tile(self._origin, (n_halfspaces, 1))
        self._drift = np.zeros_like(self._weights) if self.keep == "average" else None
        self._kept = new_kept(self.keep, self._weights, self._constant)
        self._visits = np.zeros(n_halfspaces, dtype=np.int64)
        self._mistakes = np.zeros(n_halfspaces, dtype=np.int64)
        self._open = is_open
        self.classes_ = known
        self.history_ = History()
        self.n_iter_ = 0

    def _first_classes(self, y: Labels, classes: LabelsLike) -> tuple[Labels, bool]:
        """Return the classes that a stream begins with, and whether it is open for more."""
        if y.ndim == 2:
            known = np.arange(y.shape[1])
            if classes is not None and not np.array_equal(classes, known):
                raise InputError(
                    f"classes={classes!r} is not accepted for a matrix of {len(known)} labels: they are "
                    "its columns, so leave it out"
                )
            check_rule_of_labels(self.multiclass)
            return known, False
        if classes is None and self.class_weight:
            classes = list(self.class_weight)
        if classes is None:
            if self.multiclass == "joint":
                raise InputError(
                    "multiclass='joint' needs to know all classes from the beginning: name them in the "
                    "first call, partial_fit(X, y, classes=...), or call fit first"
                )
            return np.unique(y), True
        return named_classes(classes), False

    def _origin_weights(self, rng: np.random.RandomState) -> Floats:
        """Return the start that all halfspaces share, so that classes may turn up at any time."""
        origin = np.zeros(self.n_features_in_ + 1)
        if self.start == "random":
            size = len(origin) if self.fit_intercept else len(origin) - 1
            direction = rng.standard_normal(size)
            origin[:size] = direction / np.linalg.norm(direction) / float(self.eta0) + 0.0
        return origin

    def _learn_rows(self, rows: Rows, y: Labels, sample_weight: WeightsLike) -> int:
        """Visit each sample once; return the mistakes made."""
        if self.multilabel_:
            check_labels(y, len(self.classes_))
        else:
            self._admit(y)
        desk = self._instructed_desk() or self._sit_down()
        labels = [] if desk is None else y.tolist()
        if desk is not None and desk.takes(labels):
            before = desk.n_mistakes
            if desk.visit(rows, labels, weights_of_samples(sample_weight, len(y))):
                return desk.n_mistakes - before
        return self._learn_many(rows, y, sample_weight)

    def _sit_down(self) -> Desk | None:
        """Set the state that the stream goes on from, and the desk for it, if one will do."""
        began = keep_of(self._kept, self._drift)
        if began != self.keep:
            raise InputError(
                f"keep={self.keep!r} was not what the stream began with, but {began!r}: what is kept "
                "covers all visits"
            )
        in_unit = self._unit / self.eta0  # from the unit so far to today's
        self._weights = self._weights * in_unit + 0.0
        check_weights(self._weights, self.eta0)
        self._drift = None if self._drift is None else self._drift * in_unit + 0.0
        self._kept = None if self._kept is None else self._kept.rescaled(in_unit)
        self._unit = float(self.eta0)
        self.outcome_ = Outcome.STREAM
        for past in ("ledger_", "margin_", "n_exact_", "certificate_", "conflicts_"):
            self.__dict__.pop(past, None)
        is_plain = self._kept is None and not (self.multilabel_ or self._is_joint(self.classes_))
        if isinstance(self.class_weight, str) or not is_plain:
            return None
        desk = self._new_desk()
        by_class = weights_of_classes(self.class_weight, self.classes_, self.classes_)
        signs = signs_of(self.classes_, self._positives, len(self._weights))
        desk.instruct(
            factors_of(by_class, signs),
            signs,
            self.class_weight,
            constant=self._constant,
            unit_length=self.unit_length,
        )
        self._show(desk)
        vars(self)["_desk"] = desk
        return desk

    def _show(self, desk: Desk) -> None:
        """Let the attributes be what lies on the desk."""
        if desk.named:
            vars(self).pop("feature_names_in_", None)
        vars(self).update(desk.state())

    @property
    def _positives(self) -> Labels:
        """The class that each halfspace is positive for."""
        return self.classes_ if self._open else self._positives_of(self.classes_)

    def _positives_of(self, classes: Labels) -> Labels:
        """Return the class, of all classes, that each halfspace is positive for."""
        return classes if self.multilabel_ else positive_classes(classes)

    def _is_joint(self, classes: Labels) -> bool:
        """Say whether the classes learn jointly: two of them share one halfspace anyway."""
        return self.multiclass == "joint" and len(classes) > 2

    def _learn_many(self, rows: Rows, y: Labels, sample_weight: WeightsLike) -> int:
        """Visit many samples, or such as might overflow; return the mistakes made."""
        samples = self._samples(rows, y, sample_weight, self.classes_)
        panel = Panel(
            self._weights.copy(),
            *targets(samples, self.classes_, self._positives, len(self._weights)),
            drift=None if self._drift is None else self._drift.copy(),
            visits=self._visits.copy(),
            own=owners(samples, self.classes_) if self._is_joint(self.classes_) else None,
            trace=self._kept is not None,
        )
        problem = Problem(rows, tie_sign(self.ties))
        teacher = Blocks(problem, panel, self._n_threads)
        if self._kept is None:
            teacher.visit(np.arange(len(y)))
            teacher.settle()
        else:
            self._kept = self._kept.after(visit(problem, panel, teacher, np.arange(len(y))))
        self._weights, self._drift, self._visits = panel.weights, panel.drift, panel.visits
        self._mistakes = self._mistakes + panel.mistakes
        return int(panel.mistakes[self._used].sum())

    def _admit(self, y: Labels) -> None:
        """Make room for the classes in y that have not been seen yet."""
        if y.ndim != 1:
            raise InputError(
                f"y is a matrix of labels, but the classes so far, {self.classes_.tolist()!r}, exclude "
                "each other: give one label for each sample"
            )
        if self.multiclass == "joint" and self._open:
            raise InputError(
                "multiclass='joint' cannot go on from a stream whose classes were not named: begin "
                "again with partial_fit(X, y, classes=...)"
            )
        classes = joined(self.classes_, y)
        if len(classes) == len(self.classes_):
            return
        if self.multiclass == "joint":
            raise not_named(np.setdiff1d(classes, self.classes_), self.classes_)
        vectors = Vectors(self._weights, self._drift, self._visits)
        if not self._open:
            vectors, self._mistakes = opened(
                vectors, self._mistakes, self._origin, n_classes=len(self.classes_)
            )
            if self._kept is not None:
                self._kept = self._kept.opened(self._origin, n_classes=len(self.classes_))
            self._open = True
        source = sources(self.classes_, classes)
        self._weights, self._drift, self._visits = vectors.chosen(source)
        self._mistakes = self._mistakes[source]
        self._kept = None if self._kept is None else self._kept.chosen(source)
        self.classes_ = classes
