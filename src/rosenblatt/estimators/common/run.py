"""The record of a run: the outcome and everything that an estimator reports besides its weights."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Self, TypeVar, overload

import numpy as np

from rosenblatt.certificates import HullIntersection, SeparatingHyperplane
from rosenblatt.core.types import Counts, Floats
from rosenblatt.separability.search import Round
from rosenblatt.training.cycle import Cycle
from rosenblatt.training.history import History
from rosenblatt.training.ledger import Ledger
from rosenblatt.training.margins import Interval
from rosenblatt.training.outcomes import Outcome

Certificate = SeparatingHyperplane | HullIntersection
Value = TypeVar("Value")


@dataclass(frozen=True)
class Progressive:
    """The samples of a stream that were predicted before learning from them, and the wrong predictions.

    >>> Progressive(200, 30).error
    0.15
    """

    samples: int = 0
    mistakes: int = 0

    @property
    def error(self) -> float:
        """The fraction of wrong predictions; NaN without samples."""
        return self.mistakes / self.samples if self.samples else float("nan")


@dataclass(frozen=True)
class Run:
    """Why learning stopped, and what it reports; None means that the learner does not report it.

    ``history`` grows in place while a stream continues; ``n_iter`` counts earlier records that a model
    file left out. ``certificates`` has one entry per halfspace, None if undecided; so has ``cycles``, if
    some halfspace cycles.
    """

    outcome: Outcome
    history: History | list[Round] | None = None
    n_iter: int | None = None
    n_exact: int | None = None
    ledger: Ledger | None = None
    margins: list[Interval] | None = None
    certificates: list[Certificate | None] | None = None
    conflicts: list[str] | None = None
    support: Counts | None = None
    dual_coef: Floats | None = None
    progressive: "Progressive | None" = None
    cycles: list[Cycle | None] | None = None

    def __post_init__(self) -> None:
        for name, value, kinds in (
            ("outcome", self.outcome, Outcome),
            ("history", self.history, History | list | None),
            ("n_iter", self.n_iter, int | None),
            ("n_exact", self.n_exact, int | None),
            ("ledger", self.ledger, Ledger | None),
            ("conflicts", self.conflicts, list | None),
            ("support", self.support, np.ndarray | None),
            ("dual_coef", self.dual_coef, np.ndarray | None),
            ("progressive", self.progressive, Progressive | None),
        ):
            if not isinstance(value, kinds):
                raise ValueError(f"{name} must not be a {type(value).__name__}")
        _check_items("margins", self.margins, Interval)
        _check_items("certificates", self.certificates, Certificate | None)
        _check_items("cycles", self.cycles, Cycle | None)
        for cycle in self.cycles or []:
            if cycle and not (
                all(type(n) is int for n in cycle) and 0 <= cycle.first < cycle.again
            ):
                raise ValueError(
                    "the epochs of a cycle must be two whole numbers in ascending order"
                )
        if isinstance(self.history, list):
            _check_items("history", self.history, Round)

    @property
    def first_cycle(self) -> Cycle | None:
        """The cycle of the first halfspace that has one."""
        return next((cycle for cycle in self.cycles or [] if cycle is not None), None)

    def without_record(self) -> Self:
        """Return the run without its history and its ledger."""
        if self.history is None and self.n_iter is None:
            return replace(self, ledger=None)
        return replace(self, history=None, n_iter=self.n_records, ledger=None)

    @property
    def n_records(self) -> int:
        """The length of the whole history, including records that a model file left out."""
        return (self.n_iter or 0) + len(self.history or ())


def _check_items(name: str, items: Sequence[object] | None, kinds: Any) -> None:
    if items is not None and not (
        isinstance(items, list) and all(isinstance(item, kinds) for item in items)
    ):
        raise ValueError(f"{name} must be a list of {name}")


class Reported(Generic[Value]):
    """A read-only attribute that comes from the run, and does not exist if the run has None."""

    def __init__(self, doc: str, field: str = "", *, one_or_many: bool = False) -> None:
        self.__doc__ = doc
        self._field = field
        self._one_or_many = one_or_many

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name
        self._field = self._field or name.removesuffix("_")

    @overload
    def __get__(self, estimator: None, owner: type) -> Self: ...
    @overload
    def __get__(self, estimator: object, owner: type) -> Value: ...
    def __get__(self, estimator: Any, owner: type) -> Any:
        if estimator is None:
            return self
        value = getattr(estimator._run, self._field, None)
        if value is None:
            raise AttributeError(f"{owner.__name__!r} object has no attribute {self._name!r}")
        return value[0] if self._one_or_many and len(value) == 1 else value
