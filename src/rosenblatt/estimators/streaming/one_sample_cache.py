"""A cache between single samples: the learned arrays, ready for the compiled loops.

A cache is built from the learned state and the parameters, both validated, and is dropped when either
is replaced. A learning cache changes copies of the arrays in place and is then ahead of the estimator's
state, which is updated on access. A cache accepts only plain samples; it leaves all others, unchanged,
to the validation.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from rosenblatt.core.classes import Classes
from rosenblatt.core.labels import sign_table
from rosenblatt.core.types import (
    Counts,
    Floats,
    Labels,
    LabelsLike,
    MatrixLike,
    SampleLike,
    Signs,
    WeightsLike,
)
from rosenblatt.estimators.common.learned import Columns, Features, Learned
from rosenblatt.estimators.common.validation import weights_of_samples
from rosenblatt.estimators.streaming.plain_rows import FEW, plain_row, plain_rows
from rosenblatt.estimators.streaming.sample_buffer import NOT_NUMBERS, SampleBuffer
from rosenblatt.kernels.epochs.single_sample import (
    FIRST,
    LAST,
    MISTAKES,
    RULE,
    TIE,
    UPDATES,
    VISITS,
    compiled_for,
    decide_features,
    visit_features,
    visit_rows,
)
from rosenblatt.kernels.rows import CSRRows, DenseRows, Rows, n_rows
from rosenblatt.kernels.sparse_input import are_sound
from rosenblatt.training.deciders.average import Average

_NO_DRIFT = np.zeros((0, 0))
_ONE = np.ones(1)

# Of the arrays that are computed for each label, together.
_KEPT_NUMBERS = 2**20

Array = TypeVar("Array", Signs, Floats)

NOT_PLAIN = (*NOT_NUMBERS, LookupError)
"""The errors that a sample raises if it is not plain."""


class Update(NamedTuple):
    """Which visits are updates, and how they move the weights.

    ``factors[k]`` holds the factors on the steps of halfspace k's negative and of its positive samples.
    ``required`` is the largest margin of an update.
    """

    factors: Floats
    constant: float
    required: float


class _Signs(dict[Any, Signs]):
    """The sides of each label, a row, computed on demand: a table would be the classes' square."""

    def __init__(self, classes: Classes, numbers: dict[Any, int]) -> None:
        super().__init__()
        self._classes = classes
        self._numbers = numbers

    def __missing__(self, label: Any) -> Signs:
        number, classes = self._numbers[label], self._classes
        own = classes.labels[number : number + 1]
        signs = sign_table(own, classes.positives, classes.n_halfspaces)
        return _remembered(self, label, signs)


class _Pulls(dict[Any, Floats]):
    """The same times the factors."""

    def __init__(self, signs: _Signs, factors: Floats) -> None:
        super().__init__()
        self._signs = signs
        self._factors = factors

    def __missing__(self, label: Any) -> Floats:
        signs = self._signs[label][0]
        pulls = signs * np.where(signs > 0, self._factors[:, 1], self._factors[:, 0])
        return _remembered(self, label, pulls)


class SampleCache:
    """The learned arrays, which decide and, with an ``update``, learn.

    ``store`` holds the weights and, if an average is kept, the drift; ``tallies`` holds the visits,
    the updates, the mistakes and the rule. In a stream of dicts, spare columns are allocated.
    """

    def __init__(
        self,
        learned: Learned,
        ties: str,
        tie: int,
        update: Update | None = None,
        parameters: tuple[object, ...] = (),
    ) -> None:
        n_halfspaces, self.width = learned.weights.shape
        self.ties = ties
        self.parameters = parameters
        self._learned = learned
        self.store: Floats = _store(learned)
        self.tallies: Counts = np.zeros((4, max(n_halfspaces, 3)), dtype=np.int64)
        self._visits = self.tallies[VISITS, :n_halfspaces]
        self._updates = self.tallies[UPDATES, :n_halfspaces]
        self._mistakes = self.tallies[MISTAKES, :n_halfspaces]
        self._visits[:] = learned.visits
        self._updates[:] = learned.updates
        self._mistakes[:] = learned.mistakes
        classes = learned.classes
        self.labels = dict(enumerate(classes.labels.tolist()))
        self.named = learned.features.columns is not None
        self._columns: Columns | None = learned.features.places
        self._origin = learned.origin
        self._used = classes.used
        self._tie = self.tallies[RULE, TIE] = tie
        self.tallies[RULE, [FIRST, LAST]] = (
            self._used.indices(n_halfspaces)[:2] if len(classes) > 1 else (0, 0)
        )
        self._constant = self._required = 0.0
        self._factors: Floats = np.ones((n_halfspaces, 2))
        self._squares: Floats = np.zeros((n_halfspaces, 2))
        self._numbers: dict[Any, int] = {}
        self._signs = _Signs(classes, self._numbers)
        self._named_pulls: dict[Any, Floats] = {}  # empty unless dicts can be learned
        self._visit_features: Callable[..., Any] = visit_features
        self._all = np.arange(0 if self.named else self.width - 1)
        self._buffers: list[SampleBuffer] = []
        if update is not None:
            self._prepare_learning(update)
        buffer, arrays = self._new_buffer(), (self.store, self.tallies)
        self._decide_features = compiled_for(
            decide_features, (buffer.values, buffer.columns, *arrays)
        )
        if update is not None and self.named:
            pulls = self._named_pulls[self.labels[0]]
            arguments = (buffer.values, buffer.columns, pulls, 1.0, 1.0, *arrays, self._squares)
            self._visit_features = compiled_for(visit_features, arguments)

    def _prepare_learning(self, update: Update) -> None:
        """Prepare to learn, on copies that are changed in place."""
        capacity = _capacity_for(self.width) if self.named else self.width
        self.store, self._origin = _copied(self.store, capacity), _copied(self._origin, capacity)
        self._constant, self._required = update.constant, update.required
        self._factors = update.factors
        self._squares[:, 0] = np.square(self.store[0]).sum(axis=1)
        self._numbers.update({label: number for number, label in self.labels.items()})
        if self.named:
            self._named_pulls = _Pulls(self._signs, self._factors)
            self._columns = dict(self._columns or {})

    def is_ahead(self, before: Learned) -> bool:
        """Return whether this cache has learned more than the given state."""
        return (
            self.width != before.weights.shape[1]
            or bool((self._updates != before.updates).any())
            or bool((self._visits != before.visits).any())
        )

    def learned(self) -> Learned:
        """Return the state learned so far, in copied arrays."""
        width, before = self.width, self._learned
        features = before.features
        if self.named:
            features = Features(width - 1, columns=dict(self._columns or {}))
        return replace(
            before,
            features=features,
            weights=self.store[0, :, :width].copy(),
            visits=self._visits.copy(),
            updates=self._updates.copy(),
            mistakes=self._mistakes.copy(),
            origin=self._origin[:width].copy(),
            kept=None if len(self.store) == 1 else Average(self.store[1, :, :width].copy()),
        )

    @property
    def counts(self) -> tuple[int, int]:
        """The mistakes and the updates of the deciding halfspaces."""
        mistakes, updates = self._mistakes.tolist(), self._updates.tolist()
        return sum(mistakes[self._used]), sum(updates[self._used])

    @property
    def norm(self) -> float:
        """The length of the weights of the deciding halfspaces."""
        return self._learned.rate * math.sqrt(sum(self._squares[:, 0].tolist()[self._used]))

    def knows_all(self, labels: LabelsLike) -> bool:
        """Return whether these are labels, and all of them are known."""
        try:
            return len(labels) > 0 and all(label in self._numbers for label in labels)
        except TypeError:  # they are not labels, which the validation reports
            return False

    def takes(self, y: Labels, *, dicts: bool = False) -> bool:
        """Return whether this cache can learn samples with these labels, as rows or as dicts."""
        is_right_kind = self.named is dicts and y.ndim == 1 and len(y) <= FEW
        return is_right_kind and self.knows_all(y.tolist())

    def new_names(self, x: dict[Any, Any]) -> list[Any]:
        """Return the names in a dict without a column."""
        columns = self._columns or {}
        return [name for name in x if name not in columns]

    def learn(self, x: SampleLike, y: LabelsLike, weight: Any) -> bool:
        """Learn from one sample; return False, changing nothing, unless it and its weight are plain."""
        try:
            if type(x) is not dict or type(weight) is not float:
                return self._learn_row(x, y, weight)
            pulls = self._named_pulls[y]
            buffer = self._buffers.pop() if self._buffers else self._new_buffer()
            try:
                if len(x) != buffer.n:
                    buffer.write(x, self._constant)
                else:
                    buffer.pack(buffer.value_bytes, 0, *buffer.values_of(x), self._constant)
            except KeyError:
                buffer.write(x, self._constant)
            learned: bool = self._visit_features(
                buffer.values,
                buffer.columns,
                pulls,
                weight,
                self._required,
                self.store,
                self.tallies,
                self._squares,
            )
        except NOT_PLAIN:
            return False
        self._buffers.append(buffer)
        return learned

    def _learn_row(self, x: SampleLike, y: LabelsLike, weight: Any) -> bool:
        if not isinstance(weight, float | int):
            return False
        if type(x) is dict:
            return self.learn(x, y, float(weight))
        rows = None if self.named else plain_row(x, self.width - 1, self._constant)
        return rows is not None and self.visit(rows, [y], np.array([weight], dtype=np.float64))

    def predict(self, x: SampleLike) -> Any:
        """Return the label of one plain sample; raise one of `NOT_PLAIN` if it is not plain."""
        buffer = self._buffers.pop() if self._buffers else self._new_buffer()
        try:
            if type(x) is not dict:
                self._write_row(buffer, x)
            elif len(x) != buffer.n:
                buffer.write(x, 1.0)
            else:
                buffer.pack(buffer.value_bytes, 0, *buffer.values_of(x), 1.0)
        except KeyError:
            buffer.write(x, 1.0)
        chosen = self._decide_features(buffer.values, buffer.columns, self.store, self.tallies)
        self._buffers.append(buffer)
        return self.labels[chosen]

    def _write_row(self, buffer: SampleBuffer, x: SampleLike) -> None:
        rows = None if self.named else plain_row(x, self.width - 1, 1.0)
        if isinstance(rows, DenseRows):
            buffer.write_values(rows.values[0], self._all, 1.0)
        elif rows is not None and self._is_sound(rows):
            n = int(rows.indptr[1])
            buffer.write_values(rows.values[:n], rows.indices[:n], 1.0)
        else:
            raise TypeError(x)

    def _is_sound(self, rows: CSRRows) -> bool:
        return are_sound(rows.indptr, rows.indices, len(rows.indices), self.width - 1)

    def learn_rows(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike) -> bool:
        """Learn from a few rows; return False, changing nothing, unless they are plain."""
        if self._columns is not None:  # the names need validation
            return False
        rows = plain_rows(X, self.width - 1, self._constant)
        if type(y) is np.ndarray and y.ndim == 1:
            y = y.tolist()
        if rows is None or type(y) is not list or len(y) != n_rows(rows):
            return False
        try:
            weights = _ONE if sample_weight is None and len(y) == 1 else None
            if weights is None:
                weights = weights_of_samples(sample_weight, len(y))
            return self.visit(rows, y, weights)
        except NOT_PLAIN:
            return False

    def visit(self, rows: Rows, labels: list[Any], steps: Floats) -> bool:
        """Visit the rows; return False, changing nothing, if a row is unsafe."""
        if len(labels) == 1:
            signs = self._signs[labels[0]]
        else:
            signs = np.concatenate([self._signs[label] for label in labels])
        stuck_at = visit_rows(
            rows,
            signs,
            steps,
            self._factors,
            self._tie,
            self._required,
            self.store[0],
            self.store[1] if len(self.store) > 1 else _NO_DRIFT,
            self.tallies,
            self._squares,
        )
        return bool(stuck_at < 0)

    def widen(self, names: list[Any]) -> None:
        """Add a column with weight 0 for each new name; the constant's column stays last.

        Only the constant's weight moves, unless the capacity is exhausted and doubled.
        """
        before, width = self.width, self.width + len(names)
        if width >= min(
            self.store.shape[2], len(self._origin)
        ):  # an interrupt may have grown only one
            capacity = _capacity_for(width)
            self.store = _copied(self.store, capacity)
            self._origin = _copied(self._origin, capacity)
        # In this order, so that `narrow` can undo an interrupted call.
        for weights in (self.store, self._origin):
            weights[..., width - 1] = weights[..., before - 1]
        self.width = width
        for weights in (self.store, self._origin):
            weights[..., before - 1 : width - 1] = 0.0
        columns = self._columns
        assert columns is not None
        for name in names:
            columns[name] = len(columns)
        self._buffers = []

    def narrow(self, width: int) -> None:
        """Undo `widen`, before anything was learned."""
        for weights in (self.store, self._origin):
            weights[..., width - 1] = weights[..., self.width - 1]
        self.width = width
        columns = self._columns
        assert columns is not None
        while len(columns) >= width:
            columns.popitem()
        self._buffers = []

    def _new_buffer(self) -> SampleBuffer:
        return SampleBuffer(self._columns, self.width - 1)


def _remembered(known: dict[Any, Array], label: Any, array: Array) -> Array:
    """Add an array to the known ones, after forgetting them if they are many."""
    if (len(known) + 1) * array.size > _KEPT_NUMBERS:
        known.clear()
    known[label] = array
    return array


def _capacity_for(width: int) -> int:
    """Return how many columns to allocate: `visit_features` requires spare ones."""
    return 2 * width + 2


def _store(learned: Learned) -> Floats:
    """Return the weights and the drift of an average, or otherwise the deciding weights."""
    weights, kept = learned.weights, learned.kept
    if isinstance(kept, Average) and kept.decides:
        return np.array([weights, kept.drift])
    if kept is not None:
        weights = kept.deciding(weights, learned.visits)
    return np.ascontiguousarray(weights)[None]


def _copied(array: Any, capacity: int) -> Any:
    """Return a copy with the given number of columns."""
    copy = np.zeros((*array.shape[:-1], capacity), dtype=array.dtype)
    n = min(array.shape[-1], capacity)
    copy[..., :n] = array[..., :n]
    return copy
