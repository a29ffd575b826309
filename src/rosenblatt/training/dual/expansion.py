"""A hypothesis in dual form: the sequence of its mistakes, and the support samples they are made on.

    f_k(x) = Σ c_t·K(x_t, x)    over the mistakes t of halfspace k, in sequence

All halfspaces share one sequence, and so support samples and kernel values. It determines the last
hypothesis and all earlier ones: a mistake made after ``moment`` visits of T is part of the hypotheses of
the last T - moment visits, which is its weight in their average; and the hypothesis that it creates
survives until the halfspace's next mistake, or until T. With a budget some mistakes are forgotten:
``forgotten`` counts those of each halfspace, and only the last hypothesis is known.

Reference: Y. Freund, R. Schapire, Large margin classification using the perceptron algorithm, 1999.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np

from rosenblatt.core.types import Counts, Floats
from rosenblatt.kernels.epochs.dual_terms import Mistakes
from rosenblatt.training.dual.growing_array import Growing
from rosenblatt.training.dual.support import Support, support_of

_SEQUENCES = ("_places", "_halfspaces", "_coefficients", "_moments")


class Expansion:
    """The mistakes of several halfspaces; ``rows`` has the row number of each support sample.

    >>> from rosenblatt.training.dual.support import new_support
    >>> e = Expansion(new_support(1, sparse=False), n_halfspaces=1)
    >>> e.support.add(np.array([[2.0]]))
    >>> e.rows.add([7])
    >>> e.add(Mistakes(np.array([0]), np.array([0]), np.array([-1.0])), moments=np.array([3]))
    >>> e.visits[:] = 5
    >>> e.last(), e.average(), e.lifetimes()
    (array([[-1.]]), array([[-0.4]]), array([2]))
    """

    def __init__(self, support: Support, n_halfspaces: int) -> None:
        self.support = support
        self.rows = Growing(np.int64)
        self.visits: Counts = np.zeros(n_halfspaces, dtype=np.int64)
        self.squares: Floats = np.zeros(n_halfspaces)
        self.forgotten: Counts = np.zeros(n_halfspaces, dtype=np.int64)
        self._places = Growing(np.int64)
        self._halfspaces = Growing(np.int64)
        self._coefficients = Growing(np.float64)
        self._moments = Growing(np.int64)

    def __len__(self) -> int:
        return len(self._places)

    @property
    def kept_counts(self) -> Counts:
        """How many mistakes of each halfspace are in the sequence."""
        return np.bincount(self._halfspaces.view(), minlength=len(self.visits)).astype(np.int64)

    @property
    def mistake_counts(self) -> Counts:
        """How many mistakes each halfspace has made."""
        return self.kept_counts + self.forgotten

    @property
    def totals(self) -> Floats:
        """The sum of the absolute coefficients of each halfspace's mistakes."""
        sizes = np.abs(self._coefficients.view())
        sums = np.bincount(self._halfspaces.view(), sizes, minlength=len(self.visits))
        return sums.astype(np.float64)

    def add(self, mistakes: Mistakes, moments: Counts) -> None:
        """Add mistakes; ``moments`` are the numbers of earlier visits of their halfspaces."""
        self._places.add(mistakes.places)
        self._halfspaces.add(mistakes.halfspaces)
        self._coefficients.add(mistakes.coefficients)
        self._moments.add(moments)

    def forget(self, numbers: list[int]) -> None:
        """Remove mistakes, by their indices in the sequence, and samples that are no longer needed."""
        gone, n_halfspaces = self._halfspaces.view()[numbers], len(self.visits)
        self.forgotten = self.forgotten + np.bincount(gone, minlength=n_halfspaces)
        kept = np.ones(len(self), dtype=np.bool_)
        kept[numbers] = False
        for name in _SEQUENCES:
            setattr(self, name, getattr(self, name).chosen(kept))
        needed = np.zeros(len(self.support), dtype=np.bool_)
        needed[self._places.view()] = True
        if not needed.all():
            self.support = self.support.chosen(np.flatnonzero(needed))
            self.rows = self.rows.chosen(needed)
            self._places.view()[:] = (np.cumsum(needed) - 1)[self._places.view()]

    def mistakes(self, first: int = 0, last: int | None = None) -> Mistakes:
        """Return the mistakes from ``first`` up to, but not including, ``last``."""
        return Mistakes(
            self._places.view(first, last),
            self._halfspaces.view(first, last),
            self._coefficients.view(first, last),
        )

    def numbers_of(self, k: int) -> list[int]:
        """Return the indices of one halfspace's mistakes in the sequence."""
        numbers: list[int] = np.flatnonzero(self._halfspaces.view() == k).tolist()
        return numbers

    def sequence(self, k: int) -> Counts:
        """Return the row numbers of one halfspace's mistakes, first to last."""
        places = self._places.view()[self.numbers_of(k)]
        return np.asarray(self.rows.view()[places], dtype=np.int64)

    def places_in(self, halfspaces: slice) -> Counts:
        """Return the indices of the support samples that these halfspaces have made mistakes on."""
        used = np.arange(len(self.visits))[halfspaces]
        return np.unique(self._places.view()[np.isin(self._halfspaces.view(), used)])

    def last(self) -> Floats:
        """Return the coefficient of each support sample in each halfspace's last hypothesis."""
        return self._summed(self._coefficients.view())

    def average(self) -> Floats:
        """Return the coefficients of each halfspace's average hypothesis over its visits."""
        visits = self.visits[self._halfspaces.view()]
        sums = self._summed(self._coefficients.view() * (visits - self._moments.view()))
        return sums / np.maximum(self.visits, 1)[:, None]

    def _summed(self, coefficients: Floats) -> Floats:
        shape = (len(self.visits), len(self.support))
        cells = self._halfspaces.view() * shape[1] + self._places.view()
        sums = np.bincount(cells, weights=coefficients, minlength=shape[0] * shape[1])
        return sums.reshape(shape).astype(np.float64)

    def lifetimes(self) -> Counts:
        """Return for how many visits the hypothesis after each mistake survived."""
        lifetimes = np.zeros(len(self), dtype=np.int64)
        for k, visits in enumerate(self.visits.tolist()):
            own = np.flatnonzero(self._halfspaces.view() == k)
            lifetimes[own] = np.diff(self._moments.view()[own], append=visits)
        return lifetimes

    def branch(self) -> Self:
        """Return an expansion that shares its memory with this one; add to only one of the two."""
        return self.started_from(range(len(self.visits)))

    def started_from(self, sources: Iterable[int], signs: Sequence[int] = ()) -> Self:
        """Return new halfspaces, each of which starts as one of these, its negative, or (-1) as 0."""
        sources = list(sources)
        copy = type(self)(self.support.branch(), len(sources))
        copy.rows = self.rows.branch()
        is_new = np.array(sources) < 0
        copy.visits = np.where(is_new, 0, self.visits[sources])
        copy.squares = np.where(is_new, 0.0, self.squares[sources])
        copy.forgotten = np.where(is_new, 0, self.forgotten[sources])
        if sources == list(range(len(self.visits))):
            for name in _SEQUENCES:
                setattr(copy, name, getattr(self, name).branch())
            return copy
        old, (places, _, coefficients) = self._halfspaces.view(), self.mistakes()
        for k, source in enumerate(sources):
            own = old == source
            halfspaces = np.full(int(own.sum()), k, dtype=np.int64)
            signed = coefficients[own] * (signs[k] if signs else 1)
            copy.add(Mistakes(places[own], halfspaces, signed), self._moments.view()[own])
        return copy

    def state(self) -> dict[str, Any]:
        """Return the expansion as arrays; `from_state` reverses this."""
        return {
            "support": self.support.parts,
            "rows": self.rows.view().copy(),
            "places": self._places.view().copy(),
            "halfspaces": self._halfspaces.view().copy(),
            "coefficients": self._coefficients.view().copy(),
            "moments": self._moments.view().copy(),
            "visits": self.visits.copy(),
            "squares": self.squares.copy(),
            "forgotten": self.forgotten.copy(),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the expansion that `state` returned as arrays; raise ValueError if they do not fit."""
        expansion = cls(support_of(state["support"]), len(state["visits"]))
        for name in ("rows", "places", "halfspaces", "moments", "visits", "forgotten"):
            if state[name].dtype != np.int64 or state[name].ndim != 1 or (state[name] < 0).any():
                raise ValueError(f"{name} must be counts")
        for name in ("coefficients", "squares"):
            if state[name].dtype != np.float64 or not np.isfinite(state[name]).all():
                raise ValueError(f"{name} must be finite numbers")
        expansion.rows.add(state["rows"])
        expansion.visits, expansion.squares = state["visits"], state["squares"]
        expansion.forgotten = state["forgotten"]
        parts = Mistakes(state["places"], state["halfspaces"], state["coefficients"])
        expansion.add(parts, state["moments"])
        expansion.check()
        return expansion

    def check(self) -> None:
        """Raise ValueError unless all parts fit each other."""
        lengths = {len(self), len(self._halfspaces), len(self._coefficients), len(self._moments)}
        fits = (
            len(lengths) == 1
            and len(self.rows) == len(self.support)
            and self.squares.shape == self.visits.shape == self.forgotten.shape
            and bool((self._places.view() < len(self.support)).all())
            and bool((self._halfspaces.view() < len(self.visits)).all())
        )
        if not fits or (self._moments.view() > self.visits[self._halfspaces.view()]).any():
            raise ValueError("the mistakes do not fit the support samples")
