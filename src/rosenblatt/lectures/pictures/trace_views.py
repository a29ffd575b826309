"""The samples and separators of a trace, converted for pictures.

Like the lectures, a trace has samples with a constant 1 in front, and negates those of the negative
class. Pictures show the original samples.
"""

import numpy as np

from rosenblatt.core.errors import InputError
from rosenblatt.core.types import Floats
from rosenblatt.lectures.trace import Trace, Vector, Visit
from rosenblatt.plots.plane.drawn_samples import DrawnSamples
from rosenblatt.training.outcomes import Outcome


def checked_trace(trace: object) -> Trace:
    """Return the trace; raise InputError for any other object."""
    if not isinstance(trace, Trace):
        raise InputError(f"trace is a {type(trace).__name__}: give the result of rosenblatt.trace")
    return trace


def samples_of(trace: Trace) -> DrawnSamples:
    """Return the original samples of a trace, in row order; class 1 is the positive one.

    >>> from rosenblatt import trace
    >>> samples = samples_of(trace([[2, 1], [-1, 1]], [1, -1]))
    >>> samples.table.tolist(), samples.codes.tolist()
    ([[2.0, 1.0], [-1.0, 1.0]], [1, 0])
    """
    visits = {visit.row: visit for visit in trace}
    in_order = [visits[row] for row in sorted(visits)]
    table = np.array([visit.sample for visit in in_order])
    codes = np.array([int(visit.label == trace.classes[-1]) for visit in in_order])
    signs = (2 * codes - 1)[:, None]
    original = table[:, 1:] / table[:, :1] if trace.has_intercept else table * signs
    names = [f"x{k}" for k in range(1, original.shape[1] + 1)]
    classes = ["", *trace.classes][-2:]  # a single label is positive
    return DrawnSamples(original + 0.0, codes, classes, names)  # no -0.0


def updates_of(trace: Trace) -> list[Visit]:
    """Return the visits that changed the weights."""
    return [visit for visit in trace if visit.update]


def separator_of(weights: Vector, *, has_intercept: bool) -> tuple[Floats, float]:
    """Split the weights of a trace into coefficients and intercept.

    >>> separator_of((1.0, 2.0, 3.0), has_intercept=True)
    (array([2., 3.]), 1.0)
    """
    values = np.array(weights)
    return (values[1:], float(values[0])) if has_intercept else (values, 0.0)


def title_of_run(trace: Trace) -> str:
    """Return a title: the number of updates and epochs, and the outcome."""
    n_updates, n_epochs = len(updates_of(trace)), trace.visits[-1].epoch
    updates = "1 update" if n_updates == 1 else f"{n_updates} updates"
    epochs = "1 epoch" if n_epochs == 1 else f"{n_epochs} epochs"
    outcome = trace.outcome
    ending = "mistakes in the last one" if outcome is Outcome.BUDGET else outcome.name.lower()
    return f"{updates} in {epochs}: {ending}"
