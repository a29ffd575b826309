"""Learning from a stream: chunks or single samples, visited once, in the order given.

While not all classes are known, one more weight vector learns "none of these" for every sample; a class
that turns up starts from it, so the weights have the same bits as if all classes had been known from the
beginning.
"""

import time
from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import validate_data

from rosenblatt.blocks import Blocks
from rosenblatt.errors import InputError
from rosenblatt.estimators.door import as_label, check_targets, check_weights, generator
from rosenblatt.estimators.halfspaces import HalfspaceClassifier, tie_sign
from rosenblatt.estimators.targets import Samples, Vectors, opened, sources, targets
from rosenblatt.history import Epoch, History
from rosenblatt.labels import positive_classes
from rosenblatt.outcomes import Outcome
from rosenblatt.panel import Panel, Problem
from rosenblatt.rows import Rows, as_rows
from rosenblatt.typing import Floats, Labels


class StreamClassifier(HalfspaceClassifier):
    """Abstract: a learner of halfspaces by the perceptron's update, one visit at a time."""

    eta0: float
    class_weight: Any
    keep: str
    random_state: Any
    outcome_: Outcome
    history_: History
    n_iter_: int

    @abstractmethod
    def check_parameters(self) -> None:
        """Raise, naming it, for the first parameter whose value is not accepted."""

    @abstractmethod
    def _origin_weights(self, rng: np.random.RandomState) -> Floats:
        """Return the start that all halfspaces share."""

    @abstractmethod
    def _samples(self, rows: Rows, y: Labels, sample_weight: Any, classes: Labels) -> Samples:
        """Return the labels and how far a mistake on each sample moves the weights."""

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from one chunk of a stream: one visit to each sample, in the order given.

        ``classes``, in the first call, names all classes beforehand, which saves some work; without
        it classes are learned as they turn up. A class that turns up although it was not named, or
        was not in the data of an earlier `fit`, starts from the start weights.
        """
        started = time.perf_counter()
        self.check_parameters()
        with self._all_or_nothing():
            first = not hasattr(self, "classes_")
            X, y = validate_data(self, X, y, accept_sparse="csr", dtype="numeric", reset=first)
            check_targets(y)
            if first:
                self._begin_stream(y, classes)
            mistakes = self._learn_stream(as_rows(X, self._constant), y, sample_weight)
        self.history_.append(
            Epoch(
                mistakes=mistakes,
                training_mistakes=None,
                norm=self._unit * float(np.linalg.norm(self._weights[self._used])),
                seconds=time.perf_counter() - started,
            )
        )
        self.n_iter_ = len(self.history_)
        return self

    def learn_one(self, x: Any, y: Any, sample_weight: float | None = None) -> Self:
        """Learn from one sample of a stream: a vector or a sparse row, and its label."""
        self.check_parameters()
        row = self._one_row(x, self._constant)
        if not np.isfinite(row.values).all():
            raise InputError("the sample contains NaN or infinity: give finite values")
        labels = as_label(y)
        with self._all_or_nothing():
            if not hasattr(self, "classes_"):
                self.n_features_in_ = int(np.shape(x)[-1])
                self._begin_stream(labels, None)
            self._learn_stream(row, labels, sample_weight)
        return self

    def _begin_stream(self, y: Labels, classes: Any) -> None:
        """Set the state before the first sample of a stream.

        A stream is open, ready for new classes, unless its classes are named: by ``classes``, or by
        weights for them, whose meaning depends on whether there are two classes or more.
        """
        if isinstance(self.class_weight, str):
            raise InputError(
                f"class_weight={self.class_weight!r} needs the whole data: "
                "for partial_fit and learn_one give a dict of labels to weights"
            )
        if classes is None and self.class_weight:
            classes = list(self.class_weight)
        is_open = classes is None
        if not is_open and len(classes) == 0:
            raise InputError("classes is empty: name all classes, or leave it out")
        known = np.unique(y if is_open else np.asarray(classes))
        n_halfspaces = len(known) + 1 if is_open else len(positive_classes(known))
        self._unit = float(self.eta0)
        self._origin = self._origin_weights(generator(self.random_state))
        self._weights = np.tile(self._origin, (n_halfspaces, 1))
        self._drift = np.zeros_like(self._weights) if self.keep == "average" else None
        self._visits = np.zeros(n_halfspaces, dtype=np.int64)
        self._mistakes = np.zeros(n_halfspaces, dtype=np.int64)
        self._open = is_open
        self.classes_ = known
        self.history_ = History()
        self.n_iter_ = 0

    def _learn_stream(self, rows: Rows, y: Labels, sample_weight: Any) -> int:
        """Visit each sample once; return the mistakes made."""
        self._admit(y)
        problem = Problem(rows, tie_sign(self.ties))
        if (self._drift is not None) != (self.keep == "average"):
            raise InputError(
                f"keep={self.keep!r} was not what the stream began with: averages cover all visits"
            )
        in_unit = self._unit / self.eta0  # from the unit so far to today's
        weights = self._weights * in_unit + 0.0
        check_weights(weights, self.eta0)
        drift = None if self._drift is None else self._drift * in_unit + 0.0
        positives = self.classes_ if self._open else positive_classes(self.classes_)
        samples = self._samples(rows, y, sample_weight, self.classes_)
        panel = Panel(
            weights,
            *targets(samples, self.classes_, positives, len(weights)),
            drift=drift,
            visits=self._visits.copy(),
        )
        teacher = Blocks(problem, panel)
        teacher.visit(np.arange(len(y)))
        teacher.settle()
        mistakes = panel.mistakes
        self._weights, self._drift, self._visits = panel.weights, panel.drift, panel.visits
        self._unit = float(self.eta0)
        self._mistakes = self._mistakes + mistakes
        self.outcome_ = Outcome.STREAM
        for past in ("ledger_", "margin_", "n_exact_", "certificate_", "conflicts_"):
            self.__dict__.pop(past, None)
        return int(mistakes[self._used].sum())

    def _admit(self, y: Labels) -> None:
        """Make room for the classes in y that have not been seen yet."""
        new = np.setdiff1d(y, self.classes_)
        if len(new) == 0:
            return
        if isinstance(new[0], str) != isinstance(self.classes_[0], str):
            raise InputError(
                f"y contains {new[0]!r}, but the classes so far are {self.classes_.tolist()!r}: "
                "labels must be all text or all numbers"
            )
        vectors = Vectors(self._weights, self._drift, self._visits)
        if not self._open:
            vectors, self._mistakes = opened(
                vectors, self._mistakes, self._origin, n_classes=len(self.classes_)
            )
            self._open = True
        classes = np.union1d(self.classes_, new)
        source = sources(self.classes_, classes)
        self._weights, self._drift, self._visits = vectors.chosen(source)
        self._mistakes = self._mistakes[source]
        self.classes_ = classes
