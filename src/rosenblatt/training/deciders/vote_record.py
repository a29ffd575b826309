"""The record of a vote: all weights that a run has passed through, and how long each of them survived.

There may be many; but each is the start plus the updates up to it, so only the mistakes are stored: the
samples they were made on, each once, and for each mistake its halfspace, its sample, how far it moved
the weights, and how many visits came before it. Weights survive from the visit of the mistake that made
them to the visit before the next mistake. The numbers of those visits are their lifetimes, which sum to
all visits (Y. Freund & R. Schapire, Large margin classification using the perceptron algorithm, 1999,
count the same way). The votes are counted in ``vote_counts``.

The record of a stream grows in pieces. A new piece absorbs earlier ones that are no larger, so there
are few pieces and each sample is copied only a few times. Nothing is changed in place.
"""

import numbers
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Counts, Data, Floats
from rosenblatt.kernels.rows import CSRRows, DenseRows, Rows, n_rows
from rosenblatt.training.deciders.lifetimes import EpochTrace
from rosenblatt.training.panel import Panel


@dataclass(frozen=True)
class Piece:
    """Some mistakes, in sequence, and the samples that they were made on.

    The samples are dense ``values``, or those of a CSR matrix with ``indices`` and ``indptr``;
    ``numbers`` are their row numbers in the whole run. Each mistake has its halfspace (``columns``), the
    index of its sample in this piece, its signed step, and the number of visits ``before`` it.
    """

    values: Data
    indices: Any
    indptr: Any
    numbers: Counts
    columns: Counts
    places: Counts
    steps: Floats
    before: Counts

    def __post_init__(self) -> None:
        n_mistakes, n_samples = len(self.columns), len(self.numbers)
        of_mistakes = (self.columns, self.places, self.before)
        fits = (
            all(a.shape == (n_mistakes,) and a.dtype == np.int64 for a in of_mistakes)
            and self.steps.shape == (n_mistakes,)
            and self.steps.dtype == np.float64
            and bool(np.isfinite(self.steps).all())
            and self.values.dtype in (np.float32, np.float64)
            and bool(np.isfinite(self.values).all())
            and self.numbers.shape == (n_samples,)
            and self.numbers.dtype == np.int64
            and _is_within(self.places, n_samples)
            and (self.indptr is None) == (self.indices is None)
        )
        if fits and self.indptr is None:
            fits = self.values.ndim == 2 and len(self.values) == n_samples
        elif fits:
            fits = (
                self.indptr.shape == (n_samples + 1,)
                and self.indptr.dtype == self.indices.dtype
                and self.indptr.dtype in (np.int32, np.int64)
                and self.values.shape == self.indices.shape == (self.indptr[-1],)
                and self.indptr[0] == 0
                and bool((self.indptr[1:] >= self.indptr[:-1]).all())
            )
        if not fits:
            raise InputError("the samples and mistakes of a vote do not fit together")

    def __len__(self) -> int:
        return len(self.numbers) + len(self.columns)

    def rows(self, constant: float) -> Rows:
        """Return a view of the samples as rows."""
        if self.indptr is None:
            return DenseRows(self.values, constant)
        return CSRRows(self.values, self.indices, self.indptr, constant)

    def fits(self, height: int, width: int) -> bool:
        """Return whether the mistakes fit ``height`` halfspaces with ``width`` features."""
        if self.indptr is None:
            return _is_within(self.columns, height) and self.values.shape[1] == width
        return _is_within(self.columns, height) and _is_within(self.indices, width)


def _is_within(numbers: Any, limit: int) -> bool:
    """Return whether all numbers are from 0 to below the limit."""
    return len(numbers) == 0 or bool(0 <= numbers.min() <= numbers.max() < limit)


def as_matrix(rows: Rows, width: int) -> Any:
    """Return a view of the rows as a matrix with ``width`` columns, without the constant.

    >>> as_matrix(DenseRows(np.ones((1, 2)), 1.0), 2)
    array([[1., 1.]])
    """
    if isinstance(rows, DenseRows):
        return rows.values
    first, last = rows.indptr[0], rows.indptr[-1]
    content = (rows.values[first:last], rows.indices[first:last], rows.indptr - first)
    return sp.csr_array(content, shape=(n_rows(rows), width))


class Events(NamedTuple):
    """Mistakes in sequence: ``samples`` are row numbers, the rest as in `Piece`."""

    samples: Counts
    columns: Counts
    steps: Floats
    before: Counts


def events_of(trace: EpochTrace) -> Events:
    """Return the mistakes of an epoch, halfspace by halfspace."""
    empty = np.zeros(0, dtype=np.int64)
    found = [Events(empty, empty, np.zeros(0), empty)]
    for halfspace in trace.halfspaces():
        samples, k = halfspace.samples, halfspace.k
        steps = halfspace.signs[samples] * halfspace.steps[samples]
        before = trace.visits[k] + halfspace.before
        found.append(Events(samples, np.full(len(samples), k), steps, before))
    return _in_sequence(found)


def _in_sequence(events: list[Events]) -> Events:
    return Events(*map(np.concatenate, zip(*events, strict=True)))


def new_piece(rows: Rows, width: int, events: Events, first: int) -> Piece:
    """Return a piece with copies of the samples; ``first`` is the number of the first row.

    >>> rows = DenseRows(np.array([[1.0], [2.0], [3.0]]), 1.0)
    >>> zeros = np.zeros(3, dtype=np.int64)
    >>> piece = new_piece(rows, 1, Events(np.array([2, 0, 2]), zeros, np.ones(3), np.arange(3)), 7)
    >>> piece.values.tolist(), piece.numbers.tolist(), piece.places.tolist()
    ([[1.0], [3.0]], [7, 9], [1, 0, 1])
    """
    distinct, places = np.unique(events.samples, return_inverse=True)
    content = as_matrix(rows, width)[distinct]
    stored: tuple[Any, Any, Any] = (content, None, None)
    if not isinstance(rows, DenseRows):
        stored = (content.data, content.indices, content.indptr)
    return Piece(*stored, distinct + first, events.columns, places, events.steps, events.before)


def _joined(one: Piece, other: Piece, width: int) -> Piece:
    """Return two pieces as one; if only one is dense, the result is sparse."""
    matrices = [as_matrix(piece.rows(0.0), width) for piece in (one, other)]
    if one.indptr is None and other.indptr is None:
        stored: tuple[Any, Any, Any] = (np.concatenate(matrices), None, None)
    else:
        both = sp.vstack([sp.csr_array(matrix) for matrix in matrices], format="csr")
        stored = (both.data, both.indices, both.indptr)
    return Piece(
        *stored,
        np.append(one.numbers, other.numbers),
        np.append(one.columns, other.columns),
        np.append(one.places, other.places + len(one.numbers)),
        np.append(one.steps, other.steps),
        np.append(one.before, other.before),
    )


@dataclass(frozen=True)
class Votes:
    """The record of all weights of some halfspaces.

    ``start`` has their weights before the first visit, ``visits`` the number of visits so far;
    ``n_seen`` is the number of samples so far; each has the ``constant`` after its features.

    >>> Votes.new(np.zeros((1, 3)), 1.0).n_seen
    0
    """

    start: Floats
    visits: Counts
    n_seen: int
    constant: float
    pieces: tuple[Piece, ...] = ()

    @staticmethod
    def new(start: Floats, constant: float) -> "Votes":
        """Return the record before the first visit."""
        return Votes(start.copy(), np.zeros(len(start), dtype=np.int64), 0, constant)

    @property
    def width(self) -> int:
        """The number of features."""
        return int(self.start.shape[1]) - 1

    def after(self, trace: EpochTrace) -> "Votes":
        """Return the record after a chunk of a stream."""
        return self.grown(trace.panel.problem.rows, events_of(trace), trace.panel.visits)

    def grown(self, rows: Rows, events: Events, visits: Counts) -> "Votes":
        """Return the record extended by these rows and the mistakes on them."""
        pieces = list(self.pieces)
        if len(events.samples):
            piece = new_piece(rows, self.width, events, self.n_seen)
            while pieces and len(pieces[-1]) <= len(piece):
                piece = _joined(pieces.pop(), piece, self.width)
            pieces.append(piece)
        n_seen = self.n_seen + n_rows(rows)
        return replace(self, visits=visits.copy(), n_seen=n_seen, pieces=tuple(pieces))

    def whole(self) -> Piece:
        """Return all mistakes in one piece."""
        if not self.pieces:
            empty = np.zeros(0, dtype=np.int64)
            no_values = np.zeros((0, self.width))
            return Piece(no_values, None, None, empty, empty, empty, np.zeros(0), empty)
        return reduce(partial(_joined, width=self.width), self.pieces)

    def deciding(self, _weights: Floats, _visits: Counts) -> Floats:
        """Raise AttributeError: a vote has no single weight vector."""
        raise AttributeError(
            "with keep='vote' there is no single weight vector, so coef_ and intercept_ do not exist: "
            "use keep='average', whose weights are the mean of all that vote"
        )

    def chosen(self, rows: Counts) -> "Votes":
        """Return the record of these halfspaces, in this order."""
        pieces = tuple(_of_columns(piece, rows, np.ones(len(rows))) for piece in self.pieces)
        return replace(self, start=self.start[rows], visits=self.visits[rows], pieces=pieces)

    def opened(self, origin: Floats, *, n_classes: int) -> "Votes":
        """Return the record of a closed stream, prepared for new classes."""
        votes = self
        if n_classes == 2:
            mirrored = (np.array([0, 0]), np.array([-1.0, 1.0]))
            votes = replace(
                self,
                start=np.vstack([-self.start, self.start]) + 0.0,
                visits=np.tile(self.visits, 2),
                pieces=tuple(_of_columns(piece, *mirrored) for piece in self.pieces),
            )
        return replace(
            votes, start=np.vstack([votes.start, origin]), visits=np.append(votes.visits, 0)
        )

    def rescaled(self, factor: float) -> "Votes":
        """Return the record; raise InputError unless the unit of the weights stays the same."""
        if factor != 1.0:
            raise InputError(
                "eta0 has changed since the stream began: with keep='vote' it cannot change, because "
                "all earlier weights still vote"
            )
        return self

    def check(self, weights: Floats) -> None:
        """Raise ValueError if the record does not match the weights."""
        height = len(weights)
        fits = (
            self.start.shape == weights.shape
            and self.start.dtype == np.float64
            and bool(np.isfinite(self.start).all())
            and self.visits.shape == (height,)
            and self.visits.dtype == np.int64
            and isinstance(self.n_seen, numbers.Integral)
            and self.constant in (0.0, 1.0)
            and isinstance(self.pieces, tuple)
            and all(piece.fits(height, self.width) for piece in self.pieces)
        )
        if not fits:
            raise ValueError("the record of a vote does not fit the weights")


def _of_columns(piece: Piece, sources: Counts, factors: Floats) -> Piece:
    """Return a piece in which halfspace k has the mistakes of ``sources[k]``, times its factor."""
    own = [np.flatnonzero(piece.columns == source) for source in sources]
    every = np.concatenate(own)
    lengths = [len(one) for one in own]
    return replace(
        piece,
        columns=np.repeat(np.arange(len(sources)), lengths),
        places=piece.places[every],
        steps=piece.steps[every] * np.repeat(factors, lengths),
        before=piece.before[every],
    )


class VoteRecorder:
    """Records the votes of a panel while it learns."""

    def __init__(self, panel: Panel) -> None:
        self._panel = panel
        self._start = panel.weights.copy()
        self._events: list[Events] = []

    def add_epoch(self, trace: EpochTrace) -> None:
        """Record the mistakes of an epoch."""
        self._events.append(events_of(trace))

    def kept(self) -> Votes:
        """Return the record so far."""
        rows = self._panel.problem.rows
        votes = Votes.new(self._start, rows.constant)
        if not self._events:
            return votes
        return votes.grown(rows, _in_sequence(self._events), self._panel.visits)
