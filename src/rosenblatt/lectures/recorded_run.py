"""A recorded run as the convergence proof sees it: which row each update added, and how often."""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.bounds.runs import check_data
from rosenblatt.core.errors import InputError
from rosenblatt.core.labels import positive_classes, signs_for
from rosenblatt.core.types import Counts, Floats, LabelsLike, MatrixLike
from rosenblatt.kernels.rows import Rows, as_rows, widened
from rosenblatt.lectures.trace import Trace
from rosenblatt.training.ledger import Ledger


class RecordedRun(NamedTuple):
    """A run, as the proof sees it; weights are in units of eta0, with that of the constant last.

    Update t adds ``factors[i]`` times row i, which is ``sequence[t]``; the factor is 0 for a row that is
    not seen. ``numbers`` are the rows as the user counts them; ``leading`` says that the constant is the
    first column of the rows.
    """

    rows: Rows
    factors: Floats
    sequence: Counts
    numbers: Counts
    epochs: Counts | None
    start: Floats
    eta0: float
    required: float
    n_samples: int
    n_epochs: int
    sees_all: bool
    has_intercept: bool
    leading: bool
    X: MatrixLike


def run_of_trace(run: Trace) -> RecordedRun:
    """Return the run that a trace shows."""
    first = {visit.row: visit for visit in reversed(run.visits)}
    numbers = np.array(sorted(first))
    place = {row: k for k, row in enumerate(numbers.tolist())}
    samples = np.array([first[row].sample for row in numbers.tolist()])
    updates = [visit for visit in run.visits if visit.update]
    epochs = np.array([visit.epoch for visit in updates], dtype=np.int64)
    n_epochs = run.visits[-1].epoch
    n_samples = len(run.visits) // n_epochs
    seen = len({(visit.epoch, visit.row) for visit in run.visits})
    return RecordedRun(
        rows=as_rows(samples, 0.0),
        factors=np.array([first[row].step for row in numbers.tolist()]) / run.eta0,
        sequence=np.array([place[visit.row] for visit in updates], dtype=np.int64),
        numbers=numbers,
        epochs=epochs,
        start=np.append(run.visits[0].weights_before, 0.0) / run.eta0,
        eta0=run.eta0,
        required=run.margin,
        n_samples=n_samples,
        n_epochs=n_epochs,
        sees_all=seen == len(run.visits),
        has_intercept=run.has_intercept,
        leading=True,
        X=samples,
    )


def run_of_estimator(run: Any, X: MatrixLike, y: LabelsLike) -> RecordedRun:
    """Return the run of a fitted learner, with the samples that it was fitted on; raise for others."""
    ledger = getattr(run, "ledger_", None)
    if not isinstance(ledger, Ledger):
        raise InputError(
            f"a {type(run).__name__} without ledger_ is no recorded run: give a Trace, or a "
            "Perceptron(record=True) that was fitted, and not moved on by a stream"
        )
    if len(ledger.mistake_counts) != 1:
        raise InputError(
            f"the run has {len(ledger.mistake_counts)} halfspaces: the proof is about one"
        )
    if X is None or y is None:
        raise InputError("X or y is missing: a fitted run needs the data that it was fitted on")
    check_data(ledger, X, y)
    (sequence,) = ledger.sequences or []
    signs = signs_for(np.asarray(y), positive_classes(ledger.classes)[0])
    per_epoch = run.history_.mistakes
    epochs = None
    if per_epoch.sum() == len(sequence):
        epochs = np.repeat(np.arange(1, len(per_epoch) + 1), per_epoch)
    return RecordedRun(
        rows=widened(as_rows(X, 1.0 if ledger.fit_intercept else 0.0)),
        factors=signs * ledger.steps[0],
        sequence=sequence,
        numbers=np.arange(len(signs)),
        epochs=epochs,
        start=ledger.start[0].copy(),
        eta0=ledger.eta0,
        required=ledger.margin,
        n_samples=int(np.count_nonzero(ledger.steps[0])),
        n_epochs=len(per_epoch),
        sees_all=(ledger.order or run.order) != "random",
        has_intercept=ledger.fit_intercept,
        leading=False,
        X=X,
    )
