"""Learners that visit samples one by one and keep nothing but their weights.

Conventions
-----------
Many classes: each has a halfspace of its own, that class against the rest; two classes share one.

Epochs: learning ends when each halfspace has had an epoch that found nothing to do; it is not
visited any more. An order with repetition ("random") may miss samples, so there such an epoch is
followed by one look at every sample. A sample of weight 0 is not seen.

Streams: `partial_fit` and `learn_one` visit each sample once, in the order given. Classes that are
named in the first call, or by an earlier `fit`, are all there are: another label is an error. If
they are not named, one more halfspace learns "none of these" for every sample, and a class that
turns up starts from it: so the weights have the same bits as if all classes had been known from the
beginning.

Single samples are learned and decided at the cost of what they store, whatever the number of
features; but the average, where it is kept, is computed anew for each decision.
"""

import time
import warnings
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.core.constants import LARGEST
from rosenblatt.core.errors import InputError, not_finite
from rosenblatt.core.labels import distinct, joined, named_classes, positive_classes, sign_table
from rosenblatt.core.types import (
    Counts,
    Flags,
    Floats,
    Labels,
    LabelsLike,
    MatrixLike,
    SampleLike,
    Seed,
    Signs,
    WeightsLike,
)
from rosenblatt.estimators.common.linear_classifier import HalfspaceClassifier, tie_sign
from rosenblatt.estimators.common.lock import alone
from rosenblatt.estimators.common.targets import sources
from rosenblatt.estimators.common.validation import (
    as_label,
    generator,
    labelled,
    weights_of_samples,
)
from rosenblatt.kernels.rows import CSRRows, Rows, as_rows
from rosenblatt.kernels.scoring import count_mistakes
from rosenblatt.training.history import Epoch, History
from rosenblatt.training.loop import orders
from rosenblatt.training.outcomes import Outcome

_POSITIVE: Signs = np.ones(1, dtype=np.int8)


class Lesson(NamedTuple):
    """Samples to visit: ``signs[i, k]`` is the side of sample i in halfspace k, 0 if it is not seen."""

    rows: Rows
    signs: Signs
    steps: Floats


class Learned(NamedTuple):
    """One row for each halfspace: its weights, what is kept beside them if anything, and two counts."""

    weights: Floats
    beside: Floats | None
    visits: Counts
    mistakes: Counts

    def chosen(self, rows: Any) -> "Learned":
        """Return copies of some halfspaces, in the given order."""
        beside = None if self.beside is None else self.beside[rows]
        return Learned(self.weights[rows], beside, self.visits[rows], self.mistakes[rows])


class OnlineClassifier(HalfspaceClassifier):
    """Abstract: a learner of halfspaces, one visit at a time.

    A subclass gives the start (`_origin_rows`), the visits (`_visit`) and the name of the attribute
    for what it keeps beside the weights (``_beside``).
    """

    max_iter: int
    order: str
    random_state: Seed
    outcome_: Outcome
    history_: History
    n_iter_: int
    _beside: str
    _own: Floats | None = None

    @abstractmethod
    def check_parameters(self) -> None:
        """Raise, naming it, for the first parameter whose value is not accepted."""

    @abstractmethod
    def _origin_rows(self) -> tuple[Floats, Floats | None]:
        """Return the start of every halfspace, and of what is kept beside it."""

    @abstractmethod
    def _visit(
        self, lesson: Lesson, order: Counts, busy: Flags, learned: Learned, tally: Floats
    ) -> int:
        """Visit samples in order, changing what is learned and the tally in place: see ``online_rules``.

        Returned is the sample at which a number was not finite or too large, or -1.
        """

    def _is_calm(self, tally: Floats) -> Flags:
        """Say for which halfspaces an epoch with this tally has found nothing to do."""
        return np.asarray(tally[:, 0] == 0.0)

    def _check_values(self, rows: Rows) -> None:
        """Raise unless the finite values of the samples are such as can be learned from."""

    def __getstate__(self) -> Any:
        with self._lock:
            vars(self).pop("_own", None)  # a copy shares the arrays
            return super().__getstate__()

    def _changed_in_place(self) -> tuple[str, ...]:
        own = self._own
        return (
            ("_weights", self._beside, "_visits")
            if own is not None and own is self._weights
            else ()
        )

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike = None) -> Self:
        """Learn from all samples until an epoch finds nothing to do, or ``max_iter`` epochs have run.

        X may be dense or sparse, with two or more classes in y. What the weight of a sample does is
        the learner's; a sample of weight 0 is not seen.
        """
        with self._all_or_nothing():
            self.check_parameters()
            rows, y = self._admitted(X, y, reset=True)
            classes = distinct(y)
            if len(classes) < 2:
                raise InputError(
                    f"y has one class only, {classes.tolist()[0]!r}: learning needs at least two classes"
                )
            positives = positive_classes(classes)
            lesson = _lesson(rows, y, positives, len(positives), sample_weight)
            if not lesson.signs.any():
                raise InputError(
                    "sample_weight is zero everywhere: give some sample a weight above zero"
                )
            self._set_start(classes, len(positives))
            self._run(lesson)
        if self.outcome_ is Outcome.BUDGET:
            warnings.warn(self._shortfall(), ConvergenceWarning, stacklevel=2)
        return self

    def _shortfall(self) -> str:
        """Return, in a sentence, why `fit` has not separated the samples, and what to do."""
        return (
            f"{self.n_iter_} epochs were not enough, the last one made {self.history_[-1].mistakes} "
            f"updates: raise max_iter={self.max_iter}, or find out with `separate` whether the data "
            "is separable at all, for if it is not, no number of epochs is enough"
        )

    @alone
    def partial_fit(
        self,
        X: MatrixLike,
        y: LabelsLike,
        classes: LabelsLike = None,
        sample_weight: WeightsLike = None,
    ) -> Self:
        """Learn from one chunk of a stream: one visit to each sample, in the order given.

        ``classes``, in the first call, names all classes; without it they are learned as they turn
        up.
        """
        started = time.perf_counter()
        with self._all_or_nothing():
            self.check_parameters()
            first = not hasattr(self, "classes_")
            rows, y = self._admitted(X, y, reset=first)
            self._meet(y, classes)
            learned = Learned(*(_copied(part) for part in self._learned))
            updates = self._learn_once(self._stream_lesson(rows, y, sample_weight), learned)
            self._set_learned(learned)
        if not hasattr(self, "history_"):  # a model file may leave it out
            self.history_ = History()
        norm = float(np.linalg.norm(self._weights[self._used]))
        self.history_.append(Epoch(updates, None, norm, time.perf_counter() - started))
        self.n_iter_ = len(self.history_)
        return self

    @alone
    def learn_one(self, x: SampleLike, y: LabelsLike, sample_weight: float | None = None) -> Self:
        """Learn from one sample of a stream, a vector or a sparse row, and its label."""
        self.check_parameters()
        rows, label = self._one_row(x, self._constant), as_label(y)
        if not np.isfinite(rows.values).all():
            raise InputError("the sample contains NaN or infinity: give finite values")
        self._check_values(rows)
        with self._all_or_nothing():
            if not hasattr(self, "classes_"):
                self.n_features_in_ = int(np.shape(x)[-1])
            self._meet(label, None)
            lesson = self._stream_lesson(rows, label, sample_weight)
            if self._own is not self._weights:
                self._set_learned(Learned(*(_copied(part) for part in self._learned)))
            learned = self._learned
            with _undone_on_failure(learned, rows):
                self._learn_once(lesson, learned)
        return self

    @alone
    def predict_one(self, x: SampleLike) -> Any:
        """Return the label of one sample, a vector or a sparse row; None before any is learned."""
        if not hasattr(self, "classes_"):
            return None
        return self.classes_.item(self._decide_one(self._one_row(x, 1.0)))

    def _decide_one(self, rows: Rows) -> int:
        """Return the number of one sample's class, without a look at the weights it does not need."""
        if len(self.classes_) == 1 and not np.isfinite(rows.values).all():
            raise not_finite(0)
        panel = self._deciding
        plain = len(panel) == 1 < len(self.classes_) and _is_small(rows)
        if not plain:
            return int(self._decide(rows)[0])
        return 1 - int(count_mistakes(rows, _POSITIVE, 1, panel[0]))

    def check_state(self) -> None:
        """Raise unless the learned state, wherever it came from, hangs together."""
        super().check_state()
        beside = getattr(self, self._beside, None)
        if hasattr(self, "classes_") and beside is not None:
            fits = beside.shape == self._weights.shape and beside.dtype == np.float64
            if not fits or np.isnan(beside).any():
                raise ValueError(f"{self._beside} that does not fit the weights")

    def _admitted(self, X: MatrixLike, y: LabelsLike, *, reset: bool) -> tuple[Rows, Labels]:
        """Return samples and labels, validated; ``n_features_in_`` is set."""
        X, y = labelled(self, X, y, reset=reset)
        rows = as_rows(X, self._constant)
        self._check_values(rows)
        return rows, y

    @property
    def _learned(self) -> Learned:
        beside = getattr(self, self._beside)
        return Learned(self._weights, beside, self._visits, self._mistakes)

    def _set_learned(self, learned: Learned) -> None:
        """Set the learned arrays, which nobody else has."""
        self._weights, beside, self._visits, self._mistakes = learned
        setattr(self, self._beside, beside)
        vars(self)["_own"] = learned.weights

    def _set_start(self, classes: Labels, n_halfspaces: int, *, is_open: bool = False) -> None:
        """Set the state before the first visit."""
        origin, beside = self._origin_rows()
        self._origin, self._drift, self._unit, self._open = origin, None, 1.0, is_open
        none = np.zeros(n_halfspaces, dtype=np.int64)
        many = None if beside is None else np.tile(beside, (n_halfspaces, 1))
        self._set_learned(Learned(np.tile(origin, (n_halfspaces, 1)), many, none, none.copy()))
        self.classes_, self.history_, self.n_iter_ = classes, History(), 0

    def _run(self, lesson: Lesson) -> None:
        """Run the epochs."""
        learned, n_samples = self._learned, len(lesson.signs)
        busy = np.ones(len(learned.weights), dtype=np.bool_)
        epochs = orders(self.order, n_samples, generator(self.random_state))
        wrong = -1
        while busy.any() and self.n_iter_ < self.max_iter:
            started = time.perf_counter()
            tally = self._epoch(lesson, next(epochs), busy, learned)
            for k in np.flatnonzero(busy & self._is_calm(tally)).tolist():
                busy[k] = self._is_left_to_do(lesson, k, learned, tally)
            if not busy.any():
                wrong = self._count_wrong(lesson)
            norm, seconds = float(np.linalg.norm(learned.weights)), time.perf_counter() - started
            known = wrong if wrong >= 0 else None
            self.history_.append(Epoch(int(tally[:, 0].sum()), known, norm, seconds))
            self.n_iter_ += 1
        self.outcome_ = self._outcome(wrong)

    def _epoch(self, lesson: Lesson, order: Counts, busy: Flags, learned: Learned) -> Floats:
        """Visit samples in order; return the updates and the largest loss of each halfspace."""
        tally = np.zeros((len(busy), 2))
        stuck_at = self._visit(lesson, order, busy, learned, tally)
        if stuck_at >= 0:
            raise InputError(
                f"row {stuck_at} of X would bring a score or a weight beyond what float64 can square: "
                "scale the samples of X, or their weights, to moderate size, or take smaller steps"
            )
        learned.mistakes[:] += tally[:, 0].astype(np.int64)
        return tally

    def _is_left_to_do(self, lesson: Lesson, k: int, learned: Learned, tally: Floats) -> bool:
        """Say whether halfspace k, calm as it was, still has something to do on some sample."""
        if self.order == "random":
            only = np.arange(len(tally)) == k
            trial = Learned(*(_copied(part) for part in learned))
            all_samples = np.arange(len(lesson.signs))
            looked = np.zeros_like(tally)
            self._visit(lesson, all_samples, only, trial, looked)
            if not self._is_calm(looked)[k]:
                return True
        return tally[k, 0] > 0 and self._count_mistaken(lesson, k, learned.weights[k]) > 0

    def _count_mistaken(self, lesson: Lesson, k: int, weights: Floats) -> int:
        signs = np.ascontiguousarray(lesson.signs[:, k])
        return int(count_mistakes(lesson.rows, signs, tie_sign(self.ties), weights))

    def _count_wrong(self, lesson: Lesson) -> int:
        """Return on how many samples, all halfspaces together, what decides is mistaken."""
        return sum(self._count_mistaken(lesson, k, w) for k, w in enumerate(self._deciding))

    def _outcome(self, wrong: int) -> Outcome:
        """Return why learning stopped; what decides is wrong on so many samples, -1 if not known."""
        if wrong == 0:
            return Outcome.SEPARATED
        averaged = wrong > 0 and self._drift is not None
        return Outcome.AVERAGED if averaged else Outcome.BUDGET

    def _meet(self, y: Labels, classes: LabelsLike) -> None:
        """Begin the stream if it has not begun, and make room for new classes."""
        named = (
            None
            if classes is None
            else named_classes(classes, 1 if hasattr(self, "classes_") else 2)
        )
        if not hasattr(self, "classes_"):
            if named is None:
                known = distinct(y)
                self._set_start(known, len(known) + 1, is_open=True)
                return
            self._set_start(named, len(positive_classes(named)))
        if len(y) > 1 or not self._knows(y):
            self._make_room("y", y)
        if named is not None:
            self._make_room("classes", named)

    def _knows(self, label: Labels) -> bool:
        """Say whether an array of one label has one of the classes."""
        return label.dtype.kind == self.classes_.dtype.kind and bool((self.classes_ == label).any())

    def _make_room(self, place: str, labels: Labels) -> None:
        """Let the classes that turn up start from where "none of these" is."""
        classes = joined(self.classes_, labels, place)
        if len(classes) == len(self.classes_):
            return
        if not self._open:
            new = np.setdiff1d(classes, self.classes_).tolist()[0]
            raise InputError(
                f"{place} contains {new!r}, but the classes are {self.classes_.tolist()!r}: "
                "name all in the first call of partial_fit, or none"
            )
        self._set_learned(self._learned.chosen(sources(self.classes_, classes)))
        self.classes_ = classes

    def _stream_lesson(self, rows: Rows, y: Labels, sample_weight: WeightsLike) -> Lesson:
        positives = self.classes_ if self._open else positive_classes(self.classes_)
        return _lesson(rows, y, positives, len(self._weights), sample_weight)

    def _learn_once(self, lesson: Lesson, learned: Learned) -> int:
        """Visit each sample once, in order; return the updates made by the halfspaces that decide."""
        busy = np.ones(len(learned.weights), dtype=np.bool_)
        tally = self._epoch(lesson, np.arange(len(lesson.signs)), busy, learned)
        self.outcome_ = Outcome.STREAM
        return int(tally[self._used, 0].sum())


def _lesson(
    rows: Rows, y: Labels, positives: Labels, n_halfspaces: int, sample_weight: WeightsLike
) -> Lesson:
    """Return what the halfspaces learn; those beyond the positive classes see only negative samples."""
    steps = weights_of_samples(sample_weight, len(y))
    signs = sign_table(y, positives, n_halfspaces)
    signs[steps == 0.0] = 0
    return Lesson(rows, signs, steps)


def _is_small(rows: Rows) -> bool:
    """Say whether all values are finite and have a finite square; a float32 is compared as float64."""
    return bool((np.abs(rows.values) < np.float64(LARGEST)).all())


def _copied(part: Any) -> Any:
    return None if part is None else part.copy()


@contextmanager
def _undone_on_failure(learned: Learned, rows: Rows) -> Iterator[None]:
    """Give the weights of one sample's features back as they were if learning it fails."""
    features = rows.indices if isinstance(rows, CSRRows) else np.arange(rows.values.shape[1])
    touched = np.append(features, -1)
    panels = [part for part in (learned.weights, learned.beside) if part is not None]
    before = [panel[:, touched] for panel in panels]
    counts = learned.visits.copy(), learned.mistakes.copy()
    try:
        yield
    except BaseException:
        for panel, columns in zip(panels, before, strict=True):
            panel[:, touched] = columns
        learned.visits[:], learned.mistakes[:] = counts
        raise
