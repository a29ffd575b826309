"""What lies at hand between two samples: looked at once, true until an attribute of the model is set.

A model's desk is dropped whenever an attribute is set or the model is copied; so whatever is on it was
checked, and what was learned on it belongs to it alone and may be changed in place. A desk takes what it
recognises as plain and leaves everything else, changing nothing, to the careful door.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.core.types import (
    ClassWeights,
    Counts,
    Floats,
    LabelLike,
    Labels,
    LabelsLike,
    MatrixLike,
    SampleLike,
    Signs,
    WeightsLike,
)
from rosenblatt.estimators.common.targets import Vectors
from rosenblatt.estimators.common.validation import unit_scales, weights_of_samples
from rosenblatt.estimators.streaming.dict_columns import NOT_NUMBERS, Columns, Form
from rosenblatt.estimators.streaming.plain_rows import FEW, plain_row, plain_rows
from rosenblatt.kernels.epochs.single_sample import (
    FIRST,
    LAST,
    TIE,
    UNIT_LENGTH,
    decide_form,
    straight,
    visit_form,
    visit_rows,
)
from rosenblatt.kernels.rows import CSRRows, DenseRows, Rows, n_rows
from rosenblatt.kernels.sparse_input import are_sound

_NO_DRIFT = np.zeros((0, 0))
_ONE = np.ones(1)

NOT_PLAIN = (*NOT_NUMBERS, LookupError)
"""What a sample raises that is not as plain as a desk wants it."""


class Desk:
    """The learned arrays and how they decide.

    ``store`` has the weights and, where averages are kept, the drift below them; ``tallies`` has the
    visits, the mistakes, the rule. ``columns`` has the column of each name, or is None; ``named`` says
    that the stream is one of dicts, so that more columns are needed than are in use. To learn, a desk
    must be told how: see `instruct`.
    """

    def __init__(
        self,
        vectors: Vectors,
        mistakes: Counts,
        classes: Labels,
        used: slice,
        tie: int,
        origin: Floats,
        columns: Columns | None,
        *,
        named: bool,
    ) -> None:
        n_halfspaces, self.width = vectors.weights.shape
        self.store: Floats = (
            np.ascontiguousarray(vectors.weights)[None]
            if vectors.drift is None
            else np.array([vectors.weights, vectors.drift])
        )
        self.tallies: Counts = np.zeros((3, max(n_halfspaces, 4)), dtype=np.int64)
        self._visits = self.tallies[0, :n_halfspaces]
        self._mistakes = self.tallies[1, :n_halfspaces]
        self._visits[:] = vectors.visits
        self._mistakes[:] = mistakes
        self.labels = dict(enumerate(classes.tolist()))
        self.named = named
        self.class_weight: Any = None
        self._origin = origin
        self._columns = columns
        self._names: Labels = np.array([], dtype=object)
        self._n_not_text = 0
        self._used = used
        self._tie = self.tallies[2, TIE] = tie
        self.tallies[2, [FIRST, LAST]] = (
            used.indices(n_halfspaces)[:2] if len(classes) > 1 else (0, 0)
        )
        self._constant = 0.0
        self._unit_length = False
        self._factors: Floats = np.ones((n_halfspaces, 2))
        self._squares: Floats = np.zeros((n_halfspaces, 2))
        self._signs: Signs = np.zeros((0, n_halfspaces), dtype=np.int8)
        self._numbers: dict[Any, int] = {}
        self._pulls: dict[Any, Floats] = {}
        self._named_pulls: dict[Any, Floats] = {}  # empty where dicts cannot be learned
        self._visit_form: Callable[..., Any] = visit_form
        self._all = np.arange(0 if named else self.width - 1)
        self._forms: list[Form] = [self._new_form()]
        self._compile()

    def _compile(self) -> None:
        form, arrays = self._new_form(), (self.store, self.tallies)
        self._decide_form = straight(decide_form, (form.values, form.columns, *arrays))
        if self._named_pulls:
            pulls = self._pulls[self.labels[0]]
            self._visit_form = straight(
                visit_form, (form.values, form.columns, pulls, 1.0, *arrays, self._squares)
            )

    def instruct(
        self,
        factors: Floats,
        signs: Signs,
        class_weight: ClassWeights,
        *,
        constant: float,
        unit_length: bool,
    ) -> None:
        """Make ready to learn, on copies that may be changed in place.

        ``signs[c, k]`` is the side of class c in halfspace k.
        """
        room = _room_for(self.width) if self.named else self.width
        self.store, self._origin = _copied(self.store, room), _copied(self._origin, room)
        self.class_weight = class_weight.copy() if isinstance(class_weight, dict) else class_weight
        self._constant = constant
        self._unit_length = self.tallies[2, UNIT_LENGTH] = bool(unit_length)
        self._factors = factors
        self._squares[:, 0] = np.square(self.store[0]).sum(axis=1)
        self._signs = signs
        self._numbers = {label: number for number, label in self.labels.items()}
        for label, row in zip(self._numbers, signs, strict=True):
            self._pulls[label] = row * np.where(row > 0, factors[:, 1], factors[:, 0])
        if self.named:
            self._named_pulls = self._pulls
            self._columns = dict(self._columns or {})
            self._names = _copied(_as_names(self._columns), room)
            self._n_not_text = sum(not isinstance(name, str) for name in self._columns)
        self._forms = []
        self._compile()

    @property
    def learns(self) -> bool:
        """Whether the desk was made ready to learn, so that its arrays are changed in place."""
        return bool(self._pulls)

    def is_instructed(self, class_weight: ClassWeights) -> bool:
        """Say whether the desk is made ready to learn, with these weights of classes."""
        return self.learns and bool(self.class_weight == class_weight)

    def state(self) -> dict[str, Any]:
        """Return the attributes of the model that lie on the desk."""
        drift = self.store[1, :, : self.width] if len(self.store) > 1 else None
        state: dict[str, Any] = {
            "_weights": self.store[0, :, : self.width],
            "_drift": drift,
            "_visits": self._visits,
            "_mistakes": self._mistakes,
            "_origin": self._origin[: self.width],
        }
        if self.named:
            state |= {"n_features_in_": self.width - 1, "_columns": self._columns}
            if self._n_not_text == 0:
                state["feature_names_in_"] = self._names[: self.width - 1]
        return state

    @property
    def n_mistakes(self) -> int:
        """Mistakes of the halfspaces that decide."""
        return sum(self._mistakes.tolist()[self._used])

    @property
    def norm(self) -> float:
        """The length of the weights that decide, in units of the learning rate."""
        return math.sqrt(sum(self._squares[:, 0].tolist()[self._used]))

    def knows(self, label: LabelLike) -> bool:
        """Say whether samples of this label can be learned."""
        return label in self._pulls

    def takes(self, labels: list[Any]) -> bool:
        """Say whether rows with these labels can be visited here."""
        return not self.named and len(labels) <= FEW and all(map(self.knows, labels))

    def learn(self, x: SampleLike, y: LabelsLike, weight: Any) -> bool:
        """Learn from one plain sample, of a weight that is a plain number; say whether it was one."""
        try:
            if type(x) is not dict or type(weight) is not float:
                return self._learn_row(x, y, weight)
            pulls = self._named_pulls[y]
            form = self._forms.pop() if self._forms else self._new_form()
            try:
                if len(x) != form.n:
                    form.write(x, self._constant)
                else:
                    form.pack(form.room, 0, *form.values_of(x), self._constant)
            except KeyError:
                form.write(x, self._constant)
            learned: bool = self._visit_form(
                form.values,
                form.columns,
                pulls,
                weight,
                self.store,
                self.tallies,
                self._squares,
            )
        except NOT_PLAIN:
            return False
        self._forms.append(form)
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
        form = self._forms.pop() if self._forms else self._new_form()
        try:
            if type(x) is not dict:
                self._write_row(form, x)
            elif len(x) != form.n:
                form.write(x, 1.0)
            else:
                form.pack(form.room, 0, *form.values_of(x), 1.0)
        except KeyError:
            form.write(x, 1.0)
        chosen = self._decide_form(form.values, form.columns, self.store, self.tallies)
        self._forms.append(form)
        return self.labels[chosen]

    def _write_row(self, form: Form, x: SampleLike) -> None:
        rows = None if self.named else plain_row(x, self.width - 1, 1.0)
        if isinstance(rows, DenseRows):
            form.write_values(rows.values[0], self._all, 1.0)
        elif rows is not None and self._is_sound(rows):
            n = int(rows.indptr[1])
            form.write_values(rows.values[:n], rows.indices[:n], 1.0)
        else:
            raise TypeError(x)

    def _is_sound(self, rows: CSRRows) -> bool:
        return are_sound(rows.indptr, rows.indices, len(rows.indices), self.width - 1)

    def learn_rows(self, X: MatrixLike, y: LabelsLike, sample_weight: WeightsLike) -> bool:
        """Learn from a few plain rows; say whether they were that."""
        if self._columns is not None:  # names, or their absence, are looked at
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
        """Visit the rows if that is safe; say whether it is."""
        if len(labels) == 1:
            number = self._numbers[labels[0]]
            signs = self._signs[number : number + 1]
        else:
            signs = self._signs[[self._numbers[label] for label in labels]]
        if self._unit_length:
            if not np.isfinite(rows.values).all():
                return False
            steps = steps * unit_scales(rows, len(labels))
        stuck_at = visit_rows(
            rows,
            signs,
            steps,
            self._factors,
            self._tie,
            self.store[0],
            self.store[1] if len(self.store) > 1 else _NO_DRIFT,
            self._visits,
            self._mistakes,
            self._squares,
        )
        return bool(stuck_at < 0)

    def widen(self, names: list[Any]) -> None:
        """Give each of the new names a column of weights 0; the constant's moves to the end.

        In each row only the constant's weight moves, unless the room is used up and doubled.
        """
        before, width = self.width, self.width + len(names)
        if width >= self.store.shape[2]:
            room = _room_for(width)
            self.store = _copied(self.store, room)
            self._origin, self._names = _copied(self._origin, room), _copied(self._names, room)
        # In this order, so that `narrow` can undo what was interrupted.
        for weights in (self.store, self._origin):
            weights[..., width - 1] = weights[..., before - 1]
        self.width = width
        for weights in (self.store, self._origin):
            weights[..., before - 1 : width - 1] = 0.0
        columns = self._columns
        assert columns is not None
        for name in names:
            self._names[len(columns)] = name
            self._n_not_text += not isinstance(name, str)
            columns[name] = len(columns)
        self._forms = []

    def narrow(self, width: int) -> None:
        """Undo `widen`, while nothing was learned."""
        for weights in (self.store, self._origin):
            weights[..., width - 1] = weights[..., self.width - 1]
        self.width = width
        columns = self._columns
        assert columns is not None
        while len(columns) >= width:
            columns.popitem()
        self._n_not_text = sum(not isinstance(name, str) for name in columns)
        self._forms = []

    def _new_form(self) -> Form:
        return Form(self._columns, self.width - 1, in_order=self._unit_length)


def _room_for(width: int) -> int:
    """Return how many columns to set aside: one more than are in use at least, as `visit_form` asks."""
    return 2 * width + 2


def _as_names(columns: Columns) -> Labels:
    names = np.empty(len(columns), dtype=object)
    for name, column in columns.items():  # a name may be a tuple, so it takes a loop
        names[column] = name
    return names


def _copied(array: Any, room: int) -> Any:
    """Return a copy with so many columns."""
    copy = np.zeros((*array.shape[:-1], room), dtype=array.dtype)
    n = min(array.shape[-1], room)
    copy[..., :n] = array[..., :n]
    return copy
